"""What somebody types who sees the command for the first time: each mistake gets one clear sentence, the right code and
no traceback."""

from __future__ import annotations

import pytest

from plugins.cli.tests.command_desk import Desk

GATE = "[[gates]]\ncheck = 'includes'\nvalue = 'sun'\n"


@pytest.fixture
def newcomer(desk: Desk) -> Desk:
    desk.write("evaluation.toml", f"data = 'data.jsonl'\n{GATE}")
    desk.jsonl([{"input": "a", "output": "sun", "metadata": {"lang": "en"}}, {"input": "b", "output": "sun"}])
    desk.write("empty.jsonl", "")
    desk.write("agent.py", "def answer(question):\n    return 'sun'\n")
    return desk


@pytest.mark.parametrize(
    ("evaluation", "sentence"),
    [
        (f"data = 'dat.jsonl'\n{GATE}", "evaluation.toml:1: data: there is no file"),
        (f"data = 'empty.jsonl'\n{GATE}", "empty.jsonl holds no items."),
        (f"dta = 'data.jsonl'\n{GATE}", "evaluation.toml:1: dta: there is no such key. Did you mean 'data'?"),
        (GATE, "evaluation.toml: data is missing"),
        ("data = 'data.jsonl'\n", "evaluation.toml: there is nothing to measure: no gates and no scorers."),
        (
            "data = 'data.jsonl'\n[[gates]]\ncheck = 'include'\nvalue = 'sun'",
            "evaluation.toml:3: gates[0].check: No check named 'include' is installed. Did you mean 'includes'?",
        ),
        (
            "data = 'data.jsonl'\n[[gates]]\ncheck = 'includes'\nvlaue = 'sun'",
            "evaluation.toml:4: gates[0].vlaue: the check 'includes': there is no such option. Did you mean 'value'?",
        ),
        (
            f"target = 'python:agnet:answer'\ndata = 'data.jsonl'\n{GATE}",
            "evaluation.toml:1: target: agnet cannot be imported: ModuleNotFoundError: No module named 'agnet'",
        ),
        (
            f"target = 'python:agent:anwser'\ndata = 'data.jsonl'\n{GATE}",
            "evaluation.toml:1: target: agent has no anwser. Did you mean 'answer'?",
        ),
        (
            f"target = 'agent.answer'\ndata = 'data.jsonl'\n{GATE}",
            'evaluation.toml:1: target: expected "python:module:callable" or "recorded"',
        ),
        (
            f"target = 'python:agent:answer'\ndata = 'data.jsonl'\n{GATE}",
            "it has a recorded output, and a target is given too",
        ),
        ("data = 'data.jsonl'\n[gates]\ncheck = 'includes'", "in TOML each entry begins with [[gates]]."),
        ("data = 'data.jsonl\n", "evaluation.toml:1: this is not valid TOML"),
        (
            "data = 'data.jsonl'\n[[scorers]]\ncheck = 'includes'\nvalue = 'sun'\nmin = 70",
            "evaluation.toml:2: scorers[0]: Threshold(min=70): scorer 'check-includes' scores from 0 to 1.",
        ),
        (
            "data = 'data.jsonl'\n[[scorers]]\ncheck = 'similarity'\nvalue = { from_item = 'ground_truth' }",
            'data.jsonl:1: scorer \'check-similarity({"from_item": "ground_truth"})\' needs ground_truth.',
        ),
    ],
)
def test_a_mistake_in_the_file_gets_a_sentence(newcomer: Desk, evaluation: str, sentence: str) -> None:
    newcomer.write("evaluation.toml", evaluation)
    assert sentence in newcomer.run("run", "evaluation.toml").fault


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("evaluatoin.toml",), "evaluatoin.toml: there is no such file. Did you mean 'evaluation.toml'?"),
        (("evaluation",), "evaluation: there is no such file. Did you mean 'evaluation.toml'?"),
        (("data.jsonl",), "data.jsonl: an evaluation file ends in .toml, .yaml or .yml"),
        (("evaluation.toml", "--where", "lang"), "where: write PATH=VALUE, such as metadata.lang=de; found 'lang'."),
        (("evaluation.toml", "--where", "lang=en"), "Did you mean 'metadata.lang'?"),
        (("evaluation.toml", "--id", " "), "ids: an id is a text that is not blank."),
        (("evaluation.toml", "--judge", "gpt-5"), 'expected a judge ("provider/model"'),
    ],
)
def test_a_mistake_on_the_command_line_gets_a_sentence(
    newcomer: Desk, arguments: tuple[str, ...], sentence: str
) -> None:
    assert sentence in newcomer.run("run", *arguments).fault


@pytest.mark.parametrize(
    "arguments",
    [
        ("--limit", "ten"),
        ("--limit", "-1"),
        ("--limit", "5-10"),
        ("--concurrency", "0"),
        ("--timeout", "0"),
        ("--timeout", "nan"),
        ("--timeout", "soon"),
        ("--target-option", "word"),
        ("--seed", "x"),
        ("--json", "."),
    ],
)
def test_a_value_that_a_flag_cannot_have_is_2(newcomer: Desk, arguments: tuple[str, ...]) -> None:
    ran = newcomer.run("run", "evaluation.toml", *arguments)
    assert ran.code == 2
    assert arguments[0].strip("-") in ran.err
    assert "Traceback" not in ran.said
    assert ran.out == ""


@pytest.mark.parametrize("arguments", [("--limit", "0"), ("--where", "metadata.lang=de"), ("--id", "nobody")])
def test_a_selection_without_items_is_3_and_says_so(newcomer: Desk, arguments: tuple[str, ...]) -> None:
    ran = newcomer.run("run", "evaluation.toml", *arguments)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("Error: the selection holds none of the items of ")
    assert ran.err.count("\n") == 1


def test_columns_of_other_names_are_explained(newcomer: Desk) -> None:
    newcomer.write("mine.csv", "question,answer\nHi,the sun\n")
    newcomer.write("evaluation.toml", f"data = 'mine.csv'\n{GATE}")
    said = newcomer.run("run", "evaluation.toml").fault
    assert "mine.csv:2: " in said
    assert 'columns = { input = "question" }' in said
    newcomer.write(
        "evaluation.toml",
        f"data = {{ path = 'mine.csv', columns = {{ input = 'question', output = 'answer' }} }}\n{GATE}",
    )
    assert newcomer.run("run", "evaluation.toml").code == 0


def test_a_failing_gate_is_understood_from_the_terminal_alone(newcomer: Desk) -> None:
    newcomer.jsonl([{"id": "tent", "output": "the moon"}, {"id": "boots", "output": "the sun"}])
    ran = newcomer.run("run", "evaluation.toml")
    assert ran.code == 1
    for told in ('check-includes("sun")', "tent (failed)", "'sun' is missing from the answer.", "Verdict: failed"):
        assert told in ran.out
