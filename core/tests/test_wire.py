"""Results, items and trajectories go through JSON without loss, and what does not fit is refused with its place."""

from __future__ import annotations

import copy
import json
import math
import pickle
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from attrs import fields, has
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from jsonschema import Draft202012Validator

from steelyard import (
    ByKey,
    ConfigurationError,
    EvalItem,
    EvalResult,
    Failed,
    InvalidScore,
    ItemResult,
    JudgeError,
    JudgeExecution,
    JudgeRefused,
    Message,
    NotScorable,
    Scored,
    ScoreResult,
    ScorerRunError,
    SteelyardError,
    Summary,
    Threshold,
    TimedOut,
    Trajectory,
    TrajectoryExpectation,
    Turn,
    TurnItemResult,
    Usage,
    Verdict,
    create_scorer,
    run_evals,
    scorer,
)
from steelyard._model.outcome import describe
from steelyard._running.item import NOT_GIVEN, BadItem
from steelyard._running.result import Status
from steelyard._wire.failures import RecordedError, read_error, write_error
from steelyard._wire.faults import WireError
from steelyard._wire.foreign import Foreign
from steelyard._wire.kinds import BY_TAG
from steelyard._wire.results import (
    item_from_json,
    item_to_json,
    result_from_json,
    result_schema,
    result_to_json,
    trajectory_from_json,
    trajectory_to_json,
)
from steelyard._wire.text import dumps, loads
from steelyard._wire.values import read_value, write_value
from steelyard.testing import strategies

SCHEMA = result_schema()
WHOLE = Draft202012Validator(SCHEMA)
LAWS = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def part(name: str) -> Draft202012Validator:
    """The schema of one kind of record."""
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})


def faults(validator: Draft202012Validator, data: object) -> list[str]:
    return [f"{fault.json_path}: {fault.message:.200}" for fault in validator.iter_errors(data)]


