"""Faults of the field, tried through the command itself: data sets, texts in all scripts, gates, the environment."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from plugins.cli.tests.command_desk import Desk, declare
from steelyard import Registry, result_from_json
from steelyard_cli.commands.run import command as run_command
from tests.field_log import unaccounted
from tests.reference import needs_reference

FORMS = ("--json", "--jsonl", "--junit", "--markdown", "--csv")
ALL_OUTPUTS = [each for form in FORMS for each in (form, f"out.{form.strip('-')}")]


def written(desk: Desk) -> dict[str, str]:
    """All files of a run with ``ALL_OUTPUTS``; each must be UTF-8, and what it says it is."""
    found = {form.strip("-"): desk.read(f"out.{form.strip('-')}") for form in FORMS}
    json.loads(found["json"])
    for line in found["jsonl"].splitlines():
        json.loads(line)
    ElementTree.fromstring(found["junit"])
    return found


# -- Dataset --------------------------------------------------------------------------------------------------------


ROWS = {
    "data.jsonl": '{"input": "a", "output": "the sun"}\n',
    "data.json": '[{"input": "a", "output": "the sun"}]',
    "data.csv": "input,output\na,the sun\n",
    "data.yaml": "- input: a\n  output: the sun\n",
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_data_of_every_format_load_with_a_byte_order_mark(desk: Desk, name: str, start: str) -> None:
    """B163"""
    desk.write(name, start + ROWS[name])
    desk.gate(data=name)
    assert desk.run("run", "evaluation.toml").code == 0


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blank_lines_are_passed_over_and_only_newlines_split(desk: Desk, end: str) -> None:
    """B165"""
    rows = ['{"output": "sun\u2028\u2029\u0085 a"}', "", "   ", "\t", '{"output": "sun b"}', ""]
    desk.write("data.jsonl", end.join(rows))
    desk.gate()
    assert desk.run("run", "evaluation.toml", "--json", "out.json").code == 0
    assert [item["output"] for item in desk.json("out.json")["items"]] == ["sun\u2028\u2029\u0085 a", "sun b"]


def test_nan_in_a_row_is_a_missing_value(desk: Desk) -> None:
    """B167"""
    desk.write("data.jsonl", '{"output": "sun nan", "ground_truth": NaN, "id": NaN, "metadata": {"a": NaN}}\n')
    desk.gate()
    assert desk.run("run", "evaluation.toml", "--json", "out.json").code == 0
    [item] = desk.json("out.json")["items"]
    assert item["item"].get("ground_truth") is None
    assert item["id"] != "nan"
    desk.write("x.toml", "data = 'data.jsonl'\n[[gates]]\ncheck = 'includes'\nvalue.from_item = 'ground_truth'\n")
    assert "needs ground_truth" in desk.run("run", "x.toml").fault


@pytest.mark.parametrize(("flags", "count"), [(("--limit", "0"), 0), (("--limit", "1"), 1), ((), 3)])
def test_a_limit_of_0_takes_nothing(desk: Desk, flags: tuple[str, ...], count: int) -> None:
    """B169"""
    desk.gate()
    desk.outputs("sun", "sun", "sun")
    ran = desk.run("run", "evaluation.toml", *flags)
    assert ran.code == (0 if count else 3)
    assert f"evaluation: {count} item" in ran.out or not count


@pytest.mark.parametrize("text", ["5-10-15", "10-5", "-3", "a-b", "5-10", "1.5", "1e3", ""])
def test_a_limit_that_is_no_number_of_items_is_a_wrong_use(desk: Desk, text: str) -> None:
    """B171"""
    desk.gate()
    desk.outputs("sun")
    ran = desk.run("run", "evaluation.toml", "--limit", text)
    assert ran.code == 2
    assert "Traceback" not in ran.said


ITEM = {
    "id": "one",
    "input": "Where is it?",
    "output": "the sun",
    "ground_truth": ["the sun", "sun"],
    "context": ["The sun is up."],
    "request_context": {"user": "u"},
    "start_options": {"fast": True},
    "metadata": {"lang": "de", "n": 1.5, "none": None},
    "expected_trajectory": {"steps": [{"name": "look"}]},
}


def test_no_field_of_an_item_is_lost_and_unknown_ones_are_refused(desk: Desk) -> None:
    """B173, B174: what a run writes down is equal to what was read, fields that have their default included."""
    desk.gate()
    desk.jsonl([ITEM, {"input": "b", "output": "sun"}])
    assert desk.run("run", "evaluation.toml", "--json", "out.json").code == 0
    first, second = result_from_json(desk.json("out.json")).items
    assert (first.id, first.item.ground_truth, first.item.metadata) == ("one", ITEM["ground_truth"], ITEM["metadata"])
    assert (list(first.item.context), first.item.request_context) == (ITEM["context"], ITEM["request_context"])
    assert first.item.start_options == ITEM["start_options"]
    assert [step.name for step in first.item.expected_trajectory.steps] == ["look"]
    assert (second.item.input, second.item.ground_truth, second.item.metadata) == ("b", None, {})
    desk.jsonl([{**ITEM, "expected_outcome": "x"}])
    assert "unknown field 'expected_outcome'" in desk.run("run", "evaluation.toml").fault


@pytest.mark.parametrize("row", ['{"output": "very private"', '["very private"]', '{"very private": 1, "output": 1} x'])
def test_a_broken_record_is_told_with_file_and_physical_line_and_without_its_content(desk: Desk, row: str) -> None:
    """B175"""
    desk.gate()
    desk.write("data.jsonl", '{"output": "sun"}\n\n\n  \n{"output": "sun"}\n\n' + row + "\n")
    for command in ("run", "check"):
        ran = desk.run(command, "evaluation.toml")
        assert ran.code == 2
        assert "data.jsonl:7: " in ran.said
        assert "private" not in ran.said


# -- Unicode/serialisation ------------------------------------------------------------------------------------------


def test_half_an_emoji_costs_nothing(desk: Desk) -> None:
    """B176"""
    desk.gate()
    desk.write("data.jsonl", '{"id": "half \\ud83d", "output": "ok \\ud83d end"}\n{"output": "the sun \\ude00"}\n')
    for run in (desk.run, desk.process):
        assert run("run", "evaluation.toml", *ALL_OUTPUTS).code == 1
        assert "ok \\ud83d end" in written(desk)["json"]


def test_texts_are_cut_between_characters(desk: Desk) -> None:
    """B178"""
    desk.gate()
    desk.outputs("👩‍🚀" * 3000)
    ran = desk.run("run", "evaluation.toml", *ALL_OUTPUTS)
    assert ran.code == 1
    for text in (ran.out, *written(desk).values()):
        assert "\ufffd" not in text
        text.encode("utf-8")


LOCALE = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}


def test_files_are_utf_8_and_readable_whatever_the_locale(desk: Desk) -> None:
    """B180"""
    desk.write("評価.toml", "name = '評価'\ndata = 'データ.yaml'\n[[gates]]\ncheck = 'includes'\nvalue = '日本語'\n")
    desk.write("データ.yaml", "- output: 日本語です\n- output: 違います\n")
    ran = desk.process("run", "評価.toml", *ALL_OUTPUTS, env=LOCALE)
    assert ran.code == 1, ran.err
    for name, text in written(desk).items():
        assert "日本語" in text, name
        assert "\\u65e5" not in text, name
    assert "\\u65e5" in ran.out or "日本語" in ran.out


def test_yaml_is_read_and_comes_out_readable(desk: Desk) -> None:
    """B181: nothing is written as YAML; what was read from it is written as it was."""
    desk.write("data.yaml", '- output: "日本語 \\u65e5 no"\n  metadata: {answer: no, time: 1:30, day: 2031-05-02}\n')
    desk.write("x.toml", "data = 'data.yaml'\n[[gates]]\ncheck = 'includes'\nvalue = '日本語 日 no'\n")
    assert desk.run("run", "x.toml", *ALL_OUTPUTS).code == 0
    assert "日本語 日 no" in written(desk)["json"]
    [item] = desk.json("out.json")["items"]
    assert item["item"]["metadata"] == {"answer": "no", "time": "1:30", "day": "2031-05-02"}


JUDGE = """
import pathlib
from attrs import frozen
from steelyard import JudgeReply, PromptStep, create_scorer

