"""Hypothesis strategies for the values of Steelyard, for laws over your own scorers, readers and reports.

Each value is well-formed by itself and small. A result's parts are drawn one by one: its verdict, say, need not follow
from its gates.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from datetime import timedelta, timezone
from functools import cache
from typing import Any, ParamSpec, TypeVar

from steelyard._model.conversation import AgentInput, AgentOutput
from steelyard._model.errors import (
    ConfigurationError,
    InvalidScore,
    JudgeAnswerEmpty,
    JudgeAnswerInvalid,
    JudgeContentFiltered,
    JudgeError,
    JudgeRefused,
    JudgeTruncated,
    SteelyardError,
    TimedOut,
    UnreadableOutput,
)
from steelyard._model.messages import CALL_STATES, ROLES, MediaPart, Message, Part, ToolCall
from steelyard._model.outcome import STEPS, Failed, JudgeExecution, NotScorable, Outcome, Scored, ScoreResult
from steelyard._model.record import Conversation
from steelyard._model.scale import ZERO_TO_ONE, Scale
from steelyard._model.trajectory import (
    STEP_TYPES,
    ExpectedStep,
    StepResult,
    Trajectory,
    TrajectoryExpectation,
    TrajectoryStep,
)
from steelyard._model.usage import Usage
from steelyard._running.aggregate import Aggregate, PartAggregate
from steelyard._running.gates import Bound, GateResult, ThresholdResult, Verdict
from steelyard._running.item import NOT_GIVEN, EvalItem, Turn
from steelyard._running.keys import ByKey
from steelyard._running.result import (
    EvalResult,
    ItemResult,
    ObserverNote,
    Status,
    Summary,
    TurnItemResult,
    TurnResult,
)
from steelyard._running.target import TargetResult

try:
    from hypothesis import strategies as st
    from hypothesis.strategies import SearchStrategy
except ImportError as error:
    raise ImportError(
        "steelyard.testing.strategies draws its values with hypothesis, which is not installed: pip install hypothesis"
    ) from error

T = TypeVar("T")
P = ParamSpec("P")


def _brief(make: Callable[P, SearchStrategy[T]]) -> Callable[P, SearchStrategy[T]]:
    """The strategies of a function, made once, and shown as a call of it: they would spell out all that they are made
    of."""
    made = cache(make)

    def drawn(draw: st.DrawFn, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return draw(made(*args, **kwargs))  # type: ignore[arg-type]

    drawn.__name__ = drawn.__qualname__ = make.__name__
    drawn.__doc__, drawn.__module__ = make.__doc__, make.__module__
    return st.composite(drawn)


_HALVES = st.sampled_from(["\ud83d", "é", "雪", "🐟", "\x00", "\u2028", '"', "\\"])
_EVERY_SECOND = timedelta(seconds=1)


# -- values of users ------------------------------------------------------------------------------------------------


@_brief
def texts() -> SearchStrategy[str]:
    """Short texts of any characters, halves of characters among them."""
    return st.text(st.one_of(st.characters(), _HALVES), max_size=8)


@_brief
def numbers() -> SearchStrategy[float]:
    """Finite numbers, whole ones among them."""
    return st.one_of(st.integers(-3, 100), st.floats(allow_nan=False, allow_infinity=False))


@_brief
def json_values() -> SearchStrategy[Any]:
    """What JSON can say, nested a little."""
    leaves: SearchStrategy[Any] = st.one_of(st.none(), st.booleans(), numbers(), texts())
    return st.recursive(
        leaves, lambda inner: st.one_of(st.lists(inner, max_size=3), _mappings(inner, _keys())), max_leaves=6
    )


@_brief
def values() -> SearchStrategy[Any]:
    """What people put into data: what JSON can say, values of the standard library, messages, in lists, tuples and
    mappings."""
    leaves: SearchStrategy[Any] = st.one_of(
        st.none(), st.booleans(), numbers(), texts(), hashables(), messages(), st.binary(max_size=4).map(bytearray)
    )
    return st.recursive(leaves, _containers, max_leaves=5)


def _containers(inner: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.sets(hashables(), max_size=3),
        _mappings(inner, _keys()),
        _mappings(inner, hashables()),
    )


@_brief
def hashables() -> SearchStrategy[Hashable]:
    """Values that can stand in a set: texts, numbers, bytes, dates and times, decimals, fractions, ids, and tuples of
    these."""
    zones = st.one_of(st.none(), st.integers(-86_399, 86_399).map(lambda offset: timezone(offset * _EVERY_SECOND)))
    leaves: SearchStrategy[Hashable] = st.one_of(
        texts(),
        st.integers(),
        st.binary(max_size=4),
        st.datetimes(timezones=zones),
        st.dates(),
        st.times(),
        st.timedeltas(),
        st.decimals(allow_nan=False, places=2),
        st.fractions(),
        st.uuids(),
    )
    return st.recursive(leaves, lambda inner: st.lists(inner, max_size=2).map(tuple), max_leaves=3)


def _keys() -> SearchStrategy[str]:
    return st.one_of(st.sampled_from(["$type", "value", "items", "error"]), texts())


def _mappings(inner: SearchStrategy[T], keys: SearchStrategy[Any]) -> SearchStrategy[dict[Any, T]]:
    return st.dictionaries(keys, inner, max_size=3)


def _fields() -> SearchStrategy[dict[str, Any]]:
    return _mappings(json_values(), _keys())


def _maybe(strategy: SearchStrategy[T]) -> SearchStrategy[T | None]:
    return st.one_of(st.none(), strategy)


def _few(strategy: SearchStrategy[T]) -> SearchStrategy[tuple[T, ...]]:
    return st.lists(strategy, max_size=2).map(tuple)


def _counts() -> SearchStrategy[int]:
    return st.integers(0, 1000)


# -- messages and trajectories --------------------------------------------------------------------------------------


@_brief
def media_parts() -> SearchStrategy[MediaPart]:
    """Images and files in messages."""
    return st.builds(MediaPart, st.sampled_from(["image", "file"]), _fields())


@_brief
def tool_calls() -> SearchStrategy[ToolCall]:
    """Tool calls in any state."""
    return st.builds(
        ToolCall,
        texts(),
        json_values(),
        id=_maybe(texts()),
        result=json_values(),
        error=_maybe(texts()),
        state=st.sampled_from(CALL_STATES),
        raw_args=_maybe(texts()),
        provider_executed=st.booleans(),
    )


@_brief
def messages() -> SearchStrategy[Message]:
    """Messages of any role."""
    parts: SearchStrategy[Part] = st.one_of(texts(), media_parts())
    return st.builds(
        Message,
        st.sampled_from(ROLES),
        st.one_of(st.none(), texts(), st.lists(parts, max_size=2)),
        tool_calls=_few(tool_calls()),
        tool_call_id=_maybe(texts()),
        name=_maybe(texts()),
        reasoning=_maybe(texts()),
        refusal=_maybe(texts()),
        is_error=_maybe(st.booleans()),
        remembered=st.booleans(),
        tag=_maybe(texts()),
    )


@_brief
def agent_inputs() -> SearchStrategy[AgentInput]:
    """What agents are given."""
    return st.lists(messages(), max_size=3).map(AgentInput.from_messages)


@_brief
def agent_outputs() -> SearchStrategy[AgentOutput]:
    """What agents answer."""
    return st.lists(messages(), max_size=3).map(AgentOutput)


@_brief
def trajectory_steps() -> SearchStrategy[TrajectoryStep]:
    """Steps of every type, with steps inside."""
    flat = _steps(st.just(()))
    return st.one_of(flat, _steps(_few(flat)))


def _steps(children: SearchStrategy[tuple[TrajectoryStep, ...]]) -> SearchStrategy[TrajectoryStep]:
    return st.builds(
        TrajectoryStep,
        step_type=st.sampled_from(STEP_TYPES),
        name=texts(),
        duration_ms=_maybe(numbers()),
        metadata=_maybe(_fields()),
        children=children,
        tool_args=_maybe(_fields()),
        tool_result=json_values(),
        success=_maybe(st.booleans()),
        error=_maybe(texts()),
        call_id=_maybe(texts()),
        prompt_tokens=_maybe(_counts()),
        completion_tokens=_maybe(_counts()),
        output=json_values(),
        raw=st.just(object()),
    )


@_brief
def trajectories() -> SearchStrategy[Trajectory]:
    """Paths that targets took."""
    return st.builds(Trajectory, _few(trajectory_steps()), _maybe(numbers()))


@_brief
def expected_steps() -> SearchStrategy[ExpectedStep]:
    """Steps that should occur, with expectations for the steps inside."""
    children = st.builds(TrajectoryExpectation, steps=_maybe(_few(st.builds(ExpectedStep, name=texts()))))
    return st.builds(
        ExpectedStep,
        name=texts(),
        step_type=_maybe(st.sampled_from(STEP_TYPES)),
        tool_args=_maybe(_fields()),
        tool_result=json_values(),
        success=_maybe(st.booleans()),
        children=_maybe(children),
    )


@_brief
def expectations() -> SearchStrategy[TrajectoryExpectation]:
    """What trajectories should look like."""
    return st.builds(
        TrajectoryExpectation,
        steps=_maybe(_few(expected_steps())),
        ordering=st.sampled_from(["strict", "relaxed", "unordered", None]),
        allow_repeated_steps=_maybe(st.booleans()),
        max_steps=_maybe(_counts()),
        max_total_duration_ms=_maybe(st.floats(0, 1000)),
        blacklisted_tools=_maybe(st.one_of(st.lists(texts(), max_size=2), _few(texts()))),
        blacklisted_sequences=_maybe(st.lists(st.lists(texts(), max_size=2), max_size=2)),
    )


@_brief
def conversations() -> SearchStrategy[Conversation]:
    """What extractors give."""
    return st.builds(
        Conversation,
        messages=_few(messages()),
        trajectory=trajectories(),
        format=texts(),
        id=_maybe(texts()),
        metadata=_fields(),
        usage=_maybe(usages()),
    )


@_brief
def step_results() -> SearchStrategy[StepResult]:
    """What steps of workflows gave."""
    return st.builds(
        StepResult,
        status=st.sampled_from(["success", "failed", "skipped"]),
        input=json_values(),
        output=json_values(),
        started_at=_maybe(numbers()),
        ended_at=_maybe(numbers()),
        metadata=_maybe(_fields()),
        error=_maybe(texts()),
    )


@_brief
def target_results() -> SearchStrategy[TargetResult]:
    """What targets return when they say more than their output."""
    return st.builds(
        TargetResult,
        json_values(),
        messages=_maybe(_few(messages())),
        context=_maybe(_few(texts())),
        trajectory=_maybe(trajectories()),
        usage=_maybe(usages()),
        cost=_maybe(numbers()),
        metadata=_maybe(_fields()),
        cached=st.booleans(),
        step_results=_maybe(_mappings(step_results(), texts())),
    )


# -- outcomes -------------------------------------------------------------------------------------------------------


@_brief
def usages() -> SearchStrategy[Usage]:
    """Token counts, known and unknown."""
    count = st.one_of(st.none(), st.just(0), _counts())
    return st.builds(
        Usage,
        input_tokens=count,
        cached_input_tokens=count,
        cache_creation_tokens=count,
        output_tokens=count,
        reasoning_tokens=count,
    )


@_brief
def scales() -> SearchStrategy[Scale]:
    """Scales in both directions."""
    ends = st.lists(st.integers(-10, 100), min_size=2, max_size=2, unique=True).map(sorted)
    return st.builds(lambda pair, way: Scale(pair[0], pair[1], way), ends, st.sampled_from(["higher", "lower"]))


@_brief
def judge_errors() -> SearchStrategy[JudgeError]:
    """Failures of judges, with what is known of them."""

    def made(kind: type[JudgeError], message: str, known: Mapping[str, Any]) -> JudgeError:
        return kind(message, **known)

    kinds = [
        JudgeError,
        JudgeAnswerEmpty,
        JudgeAnswerInvalid,
        JudgeContentFiltered,
        JudgeRefused,
        JudgeTruncated,
    ]
    known = st.fixed_dictionaries(
        {},
        optional={
            "provider": texts(),
            "status": st.sampled_from([429, 500]),
            "raw_text": texts(),
            "usage": usages(),
            "finish_reason": st.sampled_from(["length", "refusal"]),
            "retryable": st.booleans(),
            "retry_after": st.floats(0, 60),
        },
    )
    return st.builds(made, st.sampled_from(kinds), texts(), known)


@_brief
def errors() -> SearchStrategy[BaseException]:
    """Errors of targets, scorers and judges: Steelyard's and others."""
    plain = [SteelyardError, ConfigurationError, UnreadableOutput, ValueError, KeyError, RuntimeError, TimeoutError]
    return st.one_of(
        st.builds(lambda kind, text: kind(text), st.sampled_from(plain), texts()),
        st.builds(TimedOut, texts(), st.floats(0, 100)),
        st.builds(InvalidScore, texts(), json_values()),
        judge_errors(),
    )


