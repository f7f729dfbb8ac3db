"""Where items come from: data files, recorded conversations, the evaluation itself, Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugins.cli.tests.command_desk import Desk, outcome
from steelyard import TargetResult, run_evals
from steelyard_cli._data.places import Located
from steelyard_cli._file.building import Built, build, open_evaluation
from steelyard_cli._file.loading import load
from steelyard_cli._file.places import FileFault
from steelyard_cli._file.references import importable

GATE = "[[gates]]\ncheck = 'includes'\nvalue = 'sun'\n"


def built(desk: Desk, text: str, name: str = "x.toml") -> Built:
    desk.write(name, text)
    with importable([desk.folder]):
        return build(open_evaluation(load(name, desk.folder)))


def items(desk: Desk, text: str, name: str = "x.toml") -> list[Located]:
    return list(built(desk, text, name).items.read())


def fault(desk: Desk, text: str) -> str:
    with pytest.raises(FileFault) as raised:
        items(desk, text)
    return str(raised.value)


@pytest.mark.parametrize(
    "data",
    ["data = 'rows/x.jsonl'", "data = { path = 'rows/x.jsonl' }", "data = { path = 'rows/x.jsonl', format = 'jsonl' }"],
)
def test_a_data_file_is_found_from_the_folder_of_the_evaluation(
    desk: Desk, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("evaluations/rows/x.jsonl", '{"output": "sun"}\n\n{"output": "moon"}\n')
    found = items(desk, f"{data}\n{GATE}", "evaluations/x.toml")
    assert [(located.item.output, located.line) for located in found] == [("sun", 1), ("moon", 3)]
    assert Path(found[0].path).name == "x.jsonl"


def test_an_absolute_path_of_data_stays(desk: Desk) -> None:
    path = desk.write("elsewhere/x.jsonl", '{"output": "sun"}\n')
    assert len(items(desk, f"data = '{path}'\n{GATE}")) == 1


def test_columns_say_which_is_which(desk: Desk) -> None:
    desk.write("x.csv", "question,answer,language\nHi,sun,de\n")
    [located] = items(
        desk,
        "[data]\npath = 'x.csv'\ncolumns = { input = 'question', output = 'answer', 'metadata.lang' = 'language' }\n"
        + GATE,
    )
    item = located.item
    assert (item.input, item.output, item.metadata) == ("Hi", "sun", {"lang": "de"})


def test_recorded_conversations_keep_their_trajectory_and_usage(desk: Desk) -> None:
    desk.write(
        "reading_of_mine.py",
        "from steelyard import Conversation, Message, Trajectory, Usage\n"
        "def extract(record):\n"
        "    return Conversation(messages=[Message('user', record['q']), Message('assistant', record['a'])],\n"
        "        trajectory=Trajectory(()), usage=Usage(input_tokens=3), id=record['id'])\n",
    )
    desk.jsonl([{"q": "Hi", "a": "sun", "id": "one"}], "log.jsonl")
    text = f"data = {{ path = 'log.jsonl', extractor = 'python:reading_of_mine:extract' }}\n{GATE}"
    [located] = items(desk, text)
    output = located.item.output
    assert isinstance(output, TargetResult)
    assert (located.item.id, located.line) == ("one", 1)
    assert output.usage is not None
    assert output.usage.input_tokens == 3
    made = built(desk, text)
    result = outcome(made)
    assert (result.verdict, result.summary.target_usage) == ("passed", output.usage)


def test_items_may_stand_in_the_file_with_gates_of_their_own(desk: Desk) -> None:
    text = """
[[data]]
output = "sun"
id = "a"
[[data]]
output = "moon"
[[data.gates]]
check = "includes"
value = "moon"
[[data.scorers]]
check = "similarity"
value = "moon"
min = 1
"""
    found = items(desk, text)
    assert [(located.path, located.line) for located in found] == [("x.toml", 2), ("x.toml", 5)]
    result = run_evals(data=[located.item for located in found])
    assert [(gate.passed, gate.n_scored) for gate in result.gate_results] == [(True, 1)]
    assert [(bound.passed, bound.n_scored) for bound in result.threshold_results] == [(True, 1)]


def test_turns_may_have_gates_of_their_own(desk: Desk) -> None:
    desk.write("agent_of_turns.py", "def answer(said):\n    return f'You said {said}.'\n")
    made = built(
        desk,
        """
target: python:agent_of_turns:answer
data:
  - turns:
      - {input: Hi, gates: [{check: includes, value: Hi}]}
      - {input: Bye, gates: [{check: includes, value: Hi}], scorers: [{check: includes, value: Bye, min: 1}]}
""",
        "x.yaml",
    )
    result = outcome(made)
    assert [[gate.passed for gate in turn.gate_results] for turn in result.turn_results] == [[True], [False]]
    assert [bound.passed for bound in result.turn_results[1].threshold_results] == [True]


ITEMS = """
from steelyard import EvalItem, Turn
import steelyard_checks as checks