@frozen
class Answer:
    good: bool

polite = create_scorer("polite", "Whether the answer is polite", type="agent").generate_score(
    PromptStep(description="Ask", output=Answer, prompt=lambda context: f"Polite? {context.run.output.text}",
               calculate_score=lambda context, answer: answer.good)
)

async def judge(request):
    text = " ".join(str(message) for message in request.messages)
    pathlib.Path("asked").write_text(text, encoding="utf-8")
    return JudgeReply(text='{"good": true}')
"""


def test_a_judge_reads_real_characters(desk: Desk) -> None:
    """B183"""
    desk.write("judge_of_the_field.py", JUDGE)
    desk.outputs("Xin chào, tôi có thể giúp gì?")
    desk.write(
        "x.toml",
        "data = 'data.jsonl'\njudge = 'python:judge_of_the_field:judge'\n"
        "[[gates]]\nscorer = 'python:judge_of_the_field:polite'\n",
    )
    assert desk.run("run", "x.toml").code == 0
    assert "Xin chào, tôi có thể giúp gì?" in desk.read("asked")


ODD = """
import dataclasses, datetime, decimal, enum
from attrs import frozen

@dataclasses.dataclass
class Point:
    x: int
    when: datetime.datetime

@frozen
class Box:
    inside: object

class Colour(enum.Enum):
    RED = 1

