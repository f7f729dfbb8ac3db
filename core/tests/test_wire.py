"""Results, items and trajectories go through JSON without loss, and what does not fit is refused with its place."""

from __future__ import annotations

import copy
import json
import math
import pickle
import random
import subprocess
import sys
from collections import UserDict
from collections.abc import Iterator, Mapping
from types import MappingProxyType
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
    TargetResult,
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
CLOSED = copy.deepcopy(SCHEMA)
for name, kind in BY_TAG.items():
    if has(kind):
        CLOSED["$defs"][name]["additionalProperties"] = False
CLOSED_RESULT = Draft202012Validator({"$ref": "#/$defs/EvalResult", "$defs": CLOSED["$defs"]})
WHOLE = Draft202012Validator(SCHEMA)
LAWS = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


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


# -- laws -----------------------------------------------------------------------------------------------------------


@LAWS
@given(strategies.eval_results())
def test_a_result_comes_back_through_text_as_it_was(result: EvalResult) -> None:
    data = result_to_json(result)
    assert faults(WHOLE, data) == []
    assert faults(CLOSED_RESULT, {key: each for key, each in data.items() if key != "steelyard_result"}) == []
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
    "Conversation": strategies.conversations(),
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


@settings(LAWS, max_examples=60)
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
    fits = WHOLE.is_valid(data)
    try:
        result_from_json(data)
    except WireError:
        return
    assert fits


# -- the schema -----------------------------------------------------------------------------------------------------


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


# -- what is refused ------------------------------------------------------------------------------------------------


def evaluated(**options: Any) -> EvalResult:
    """The result of one item and one scorer."""

    @scorer(id="brevity")
    def brevity(run: Any) -> Scored:
        return Scored(1 / 3, "so so", label="short", parts={"words": 2.0})

    return run_evals(data=[{"output": "a"}], scorers=[brevity], **options)


