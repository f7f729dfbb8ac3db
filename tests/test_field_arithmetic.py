"""Faults of arithmetic that evaluation tools had in the field: none of them makes a number of what was not measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import inf, isfinite, nan
from typing import Any

import pytest
from attrs import frozen
from hypothesis import example, given
from hypothesis import strategies as st

import steelyard_checks as checks
from steelyard import (
    EvalResult,
    Failed,
    InvalidScore,
    JudgeRequest,
    Message,
    NotScorable,
    PassRate,
    PromptStep,
    Scale,
    Scored,
    ScorerRun,
    ScorerRunError,
    Status,
    Threshold,
    ToolCall,
    Tracked,
    create_scorer,
    not_scorable,
    run_evals,
    scorer,
)
from steelyard.testing import ScriptedJudge
from tests.field_log import unaccounted
from tests.reference import needs_reference


@scorer(id="given")
def as_given(run: ScorerRun[Any, Any]) -> Any:
    """Scores an item with its recorded output, or does what that says."""
    return run.output() if callable(run.output) else run.output


def over(outputs: Sequence[object], *scorers: object, **options: Any) -> EvalResult:
    """An evaluation of recorded outputs."""
    return run_evals(data=[{"output": output} for output in outputs], scorers=scorers, **options)


def score_of(made: Any, output: object) -> float:
    score = made.run_sync(output=output).score
    assert isinstance(score, float)
    return score


def called(*calls: ToolCall) -> list[Message]:
    return [Message("assistant", "One moment.", tool_calls=calls)]


# -- nothing expected, nothing there -----------------------------------------------------------------------------------


@pytest.mark.parametrize("check", [checks.used_no_tools(), checks.max_tool_calls(0)], ids=lambda check: str(check.id))
@pytest.mark.parametrize(
    "calls",
    [
        [ToolCall("search", {"q": "x"}, "c1", result="found")],
        [ToolCall("search", {}, "c1", error="it broke")],
        [ToolCall("search")],
        [ToolCall("search", {}, "c1", result=1), ToolCall("look", {}, "c2", result=2)],
    ],
    ids=["finished", "failed", "unanswered without id", "two"],
)
def test_no_call_where_none_is_expected_is_full_marks_and_an_unexpected_call_is_none(
    check: Any, calls: list[ToolCall]
) -> None:
    """B001"""
    assert score_of(check, []) == 1.0
    assert score_of(check, "No tool was needed.") == 1.0
    assert score_of(check, called(*calls)) == 0.0


@pytest.mark.parametrize("output", [[], "Hello.", called(ToolCall("search", {}, "c1", result=1))])
def test_an_order_of_no_tools_holds_whatever_was_called(output: object) -> None:
    """B001: the rule is in the check's documentation."""
    assert score_of(checks.tool_order([]), output) == 1.0
    assert "empty order always holds" in (checks.tool_order.__doc__ or "")


@frozen
class Verdicts:
    verdicts: list[str]


def retention(judge: ScriptedJudge, seen: list[float]) -> Any:
    """The share of things that were remembered; a list without verdicts has nothing to divide by."""

    def share(context: Any) -> float | NotScorable:
        verdicts = context.analyze_result.verdicts
        return verdicts.count("yes") / len(verdicts) if verdicts else not_scorable("there was nothing to remember")

    def explain(context: Any) -> str:
        seen.append(context.score)
        return "Explain the score."

    return (
        create_scorer("retention", "What was remembered.", judge=judge)
        .analyze(PromptStep(output=Verdicts, prompt=lambda _: "What was remembered?"))
        .generate_score(share)
        .generate_reason(PromptStep(prompt=explain))
    )


def test_without_a_score_there_is_no_reason_that_could_contradict_it() -> None:
    """B003"""
    judge = ScriptedJudge([{"verdicts": []}, "Everything was remembered perfectly."])
    seen: list[float] = []
    result = retention(judge, seen).run_sync(output="Hello.")
    assert (result.score, result.reason) == (None, None)
    assert result.not_scorable == NotScorable("generate_score", "there was nothing to remember")
    assert len(judge.requests) == 1
    assert seen == []


@pytest.mark.parametrize(("verdicts", "score"), [(["no"], 0.0), (["yes"], 1.0), (["yes", "no"], 0.5)])
def test_the_reason_is_asked_for_the_very_score_that_is_kept(verdicts: list[str], score: float) -> None:
    """B003"""
    seen: list[float] = []
    result = retention(ScriptedJudge([{"verdicts": verdicts}, "Because."]), seen).run_sync(output="Hello.")
    assert (result.score, result.reason, seen) == (score, "Because.", [score])