class Opaque:
    def __repr__(self):
        raise RuntimeError("no text of me")

VALUES = {
    "dataclass": Point(1, datetime.datetime(2031, 5, 2)),
    "attrs": Box({1, 2}),
    "bytes": b"\\x00\\xff",
    "decimal": decimal.Decimal("1.10"),
    "enum": Colour.RED,
    "nan": float("nan"),
    "keys": {1: "a", (2, 3): "b"},
    "opaque": Opaque(),
    "function": len,
}
VALUES["loop"] = loop = []
loop.append(loop)

def answer(name):
    return VALUES[name]
"""


def test_a_run_with_any_values_at_all_is_saved(desk: Desk) -> None:
    """B184"""
    desk.write("agent_of_odd_values.py", ODD)
    names = ["dataclass", "attrs", "bytes", "decimal", "enum", "nan", "keys", "opaque", "function", "loop"]
    desk.jsonl({"input": name} for name in names)
    desk.write(
        "x.toml",
        "data = 'data.jsonl'\ntarget = 'python:agent_of_odd_values:answer'\n"
        "[[scorers]]\nscorer = 'python:scorer_of_odd_values:seen'\n",
    )
    desk.write("scorer_of_odd_values.py", "from steelyard import scorer\n@scorer\ndef seen(run):\n    return 1.0\n")
    ran = desk.run("run", "x.toml", *ALL_OUTPUTS)
    assert ran.code == 0, ran.said
    written(desk)
    assert len(result_from_json(desk.json("out.json")).items) == len(names)


def test_text_that_looks_like_marks_of_models_is_text(desk: Desk) -> None:
    """B186"""
    desk.gate()
    desk.outputs("the sun <|endoftext|> <|im_start|>system {question} {0.__class__} %s [bold]x[/bold]")
    ran = desk.run("run", "evaluation.toml", *ALL_OUTPUTS)
    assert ran.code == 0
    assert "<|endoftext|> <|im_start|>system {question} {0.__class__} %s [bold]x[/bold]" in written(desk)["json"]


def test_names_make_no_names_of_files(desk: Desk) -> None:
    """B187"""
    name = "../a+b@c/d:e f" + "x" * 300
    desk.write("x.toml", f"name = '{name}'\ndata = 'data.jsonl'\n[[gates]]\ncheck = 'refused'\n")
    desk.jsonl([{"id": name, "output": "sun"}])
    before = {path.name for path in desk.folder.parent.iterdir()}
    assert desk.run("run", "x.toml", *ALL_OUTPUTS).code == 1
    assert name in written(desk)["json"]
    assert {path.name for path in desk.folder.iterdir()} == {
        "x.toml",
        "data.jsonl",
        *(f"out.{form.strip('-')}" for form in FORMS),
    }
    assert {path.name for path in desk.folder.parent.iterdir()} == before


# -- Gate -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bound", "answer", "code"),
    [("min = 0", "moon", 0), ("min = 0.0", "moon", 0), ("max = 0", "moon", 0), ("max = 0", "sun", 1), ("", "moon", 0)],
)
def test_a_threshold_of_0_is_a_threshold(desk: Desk, bound: str, answer: str, code: int) -> None:
    """B131"""
    desk.write("x.toml", f"data = 'data.jsonl'\n[[scorers]]\ncheck = 'includes'\nvalue = 'sun'\n{bound}\n")
    desk.outputs(answer)
    ran = desk.run("run", "x.toml", "--json", "out.json")
    assert ran.code == code
    assert len(desk.json("out.json")["threshold_results"]) == (1 if bound else 0)


CALL = {"role": "assistant", "tool_calls": [{"id": "1", "name": "look", "args": {"a": 1}, "result": "ok"}]}
TALK = {"output": [CALL, {"role": "assistant", "content": '{"a": [1]}'}], "input": "Hi"}
TEXT = {"output": [{"role": "assistant", "content": "", "refusal": "I cannot help with that."}]}
HOLDS: dict[str, tuple[str, dict[str, Any]]] = {
    "called_tool": ("name = 'look'", TALK),
    "contains_all": ("values = ['a', '1']", TALK),
    "contains_any": ("values = ['a', 'z']", TALK),
    "did_not_call": ("name = 'delete'", TALK),
    "ends_with": ("value = ']}'", TALK),
    "equals": ("value = '{\"a\": [1]}'", TALK),
    "excludes": ("value = 'z'", TALK),
    "includes": ("value = 'a'", TALK),
    "is_json": ("schema = { type = 'object' }", TALK),
    "json_path_equals": ("path = 'a[0]'\nvalue = 1", TALK),
    "matches": ("pattern = 'a'", TALK),
    "max_length": ("n = 100", TALK),
    "max_tool_calls": ("n = 1", TALK),
    "max_turns": ("n = 5", TALK),
    "min_length": ("n = 1\nunit = 'words'", TALK),
    "no_tool_errors": ("", TALK),
    "refused": ("", TEXT),
    "similarity": ("value = '{\"a\": [1]}'", TALK),
    "starts_with": ("value = '{'", TALK),
    "tool_called_with": ("name = 'look'\nargs = { a = 1 }", TALK),
    "tool_order": ("order = ['look']", TALK),
    "used_no_tools": ("", TEXT),
}
"""Options of each check, and an item for which it holds."""
OF_LIVE_RUNS = {"cost_under": "dollars = 1", "latency_under": "seconds = 1000"}
LIVE = "from steelyard import TargetResult\ndef answer(question):\n    return TargetResult('sun', cost=0.5)\n"


@pytest.mark.parametrize("name", [*HOLDS, *OF_LIVE_RUNS])
def test_the_opposite_of_every_check_fails_where_the_check_passes(desk: Desk, name: str) -> None:
    """B133"""
    desk.write("agent_of_the_field.py", LIVE)
    options, item = HOLDS[name] if name in HOLDS else (OF_LIVE_RUNS[name], {"input": "a"})
    head = "data = 'data.jsonl'\n" + ("" if name in HOLDS else "target = 'python:agent_of_the_field:answer'\n")
    desk.jsonl([item])
    table = f"check = '{name}'\n{options}\n"
    desk.write("plain.toml", f"{head}[[gates]]\n{table}")
    desk.write("turned.toml", f"{head}[[gates]]\n[gates.not]\n{table}")
    assert desk.run("run", "plain.toml").code == 0
    assert desk.run("run", "turned.toml").code == 1


def test_the_opposite_is_tried_for_every_check_that_there_is() -> None:
    """B133"""
    assert {*HOLDS, *OF_LIVE_RUNS, "not_"} == set(Registry().names("checks"))


def test_the_opposite_of_a_score_is_what_is_left_of_it(desk: Desk) -> None:
    """B135"""
    table = "check = 'similarity'\nvalue = 'the sun is up'\n"
    desk.write("x.toml", f"data = 'data.jsonl'\n[[scorers]]\n{table}[[scorers]]\n[scorers.not]\n{table}")
    desk.outputs("the sun", "the moon is up")
    assert desk.run("run", "x.toml", "--json", "out.json").code == 0
    plain, turned = result_from_json(desk.json("out.json")).scores.values()
    assert 0 < plain < 1
    assert turned == pytest.approx(1 - plain)


def test_failed_wrong_and_broken_runs_all_have_codes_of_their_own(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """B138"""
    desk.gate()
    desk.outputs("sun")
    codes = {"passed": desk.process("run", "evaluation.toml").code}
    desk.outputs("moon")
    codes["failed"] = desk.process("run", "evaluation.toml").code
    codes["usage"] = desk.process("run", "evaluation.toml", "--nonsense").code
    desk.write("agent_down.py", "def answer(question): raise RuntimeError('down')\n")
    desk.jsonl([{"input": "a"}])
    desk.gate("target = 'python:agent_down:answer'")
    codes["not evaluated"] = desk.process("run", "evaluation.toml").code
    monkeypatch.setattr("steelyard_cli.running.run_evals", lambda **options: 1 / 0)
    codes["internal"] = desk.run("run", "evaluation.toml").code
    assert codes == {"passed": 0, "failed": 1, "usage": 2, "not evaluated": 3, "internal": 70}


def test_an_outage_condemns_nobody(desk: Desk) -> None:
    """B141"""
    desk.write(
        "agent_down.py", "def answer(question):\n    if question == 'x': raise OSError('down')\n    return 'moon'\n"
    )
    desk.gate("target = 'python:agent_down:answer'")
    desk.jsonl([{"input": "x"}, {"input": "x"}])
    ran = desk.run("run", "evaluation.toml")
    assert ran.code == 3
    assert "nothing could be measured" in ran.out
    desk.jsonl([{"input": "x"}, {"input": "y"}])
    assert desk.run("run", "evaluation.toml").code == 1


def test_the_same_data_come_to_the_same_end_and_say_over_how_many_items(desk: Desk) -> None:
    """B143"""
    desk.write("x.toml", "data = 'data.jsonl'\n[[scorers]]\ncheck = 'similarity'\nvalue = 'the sun'\nmin = 0.4\n")
    desk.outputs("the sun", "a sun", "sun")
    ends = [re.sub("Time.*", "", desk.run("run", "x.toml").out) for _ in range(2)]
    assert ends[0] == ends[1]
    assert "3/0/0" in ends[0]
    desk.outputs("the sun")
    ran = desk.run("run", "x.toml", "--json", "out.json")
    assert ran.code == 0
    assert "1/0/0" in ran.out


# -- Environment ----------------------------------------------------------------------------------------------------


def test_the_command_works_where_a_loop_is_running_already(desk: Desk) -> None:
    """B206"""
    desk.write("agent_async.py", "async def answer(question): return 'the sun'\n")
    desk.jsonl([{"input": "a"}])
    desk.gate("target = 'python:agent_async:answer'")

    async def within() -> list[int]:
        return [desk.run("run", "evaluation.toml").code for _ in range(2)]

    assert asyncio.run(within()) == [0, 0]


def test_importing_the_command_changes_nothing() -> None:
    """B208"""
    program = (
        "import sys, logging, signal, warnings, os\n"
        "import click\n"
        "def state():\n"
        "    return (list(sys.path), logging.root.handlers[:], warnings.filters[:], signal.getsignal(signal.SIGINT),\n"
        "            dict(os.environ))\n"
        "before = state()\n"
        "import steelyard_cli.main, steelyard_cli.running, steelyard_cli.opening, steelyard_cli.commands.run\n"
        "print(state() == before, 'pluggy' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


def test_a_run_talks_to_nobody(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """B212"""
    import socket

    def refuse(*given: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    desk.gate()
    desk.outputs("sun")
    assert desk.run("run", "evaluation.toml", *ALL_OUTPUTS).code == 0
    assert desk.run("plugins").code == 0


def test_a_plugin_that_cannot_be_imported_is_alone_unavailable(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """B213"""
    site = desk.folder / "site"
    monkeypatch.syspath_prepend(site)
    declare(
        site,
        "acme-broken",
        "[steelyard.scorers]\nmoved = acme_moved:scorer\n[steelyard.readers]\nparquet = acme_moved:read\n",
    )
    (site / "acme_moved.py").write_text("from json import ThisClassMoved\n")
    desk.gate()
    desk.outputs("sun")
    assert desk.run("run", "evaluation.toml").code == 0
    assert desk.run("scorers").code == 0
    assert desk.run("schema").code == 0
    desk.write("x.toml", "data = 'data.jsonl'\n[[gates]]\nscorer = 'moved'\n")
    assert "cannot import name 'ThisClassMoved'" in desk.run("run", "x.toml").fault


PAGES = [Path(__file__).parents[1] / "README.md", *sorted((Path(__file__).parents[3] / "docs").glob("*.md"))]


def test_every_flag_that_the_pages_name_exists() -> None:
    """B216: that each works is tried flag by flag where the run is tested."""
    known = {flag for option in run_command.params for flag in option.opts} | {
        "--check",
        "--markdown",
        "--output",
        "--debug",
    }
    named = {
        flag for page in PAGES for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]+", page.read_text(encoding="utf-8"))
    }
    assert named - known == set()
    assert {"--target-option", "--skip-bad", "--allow-scored"} <= named


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("path=with=equals", "path=with=equals"),
        ("-1", -1),
        ("None", "None"),
        ("1e-3", 0.001),
        ('"123"', "123"),
        ("123", 123),
    ],
)
def test_options_split_at_the_first_equals_sign_and_have_types(desk: Desk, text: str, value: object) -> None:
    """B217"""
    desk.write("agent_of_options.py", "def answer(question, call): return {'sun': call.options['model']}\n")
    desk.jsonl([{"input": "a"}])
    desk.write(
        "x.toml",
        "data = 'data.jsonl'\ntarget = 'python:agent_of_options:answer'\n"
        "[[scorers]]\nscorer = 'python:scorer_of_options:seen'\n",
    )
    desk.write("scorer_of_options.py", "from steelyard import scorer\n@scorer\ndef seen(run):\n    return 1.0\n")
    assert desk.run("run", "x.toml", "--target-option", f"model={text}", "--json", "out.json").code == 0
    [item] = desk.json("out.json")["items"]
    assert item["output"] == {"sun": value}


NOTHING_TO_TEST = (
    ("B137", "Scorers have no weights and no groups within groups: a verdict is made of bounds, each on one average."),
    ("B140", "The command changes no exit status of pytest; a plugin for pytest comes later."),
    ("B145", "A run cannot be resumed yet, so every item of it was executed in it."),
    ("B146", "An item is evaluated once: repeats, and the rule that decides over them, come later."),
    ("B210", "The command brings no plugin for pytest."),
    ("B215", "The command scores nothing in the background: a run ends when all its items are scored."),
)
"""Entries that cannot occur here, or that are of what is still to come."""
SECTIONS = ("Dataset", "Unicode/serialisation", "Gate", "Environment")


@needs_reference
def test_every_entry_of_the_sections_has_tests_or_a_sentence() -> None:
    assert unaccounted(SECTIONS, globals(), NOTHING_TO_TEST) == []
