"""`steelyard run`: from a file to its results, with every flag."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import click
import pytest

from plugins.cli.tests.command_desk import Desk
from steelyard import EvalResult, result_from_json, run_evals
from steelyard_cli._report import LiveView
from steelyard_cli.commands.run import command as run_command

FORMS = ("--json", "--jsonl", "--junit", "--markdown", "--csv")


def test_a_gate_that_holds_passes_and_one_that_does_not_fails(desk: Desk) -> None:
    desk.gate()
    desk.outputs("the sun", "sunny")
    ran = desk.run("run", "evaluation.toml")
    assert ran.code == 0
    assert "evaluation: 2 items" in ran.out
    assert "passed: 1 gate held." in ran.out
    desk.outputs("the sun", "the moon")
    ran = desk.run("run", "evaluation.toml")
    assert ran.code == 1
    assert "Verdict: failed" in ran.out
    assert "'sun' is missing from the answer." in ran.said


def test_a_missed_threshold_is_1_unless_it_is_allowed(desk: Desk) -> None:
    desk.write("x.toml", "data = 'data.jsonl'\n[[scorers]]\ncheck = 'includes'\nvalue = 'sun'\nmin = 0.6\n")
    desk.outputs("sun", "moon")
    assert desk.run("run", "x.toml").code == 1
    assert desk.run("run", "x.toml", "--allow-scored").code == 0


def test_a_live_target_is_found_beside_the_file_and_in_the_working_directory(desk: Desk) -> None:
    desk.write("deep/agent_beside.py", "def answer(question): return f'the sun, {question}'\n")
    desk.write("agent_here.py", "def answer(question): return f'the sun, {question}'\n")
    desk.jsonl([{"input": "Hi"}], "deep/data.jsonl")
    for module in ("agent_beside", "agent_here"):
        desk.gate(f"target = 'python:{module}:answer'", name="deep/evaluation.toml")
        assert desk.run("run", "deep/evaluation.toml").code == 0


AGENT = """
class Agent:
    def __call__(self, question, call):
        return f"{call.options.get('word', 'moon')} {call.options}"

class Stateful:
    def __init__(self):
        self.n = 0
    def __call__(self, question):
        self.n += 1
        return f"sun {self.n}"

def make():
    return Stateful()

def reply(question):
    return {"answer": {"text": "the sun"}, "docs": [{"text": "a"}]}

def down(question):
    raise RuntimeError("the backend is down")
