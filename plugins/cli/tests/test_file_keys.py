"""The keys of an evaluation file: what each may be, and how what is wrong is told."""

from __future__ import annotations

from typing import Any

import pytest

from plugins.cli.tests.command_desk import Desk
from steelyard_cli._file.building import Opened, open_evaluation
from steelyard_cli._file.entries import Groups
from steelyard_cli._file.loading import load
from steelyard_cli._file.places import FileFault
from steelyard_cli._file.references import Reference


def opened(desk: Desk, text: str, name: str = "x.toml") -> Opened:
    desk.write(name, text)
    return open_evaluation(load(name, desk.folder))


def fault(desk: Desk, text: str) -> str:
    with pytest.raises(FileFault) as raised:
        opened(desk, text)
    return str(raised.value)


def test_every_key_is_read(desk: Desk) -> None:
    file = opened(
        desk,
        """
name = "all"
description = "everything"
target = "python:desk:answer"
target_options = { a = [1, { b = 2 }] }
reply = { output = "answer", context = "docs[].text", usage = "python:desk:usage" }
group_by = ["metadata.lang"]
concurrency = 4
timeout = 2.5
lifecycle = "python:desk:life"
observers = ["progress", "python:desk:observer"]
env = ["MY_KEY"]
judge = { judge = "acme/large", instructions = "Be fair.", structured_output = "inline", max_processor_retries = 0 }
data = { path = "x.jsonl", format = "jsonl", columns = { input = "q" } }
output = { json = "a.json", jsonl = "b.jsonl", junit = "c.xml", markdown = "d.md", csv = "e.csv" }
[[gates]]
check = "includes"
value = "x"
share = 0.5
[[scorers]]
check = "similarity"
value = { from_item = "ground_truth" }
options = { ignore_case = false }
min = 0.5
max = 0.9
part = "p"
slice = "metadata.lang=de"
pass_at = 0.3
judge = "acme/small"
when_given = true
""",
    ).file
    assert (file.name, file.concurrency, file.timeout, file.env) == ("all", 4, 2.5, ("MY_KEY",))
    assert isinstance(file.target, Reference)
    assert file.target.text == "desk:answer"
    assert file.reply is not None
    assert isinstance(file.reply["usage"], Reference)
    assert file.judge.judge == "acme/large"
    assert file.output is not None
    assert file.output.markdown == "d.md"
    assert file.gates is not None
    assert (file.gates[0].kind, file.gates[0].what, file.gates[0].share) == ("checks", "includes", 0.5)
    [scorer] = file.scorers
    assert dict(scorer.options) == {"value": {"from_item": "ground_truth"}, "ignore_case": False}
    assert (scorer.min, scorer.max, scorer.part, scorer.slice) == (0.5, 0.9, "p", "metadata.lang=de")
    assert (scorer.pass_at, scorer.judge, scorer.when_given) == (0.3, "acme/small", True)


def test_scorers_may_stand_in_groups(desk: Desk) -> None:
    file = opened(
        desk,
        """
data = "x.jsonl"
[[scorers.workflow]]
check = "includes"
[[scorers.steps."find it"]]
check = "excludes"
""",
    ).file
    assert isinstance(file.scorers, Groups)
    assert file.scorers.workflow[0].what == "includes"
    assert file.scorers.steps["find it"][0].what == "excludes"


def test_in_yaml_a_key_without_a_value_is_left_out(desk: Desk) -> None:
    file = opened(desk, "data: x.jsonl\njudge:\ngates:\nscorers:\n  - {check: includes, min: }\n", "x.yaml").file
    assert (file.judge, file.gates, file.scorers[0].min) == (None, None, None)


