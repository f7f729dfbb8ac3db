"""Faults of bounds, groups and data, told before a call where they can be, with what there is in their place."""

from __future__ import annotations

import pytest

from plugins.cli.tests.command_desk import Desk

BOUND = "[[scorers]]\ncheck = 'includes'\nvalue = 'sun'\nmin = 0.5\nslice = 'metadata.lang={}'\n"


def grouped(desk: Desk, slice: str, *, path: str = "metadata.lang") -> None:
    """An evaluation of a thousand items, of which the last one alone is Danish, with a bound on a slice."""
    rows = [{"id": f"i{at}", "output": "sun", "metadata": {"lang": "de"}} for at in range(1000)]
    desk.jsonl([*rows, {"id": "last", "output": "sun", "metadata": {"lang": "da"}}])
    desk.gate(f"group_by = ['{path}']")
    desk.write("evaluation.toml", desk.read("evaluation.toml") + BOUND.format(slice))


def test_a_slice_may_begin_late_in_the_data(desk: Desk) -> None:
    grouped(desk, "da")
    assert desk.run("check", "evaluation.toml").code == 0
    assert desk.run("run", "evaluation.toml").code == 0


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_slice_without_items_is_refused_with_those_there_are(desk: Desk, command: str) -> None:
    grouped(desk, "dk")
    fault = desk.run(command, "evaluation.toml").fault
    assert "the slice 'metadata.lang=dk', to which no item belongs" in fault
    assert "There are metadata.lang=da, metadata.lang=de." in fault


@pytest.mark.parametrize(
    "flags", [("--limit", "3"), ("--id", "i7"), ("--sample", "1"), ("--where", "metadata.lang=de")]
)
def test_a_slice_that_the_selection_left_out_has_no_say(desk: Desk, flags: tuple[str, ...]) -> None:
    grouped(desk, "da")
    ran = desk.run("run", "evaluation.toml", *flags, "--json", "out.json")
    assert ran.code == 0, ran.said


def test_an_unknown_id_is_told_before_the_slices(desk: Desk) -> None:
    grouped(desk, "dk")
    assert "no item has the id 'nobody'" in desk.run("run", "evaluation.toml", "--id", "i1", "--id", "nobody").fault


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_path_to_group_by_that_no_item_has_is_refused(desk: Desk, command: str) -> None:
    grouped(desk, "de", path="metadata.lagn")
    desk.gate("group_by = ['metadata.lagn']")
    fault = desk.run(command, "evaluation.toml").fault
    assert "evaluation.toml:2: group_by[0]: no item has metadata.lagn. Did you mean 'metadata.lang'?" in fault


def test_a_path_to_group_by_that_some_items_lack_is_taken(desk: Desk) -> None:
    desk.jsonl([{"output": "sun"}, {"output": "sun", "metadata": {"lang": None}}])
    desk.gate("group_by = ['metadata.lang']")
    assert desk.run("run", "evaluation.toml").code == 0


GENERATOR = "def items():\n    yield {'output': 'sun'}\n    yield {'outptu': 'sun'}\n    yield {'output': 'sun'}\n"


def test_a_bad_item_of_a_generator_is_left_out_if_that_is_wished(desk: Desk) -> None:
    desk.write("items_bad.py", GENERATOR)
    desk.gate(data="python:items_bad:items")
    ran = desk.run("run", "evaluation.toml", "--skip-bad", "--json", "out.json")
    assert ran.code == 0, ran.said
    assert len(desk.json("out.json")["items"]) == 2
    assert (
        "left out: items_bad:items: data[1]: outptu: there is no such key. Did you mean 'output'?"
        in ran.said.replace("python:", "")
    )


def test_without_that_wish_it_ends_the_run(desk: Desk) -> None:
    desk.write("items_bad.py", GENERATOR)
    desk.gate(data="python:items_bad:items")
    assert desk.run("run", "evaluation.toml").code == 3


@pytest.mark.parametrize("flags", [(), ("--skip-bad",)])
@pytest.mark.parametrize(("first", "code"), [("sun", 3), ("moon", 1)])
def test_data_that_break_off_never_pass(desk: Desk, flags: tuple[str, ...], first: str, code: int) -> None:
    desk.write("items_off.py", f"def items():\n    yield {{'output': '{first}'}}\n    raise OSError('gone')\n")
    desk.gate(data="python:items_off:items")
    ran = desk.run("run", "evaluation.toml", *flags)
    assert ran.code == code
    assert "broke off" in ran.said
    assert "gone" in ran.said


def test_data_that_break_off_at_once_are_refused(desk: Desk) -> None:
    desk.write("items_none.py", "def items():\n    raise OSError('gone')\n    yield\n")
    desk.gate(data="python:items_none:items")
    assert "the items broke off: OSError: gone" in desk.run("run", "evaluation.toml").fault


def test_check_leaves_bad_lines_out_if_that_is_wished(desk: Desk) -> None:
    desk.write("data.jsonl", '{"output": "sun"}\nnot json\n')
    desk.gate()
    assert desk.run("check", "evaluation.toml").code == 2
    ran = desk.run("check", "evaluation.toml", "--skip-bad")
    assert ran.code == 0
    assert "nothing is wrong (1 item; 1 bad left out)" in ran.out
    assert "data.jsonl:2" in ran.err


def test_nan_is_told_to_be_no_value(desk: Desk) -> None:
    desk.write("data.jsonl", '{"input": NaN}\n')
    desk.gate()
    assert "NaN" in desk.run("run", "evaluation.toml").fault


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["data.jsonl", "data.csv", "data.json", "data.yaml"])
def test_another_encoding_without_a_mark_is_one_fault(desk: Desk, encoding: str, name: str) -> None:
    desk.write(name, '{"output": "sun"}\n{"output": "sun"}\n'.encode(encoding))
    desk.gate(data=name)
    fault = desk.run("run", "evaluation.toml").fault
    assert "save it as UTF-8" in fault
    assert fault.count("data.") == 1


def test_unknown_columns_are_told_with_what_separates_them(desk: Desk) -> None:
    desk.write("data.csv", "frage;antwort\na;sun\n")
    desk.gate(data="data.csv")
    fault = desk.run("run", "evaluation.toml").fault
    assert "unknown fields 'frage', 'antwort'" in fault
    assert "Columns were told apart at ';'" in fault


def test_an_unknown_option_is_told_with_those_there_are(desk: Desk) -> None:
    desk.outputs("sun")
    desk.write("x.toml", "data = 'data.jsonl'\n[[gates]]\ncheck = 'called_tool'\ntool = 'look'\n")
    assert "There are name, times." in desk.run("check", "x.toml").fault