@_brief
def judge_executions() -> SearchStrategy[JudgeExecution]:
    """Questions to judges and what came of them."""
    return st.builds(
        JudgeExecution,
        prompt=texts(),
        model=_maybe(texts()),
        provider=_maybe(texts()),
        attempt_count=st.integers(1, 3),
        model_call_count=st.integers(1, 3),
        duration_ms=_maybe(numbers()),
        status=st.sampled_from(["ok", "failed"]),
        output=json_values(),
        usage=_maybe(usages()),
        cost=_maybe(numbers()),
        error=_maybe(errors()),
        raw_text=_maybe(texts()),
        finish_reason=_maybe(texts()),
        notes=_few(texts()),
    )


@_brief
def score_results() -> SearchStrategy[ScoreResult]:
    """Evidence of runs of scorers."""
    return st.builds(
        ScoreResult,
        run_id=texts(),
        scorer_id=texts(),
        score=_maybe(numbers()),
        reason=_maybe(texts()),
        reason_not_given=_maybe(texts()),
        label=_maybe(texts()),
        parts=_mappings(numbers(), texts()),
        not_scorable=_maybe(st.builds(NotScorable, _maybe(texts()), _maybe(texts()))),
        preprocess_result=values(),
        analyze_result=json_values(),
        analyze_prompt=_maybe(texts()),
        completed_steps=st.integers(0, len(STEPS)).map(lambda n: STEPS[:n]),
        duration_ms=_maybe(numbers()),
        step_durations_ms=_mappings(numbers(), st.sampled_from(STEPS)),
        judge=_mappings(_few(judge_executions()), st.sampled_from(STEPS)),
    )