@pytest.mark.parametrize("output", [[], "", "Hello.", called(ToolCall("search"))], ids=str)
def test_every_check_gives_score_and_reason_in_one_decision(output: object) -> None:
    """B003: of two checks that differ in score, no reason is the same."""
    pairs = [
        (checks.includes("Hello"), checks.excludes("Hello")),
        (checks.called_tool("search"), checks.did_not_call("search")),
        (checks.max_tool_calls(5), checks.used_no_tools()),
    ]
    for one, other in pairs:
        first, second = one.run_sync(output=output), other.run_sync(output=output)
        assert first.reason
        assert second.reason
        if first.score != second.score:
            assert first.reason != second.reason


# -- what a scorer may give --------------------------------------------------------------------------------------------

NUMBERS = [0, 1, 0.5, True, False, Fraction(1, 2), Scored(0.5), Scored(1, "why"), Scored(True, "why", label="good")]
NO_NUMBERS = [(1.0, "fine"), [1.0], "1.0", {"score": 1.0}, None, 1j, nan, inf, -inf, 1.01, 10**400, Scored(nan)]


def in_one_step(value: object) -> Any:
    return create_scorer("s", "One step.").generate_score(lambda _: value)  # type: ignore[arg-type, return-value]


def in_three_steps(value: object) -> Any:
    return (
        create_scorer("s", "Three steps.")
        .preprocess(lambda _: [])
        .generate_score(lambda _: value)  # type: ignore[arg-type, return-value]
        .generate_reason(lambda context: f"scored {context.score}")
    )


def in_an_async_step(value: object) -> Any:
    async def give(_: object) -> Any:
        return value

    return create_scorer("s", "An async step.").generate_score(give)


BUILDS = [in_one_step, in_three_steps, in_an_async_step]


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("value", [*NUMBERS, not_scorable("nobody claimed anything")], ids=repr)
def test_whatever_branch_a_scorer_takes_callers_get_one_kind_of_result(
    build: Callable[[object], Any], value: object
) -> None:
    """B004"""
    result = build(value).run_sync(output="Thanks!")
    outcome = run_evals(data=[{"output": "Thanks!"}], scorers=[build(value)]).items[0]["s"]
    if isinstance(value, NotScorable):
        assert (result.score, result.not_scorable.reason) == (None, "nobody claimed anything")
        assert (outcome.score, outcome.reason) == (None, "nobody claimed anything")
    else:
        number = value.score if isinstance(value, Scored) else value
        assert type(result.score) is float
        assert result.score == outcome.score == number


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: f"{value!r:.30}")
def test_what_is_no_number_on_the_scale_is_a_failure_and_never_a_score(
    build: Callable[[object], Any], value: object
) -> None:
    """B004"""
    with pytest.raises(ScorerRunError) as raised:
        build(value).run_sync(output="Thanks!")
    assert raised.value.failed_step == "generate_score"
    result = run_evals(data=[{"output": "Thanks!"}], scorers=[build(value)])
    failed = result.items[0]["s"]
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, InvalidScore)
    assert failed.error.value is (value.score if isinstance(value, Scored) else value)
    assert (result.scores["s"], result.summary.errors) == (None, {"s": 1})


@frozen
class Claims:
    claims: list[str]


@pytest.mark.parametrize(
    "empty",
    [lambda: 0 / 0, lambda: nan, lambda: inf, lambda: None],
    ids=["raises", "nan", "infinite", "None"],
)
@pytest.mark.parametrize("concurrency", [1, 3])
def test_an_item_that_leaves_nothing_to_divide_by_costs_no_other_item(
    empty: Callable[[], Any], concurrency: int
) -> None:
    """B008"""

    def reply(request: JudgeRequest) -> Mapping[str, object]:
        return {"claims": [] if "empty" in request.prompt else ["grounded", "invented"]}

    made = create_scorer("grounded", "Share of grounded claims.", judge=ScriptedJudge(reply)).generate_score(
        PromptStep(
            output=Claims,
            prompt=lambda context: str(context.run.output),
            calculate_score=lambda _, answer: (
                answer.claims.count("grounded") / len(answer.claims) if answer.claims else empty()
            ),
        )
    )
    result = over(["full", "empty", "full again"], Threshold(made, 0.5), concurrency=concurrency)
    assert [type(item["grounded"]) for item in result.items] == [Scored, Failed, Scored]
    assert [item.status for item in result.items] == [Status.INFORMATIONAL, Status.ERRORED, Status.INFORMATIONAL]
    assert (result.scores["grounded"], result.summary.errors) == (0.5, {"grounded": 1})
    assert result.threshold_results[0].passed is False


# -- aggregates --------------------------------------------------------------------------------------------------------

