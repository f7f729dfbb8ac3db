"""Laws that hold whatever the data: of averages, tallies, verdicts, filters, and of what may become a number."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from attrs import frozen
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from steelyard import (
    AgentInput,
    AgentOutput,
    Bound,
    EvalResult,
    Failed,
    JudgeReply,
    Message,
    NotScorable,
    Outcome,
    PassRate,
    PipelineScorer,
    PromptStep,
    Scale,
    Scored,
    ScorerRun,
    ScorerRunError,
    ShareOfItems,
    Threshold,
    Verdict,
    arun_evals,
    create_scorer,
    extract_tool_calls,
    filter_run,
    messages_from_json,
    messages_to_json,
    not_scorable,
    run_evals,
)
from steelyard._model.scale import LARGEST
from steelyard._running.aggregate import Tally
from steelyard._running.gates import judge_bound, judge_gate, verdict_of
from steelyard.testing import ScriptedJudge
from steelyard.testing.strategies import messages, outcomes, scales, values

Scorer = PipelineScorer[Any, Any, Any, Any]

LAW = settings(max_examples=50, deadline=None)
"""Examples of each law; how long one takes is not a law."""

WORST_TO_BEST = [Verdict.FAILED, Verdict.SCORED, Verdict.PASSED]


def replaying(id: str = "s", scale: Scale | None = None) -> Scorer:
    """A scorer that gives what the item holds: a number, ``not_scorable``, or an exception to raise."""

    def step(ctx: Any) -> Any:
        if isinstance(ctx.run.output, Exception):
            raise ctx.run.output
        return ctx.run.output

    return create_scorer(id, "d", scale=scale or Scale()).generate_score(step)


def given_by(outcome: Outcome) -> Any:
    """What an item holds so that ``replaying`` comes to this outcome."""
    match outcome:
        case Scored():
            return Scored(outcome.score, outcome.reason, label=outcome.label, parts=outcome.parts)
        case NotScorable():
            return not_scorable(outcome.reason)
        case Failed():
            return ValueError("no")


def tally_of(found: Sequence[Outcome], scale: Scale, pass_at: float | None = None) -> Tally:
    tally = Tally(scale, pass_at)
    for outcome in found:
        tally.add(outcome)
    return tally


def is_checked(outcome: Outcome) -> bool:
    """Whether a scorer can have given it: what lies beyond every measure is refused before it is counted."""
    return not isinstance(outcome, Scored) or all(abs(part) <= LARGEST for part in outcome.parts.values())


@st.composite
def scaled_outcomes(draw: st.DrawFn) -> tuple[Scale, list[Outcome]]:
    scale = draw(scales())
    return scale, draw(st.lists(outcomes(scale).filter(is_checked), max_size=8))


@st.composite
def cut_in_two(draw: st.DrawFn) -> tuple[Scale, list[Outcome], int]:
    scale, found = draw(scaled_outcomes())
    return scale, found, draw(st.integers(0, len(found)))


def counts() -> st.SearchStrategy[list[Any]]:
    """What items hold: the best score, another, nothing to measure, or a failure."""
    return st.lists(st.sampled_from([1.0, 0.5, 0.0, not_scorable("empty"), ValueError("no")]), min_size=1, max_size=6)


# -- averages ----------------------------------------------------------------------------------------------------------


@LAW
@given(scaled_outcomes(), st.randoms(use_true_random=False))
def test_no_order_of_outcomes_changes_what_a_tally_says(drawn: tuple[Scale, list[Outcome]], random: Any) -> None:
    scale, found = drawn
    shuffled = found[:]
    random.shuffle(shuffled)
    assert tally_of(shuffled, scale).summary("k", "i") == tally_of(found, scale).summary("k", "i")


@LAW
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_an_average_lies_between_the_lowest_and_the_highest_score(scores: list[float]) -> None:
    average = tally_of([Scored(score) for score in scores], Scale()).numbers.average
    assert average is not None
    assert min(scores) <= average <= max(scores)


@LAW
@given(st.floats(0, 1), st.integers(1, 50))
def test_the_average_of_equal_scores_is_that_score_and_meets_itself_as_a_bound(score: float, times: int) -> None:
    result = run_evals(data=[{"output": score}] * times, scorers=[Threshold(replaying(), min=score, max=score)])
    assert result.threshold_results[0].passed


@LAW
@given(
    st.lists(st.one_of(st.floats(0, 1), st.just("none"), st.just("fails")), min_size=1, max_size=12),
    st.integers(1, 6),
    st.randoms(use_true_random=False),
)
def test_neither_concurrency_nor_order_of_completion_changes_a_result(
    held: list[Any], concurrency: int, random: Any
) -> None:
    words = {"none": not_scorable("empty"), "fails": ValueError("no")}
    turns = [random.randrange(4) for _ in held]

    async def target(at: int) -> Any:
        for _ in range(turns[at]):
            await asyncio.sleep(0)
        return words.get(held[at], held[at]) if isinstance(held[at], str) else held[at]

    options: dict[str, Any] = {
        "data": [{"input": at} for at in range(len(held))],
        "target": target,
        "scorers": [Threshold(replaying(), 0.5), PassRate(replaying("p"), share=0.5)],
        "gates": [ShareOfItems(replaying(), 0.5)],
    }

    def told(result: EvalResult) -> Any:
        return (
            result.verdict,
            dict(result.scores),
            result.gate_results,
            result.threshold_results,
            result.aggregates,
            [(item.index, item.id, item.status, dict(item.scores), dict(item.gates)) for item in result.items],
        )

    one = asyncio.run(arun_evals(**options))
    many = asyncio.run(arun_evals(**options, concurrency=concurrency))
    assert told(many) == told(one)


# -- tallies -----------------------------------------------------------------------------------------------------------


@LAW
@given(cut_in_two(), st.booleans())
def test_splitting_the_data_and_merging_the_tallies_changes_nothing(
    drawn: tuple[Scale, list[Outcome], int], with_mark: bool
) -> None:
    scale, found, cut = drawn
    pass_at = (scale.low + scale.high) / 2 if with_mark else None
    whole, left, right = (tally_of(part, scale, pass_at) for part in (found, found[:cut], found[cut:]))
    for at, outcome in enumerate(found):
        whole.slice(f"n={at % 2}").add(outcome)
        (left if at < cut else right).slice(f"n={at % 2}").add(outcome)
    left.merge(right)
    assert left.summary("k", "i") == whole.summary("k", "i")
    assert judge_bound_of(left, scale) == judge_bound_of(whole, scale)


def judge_bound_of(tally: Tally, scale: Scale) -> Any:
    middle = (scale.low + scale.high) / 2
    return [judge_bound(bound, "i", "k", "s", tally) for bound in (Bound(min=middle), Bound(max=middle))]


@LAW
@given(scaled_outcomes())
def test_every_outcome_is_counted_exactly_once(drawn: tuple[Scale, list[Outcome]]) -> None:
    scale, found = drawn
    summary = tally_of(found, scale).summary("k", "i")
    assert summary.n_scored + summary.n_not_scorable + summary.n_failed == len(found)
    assert 0 <= summary.n_best <= summary.n_scored
    assert (summary.average is None) == (summary.n_scored == 0)
    if summary.average is not None:
        slack = scale.slack
        assert scale.low - slack <= summary.average <= scale.high + slack


# -- verdicts ----------------------------------------------------------------------------------------------------------


def verdict_with(gates: Sequence[Sequence[Any]], thresholds: Sequence[Sequence[Any]]) -> Verdict | None:
    """The verdict of gates and thresholds that came to these outcomes."""
    gate_results = [
        judge_gate(ShareOfItems(replaying(), 1.0), "g", "gates", tally_of([held_as(each) for each in held], Scale()))
        for held in gates
    ]
    bounds = [
        judge_bound(Bound(min=0.6), "i", "t", "s", tally_of([held_as(e) for e in held], Scale())) for held in thresholds
    ]
    return verdict_of(gate_results, bounds)


def held_as(held: Any) -> Outcome:
    if isinstance(held, Exception):
        return Failed("generate_score", held)
    return held if isinstance(held, NotScorable) else Scored(held)


def rank(verdict: Verdict | None) -> int:
    """How good a verdict is; no verdict is as good as a passed one, since nothing was found amiss."""
    return len(WORST_TO_BEST) - 1 if verdict is None else WORST_TO_BEST.index(verdict)


@LAW
@given(st.lists(counts(), max_size=3), st.lists(counts(), max_size=3), counts())
def test_a_failing_gate_never_improves_a_verdict_and_a_passing_one_never_worsens_it(
    gates: list[list[Any]], thresholds: list[list[Any]], more: list[Any]
) -> None:
    before, after = verdict_with(gates, thresholds), verdict_with([*gates, more], thresholds)
    alone = verdict_with([more], [])
    if alone is Verdict.FAILED:
        assert after is Verdict.FAILED
    elif alone is Verdict.PASSED:
        assert rank(after) >= rank(before)
        assert after is not None
    else:
        assert after is before


@LAW
@given(st.lists(counts(), max_size=3), st.lists(counts(), max_size=3), counts())
def test_a_missed_threshold_never_improves_a_verdict_and_a_met_one_never_worsens_it(
    gates: list[list[Any]], thresholds: list[list[Any]], more: list[Any]
) -> None:
    before, after = verdict_with(gates, thresholds), verdict_with(gates, [*thresholds, more])
    alone = verdict_with([], [more])
    if alone is Verdict.SCORED:
        assert rank(after) <= rank(before)
        assert after in (Verdict.FAILED, Verdict.SCORED)
    elif alone is Verdict.PASSED:
        assert rank(after) >= rank(before)
    else:
        assert after is before


@LAW
@given(counts(), st.sampled_from([0.0, 0.5, 1.0]))
def test_one_more_best_item_never_fails_a_gate_and_one_more_failure_never_passes_it(
    held: list[Any], share: float
) -> None:
    gate = ShareOfItems(replaying(), share)

    def passed(*more: Any) -> bool | None:
        tally = tally_of([held_as(each) for each in (*held, *more)], Scale())
        return judge_gate(gate, "g", "gates", tally).passed

    if passed():
        assert passed(1.0)
    if passed() is False:
        assert passed(ValueError("no")) is False
    assert passed(not_scorable()) is passed()


@LAW
@given(counts(), st.floats(0, 1))
def test_one_more_item_that_could_not_be_computed_never_meets_a_threshold(held: list[Any], low: float) -> None:
    tally = tally_of([held_as(each) for each in [*held, ValueError("no")]], Scale())
    assert judge_bound(Bound(min=low), "i", "k", "s", tally).passed is False


@LAW
@given(counts(), counts(), counts())
def test_the_verdict_of_an_evaluation_is_that_of_its_counts(
    first: list[Any], second: list[Any], bounded: list[Any]
) -> None:
    size = min(len(first), len(second), len(bounded))
    columns = [column[:size] for column in (first, second, bounded)]

    def reading(id: str, at: int) -> Scorer:
        def step(ctx: Any) -> Any:
            value = ctx.run.output[at]
            if isinstance(value, Exception):
                raise value
            return value

        return create_scorer(id, "d").generate_score(step)

    result = run_evals(
        data=[{"output": row} for row in zip(*columns, strict=True)],
        gates=[reading("g0", 0), reading("g1", 1)],
        scorers=[Threshold(reading("t", 2), 0.6)],
    )
    assert result.verdict is verdict_with(columns[:2], columns[2:])


# -- what may become a number ------------------------------------------------------------------------------------------


@LAW
@given(values(), scales())
def test_only_a_finite_number_within_the_scale_becomes_a_score(value: Any, scale: Scale) -> None:
    made = create_scorer("s", "d", scale=scale).generate_score(lambda ctx: value)
    outcome = run_evals(data=[{"output": "a"}], scorers=[made]).items[0]["s"]
    if isinstance(outcome, Scored):
        assert isinstance(value, int | float)
        assert scale.low - scale.slack <= value <= scale.high + scale.slack
        assert outcome.score == pytest.approx(float(value), abs=scale.slack)
    else:
        assert isinstance(outcome, Failed)
        assert outcome.score is None


@LAW
@given(counts())
def test_an_average_is_that_of_the_scored_items_alone(held: list[Any]) -> None:
    result = run_evals(data=[{"output": each} for each in held], scorers=[replaying()])
    scores = [each for each in held if isinstance(each, float)]
    assert result.scores["s"] == (pytest.approx(sum(scores) / len(scores)) if scores else None)
    assert result.summary.errors.get("s", 0) == sum(isinstance(each, Exception) for each in held)
    assert result.summary.not_scorable.get("s", 0) == sum(isinstance(each, NotScorable) for each in held)


@frozen
class Answer:
    value: float


REPLIES = st.one_of(
    st.text(max_size=30),
    values().map(lambda value: {"value": value} if is_json(value) else {}),
    st.builds(
        JudgeReply,
        text=st.one_of(st.none(), st.text(max_size=20), st.just('{"value": 0.5}')),
        finish_reason=st.sampled_from([None, "stop", "length", "refusal", "content_filter", "odd"]),
    ),
    st.sampled_from([ValueError("down"), KeyError("k"), SystemExit(1)]),
)


def is_json(value: object) -> bool:
    return value is None or isinstance(value, str | bool | int | float)


@LAW
@given(st.lists(REPLIES, min_size=2, max_size=2))
def test_whatever_a_judge_says_a_score_is_what_it_said_or_there_is_none(replies: list[Any]) -> None:
    step = PromptStep[Any, Answer](
        output=Answer, prompt=lambda ctx: "p", calculate_score=lambda ctx, answer: answer.value
    )
    judge = ScriptedJudge(replies)
    made = create_scorer("s", "d", judge=judge, scale=Scale(-1e100, 1e100)).generate_score(step)
    result = run_evals(data=[{"output": "a"}], scorers=[made])
    outcome = result.items[0]["s"]
    if isinstance(outcome, Scored):
        last = outcome.result and outcome.result.judge["generate_score"][-1]
        assert last is not None
        assert last
        assert last.status == "ok"
        assert last.output == Answer(outcome.score)
        assert last.raw_text
        assert last.finish_reason not in ("length", "refusal", "content_filter")
    else:
        assert result.scores["s"] is None
        assert result.summary.errors == {"s": 1}


@LAW
@given(st.sampled_from([ValueError("no"), KeyError("k"), AssertionError(), StopIteration(), SystemExit(2)]))
def test_what_a_target_raises_is_no_number_anywhere(error: BaseException) -> None:
    def target(asked: object) -> Any:
        raise error

    result = run_evals(data=[{"input": "q"}], target=target, scorers=[Threshold(replaying(), 0.0)], gates=[replaying()])
    assert result.scores["s"] is None
    assert [gate.score for gate in result.gate_results] == [None]
    assert [bound.average_score for bound in result.threshold_results] == [None]
    assert result.verdict is Verdict.FAILED


# -- the same alone and in an evaluation -------------------------------------------------------------------------------


@LAW
@given(outcomes())
def test_a_scorer_alone_and_in_an_evaluation_comes_to_the_same(outcome: Outcome) -> None:
    made = replaying()
    held = given_by(outcome)
    inside = run_evals(data=[{"output": held}], scorers=[made]).items[0]["s"]
    if isinstance(inside, Failed):
        with pytest.raises(ScorerRunError) as raised:
            made.run_sync(output=held)
        assert (raised.value.failed_step, str(raised.value.__cause__)) == (inside.step, str(inside.error))
        return
    alone = made.run_sync(output=held)
    assert alone.score == inside.score
    assert (alone.label, dict(alone.parts)) == (inside.result.label, dict(inside.result.parts))
    assert (alone.not_scorable is not None) == isinstance(inside, NotScorable)


# -- hostile data ------------------------------------------------------------------------------------------------------


def reading(type: Any) -> Scorer:
    """A scorer that reads all that it is given."""

    def step(ctx: Any) -> Scored:
        run = ctx.run
        return Scored(1.0, repr((run.input, run.output, run.ground_truth, run.metadata, run.context, run.run_id)))

    return create_scorer(f"reads-{type}", "d", type=type).generate_score(step)


@LAW
@given(values(), values(), values(), st.booleans())
def test_no_input_and_no_output_breaks_an_evaluation(asked: Any, answer: Any, meta: Any, streamed: bool) -> None:
    told: list[tuple[str, str]] = []
    item = {"input": "q" if asked is None else asked, "metadata": {"odd": meta}, "ground_truth": meta}
    result = run_evals(
        data=iter([item, item]) if streamed else [item, item],
        target=lambda given: answer,
        scorers=[reading(None), reading("agent"), reading("trajectory")],
        group_by=["metadata.odd", "input"],
        on_item_complete=lambda item, given, result: told.append((result.id, str(result.status))),
    )
    assert (result.summary.total_items, result.summary.callback_errors) == (2, 0)
    assert len(told) == len({id for id, _ in told}) == 2
    assert result.scores["reads-None"] == 1.0
    for outcome in result.items[0].scores.values():
        assert isinstance(outcome, Scored | Failed)
        assert outcome.result is not None


# -- filters -----------------------------------------------------------------------------------------------------------


def filters() -> st.SearchStrategy[dict[str, Any]]:
    prefixes = st.one_of(st.none(), st.lists(st.sampled_from(["text", "tool", "tool-", "im", "reasoning", "", "x"])))
    limits = st.one_of(st.none(), st.integers(0, 4))
    return st.fixed_dictionaries(
        {
            "part_types": prefixes,
            "tool_names": prefixes,
            "max_output_messages": limits,
            "max_remembered_messages": limits,
        }
    )


def kept_of(conversation: Sequence[Message], options: dict[str, Any]) -> tuple[Message, ...]:
    run: ScorerRun[Any, Any] = ScorerRun(output=AgentOutput(conversation))
    return tuple(filter_run(**options)(run).output)


@LAW
@given(st.lists(messages(), max_size=8), filters())
def test_filter_run_never_drops_a_system_message_and_never_makes_or_moves_one(
    conversation: list[Message], options: dict[str, Any]
) -> None:
    kept = kept_of(conversation, options)
    assert [each for each in kept if each.role == "system"] == [each for each in conversation if each.role == "system"]
    rest = iter(conversation)
    assert all(any(each is other for other in rest) for each in kept)


@LAW
@given(st.lists(messages(), max_size=8), filters())
def test_filter_run_keeps_no_more_than_the_limit_and_those_are_the_newest(
    conversation: list[Message], options: dict[str, Any]
) -> None:
    limit = options["max_output_messages"]
    assume(limit is not None)
    unlimited = [
        each for each in kept_of(conversation, {**options, "max_output_messages": None}) if each.role != "system"
    ]
    kept = [each for each in kept_of(conversation, options) if each.role != "system"]
    assert kept == unlimited[max(0, len(unlimited) - limit) :]


@LAW
@given(st.lists(messages(), max_size=8), filters())
def test_filtering_twice_is_filtering_once(conversation: list[Message], options: dict[str, Any]) -> None:
    once = kept_of(conversation, options)
    assert kept_of(once, options) == once


@LAW
@given(st.lists(messages(), max_size=6), filters())
def test_system_messages_of_an_input_stay_too(conversation: list[Message], options: dict[str, Any]) -> None:
    given_input = AgentInput.from_messages(conversation)
    seen: list[AgentInput] = []
    made = create_scorer("s", "d", type="agent", prepare_run=filter_run(**options)).generate_score(
        lambda ctx: float(seen.append(ctx.run.input) is None)  # type: ignore[func-returns-value]
    )
    made.run_sync(input=given_input, output="a")
    assert seen[0].system_messages == given_input.system_messages
    assert seen[0].tagged_system_messages == given_input.tagged_system_messages


# -- conversations -----------------------------------------------------------------------------------------------------


@LAW
@given(st.lists(messages(), max_size=6))
def test_pairing_results_with_calls_twice_is_pairing_them_once(conversation: list[Message]) -> None:
    once = messages_from_json(conversation)
    assert messages_from_json(once) == once
    assert messages_from_json(messages_to_json(once)) == once


@LAW
@given(st.lists(messages(), max_size=6))
def test_every_call_that_is_counted_has_a_name_and_a_place(conversation: list[Message]) -> None:
    paired = messages_from_json(conversation)
    calls = extract_tool_calls(conversation)
    assert len({(call.message_index, call.call_index) for call in calls}) == len(calls)
    for call in calls:
        assert call.name
        assert call.state != "partial-call"
        assert paired[call.message_index].tool_calls[call.call_index].name == call.name
