"""Rows as items: every field is taken, and what cannot be evaluated is refused by its place and without its content."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import steelyard_checks as checks
from plugins.cli.tests.data_files import items, place_and_reason, written
from steelyard import EvalItem, ExpectedStep, TrajectoryExpectation, Turn, run_evals
from steelyard_cli._data.field_names import FIELDS


def row(folder: Path, **fields: Any) -> str:
    return written(folder, "data.jsonl", json.dumps(fields) + "\n")


FULL: dict[str, Any] = {
    "inputs": ["a", [{"role": "user", "content": "b"}]],
    "output": [{"role": "assistant", "content": "c", "tool_calls": [{"name": "look", "args": {"at": 1}, "result": 2}]}],
    "ground_truth": ["c", "d"],
    "expected_trajectory": {"steps": ["look", {"name": "find", "tool_args": {"n": 1}}], "ordering": "strict"},
    "context": ["one", "two"],
    "request_context": {"user": 7},
    "tracing_context": {"trace": "t"},
    "start_options": {"resume": True},
    "metadata": {"lang": "de", "nested": {"a": [1]}},
    "id": "7",
}


def test_no_field_of_a_row_is_lost(tmp_path: Path) -> None:
    """B173 B174"""
    [item] = items(row(tmp_path, **FULL))
    assert item == EvalItem(
        **{
            **FULL,
            "expected_trajectory": TrajectoryExpectation(
                steps=[ExpectedStep(name="look"), ExpectedStep(name="find", tool_args={"n": 1})], ordering="strict"
            ),
        }
    )
    assert {*FULL, "input", "turns"} == set(FIELDS)


def test_messages_in_neutral_form_stay_as_they_are_and_are_read_by_the_evaluation(tmp_path: Path) -> None:
    asked = [{"role": "system", "content": "s"}, {"role": "user", "content": "Where?"}]
    said = [{"role": "assistant", "content": "It is in Oslo.", "tool_calls": [{"name": "look", "result": "Oslo"}]}]
    read = items(row(tmp_path, input=asked, output=said))
    assert read == [EvalItem(input=asked, output=said)]
    result = run_evals(data=read, gates=[checks.includes("oslo"), checks.called_tool("look")])
    assert result.verdict == "passed"


def test_turns_hold_inputs_only(tmp_path: Path) -> None:
    message = {"role": "user", "content": "c"}
    [item] = items(row(tmp_path, turns=[{"input": "a"}, "b", message, [message], {"input": {"city": "Oslo"}}]))
    assert item == EvalItem(turns=[Turn(input=each) for each in ["a", "b", message, [message], {"city": "Oslo"}]])


def test_a_number_is_an_id_and_a_blank_one_is_none(tmp_path: Path) -> None:
    assert [items(row(tmp_path, input="a", id=id))[0].id for id in ["007", 7, " ", "", None]] == [
        "007",
        "7",
        None,
        None,
        None,
    ]


def test_a_single_context_is_a_list_of_one(tmp_path: Path) -> None:
    assert items(row(tmp_path, input="a", context='["one", "two"]'))[0].context == ['["one", "two"]']


def test_null_is_no_value_in_every_field(tmp_path: Path) -> None:
    nothing = dict.fromkeys(FIELDS, None)
    assert items(row(tmp_path, **{**nothing, "input": "a"})) == [EvalItem(input="a")]
    assert place_and_reason(row(tmp_path, **nothing)) == (
        1,
        "it has neither input, inputs, turns nor output; null, NaN and an empty cell count as no value",
    )


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "it has neither input, inputs, turns nor output"),
        ({"ground_truth": "SECRET"}, "it has neither input, inputs, turns nor output"),
        ({"input": "SECRET", "inputs": ["b"]}, "it has input and inputs; give exactly one of input, inputs, turns"),
        (
            {"input": "SECRET", "inputs": ["b"], "turns": ["c"]},
            "it has input and inputs and turns; give exactly one of input, inputs, turns",
        ),
        (
            {"turns": ["a"], "output": "SECRET"},
            "it has turns and output; a recorded output cannot be told apart into turns",
        ),
        ({"inputs": "SECRET"}, "inputs must be a list, found a text"),
        ({"inputs": []}, "inputs is empty; give at least one"),
        ({"inputs": ["SECRET", None]}, "inputs holds null; every turn needs an input"),
        ({"turns": {"input": "SECRET"}}, "turns must be a list, found an object"),
        ({"turns": []}, "turns is empty; give at least one"),
        ({"turns": ["SECRET", {}]}, "turn 2 has no input"),
        ({"turns": [{"input": "SECRET", "gates": ["x"]}]}, "turn 1 has 'gates'; turns in data hold inputs only"),
        (
            {"turns": ["a", {"role": "assistant", "content": "SECRET"}]},
            "turn 2 is no message of the user; turns in data hold inputs only",
        ),
        ({"input": "a", "metadata": "SECRET"}, "metadata must be an object, found a text"),
        ({"input": "a", "metadata": ["SECRET"]}, "metadata must be an object, found a list"),
        ({"input": "a", "request_context": 17}, "request_context must be an object, found a number"),
        ({"input": "a", "start_options": True}, "start_options must be an object, found true or false"),
        ({"input": "a", "context": {"SECRET": 1}}, "context must be a text or a list of texts, found an object"),
        (
            {"input": "a", "context": ["SECRET", None]},
            "context must be a text or a list of texts, found a list with something else in it",
        ),
        ({"input": "a", "id": 1.5}, "id must be a text, found a number"),
        ({"input": "a", "id": False}, "id must be a text, found true or false"),
        ({"input": "a", "id": ["SECRET"]}, "id must be a text, found a list"),
        ({"input": "a", "expected_trajectory": ["SECRET"]}, "expected_trajectory must be an object, found a list"),
        (
            {"input": "a", "expected_trajectory": {"ordering": "SECRET"}},
            "expected_trajectory.ordering has a value that an expectation cannot have there",
        ),
        (
            {"input": "a", "expected_trajectory": {"max_steps": 3, "steps": ["a", {"name": "b", "SECRET": 1}]}},
            "expected_trajectory.steps, step 2, has a value that an expectation cannot have there",
        ),
        (
            {"input": "a", "expected_trajectory": {"steps": "SECRET"}},
            "expected_trajectory.steps has a value that an expectation cannot have there",
        ),
    ],
)
def test_a_row_that_cannot_be_evaluated_says_why(tmp_path: Path, fields: dict[str, Any], reason: str) -> None:
    assert place_and_reason(row(tmp_path, **fields)) == (1, reason)


def test_an_unknown_field_of_an_expectation_is_named_with_those_there_are(tmp_path: Path) -> None:
    _, reason = place_and_reason(row(tmp_path, input="a", expected_trajectory={"order": "strict"}))
    assert reason.startswith("expected_trajectory has unknown fields 'order'; there are 'steps', 'ordering', ")


def test_every_item_that_a_reader_gives_is_one_that_an_evaluation_takes(tmp_path: Path) -> None:
    """The two judge an item by the same rules, so that nothing fails in the run that could have been named before."""
    rows: list[dict[str, Any]] = [
        FULL,
        {"output": "x", "context": "one"},
        {"input": {"any": "thing"}, "output": False, "id": 0},
        {"inputs": [0, ""], "output": [], "metadata": {}, "expected_trajectory": {}},
    ]
    path = written(tmp_path, "data.jsonl", "\n".join(map(json.dumps, rows)))
    result = run_evals(data=items(path), scorers=[checks.excludes("nothing of the kind")])
    assert result.summary.total_items == len(rows)