"""


def test_a_class_is_made_once_and_a_factory_for_each_item(desk: Desk) -> None:
    desk.write("agent_kinds.py", AGENT)
    desk.jsonl([{"input": "a"}, {"input": "b"}])
    desk.gate("target = 'python:agent_kinds:Stateful'")
    desk.run("run", "evaluation.toml", "--json", "out.json")
    assert [item["output"] for item in desk.json("out.json")["items"]] == ["sun 1", "sun 2"]
    desk.gate("target_factory = 'python:agent_kinds:make'")
    desk.run("run", "evaluation.toml", "--json", "out.json")
    assert [item["output"] for item in desk.json("out.json")["items"]] == ["sun 1", "sun 1"]


def test_a_reply_map_takes_the_output_out_of_what_the_target_returns(desk: Desk) -> None:
    desk.write("agent_kinds.py", AGENT)
    desk.jsonl([{"input": "a"}])
    desk.gate("target = 'python:agent_kinds:reply'", "reply = { output = 'answer.text', context = 'docs[].text' }")
    assert desk.run("run", "evaluation.toml").code == 0


def test_options_of_the_target_go_over_those_of_the_file(desk: Desk) -> None:
    desk.write("agent_kinds.py", AGENT)
    desk.jsonl([{"input": "a"}])
    desk.gate("target = 'python:agent_kinds:Agent'", "target_options = { word = 'moon', kept = 1 }")
    assert desk.run("run", "evaluation.toml").code == 1
    ran = desk.run(
        "run", "evaluation.toml", "--target-option", "word=sun", "--target-option", "n=1e-3", "--jsonl", "x.jsonl"
    )
    assert ran.code == 0
    assert desk.lines("x.jsonl")[0]["output"] == "sun {'word': 'sun', 'kept': 1, 'n': 0.001}"


def test_all_outputs_are_written_and_flags_go_before_the_file(desk: Desk) -> None:
    desk.write(
        "deep/evaluation.toml",
        "data = 'data.jsonl'\noutput = { json = 'out/a.json', csv = 'out/a.csv' }\n[[gates]]\ncheck = 'refused'\n",
    )
    desk.jsonl([{"output": "sun"}], "deep/data.jsonl")
    ran = desk.run(
        "run", "deep/evaluation.toml", "--csv", "b.csv", "--jsonl", "c.jsonl", "--junit", "d.xml", "--markdown", "e.md"
    )
    assert ran.code == 1
    found = {str(path.relative_to(desk.folder)) for path in desk.folder.rglob("*") if path.is_file()}
    assert found - {"deep/evaluation.toml", "deep/data.jsonl"} == {
        str(Path("deep/out/a.json")),
        "b.csv",
        "c.jsonl",
        "d.xml",
        "e.md",
    }
    assert result_from_json(desk.json("deep/out/a.json")).verdict == "failed"


@pytest.mark.parametrize("form", FORMS)
def test_an_output_that_could_not_be_written_or_would_destroy_something_is_refused_first(desk: Desk, form: str) -> None:
    desk.write("agent_counting.py", "calls = []\ndef answer(question):\n    calls.append(question)\n    return 'sun'\n")
    desk.jsonl([{"input": "a"}])
    desk.gate("target = 'python:agent_counting:answer'")
    (desk.folder / "folder").mkdir()
    desk.write("file", "x")
    before = desk.read("data.jsonl")
    assert "is the data, which would be lost" in desk.run("run", "evaluation.toml", form, "data.jsonl").fault
    assert "is the evaluation file" in desk.run("run", "evaluation.toml", form, "evaluation.toml").fault
    assert "nothing can be written into" in desk.run("run", "evaluation.toml", form, "file/x").fault
    assert desk.run("run", "evaluation.toml", form, "folder").code == 2
    assert desk.read("data.jsonl") == before
    from agent_counting import calls  # type: ignore[import-not-found]

    assert calls == []


def test_two_outputs_do_not_share_a_file(desk: Desk) -> None:
    desk.gate()
    desk.outputs("sun")
    desk.write("x", "")
    assert "x is written as json already" in desk.run("run", "evaluation.toml", "--json", "x", "--csv", "x").fault


def test_an_output_that_gets_lost_on_the_way_is_told_and_never_passes(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("steelyard_cli._report.write_json", full)
    desk.gate()
    desk.outputs("sun")
    ran = desk.run("run", "evaluation.toml", "--json", "x.json", "--csv", "x.csv")
    assert ran.code == 70
    assert "the json file" in ran.err
    assert "could not be written: No space left on device" in ran.err
    assert "passed: 1 gate held." in ran.out
    assert (desk.folder / "x.csv").is_file()


SELECTED = [
    (("--limit", "2"), ["a", "b"]),
    (("--id", "c"), ["c"]),
    (("--id", "c", "--id", "a"), ["a", "c"]),
    (("--where", "metadata.lang=de"), ["b", "d"]),
    (("--where", "metadata.lang=de", "--where", "ground_truth=x"), ["d"]),
    (("--where", "metadata.lang=de", "--limit", "1"), ["b"]),
    (("--sample", "4"), ["a", "b", "c", "d"]),
]


def four(desk: Desk) -> None:
    rows = [("a", "en", "x"), ("b", "de", "y"), ("c", "en", "y"), ("d", "de", "x")]
    desk.jsonl(
        {"id": id, "output": "sun", "metadata": {"lang": lang}, "ground_truth": truth} for id, lang, truth in rows
    )
    desk.gate()


def ids(desk: Desk, *flags: str) -> list[str]:
    assert desk.run("run", "evaluation.toml", "--json", "out.json", *flags).code == 0
    return [item["id"] for item in desk.json("out.json")["items"]]


@pytest.mark.parametrize(("flags", "expected"), SELECTED)
def test_part_of_the_data_is_chosen(desk: Desk, flags: tuple[str, ...], expected: list[str]) -> None:
    four(desk)
    assert ids(desk, *flags) == expected


def test_the_same_seed_chooses_the_same_items(desk: Desk) -> None:
    four(desk)
    chosen = [ids(desk, "--sample", "2", "--seed", seed) for seed in "0011223344"]
    assert chosen[::2] == chosen[1::2]
    assert len({tuple(each) for each in chosen}) > 1


@pytest.mark.parametrize("flags", [("--limit", "0"), ("--sample", "0"), ("--id", "z"), ("--where", "metadata.lang=fr")])
def test_a_selection_without_items_is_3(desk: Desk, flags: tuple[str, ...]) -> None:
    four(desk)
    ran = desk.run("run", "evaluation.toml", *flags)
    assert ran.code == 3
    assert "the selection holds none of the items" in ran.err


def test_an_id_that_no_item_has_is_told_where_others_are_found(desk: Desk) -> None:
    four(desk)
    assert desk.run("run", "evaluation.toml", "--id", "a", "--id", "z").fault == "--id: no item has the id 'z'."


def test_bad_lines_are_refused_all_at_once_or_left_out_and_counted(desk: Desk) -> None:
    desk.gate()
    desk.write("data.jsonl", '{"output": "sun"}\n{"output": \n[1]\n{"outptu": "sun"}\n')
    said = desk.run("run", "evaluation.toml").fault
    assert said.startswith("3 items cannot be evaluated:")
    for line in (2, 3, 4):
        assert f" data.jsonl:{line}: " in said
    assert "--skip-bad" in said
    ran = desk.run("run", "evaluation.toml", "--skip-bad")
    assert ran.code == 0
    assert "evaluation: 1 item" in ran.out
    assert "3 lines" in ran.said or "3 bad" in ran.said
    assert "left out: " in ran.err
    assert "data.jsonl:3" in ran.err


def test_an_item_without_what_its_scorers_need_is_refused_before_any_call(desk: Desk) -> None:
    desk.write("agent_never.py", "def answer(question): raise SystemExit('called')\n")
    desk.write(
        "x.toml",
        "data = 'data.jsonl'\ntarget = 'python:agent_never:answer'\n"
        "[[gates]]\ncheck = 'includes'\nvalue.from_item = 'ground_truth'\n",
    )
    desk.jsonl([{"input": "a", "ground_truth": "x"}, {"input": "b"}, {"input": "c", "ground_truth": None}])
    said = desk.run("run", "x.toml").fault
    assert "data.jsonl:2: scorer 'check-includes(" in said
    assert "data.jsonl:3: " in said
    assert "needs ground_truth" in said
    assert desk.run("run", "x.toml", "--skip-bad").code == 2


def test_doubled_ids_are_refused_with_both_places(desk: Desk) -> None:
    desk.gate()
    desk.jsonl([{"output": "sun", "id": id} for id in ("a", "b", "a")])
    assert "data.jsonl:3: it has the same id as" in desk.run("run", "evaluation.toml").fault
    desk.jsonl([{"output": "sun", "id": f"{number % 1200}"} for number in range(1201)])
    said = desk.run("run", "evaluation.toml").fault
    assert "data.jsonl:1201: it has the same id as" in said
    assert "data.jsonl:1;" in said


def test_fail_fast_ends_with_the_first_failure(desk: Desk) -> None:
    desk.gate()
    desk.outputs("sun", "moon", "sun", "sun")
    ran = desk.run("run", "evaluation.toml", "--fail-fast", "--json", "out.json")
    assert ran.code == 1
    assert "partial 2/4" in ran.out
    assert "--fail-fast" in ran.out
    assert len(desk.json("out.json")["items"]) == 2


def test_fail_fast_never_makes_of_a_failure_a_pass(desk: Desk) -> None:
    desk.write("x.toml", "data = 'data.jsonl'\n[[scorers]]\ncheck = 'includes'\nvalue = 'sun'\npass_at = 1\n")
    desk.outputs("sun", "moon", "sun")
    assert desk.run("run", "x.toml").code == 0
    assert desk.run("run", "x.toml", "--fail-fast").code == 1


def test_a_run_without_anything_measured_is_3(desk: Desk) -> None:
    desk.write("agent_kinds.py", AGENT)
    desk.jsonl([{"input": "a"}, {"input": "b"}])
    desk.gate("target = 'python:agent_kinds:down'")
    ran = desk.run("run", "evaluation.toml")
    assert ran.code == 3
    assert "the backend is down" in ran.said


JUDGES = """
from attrs import frozen
from steelyard import JudgeReply, PromptStep, create_scorer