@_brief
def scored(scale: Scale = ZERO_TO_ONE) -> SearchStrategy[Scored]:
    """Measurements on a scale, 0 to 1 if none is given."""
    score = st.one_of(st.sampled_from([scale.low, scale.high]), st.floats(scale.low, scale.high))
    return st.builds(
        Scored,
        score,
        _maybe(texts()),
        label=_maybe(texts()),
        parts=_mappings(numbers(), texts()),
        result=_maybe(score_results()),
    )


@_brief
def not_scorables() -> SearchStrategy[NotScorable]:
    """Statements that there is nothing to measure."""
    return st.builds(NotScorable, _maybe(st.sampled_from(STEPS)), _maybe(texts()), result=_maybe(score_results()))


@_brief
def failures() -> SearchStrategy[Failed]:
    """Failures to measure."""
    return st.builds(
        Failed, st.sampled_from(["prepare_run", "target", *STEPS]), errors(), result=_maybe(score_results())
    )


@_brief
def outcomes(scale: Scale = ZERO_TO_ONE) -> SearchStrategy[Outcome]:
    """What becomes of scorers: numbers on the scale, nothing to measure, failures."""
    return st.one_of(scored(scale), not_scorables(), failures())


def by_key(values: SearchStrategy[T], more: SearchStrategy[T] | None = None) -> SearchStrategy[ByKey[T]]:
    """Values by the keys of scorers; ``more`` are values of parts, which can be read but are not iterated over."""

    def made(pairs: Mapping[str, tuple[str, T]], rest: Mapping[str, T]) -> ByKey[T]:
        found = {key: value for key, (_, value) in pairs.items()}
        named = {f"{key}/{part}": value for key in found for part, value in rest.items()}
        parts = {name: value for name, value in named.items() if name not in found}
        return ByKey.of(found, {key: id for key, (id, _) in pairs.items()}, parts)

    keys = st.one_of(texts(), st.sampled_from(['includes("a.b", n=1)', "$type", "group", "id"]))
    rest = st.just({}) if more is None else st.dictionaries(texts(), more, max_size=1)
    return st.builds(made, st.dictionaries(keys, st.tuples(texts(), values), max_size=2), rest)