def test_a_misfit_is_told_with_what_was_expected_what_was_found_and_where() -> None:
    data = result_to_json(evaluated())
    data["items"].append(copy.deepcopy(data["items"][0]))
    data["items"][1]["scores"]["brevity"]["score"] = "high"
    with pytest.raises(WireError) as caught:
        result_from_json(data)
    assert str(caught.value) == 'bad result: expected a number, got "high" at items[1].scores.brevity.score'
    assert caught.value.path == "items[1].scores.brevity.score"
    assert isinstance(caught.value, SteelyardError)
    assert isinstance(caught.value, ValueError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize(
    ("path", "instead", "words"),
    [
        (["verdict"], "good", 'expected one of passed, scored, failed, got "good" at verdict'),
        (["summary", "total_items"], 1.5, "expected a whole number, got 1.5 at summary.total_items"),
        (["summary", "errors"], [], "expected an object, got a list at summary.errors"),
        (["interrupted"], 0, "expected true or false, got 0 at interrupted"),
        (["items"], {}, "expected a list, got an object at items"),
        (["items", 0], 3, "expected an object, got 3 at items[0]"),
        (["items", 0, "item"], None, "expected an object, got null at items[0].item"),
        (["items", 0, "id"], None, "expected a text, got null at items[0].id"),
        (["items", 0, "status"], "fine", "expected one of failed, errored, passed, informational, unmeasured"),
        (["items", 0, "output"], math.inf, "expected a finite number, got NaN or an infinity at items[0].output"),
        (
            ["items", 0, "scores", "brevity", "outcome"],
            "good",
            'expected one of scored, not_scorable, failed, got "good"',
        ),
        (["items", 0, "scores", "brevity", "score"], True, "expected a number, got true at"),
        (["items", 0, "scores", "brevity", "parts", "words"], None, "at items[0].scores.brevity.parts.words"),
        (["items", 0, "scores", "brevity", "result", "run_id"], 5, "at items[0].scores.brevity.result.run_id"),
        (
            ["aggregates", "scorers", "brevity", "scale", "high"],
            -1,
            "low must be below high. at aggregates.scorers.brev",
        ),
        (["scores", "brevity"], 0.5, "expected an object, got 0.5 at scores.brevity"),
        (["scores", "a.b"], {"id": "a"}, 'the key "average" is missing at scores["a.b"]'),
    ],
)
def test_each_misfit_has_its_place(path: list[Any], instead: object, words: str) -> None:
    data = result_to_json(evaluated())
    holder = data
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = instead
    with pytest.raises(WireError) as caught:
        result_from_json(data)
    assert words in str(caught.value)


def test_a_missing_key_is_named() -> None:
    data = result_to_json(evaluated())
    for key in ("index", "status", "id"):
        broken = copy.deepcopy(data)
        del broken["items"][0][key]
        with pytest.raises(WireError, match=rf'^bad result: the key "{key}" is missing at items\[0\]$'):
            result_from_json(broken)


@pytest.mark.parametrize("version", [0, 2, "1", True, None, 1.0])
def test_a_version_that_this_release_does_not_read_is_refused_in_words(version: object) -> None:
    data = {**result_to_json(evaluated()), "steelyard_result": version}
    with pytest.raises(WireError, match="this release reads version 1"):
        result_from_json(data)


@pytest.mark.parametrize("data", [None, "{}", [], {}, {"steelyard_item": 1}])
def test_what_is_no_result_at_all_is_refused_in_words(data: object) -> None:
    with pytest.raises(WireError, match=r"expected an object, got|it has no key"):
        result_from_json(data)


def test_keys_that_a_later_release_may_add_are_ignored() -> None:
    data = result_to_json(evaluated())
    data["later"] = data["items"][0]["later"] = data["items"][0]["scores"]["brevity"]["later"] = {"$type": "later"}
    assert faults(WHOLE, data) == []
    assert result_from_json(data) == result_from_json({key: each for key, each in data.items() if key != "later"})


# -- items ----------------------------------------------------------------------------------------------------------


def test_an_output_that_was_not_given_is_no_null() -> None:
    without, null = item_to_json(EvalItem(input="a")), item_to_json(EvalItem(input="a", output=None))
    assert "output" not in without
    assert null["output"] is None
    assert item_from_json(without).output is NOT_GIVEN
    assert item_from_json(null).output is None


def test_scorers_and_gates_of_an_item_are_written_as_their_keys_and_come_back_as_keys() -> None:
    plain = create_scorer("plain", "one").generate_score(lambda ctx: 1)
    made = create_scorer("made", "with arguments", args=("sun",)).generate_score(lambda ctx: 1)
    item = EvalItem(turns=[Turn(input="a", gates=[plain])], scorers=[Threshold(made, 0.5)], gates=[object()])
    data = item_to_json(item)
    assert data["scorers"] == ['made("sun")']
    assert data["turns"][0]["gates"] == ["plain"]
    read = item_from_json(loads(dumps(data)))
    assert read.scorers == ('made("sun")',)
    assert read.gates == ("<object object>",)
    assert item_to_json(read) == data
    with pytest.raises(ConfigurationError, match="Expected a scorer"):
        run_evals(data=[read], target=str, scorers=[plain])


@pytest.mark.parametrize(
    "item",
    [
        EvalItem(inputs=("a", "b")),
        EvalItem(input="a", context=["c"]),
        EvalItem(input="a", context="c"),
        EvalItem(turns=(Turn(input="a"),)),
        EvalItem(turns=[{"input": "a"}]),  # type: ignore[list-item]
        EvalItem(input="a", expected_trajectory={"steps": ["a"]}),  # type: ignore[arg-type]
        EvalItem(input="a", id=7),  # type: ignore[arg-type]
        EvalItem(input="a", metadata=None),  # type: ignore[arg-type]
        EvalItem(input="a", metadata={("k", 1): {1}}),  # type: ignore[dict-item]
        EvalItem(input="a", expected_trajectory=TrajectoryExpectation(blacklisted_tools=("a",))),
    ],
    ids=range(10),
)
def test_an_item_comes_back_as_its_author_wrote_it(item: EvalItem) -> None:
    data = item_to_json(item)
    assert faults(part("EvalItem"), data) == []
    assert item_from_json(loads(dumps(data))) == item


def test_a_trajectory_leaves_out_the_records_that_its_steps_were_read_from() -> None:
    trajectory = Trajectory([{"type": "tool_call", "name": "a", "raw": object()}])
    read = trajectory_from_json(trajectory_to_json(trajectory))
    assert read == trajectory
    assert read.steps[0].raw is None


# -- numbers and texts that are none --------------------------------------------------------------------------------


def written_item(**fields: Any) -> ItemResult:
    """The item result that comes back, out of a result that is valid and strict."""
    item = ItemResult(**{"index": 0, "item": None, "status": Status.UNMEASURED, "id": "a", **fields})
    data = result_to_json(EvalResult(verdict=None, scores={}, summary=Summary(), items=(item,)))
    assert faults(WHOLE, data) == []
    return result_from_json(loads(dumps(data))).items[0]


@pytest.mark.parametrize("number", [math.nan, math.inf, "cheap", 10j])
def test_a_cost_that_is_no_finite_number_is_unknown(number: Any) -> None:
    assert written_item(cost=number).cost is None


def test_a_mapping_of_a_class_of_its_own_is_written_as_a_plain_one_where_a_mapping_belongs() -> None:
    assert written_item(metadata=UserDict(a=(1,))).metadata == {"a": (1,)}
    target = TargetResult("x", metadata=UserDict(a=1), step_results=MappingProxyType({"s": {"output": 1}}))
    read = written_item(output=target).output
    assert (read.metadata, read.step_results) == ({"a": 1}, {"s": {"output": 1}})


def test_usage_that_is_unknown_is_not_usage_of_nothing() -> None:
    none, zero = Usage(), Usage(input_tokens=0, output_tokens=0)
    assert written_item(usage=none).usage == none
    assert written_item(usage=zero).usage == zero
    assert written_item(usage=None).usage is None
    assert written_item(usage={"input_tokens": 3}).usage is None


@pytest.mark.parametrize("score", [math.nan, -math.inf, "high", None])
def test_a_score_that_is_no_finite_number_is_written_as_the_failure_that_it_is(score: Any) -> None:
    outcome = written_item(scores=ByKey.of({"a": Scored(score)}, {"a": "a"})).scores["a"]
    assert isinstance(outcome, Failed)
    assert isinstance(outcome.error, InvalidScore)
    assert repr(outcome.error.value) == repr(score)


def test_parts_and_durations_that_are_no_finite_numbers_are_left_out() -> None:
    evidence = ScoreResult(run_id="r", scorer_id="a", step_durations_ms={"analyze": math.nan, "preprocess": 1})
    scored = Scored(True, parts={"a": math.nan, "b": 1}, result=evidence)
    outcome = written_item(scores=ByKey.of({"a": scored}, {"a": "a"})).scores["a"]
    assert outcome == Scored(1.0, parts={"b": 1})
    assert outcome.result.step_durations_ms == {"preprocess": 1}


def test_a_reason_that_is_no_text_is_written_as_one() -> None:
    outcome = written_item(scores=ByKey.of({"a": Scored(1, {"why": 1}, label=3)}, {"a": "a"})).scores["a"]  # type: ignore[arg-type]
    assert (outcome.reason, outcome.label) == ("{'why': 1}", "3")


def test_keys_ids_and_parts_of_scores_come_back_and_a_part_is_no_key() -> None:
    scores = ByKey.of({"a(1)": 0.5, "b": None}, {"a(1)": "a", "b": "b"}, {"a(1)/tone": 0.25})
    result = EvalResult(verdict=Verdict.PASSED, scores=scores, summary=Summary())
    read = result_from_json(loads(dumps(result_to_json(result)))).scores
    assert isinstance(read, ByKey)
    assert (list(read), read.ids, dict(read.more)) == (["a(1)", "b"], scores.ids, {"a(1)/tone": 0.25})
    assert read["a"] == 0.5
    assert read["a(1)/tone"] == 0.25


def test_scores_built_by_hand_as_a_plain_mapping_are_written_too() -> None:
    result = EvalResult(verdict=None, scores={"a": 0.5}, summary=Summary())
    assert result_from_json(result_to_json(result)) == result


def test_evidence_that_cannot_be_made_is_refused_in_words() -> None:
    class Late(Scored):
        @property
        def result(self) -> ScoreResult:
            raise RuntimeError("the evidence is gone")

    with pytest.raises(WireError, match="it cannot be written: RuntimeError: the evidence is gone"):
        written_item(scores=ByKey.of({"a": Late(1)}, {"a": "a"}))


def test_a_record_that_does_not_hold_together_is_refused_when_it_is_written() -> None:
    with pytest.raises(WireError, match="bad result: it cannot be written: expected a ItemResult, got 3"):
        result_to_json(EvalResult(verdict=None, scores={}, summary=Summary(), items=(3,)))  # type: ignore[arg-type]


# -- errors ---------------------------------------------------------------------------------------------------------


def back(error: BaseException) -> Any:
    """The error that comes back."""
    return read_error(loads(dumps(write_error(error))))


def test_errors_of_steelyard_come_back_as_such_with_what_they_know() -> None:
    refused = back(
        JudgeRefused("no", provider="p", model="m", request_id="r", status=429, raw_text="t", retry_after=1.5)
    )
    assert type(refused) is JudgeRefused
    assert (refused.provider, refused.status, refused.retry_after, refused.usage) == ("p", 429, 1.5, None)
    assert back(JudgeError("", usage=Usage(output_tokens=0))).usage == Usage(output_tokens=0)
    assert str(back(JudgeError(""))) == ""
    assert str(back(TimedOut("The target", 0.5))) == str(TimedOut("The target", 0.5))
    assert back(InvalidScore("bad", {1, 2})).value == {1, 2}
    assert (back(BadItem(3, "no input")).index, str(back(BadItem(3, "no input")))) == (3, "Item 3: no input")


def test_a_failed_run_of_a_scorer_comes_back_with_its_evidence_and_its_cause() -> None:
    evidence = ScoreResult(run_id="r", scorer_id="s", score=0.5, preprocess_result=(1, 2))
    error = ScorerRunError("s", "generate_reason", ("generate_score",), evidence)
    error.__cause__ = KeyError("k")
    read = back(error)
    assert type(read) is ScorerRunError
    assert read.result == evidence
    assert read.completed_steps == ("generate_score",)
    assert str(read) == str(error) == "Scorer 's' failed at generate_reason: KeyError: 'k'"


class AcmeError(SteelyardError):
    pass


class AcmeJudgeError(JudgeError):
    pass


class Unsayable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


def test_errors_of_others_come_back_in_words_and_are_written_again_alike() -> None:
    lost = back(ConnectionResetError(104, "lost"))
    assert (lost.type_name, lost.text) == ("ConnectionResetError", "[Errno 104] lost")
    assert describe(lost) == "ConnectionResetError: [Errno 104] lost"
    assert describe(back(AcmeError("speaks for itself"))) == "speaks for itself"
    assert describe(back(ValueError())) == "ValueError"
    judged = back(AcmeJudgeError("no", status=500))
    assert judged.details == {"status": 500}
    for read in (lost, judged):
        assert back(read) == read
        assert write_error(read) == write_error(back(read))
        assert pickle.loads(pickle.dumps(read)) == read


def test_an_error_that_cannot_be_made_into_text_is_written_all_the_same() -> None:
    assert "cannot be made" in describe(back(Unsayable()))


def test_an_error_that_was_recorded_equals_the_one_that_was_raised() -> None:
    assert back(ValueError("a")) == ValueError("a")
    assert ValueError("a") == back(ValueError("a"))
    assert back(ValueError("a")) != ValueError("b")
    assert back(ValueError("a")) != TypeError("a")
    assert back(ValueError("a")) != "a"
    assert len({back(ValueError("a")), back(ValueError("a")), back(ValueError("b"))}) == 2


def test_no_traceback_is_written() -> None:
    def a_name_of_the_code() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no") as caught:
        a_name_of_the_code()
    assert "a_name_of_the_code" not in dumps(write_error(caught.value))


def test_an_error_of_ours_whose_details_are_lost_is_still_read() -> None:
    read = read_error({"type": "steelyard.TimedOut", "message": "The target did not finish"})
    assert isinstance(read, RecordedError)
    assert describe(read) == "The target did not finish"


# -- text -----------------------------------------------------------------------------------------------------------


def test_text_is_readable_strict_and_always_encodes() -> None:
    """B176: half of a character in an output crashed the writing of a log."""
    text = dumps({"é雪🐟": "ok \ud83d end"})
    assert text == '{"é雪🐟": "ok \\ud83d end"}'
    assert loads(text.encode("utf-8").decode("utf-8")) == {"é雪🐟": "ok \ud83d end"}


@settings(LAWS, max_examples=60)
@given(strategies.json_values())
def test_json_data_comes_back_from_its_text(data: object) -> None:
    text = dumps(data)
    text.encode("utf-8")
    assert loads(text) == data
    assert loads(dumps(data, indent=1)) == data


@pytest.mark.parametrize("data", [math.nan, [math.inf], {"a": -math.inf}, {1, 2}, object()])
def test_what_has_no_json_form_has_no_text(data: object) -> None:
    with pytest.raises(WireError, match=r"^bad JSON: "):
        dumps(data)


def test_data_that_holds_itself_has_no_text() -> None:
    ring: list[object] = []
    ring.append(ring)
    with pytest.raises(WireError, match="bad JSON"):
        dumps(ring)


@pytest.mark.parametrize(
    "text", ["NaN", "[Infinity]", "-Infinity", "1e999", "", "{", "[1,]", "\ufeff{}", "1" * 5000, "[" * 100_000]
)
def test_text_that_is_no_strict_json_is_refused(text: str) -> None:
    with pytest.raises(WireError, match=r"^bad JSON: "):
        loads(text)


# -- the shop window ------------------------------------------------------------------------------------------------


def test_the_strategies_say_what_to_install_where_hypothesis_is_missing() -> None:
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "import steelyard.testing\n"
        "try: import steelyard.testing.strategies\n"
        "except ImportError as error: print(error)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "hypothesis, which is not installed: pip install hypothesis" in shown


def test_the_wire_is_read_without_the_libraries_that_it_works_with() -> None:
    code = (
        "import sys, steelyard._wire.results, steelyard._wire.text\n"
        "print([name for name in ('cattrs', 'structlog', 'pluggy', 'asyncio') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


def test_foreign_values_in_evidence_are_shown_by_their_fields() -> None:
    execution = JudgeExecution(prompt="p", output=Foreign("acme.Verdicts", fields={"n": 1}))
    evidence = ScoreResult(run_id="r", scorer_id="a", judge={"analyze": (execution,)})
    outcome = written_item(gates=ByKey.of({"a": NotScorable("analyze", result=evidence)}, {"a": "a"})).gates["a"]
    assert outcome.result == evidence


def test_turns_of_items_come_back_with_their_own_outcomes() -> None:
    turn = TurnItemResult(
        index=0, input="a", output=Message("assistant", "b"), gates=ByKey.of({"g": Scored(1)}, {"g": "g"})
    )
    assert written_item(turns=(turn,)).turns == (turn,)