LABELS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


@scorer
def graded(run: ScorerRun[Any, Any]) -> Scored:
    return Scored(LABELS[run.output], label=run.output)


def test_all_aggregates_see_one_number_for_a_label() -> None:
    """B014"""
    result = over(list("CIPN"), PassRate(graded, 0.25), Threshold(graded, 0.375))
    found = result.aggregates["scorers"]["graded"]
    assert found.labels == {"C": 1, "I": 1, "N": 1, "P": 1}
    assert (found.average, found.pass_rate, found.n_scored) == (0.375, 0.25, 4)
    assert found.standard_error == pytest.approx(0.2393568)
    assert [bound.passed for bound in result.threshold_results] == [True, True]


@pytest.mark.parametrize("odd", ["C", "X", None, {"grade": "C"}], ids=repr)
def test_a_value_that_no_aggregate_could_take_leaves_the_scores_of_the_others(odd: object) -> None:
    """B014: it fails where it was given, so there is nothing left for aggregation to stumble over."""
    result = over([1.0, odd, 0.0], as_given)
    assert [item["given"].score for item in result.items] == [1.0, None, 0.0]
    found = result.aggregates["scorers"]["given"]
    assert (found.average, found.pass_rate, found.n_scored, found.n_failed) == (0.5, 0.5, 2, 1)


def raises() -> None:
    raise RuntimeError("no score today")


@pytest.mark.parametrize(
    ("outputs", "n_not_scorable", "n_failed"),
    [
        ([not_scorable("nothing here")], 1, 0),
        ([not_scorable("nothing here")] * 3, 3, 0),
        ([raises], 0, 1),
        ([raises, nan, not_scorable()], 1, 2),
    ],
    ids=["one not scorable", "three not scorable", "one failed", "mixed"],
)
def test_every_aggregate_of_no_scores_is_no_data(outputs: list[object], n_not_scorable: int, n_failed: int) -> None:
    """B017"""
    result = over(outputs, PassRate(as_given, 0.0), Threshold(as_given, max=1.0), gates=[as_given], group_by=["id"])
    for scope in ("scorers", "gates"):
        whole = result.aggregates[scope]["given"]
        for found in (whole, *whole.slices.values()):
            assert (found.average, found.pass_rate, found.standard_error) == (None, None, None)
            assert (found.n_scored, found.n_best, found.n_passed) == (0, 0, 0)
            assert (found.labels, found.parts) == ({}, {})
        assert (whole.n_not_scorable, whole.n_failed) == (n_not_scorable, n_failed)
    assert dict(result.scores) == {"given": None}
    assert result.gate_results[0].score is None
    assert [(each.average_score, each.pass_rate) for each in result.threshold_results] == [(None, None), (None, None)]


def test_every_aggregate_is_no_data_where_the_target_never_answered() -> None:
    """B017"""

    def target(_: object) -> str:
        raise ConnectionError("no answer")

    result = run_evals(data=[{"input": "a"}, {"input": "b"}], target=target, scorers=[checks.includes("x")])
    found = result.aggregates["scorers"]["check-includes"]
    assert (found.average, found.pass_rate, found.standard_error, found.n_failed) == (None, None, None, 2)


def test_one_score_has_no_standard_error_rather_than_one_of_0() -> None:
    """B017"""
    assert over([0.5], as_given).aggregates["scorers"]["given"].standard_error is None


SHAPES: list[Mapping[str, float]] = [{"a": 1.0}, {"a": 0.0, "b": 0.0}, {"b": 1.0, "c": 0.5}, {}]


@pytest.mark.parametrize("order", [*permutations(range(len(SHAPES)))], ids=str)
def test_parts_that_not_all_items_have_come_to_the_same_in_every_order(order: tuple[int, ...]) -> None:
    """B020: a part is averaged over the items that have it, and says over how many."""
    outputs = [Scored(1.0, parts=SHAPES[at]) for at in order]
    result = over(outputs, Threshold(as_given, 0.5, part="b"))
    parts = result.aggregates["scorers"]["given"].parts
    assert {name: (part.n, part.average) for name, part in parts.items()} == {
        "a": (2, 0.5),
        "b": (2, 0.5),
        "c": (1, 0.5),
    }
    bound = result.threshold_results[0]
    assert (bound.passed, bound.average_score, bound.n_scored) == (True, 0.5, 2)


@pytest.mark.parametrize("part", [None, nan, inf, "1", True, [1]], ids=repr)
def test_a_part_that_is_no_number_fails_its_own_item_by_name(part: Any) -> None:
    """B020"""
    result = over([Scored(1.0, parts={"a": 1.0}), Scored(1.0, parts={"a": 1.0, "odd one": part})], as_given)
    assert [type(item["given"]) for item in result.items] == [Scored, Failed]
    assert "odd one" in result.items[1]["given"].reason
    assert result.aggregates["scorers"]["given"].parts["a"].n == 1