# -- items and results ----------------------------------------------------------------------------------------------


@_brief
def items() -> SearchStrategy[EvalItem]:
    """Items as an evaluation takes them, with one input, several, or turns; without scorers of their own."""
    more: dict[str, SearchStrategy[Any]] = {
        "ground_truth": values(),
        "expected_trajectory": _maybe(expectations()),
        "context": _maybe(_few(texts())),
        "request_context": _maybe(_fields()),
        "start_options": _maybe(_fields()),
        "metadata": _mappings(values(), _keys()),
        "id": _maybe(texts()),
    }
    output = st.one_of(st.just(NOT_GIVEN), st.none(), values())
    given = json_values().filter(lambda value: value is not None)
    turns = st.lists(st.builds(Turn, input=given), min_size=1, max_size=2)
    return st.one_of(
        st.builds(EvalItem, input=given, output=output, **more),
        st.builds(EvalItem, inputs=st.lists(given, min_size=1, max_size=2), output=output, **more),
        st.builds(EvalItem, turns=turns, **more),
    )


@_brief
def turn_item_results() -> SearchStrategy[TurnItemResult]:
    """Single turns of single items."""
    return st.builds(
        TurnItemResult,
        index=_counts(),
        input=values(),
        output=values(),
        gates=by_key(outcomes()),
        scores=by_key(outcomes()),
    )


