"""`steelyard check`: all that is wrong, with places, and nothing called."""

from __future__ import annotations

import pytest

from plugins.cli.tests.command_desk import Desk


def test_an_evaluation_with_nothing_wrong(desk: Desk) -> None:
    desk.write("agent_unused.py", "def answer(question): raise SystemExit('called')\n")
    desk.jsonl([{"input": "a"}, {"input": "b"}])
    desk.gate("target = 'python:agent_unused:answer'")
    ran = desk.run("check", "evaluation.toml")
    assert (ran.code, ran.out) == (0, "evaluation.toml: nothing is wrong (2 items).\n")


def test_every_fault_of_the_data_is_told_with_its_line(desk: Desk) -> None:
    desk.write("x.toml", "data = 'data.jsonl'\n[[gates]]\ncheck = 'includes'\nvalue.from_item = 'ground_truth'\n")
    desk.write(
        "data.jsonl",
        '{"output": "a", "ground_truth": "a", "id": "one"}\n'
        "\n"
        '{"output": "b"}\n'
        "not json\n"
        '{"input": "c", "ground_truth": "c"}\n'
        '{"output": "d", "ground_truth": "d", "id": "one"}\n',
    )
    ran = desk.run("check", "x.toml")
    assert ran.code == 2
    lines = ran.out.splitlines()
    assert [line.split("data.jsonl:")[1].split(":")[0] for line in lines] == ["3", "4", "5", "6"]
    assert "needs ground_truth" in lines[0]
    assert "no JSON" in lines[1]
    assert "no target" in lines[2]
    assert "the same id as" in lines[3]


def test_many_faults_are_counted(desk: Desk) -> None:
    desk.write("x.toml", "data = 'data.jsonl'\n[[gates]]\ncheck = 'includes'\nvalue.from_item = 'ground_truth'\n")
    desk.jsonl({"output": "a"} for _ in range(30))
    lines = desk.run("check", "x.toml").out.splitlines()
    assert len(lines) == 21
    assert lines[-1] == "and 10 more"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("dta = 'x'", "evaluation.toml:1: dta: there is no such key. Did you mean 'data'?"),
        ("data = 'data.jsonl'", "there is nothing to measure"),
        ("data = 'data.jsonl'\n[[gates]]\ncheck = 'inclodes'", "evaluation.toml:3: gates[0].check: No check named"),
        ("data = 'data.jsonl'\nobservers = ['nonesuch']\n[[gates]]\ncheck = 'refused'", "'nonesuch'"),
        (
            "data = 'data.jsonl'\n[[scorers]]\ncheck = 'refused'\nmin = 1\nslice = 'metadata.lang=de'",
            "evaluation.toml: A bound of 'check-refused' names the slice",
        ),
        (
            "data = 'data.jsonl'\n[[gates]]\ncheck = 'refused'\n[[gates]]\ncheck = 'refused'",
            "evaluation.toml: gates: 'check-refused' stands there twice",
        ),
    ],
)
def test_what_is_wrong_with_the_file_is_told_without_looking_at_the_data(desk: Desk, text: str, told: str) -> None:
    desk.write("data.jsonl", "not json\n")
    desk.write("evaluation.toml", text)
    assert told in desk.run("check", "evaluation.toml").fault


def test_data_without_items_are_a_fault(desk: Desk) -> None:
    desk.gate()
    desk.write("data.jsonl", "\n\n")
    ran = desk.run("check", "evaluation.toml")
    assert ran.code == 2
    assert ran.out.endswith("data.jsonl: there are no items.\n")


def test_items_that_come_once_are_not_taken_away(desk: Desk) -> None:
    desk.write(
        "items_once.py",
        "taken = []\ndef items():\n    taken.append(1)\n    yield {'output': 'sun'}\n",
    )
    desk.gate(data="python:items_once:items")
    ran = desk.run("check", "evaluation.toml")
    assert ran.code == 0
    assert "come one by one and were not looked at" in ran.out
    import items_once  # type: ignore[import-not-found]

    assert items_once.taken == []


def test_the_example_of_the_support_agent_is_in_order() -> None:
    from pathlib import Path

    from click.testing import CliRunner

    from steelyard_cli.main import cli

    example = Path(__file__).parents[3] / "examples" / "support_agent" / "evaluation.toml"
    result = CliRunner().invoke(cli, ["check", str(example)])
    assert result.exit_code == 0, result.output
    assert "nothing is wrong (33 items)" in result.stdout