@frozen
class Answer:
    good: bool

polite = create_scorer("polite", "Whether the answer is polite", type="agent").generate_score(
    PromptStep(
        description="Ask",
        output=Answer,
        prompt=lambda context: "Polite?",
        calculate_score=lambda context, answer: answer.good,
    )
)

async def yes(request):
    return JudgeReply(text='{"good": true}')

class No:
    async def answer(self, request):
        return JudgeReply(text='{"good": false}')
"""


@pytest.mark.parametrize(
    ("in_file", "flags", "code"),
    [
        ("judge = 'python:judges_of_mine:yes'", (), 0),
        ("judge = 'python:judges_of_mine:No'", (), 1),
        ("judge = { judge = 'python:judges_of_mine:yes', instructions = 'Be fair.' }", (), 0),
        ("judge = 'python:judges_of_mine:No'", ("--judge", "python:judges_of_mine:yes"), 0),
        ("", ("--judge", "python:judges_of_mine:No"), 1),
    ],
)
def test_a_judge_may_be_named_in_the_file_or_by_a_flag(
    desk: Desk, in_file: str, flags: tuple[str, ...], code: int
) -> None:
    desk.write("judges_of_mine.py", JUDGES)
    desk.outputs("Good morning!")
    desk.write("x.toml", f"data = 'data.jsonl'\n{in_file}\n[[gates]]\nscorer = 'python:judges_of_mine:polite'\n")
    assert desk.run("run", "x.toml", *flags).code == code


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ((), "asks a judge"),
        (("--judge", "nonesuch/model"), "No judge named 'nonesuch' is installed"),
        (("--judge", "nonesuch"), "expected a judge"),
    ],
)
def test_a_judge_that_is_not_there_is_told_before_any_call(desk: Desk, flags: tuple[str, ...], told: str) -> None:
    desk.write("judges_of_mine.py", JUDGES)
    desk.outputs("Good morning!")
    desk.write("x.toml", "data = 'data.jsonl'\n[[gates]]\nscorer = 'python:judges_of_mine:polite'\n")
    said = desk.run("run", "x.toml", *flags).fault
    assert told in said or (not flags and "judge" in said)


def test_concurrency_and_timeout_of_flags_go_over_those_of_the_file(desk: Desk) -> None:
    desk.write(
        "agent_side.py",
        "import asyncio\nnow = 0\nmost = 0\n"
        "async def answer(question):\n"
        "    global now, most\n"
        "    now += 1\n    most = max(most, now)\n"
        "    await asyncio.sleep(0)\n    await asyncio.sleep(0)\n    now -= 1\n"
        "    return 'sun'\n",
    )
    desk.jsonl([{"input": "a"}] * 6)
    desk.gate("target = 'python:agent_side:answer'", "concurrency = 2")
    assert desk.run("run", "evaluation.toml", "--concurrency", "3", "--timeout", "60").code == 0
    import agent_side  # type: ignore[import-not-found]

    assert agent_side.most == 3


def test_observers_are_told_only_when_they_are_named(desk: Desk) -> None:
    desk.write(
        "observer_of_mine.py",
        "seen = []\nclass Watching:\n    def item_completed(self, item_result):\n"
        "        seen.append(item_result.index)\n",
    )
    desk.outputs("sun", "sun")
    desk.gate("observers = ['python:observer_of_mine:Watching']")
    assert desk.run("run", "evaluation.toml").code == 0
    import observer_of_mine  # type: ignore[import-not-found]

    assert observer_of_mine.seen == [0, 1]
    desk.gate("observers = ['nonesuch']")
    assert "'nonesuch'" in desk.run("run", "evaluation.toml").fault


PYTHON = """
import steelyard_checks as checks
from steelyard import EvalItem, Threshold