GATE = "\n[[gates]]\ncheck = 'includes'\nvalue = 'x'\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "x.toml: data is missing"),
        ("dta = 'x.jsonl'", "x.toml:1: dta: there is no such key. Did you mean 'data'?"),
        ("data = 'x'\nzzzzz = 1", "x.toml:2: zzzzz: there is no such key. There are name, description, target"),
        ("data = 5", "x.toml:1: data: expected the path of a file, a table, a list of items"),
        ("data = ''", "x.toml:1: data: expected the path of a file, found an empty one"),
        ("[data]\npaht = 'x'", "x.toml:2: data.paht: there is no such key. Did you mean 'path'?"),
        ("[data]\nformat = 'x'", "x.toml:1: data: path is missing"),
        ("data = 'x'\nconcurrency = 0", "x.toml:2: concurrency: expected a whole number, 1 or more, found 0"),
        ("data = 'x'\nconcurrency = 1.5", "x.toml:2: concurrency: expected a whole number, 1 or more, found 1.5"),
        ("data = 'x'\nconcurrency = true", "x.toml:2: concurrency: expected a whole number, 1 or more, found true"),
        ("data = 'x'\ntimeout = 0", "x.toml:2: timeout: expected a number above 0, found 0"),
        ("data = 'x'\ntimeout = nan", "x.toml:2: timeout: expected a number above 0, found nan"),
        (
            "data = 'x'\ntarget = 'shop.agent'",
            'x.toml:2: target: expected "python:module:callable" or "recorded", found the text',
        ),
        ("data = 'x'\ntarget = 'python:shop'", "x.toml:2: target: 'python:shop' names no Python object; write"),
        ("data = 'x'\njudge = 'gpt'", "x.toml:2: judge: expected a judge"),
        (
            "data = 'x'\njudge = { judge = 'a/b', instruction = 'x' }",
            "judge.instruction: there is no such key. Did you",
        ),
        ("data = 'x'\ngroup_by = 'metadata.lang'", "x.toml:2: group_by: expected a list of paths"),
        ("data = 'x'\nenv = ['A', 'B=secret']", "x.toml:2: env[1]: env holds names of variables, never their values."),
        ("data = 'x'\nenv = 'A=secret'", "x.toml:2: env: expected a list of names of variables."),
        ("data = 'x'\noutput = { xml = 'x' }", "x.toml:2: output.xml: there is no such key."),
        (
            "data = 'x'\n[gates]\ncheck = 'x'",
            "x.toml:2: gates: expected a list; in TOML each entry begins with [[gates]].",
        ),
        ("data = 'x'\ngates = ['python:a:b']", "x.toml:2: gates[0]: expected a table that names a check or a scorer"),
        ("data = 'x'\ngates = [5]", "x.toml:2: gates[0]: expected a table that names a check or a scorer, found 5."),
        ("data = 'x'\n[[gates]]\nvalue = 'x'", "x.toml:2: gates[0]: it names neither a check nor a scorer"),
        ("data = 'x'\n[[gates]]\nchekc = 'x'", "x.toml:3: gates[0].chekc: there is no such key. Did you mean 'check'?"),
        ("data = 'x'\n[[gates]]\ncheck = 'a'\nscorer = 'b'", "x.toml:2: gates[0]: it names a check and a scorer"),
        ("data = 'x'\n[[gates]]\ncheck = 'python:a:b'", "x.toml:3: gates[0].check: Python is named by scorer"),
        (
            "data = 'x'\n[[gates]]\ncheck = 'a'\nshare = 2",
            "x.toml:4: gates[0].share: expected a number from 0 to 1, found 2",
        ),
        (
            "data = 'x'\n[[scorers]]\ncheck = 'a'\nmin = '1'",
            "x.toml:4: scorers[0].min: expected a number, found the text",
        ),
        (f"data = 'x'{GATE}options.value = 'y'", "x.toml:4: gates[0].value: this option stands there twice"),
        (
            "data = 'x'\n[[gates]]\nnot = { check = 'a' }\nvalue = 1",
            "x.toml:4: gates[0].value: with not, everything else",
        ),
        ("data = 'x'\n[[gates]]\nnot = { check = 'a', share = 0.5 }", "gates[0].not.share: this belongs to the gate"),
        (
            "data = 'x'\n[[scorers.agents]]\ncheck = 'a'",
            "x.toml:2: scorers.agents: there is no such key. Did you mean 'agent'?",
        ),
        (
            "data = 'x'\n[[scorers.agent]]\ncheck = 'a'\n[[scorers.workflow]]\ncheck = 'a'",
            "x.toml:2: scorers: there are groups of an agent and of a workflow",
        ),
        (
            "data = 'x'\nscorers = 'includes'",
            "x.toml:2: scorers: expected a list of scorers, found the text 'includes'",
        ),
        ("data = 'x'\ndescription = 2031-05-02", "x.toml:2: description: expected a text, found date."),
    ],
)
def test_what_is_wrong_is_told_with_its_place(desk: Desk, text: str, told: str) -> None:
    said = fault(desk, text)
    assert said.startswith("x.toml")
    assert told in said
    assert "secret" not in said


PYTHON: dict[str, Any] = {"data": [{"output": "x"}], "gates": []}


@pytest.mark.parametrize(
    ("more", "told"), [({"targte": 1}, "Did you mean 'target'"), ({"keep_itemz": 1}, "'keep_items'")]
)
def test_a_python_evaluation_may_have_what_run_evals_takes_and_nothing_else(
    desk: Desk, more: dict[str, object], told: str
) -> None:
    desk.write("evaluation_keys.py", f"given = {PYTHON | more!r}\n")
    with pytest.raises(FileFault, match=told):
        open_evaluation(load("evaluation_keys.py:given", desk.folder))
    desk.write("evaluation_keys_2.py", f"given = {PYTHON | {'keep_items': False, 'on_error': 'record'}!r}\n")
    assert open_evaluation(load("evaluation_keys_2.py:given", desk.folder)).more == {
        "keep_items": False,
        "on_error": "record",
    }