def _grouped(plain: SearchStrategy[ByKey[T]]) -> SearchStrategy[Mapping[str, Any]]:
    """Scores as they stand in results: by key, or in groups."""
    agent = st.fixed_dictionaries({"agent": plain, "trajectory": plain})
    steps = st.dictionaries(texts(), plain, min_size=1, max_size=2)
    workflow = st.fixed_dictionaries({"workflow": plain, "steps": steps})
    return st.one_of(plain, agent, workflow)


@_brief
def item_results() -> SearchStrategy[ItemResult]:
    """Items and what came of them."""
    answered = st.builds(
        ItemResult,
        index=_counts(),
        item=items(),
        output=values(),
        gates=by_key(outcomes()),
        scores=_grouped(by_key(outcomes())),
        turns=_few(turn_item_results()),
        duration_ms=_maybe(numbers()),
        usage=_maybe(usages()),
        cost=_maybe(numbers()),
        metadata=_maybe(_fields()),
        notes=_few(texts()),
        status=st.sampled_from(Status),
        id=texts(),
    )
    failed = st.builds(
        ItemResult,
        index=_counts(),
        item=st.one_of(items(), values()),
        error=errors(),
        status=st.just(Status.ERRORED),
        id=texts(),
    )
    return st.one_of(answered, failed)


@_brief
def aggregates() -> SearchStrategy[Aggregate]:
    """Accounts of scorers over all items, with slices."""
    flat = _aggregates(st.just({}))
    return _aggregates(_mappings(flat, st.sampled_from(["metadata.lang=de", "id=null"])))