def told(value: Any) -> Any:
    """All that a value says, with errors in words, so that two can be compared that hold errors."""
    if isinstance(value, BaseException):
        return "error", describe(value), told(dict(value.__dict__)) if isinstance(value, JudgeError) else None
    if isinstance(value, Scored):
        return "scored", value.score, value.reason, value.label, told(value.parts), told(value.result)
    if isinstance(value, NotScorable):
        return "not scorable", value.step, value.reason, told(value.result)
    if isinstance(value, Failed):
        return "failed", value.step, told(value.error), told(value.result)
    if isinstance(value, ByKey):
        return "by key", value.ids, [told(each) for each in value.values()], told(value.more)
    if has(type(value)):
        names = [each.name.lstrip("_") for each in fields(type(value)) if each.name != "raw"]
        return type(value), {name: told(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return [(key, told(each)) for key, each in value.items()]
    if isinstance(value, list | tuple):
        return type(value), [told(each) for each in value]
    return type(value), value


# -- laws -----------------------------------------------------------------------------------------------------------------------------


@LAWS
@given(strategies.eval_results())
def test_a_result_comes_back_through_text_as_it_was(result: EvalResult) -> None:
    data = result_to_json(result)
    assert faults(WHOLE, data) == []
    json.dumps(data, allow_nan=False)
    text = dumps(data)
    read = result_from_json(loads(text.encode().decode()))
    assert told(read) == told(result)
    assert result_to_json(read) == data


@LAWS
@given(strategies.items())
def test_an_item_comes_back_equal(item: EvalItem) -> None:
    data = item_to_json(item)
    assert faults(part("EvalItem"), data) == []
    assert item_from_json(loads(dumps(data))) == item


@LAWS
@given(strategies.trajectories())
def test_a_trajectory_comes_back_equal(trajectory: Trajectory) -> None:
    data = trajectory_to_json(trajectory)
    assert faults(part("Trajectory"), data) == []
    assert trajectory_from_json(loads(dumps(data))) == trajectory


PUBLIC: dict[str, SearchStrategy[Any]] = {
    "AgentInput": strategies.agent_inputs(),
    "AgentOutput": strategies.agent_outputs(),
    "Aggregate": strategies.aggregates(),
    "EvalResult": strategies.eval_results(),
    "ExpectedStep": strategies.expected_steps(),
    "Failed": strategies.failures(),
    "GateResult": strategies.gate_results(),
    "ItemResult": strategies.item_results(),
    "JudgeExecution": strategies.judge_executions(),
    "MediaPart": strategies.media_parts(),
    "Message": strategies.messages(),
    "NotScorable": strategies.not_scorables(),
    "Scale": strategies.scales(),
    "ScoreResult": strategies.score_results(),
    "Scored": strategies.scored(),
    "StepResult": strategies.step_results(),
    "Summary": strategies.summaries(),
    "TargetResult": strategies.target_results(),
    "ThresholdResult": strategies.threshold_results(),
    "ToolCall": strategies.tool_calls(),
    "TrajectoryExpectation": strategies.expectations(),
    "TrajectoryStep": strategies.trajectory_steps(),
    "TurnItemResult": strategies.turn_item_results(),
    "TurnResult": strategies.turn_results(),
    "Usage": strategies.usages(),
}


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_value_comes_back_as_a_value_of_its_own_kind(name: str) -> None:
    @settings(LAWS, max_examples=15)
    @given(PUBLIC[name])
    def law(value: object) -> None:
        data = write_value(value)
        assert data["$type"] == name
        assert faults(part("value"), data) == []
        read = read_value(loads(dumps(data)))
        assert told(read) == told(value)
        assert write_value(read) == data

    law()


@LAWS
@given(strategies.errors())
def test_an_error_says_the_same_when_it_comes_back(error: BaseException) -> None:
    data = write_error(error)
    assert faults(part("error"), data) == []
    read = read_error(loads(dumps(data)))
    assert told(read) == told(error)
    assert write_error(read) == data
    assert isinstance(read, SteelyardError)
    assert type(read) is type(error) or (read == error and error == read)
    assert Failed("analyze", read) == Failed("analyze", read_error(data))


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in JSON data."""
    yield path
    steps = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, inner in steps:
        yield from places(inner, (*path, step))


@settings(LAWS, max_examples=150)
@given(strategies.eval_results(), st.integers(), st.sampled_from([None, True, 3, 0.5, "high", [], {}, [1], {"a": 1}]))
def test_what_the_schema_rejects_the_reader_rejects(result: EvalResult, seed: int, instead: object) -> None:
    data = result_to_json(result)
    *above, last = random.Random(seed).choice(list(places(data))[1:])
    holder = data
    for step in above:
        holder = holder[step]
    if seed % 2:
        holder[last] = instead
    elif isinstance(holder, dict):
        del holder[last]
    if not WHOLE.is_valid(data):
        with pytest.raises(WireError):
            result_from_json(data)


# -- the schema -----------------------------------------------------------------------------------------------------------------------


def test_the_schema_is_a_schema_and_its_name_holds_no_host() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMA["$id"] == "urn:steelyard:result:1"
    assert SCHEMA["properties"]["steelyard_result"] == {"const": 1}


def test_the_schema_is_given_out_anew_each_time() -> None:
    result_schema().clear()
    assert result_schema() == SCHEMA


@pytest.mark.parametrize("name", [name for name, kind in BY_TAG.items() if has(kind)])
def test_the_schema_describes_each_field_of_each_record(name: str) -> None:
    described = set(SCHEMA["$defs"][name]["properties"])
    written = {each.name.lstrip("_") for each in fields(BY_TAG[name])}
    extra = {
        "TrajectoryStep": {"raw"},
        "Scored": {"more", "maker", "evidence"},
        "NotScorable": {"maker", "evidence"},
        "Failed": {"maker", "evidence"},
    }.get(name, set())
    more = {"outcome", "id", "result", "label", "parts"} if "outcome" in described else set()
    assert described - more == written - extra - more


def test_every_tag_of_the_schema_is_known_and_every_known_tag_is_in_the_schema() -> None:
    for tag in SCHEMA["$defs"]["tagged"]["properties"]["$type"]["enum"]:
        assert tag in ("not_given",) or not is_unknown(tag)
    assert set(BY_TAG) <= set(SCHEMA["$defs"]["tagged"]["properties"]["$type"]["enum"])


def is_unknown(tag: str) -> bool:
    try:
        read_value({"$type": tag})
    except Exception as misfit:
        return "of this version" in str(misfit)
    return False


# -- results of real runs -------------------------------------------------------------------------------------------------------------


@scorer(id="brevity", scale=None or __import__("steelyard").Scale())
def brevity(run: Any) -> Scored:
    return Scored(1 / 3, "so so", label="short", parts={"words": 2.0})


EMPTY_RESULT = EvalResult(verdict=None, scores={}, summary=Summary())