# -- scales ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scale", "goodness"),
    [
        (Scale(1, 5), {1: 0.0, 3: 0.5, 5: 1.0}),
        (Scale(1, 5, "lower"), {1: 1.0, 3: 0.5, 5: 0.0}),
        (Scale(-2, 2), {-2: 0.0, 0: 0.5, 2: 1.0}),
        (Scale(0, 10), {0: 0.0, 1: 0.1, 10: 1.0}),
    ],
    ids=str,
)
def test_a_score_maps_to_0_to_1_from_the_low_end_of_its_scale(scale: Scale, goodness: dict[float, float]) -> None:
    """B021"""
    assert {score: scale.goodness(score) for score in goodness} == goodness


@pytest.mark.parametrize(("low", "high"), [(1, 5), (0, 1), (-3, -1), (0, 10)])
@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_a_score_outside_the_scale_is_an_error_and_never_clamped(low: float, high: float, direction: Any) -> None:
    """B021"""
    made = scorer(id="rubric", scale=Scale(low, high, direction))(lambda run: run.output)
    beyond = [low - 1, low - 0.001, high + 0.001, high + 1, 100.0]
    result = over([low, high, *beyond], Tracked(made))
    outcomes = [item["rubric"] for item in result.items]
    assert [outcome.score for outcome in outcomes] == [low, high, *[None] * len(beyond)]
    for outcome, value in zip(outcomes[2:], beyond, strict=True):
        assert isinstance(outcome.error, InvalidScore)
        assert outcome.error.value == value
    assert result.scores["rubric"] == (low + high) / 2


# -- similarity --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("", "", 1.0),
        ("a", "a", 1.0),
        ("A", "a", 1.0),
        ("a", "", 0.0),
        ("a", "b", 0.0),
        ("h", "hm", 0.0),
        ("ab", "ba", 0.0),
        ("hm", "hm", 1.0),
        (" ", "", 1.0),
        ("\n", "\t", 1.0),
        (" ", "a", 0.0),
        ("é", "e\u0301", 1.0),
        ("\N{PILE OF POO}", "\N{PILE OF POO}", 1.0),
        ("\N{PILE OF POO}", "\N{GRINNING FACE}", 0.0),
    ],
)
def test_texts_too_short_for_a_pair_have_a_defined_similarity(one: str, other: str, expected: float) -> None:
    """B023"""
    for text, answer in ((one, other), (other, one)):
        assert score_of(checks.similarity(text), answer) == expected
        assert score_of(checks.similarity(text, 0.5), answer) == expected


@given(st.text("eEab \u0301", max_size=24), st.text("eEab \u0301", max_size=24), st.booleans())
@example("e" * 16, "ee", True)
@example("ab" * 8, "ab", True)
@example("aaa", "aa", False)
def test_similarity_is_symmetric_and_between_0_and_1_however_often_a_pair_repeats(
    one: str, other: str, ignore_case: bool
) -> None:
    """B025"""
    there = score_of(checks.similarity(one, ignore_case=ignore_case), other)
    back = score_of(checks.similarity(other, ignore_case=ignore_case), one)
    assert there == back
    assert isfinite(there)
    assert 0.0 <= there <= 1.0


def test_a_repeated_pair_counts_as_often_as_both_sides_have_it() -> None:
    """B025: 1 shared pair of 15 and 1."""
    assert score_of(checks.similarity("e" * 16), "ee") == score_of(checks.similarity("ee"), "e" * 16) == 2 / 16


NOTHING_TO_TEST = (
    (
        "B006",
        "No scorer that reads the context is here yet: faithfulness and hallucination come with their own package.",
    ),
    ("B009", "Nothing computes precision or recall yet: they come with the scorers of retrieval and of trajectories."),
    (
        "B010",
        "The checks of tools compare names alone: arguments are compared by the trajectory scorers, still to come.",
    ),
    ("B012", "Nothing samples questions yet: answer relevancy, which does, comes with its own package."),
    (
        "B015",
        "Averages are means and nothing computes a median, so there is no list that could have been left unsorted.",
    ),
    ("B019", "An item is evaluated once: repeats, and what reduces them to one, come later."),
)
"""Entries that cannot occur, or that are of what is still to come."""


@needs_reference
def test_every_entry_of_the_section_has_tests_or_a_sentence() -> None:
    assert unaccounted(["Arithmetic"], globals(), NOTHING_TO_TEST) == []