def _aggregates(slices: SearchStrategy[dict[Any, Aggregate]]) -> SearchStrategy[Aggregate]:
    return st.builds(
        Aggregate,
        key=texts(),
        id=texts(),
        scale=scales(),
        n_scored=_counts(),
        n_not_scorable=_counts(),
        n_failed=_counts(),
        n_best=_counts(),
        n_passed=_counts(),
        pass_at=_maybe(numbers()),
        average=_maybe(numbers()),
        standard_error=_maybe(numbers()),
        labels=_mappings(_counts(), texts()),
        parts=_mappings(st.builds(PartAggregate, n=_counts(), average=_maybe(numbers())), texts()),
        slices=slices,
    )


@_brief
def gate_results() -> SearchStrategy[GateResult]:
    """What became of gates."""
    return st.builds(
        GateResult,
        id=texts(),
        key=texts(),
        scope=texts(),
        passed=_maybe(st.booleans()),
        score=_maybe(numbers()),
        n_best=_counts(),
        n_scored=_counts(),
        n_not_scorable=_counts(),
        n_failed=_counts(),
    )


@_brief
def threshold_results() -> SearchStrategy[ThresholdResult]:
    """What became of bounds."""
    bound = st.builds(
        Bound,
        min=_maybe(numbers()),
        max=_maybe(numbers()),
        part=_maybe(texts()),
        slice=_maybe(texts()),
        of=st.sampled_from(["average", "pass_rate"]),
    )
    return st.builds(
        ThresholdResult,
        id=texts(),
        key=texts(),
        scope=texts(),
        passed=_maybe(st.booleans()),
        average_score=_maybe(numbers()),
        threshold=bound,
        pass_rate=_maybe(st.floats(0, 1)),
        n_scored=_counts(),
        n_not_scorable=_counts(),
        n_failed=_counts(),
    )


def _aggregates_by_key() -> SearchStrategy[ByKey[Aggregate]]:
    """Accounts under their own keys and ids."""

    def made(found: list[Aggregate]) -> ByKey[Aggregate]:
        return ByKey.of({each.key: each for each in found}, {each.key: each.id for each in found})

    return st.lists(aggregates(), max_size=2).map(made)


def _averages() -> SearchStrategy[ByKey[float | None]]:
    return by_key(_maybe(numbers()), _maybe(numbers()))


@_brief
def turn_results() -> SearchStrategy[TurnResult]:
    """Single turns over all items."""
    return st.builds(
        TurnResult,
        index=_counts(),
        gate_results=_few(gate_results()),
        threshold_results=_few(threshold_results()),
        scores=_averages(),
        aggregates=_aggregates_by_key(),
    )


@_brief
def summaries() -> SearchStrategy[Summary]:
    """Counts, durations and costs of runs."""
    return st.builds(
        Summary,
        total_items=_counts(),
        planned_items=_maybe(_counts()),
        not_scorable=_mappings(_counts(), texts()),
        errors=_mappings(_counts(), texts()),
        target_errors=_counts(),
        duration_ms=_maybe(numbers()),
        target_duration_ms=numbers(),
        target_usage=_maybe(usages()),
        target_cost=_maybe(numbers()),
        judge_calls=_counts(),
        judge_usage=_maybe(usages()),
        judge_calls_without_usage=_counts(),
        judge_cost=_maybe(numbers()),
    )


@_brief
def eval_results() -> SearchStrategy[EvalResult]:
    """Results of evaluations."""
    return st.builds(
        EvalResult,
        verdict=_maybe(st.sampled_from(Verdict)),
        scores=_grouped(_averages()),
        summary=summaries(),
        gate_results=_few(gate_results()),
        threshold_results=_few(threshold_results()),
        turn_results=_few(turn_results()),
        items=_few(item_results()),
        aggregates=_mappings(_aggregates_by_key(), st.sampled_from(["gates", "scorers", "steps/a"])),
        observers=_few(st.builds(ObserverNote, name=texts(), version=_maybe(texts()), distribution=_maybe(texts()))),
        interrupted=st.booleans(),
        interruption=_maybe(texts()),
        notes=_few(texts()),
    )