told = []
options = {
    "data": [EvalItem(input="a"), {"input": "b", "id": "two"}],
    "target": lambda question: f"the sun, {question}",
    "gates": [checks.includes("sun"), {"check": "excludes", "value": "moon"}],
    "scorers": [Threshold(checks.includes("a"), min=0.5)],
    "concurrency": 2,
    "on_item_complete": lambda item, target_result, result: told.append(result.index),
    "keep_items": False,
    "env": ["STEELYARD_TEST_KEY"],
}

def made():
    return options

def streamed():
    return {**options, "data": iter(options["data"])}

async def later():
    for item in options["data"]:
        yield item

def asynchronous():
    return {**options, "data": later()}

def fails_fast():
    return {"data": [{"output": "moon"}, {"output": "sun"}], "gates": [checks.includes("sun")], "on_error": "raise"}

def endless():
    def items():
        while True:
            yield {"output": "sun"}
    return {"data": items(), "gates": [checks.includes("sun")]}

def breaks():
    def items():
        yield {"output": "sun"}
        raise OSError("the share is gone")
    return {"data": items(), "gates": [checks.includes("sun")]}

def empty():
    return {"data": iter(()), "gates": [checks.includes("sun")]}
"""


@pytest.mark.parametrize("name", ["options", "made", "streamed", "asynchronous"])
@pytest.mark.parametrize("by", ["evaluation_in_python", "evaluation_in_python.py"])
def test_an_evaluation_may_be_python(desk: Desk, name: str, by: str) -> None:
    desk.write("evaluation_in_python.py", PYTHON)
    ran = desk.run("run", f"{by}:{name}", "--json", "out.json", env={"STEELYARD_TEST_KEY": "abcdefgh"})
    assert ran.code == 0, ran.said
    assert f"{name}: 2 items" in ran.out
    import evaluation_in_python  # type: ignore[import-not-found]

    assert sorted(evaluation_in_python.told) == [0, 1]


@pytest.mark.parametrize(
    ("name", "flags", "code"),
    [
        ("fails_fast", (), 1),
        ("endless", ("--limit", "3"), 0),
        ("endless", ("--limit", "0"), 3),
        ("breaks", (), 3),
        ("empty", (), 2),
    ],
)
def test_items_that_come_once_are_taken_as_they_come(desk: Desk, name: str, flags: tuple[str, ...], code: int) -> None:
    desk.write("evaluation_in_python.py", PYTHON)
    ran = desk.run("run", f"evaluation_in_python:{name}", *flags)
    assert ran.code == code, ran.said
    if name == "breaks":
        assert "the share is gone" in ran.said


def test_what_comes_asynchronously_cannot_be_selected(desk: Desk) -> None:
    desk.write("evaluation_in_python.py", PYTHON)
    env = {"STEELYARD_TEST_KEY": "abcdefgh"}
    assert "taken as they come" in desk.run("run", "evaluation_in_python:asynchronous", "--limit", "1", env=env).fault


SECRET = "kLm9-not-to-be-seen"


def test_the_values_of_variables_are_written_nowhere(desk: Desk) -> None:
    desk.write(
        "agent_with_key.py",
        "import os\n"
        "def answer(question):\n"
        "    key = os.environ['ACME_KEY']\n"
        "    if question == 'fail':\n"
        "        raise RuntimeError(f'401 for Authorization: Bearer {key}')\n"
        "    return f'the sun said {key}'\n",
    )
    desk.jsonl([{"input": "fail"}, {"input": "say"}])
    desk.gate("env = ['ACME_KEY']", "target = 'python:agent_with_key:answer'")
    flags = [each for form in FORMS for each in (form, f"out{form}")]
    ran = desk.run("run", "evaluation.toml", *flags, "--debug", env={"ACME_KEY": SECRET})
    assert ran.code == 1
    assert "[hidden]" in ran.out
    assert SECRET not in ran.out + ran.err
    for form in FORMS:
        written = desk.read(f"out{form}")
        assert written
        assert SECRET not in written
    assert "[hidden]" in desk.read("out--json")


def test_an_error_of_python_that_a_file_names_tells_no_secret(desk: Desk) -> None:
    desk.write("agent_broken.py", "import os\nraise RuntimeError('key ' + os.environ['ACME_KEY'])\n")
    desk.jsonl([{"input": "a"}])
    desk.gate("env = ['ACME_KEY']", "target = 'python:agent_broken:answer'")
    for debug in ((), ("--debug",)):
        ran = desk.run("run", "evaluation.toml", *debug, env={"ACME_KEY": SECRET})
        assert ran.code == 2
        assert "key [hidden]" in ran.err
        assert SECRET not in ran.out + ran.err
        assert ("Traceback" in ran.err) is bool(debug)


@pytest.mark.parametrize(("value", "told"), [(None, "not set"), ("", "blank"), ("  ", "blank")])
def test_a_variable_that_is_named_must_be_set(
    desk: Desk, value: str | None, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ACME_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("ACME_KEY", value)
    desk.outputs("sun")
    desk.gate("env = ['ACME_KEY']")
    assert (
        desk.run("run", "evaluation.toml").fault
        == f"evaluation.toml:2: env[0]: the environment variable ACME_KEY is {told}."
    )


class Impatient:
    """The live view with a line for every item."""

    @staticmethod
    def on(*given: Any, **options: Any) -> LiveView:
        return LiveView.on(*given, **options, every=0.0)


def test_progress_is_shown_on_standard_error_and_not_when_it_is_quiet(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steelyard_cli.running.LiveView", Impatient)
    desk.gate()
    desk.outputs("sun", "sun")
    loud, quiet = desk.run("run", "evaluation.toml"), desk.run("run", "evaluation.toml", "--quiet")
    assert "2/2 items" in loud.err
    assert quiet.err == ""
    assert re.sub("Time.*", "", quiet.out) == re.sub("Time.*", "", loud.out)


VALUES = {
    "--limit": "1",
    "--sample": "1",
    "--seed": "3",
    "--id": "a",
    "--where": "metadata.lang=en",
    "--concurrency": "2",
    "--timeout": "9.5",
    "--judge": "python:judges_of_mine:yes",
    "--target-option": "a=b=c",
    **{form: f"out{form}" for form in FORMS},
}


@pytest.mark.parametrize(
    "option", [each for each in run_command.params if isinstance(each, click.Option)], ids=lambda each: each.opts[0]
)
def test_every_flag_works_as_the_help_writes_it(desk: Desk, option: click.Option) -> None:
    """B216"""
    four(desk)
    desk.write("judges_of_mine.py", JUDGES)
    flag = option.opts[0]
    given = (flag,) if option.is_flag else (flag, VALUES[flag])
    assert desk.run("run", "evaluation.toml", *given).code == 0
    assert flag in desk.run("run", "--help").out


def test_an_output_may_be_a_device(desk: Desk) -> None:
    desk.gate()
    desk.outputs("sun")
    assert desk.process("run", "evaluation.toml", "--json", os.devnull, "--csv", os.devnull).code == 0


def test_many_bad_lines_are_counted(desk: Desk) -> None:
    desk.gate()
    desk.write("data.jsonl", "x\n" * 40)
    said = desk.run("run", "evaluation.toml").fault
    assert said.startswith("40 items cannot be evaluated: data.jsonl:1: ")
    assert "and 30 more With --skip-bad" in said
    assert "holds no items: each of its 40 lines is bad, the first one is data.jsonl:1" in (
        desk.run("run", "evaluation.toml", "--skip-bad").fault
    )


def test_nothing_is_left_on_the_path_of_python(desk: Desk) -> None:
    import sys

    before = list(sys.path)
    desk.gate()
    desk.outputs("sun")
    desk.run("run", "evaluation.toml")
    desk.run("run", "missing.toml")
    assert sys.path == before


def test_items_are_kept_only_where_an_output_needs_them(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Any] = []

    def watched(**options: Any) -> EvalResult:
        kept.append(options["keep_items"])
        return run_evals(**options)

    monkeypatch.setattr("steelyard_cli.running.run_evals", watched)
    desk.gate()
    desk.outputs("sun")
    for form in (None, *FORMS):
        desk.run("run", "evaluation.toml", *(() if form is None else (form, "out")))
    assert dict(zip((None, *FORMS), kept, strict=True)) == {
        None: False,
        "--json": True,
        "--jsonl": False,
        "--junit": True,
        "--markdown": False,
        "--csv": True,
    }