listed = [EvalItem(output="sun"), {"output": "moon", "gates": [checks.includes("moon")]}]
def made():
    return listed
def streamed():
    yield from listed
async def later():
    for item in listed:
        yield item
number = 5
def fails():
    raise RuntimeError("no luck")
def turns():
    return [{"turns": [{"input": "a", "gates": [{"check": "includes", "value": "a"}]}, Turn(input="b")]}]
"""


@pytest.mark.parametrize(("name", "again"), [("listed", True), ("made", True), ("streamed", False)])
def test_python_may_give_the_items(desk: Desk, name: str, again: bool) -> None:
    desk.write("items_of_mine.py", ITEMS)
    made = built(desk, f"data = 'python:items_of_mine:{name}'\n{GATE}")
    assert made.items.again is again
    found = list(made.items.read())
    assert [located.item.output for located in found] == ["sun", "moon"]
    assert len(found[1].item.gates) == 1
    assert "data[1]" in found[1].place


def test_items_may_come_asynchronously(desk: Desk) -> None:
    desk.write("items_of_mine.py", ITEMS)
    made = built(desk, f"data = 'python:items_of_mine:later'\n{GATE}")
    assert made.items.stream is not None


def test_turns_of_python_items_may_name_checks(desk: Desk) -> None:
    desk.write("items_of_mine.py", ITEMS)
    [located] = items(desk, f"data = 'python:items_of_mine:turns'\n{GATE}")
    assert located.item.turns is not None
    assert [len(turn.gates) for turn in located.item.turns] == [1, 0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("data = 'missing.jsonl'", "x.toml:1: data: there is no file"),
        ("data = 'rwos.jsonl'", "Did you mean 'rows.jsonl'?"),
        ("[data]\npath = 'missing.jsonl'", "x.toml:2: data.path: there is no file"),
        ("data = '.'", "x.toml:1: data: '"),
        ("data = 'rows.txt'", "rows.txt does not tell its format. Give format=; installed are csv, json, jsonl, yaml."),
        (
            "data = { path = 'rows.jsonl', format = 'jsnol' }",
            "No reader named 'jsnol' is installed. Did you mean 'jsonl'?",
        ),
        ("data = { path = 'rows.jsonl', columns = { inputt = 'q' } }", "an item has no field 'inputt'"),
        (
            "data = { path = 'rows.jsonl', extractor = 'nothing' }",
            "x.toml:1: data.extractor: No extractor named 'nothing'",
        ),
        (
            "data = { path = 'rows.jsonl', extractor = 'python:items_of_mine:number' }",
            "an extractor is a function of a record",
        ),
        ("data = { path = 'rows.csv', extractor = 'python:items_of_mine:made' }", "read from JSON or JSONL"),
        (
            "data = { path = 'rows.jsonl', extractor = 'python:items_of_mine:made', columns = { input = 'q' } }",
            "x.toml:1: data.columns: there is an extractor too",
        ),
        ("data = 'python:items_of_mine:number'", "x.toml:1: data: expected items, found int."),
        ("data = 'python:items_of_mine:fails'", "x.toml:1: data: calling it failed: RuntimeError: no luck."),
        ("data = ['sun']", 'x.toml:1: data[0]: expected an item such as { input = "..." }, found str.'),
        (
            "[[data]]\noutput = 'a'\n[[data]]\noutptu = 'b'",
            "x.toml:4: data[1].outptu: there is no such key. Did you mean 'output'?",
        ),
        ("[[data]]\ncontext = 5\noutput = 'a'", "x.toml:1: data[0]: context must be a text or a list of texts"),
        ("[[data]]\ninput = 'a'\ngates = 'x'", "x.toml:3: data[0].gates: expected a list of gates."),
        (
            "[[data]]\ninput = 'a'\n[[data.gates]]\ncheck = 'inclodes'",
            "x.toml:4: data[0].gates[0].check: No check named",
        ),
        (
            "[[data]]\noutput = 'a'\n[[data.gates]]\ncheck = 'includes'\n"
            "value.from_item = 'ground_truth'\nwhen_given = true",
            "x.toml:6: data[0].gates[0].when_given: this stands with one item already.",
        ),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(desk: Desk, text: str, told: str) -> None:
    desk.write("items_of_mine.py", ITEMS)
    for name in ("rows.jsonl", "rows.txt", "rows.csv"):
        desk.write(name, "")
    assert told in fault(desk, f"{text}\n{GATE}")


def test_data_files_cannot_name_what_is_run(desk: Desk) -> None:
    desk.jsonl([{"output": "sun", "gates": [{"scorer": "python:os:getcwd"}]}])
    made = built(desk, f"data = 'data.jsonl'\n{GATE}")
    with pytest.raises(Exception, match="'gates' cannot be in data; name them in the evaluation file"):
        list(made.items.read())
