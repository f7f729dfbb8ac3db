"""Faults of gates and thresholds in the field: a bound means what it says, and an outage says nothing of a target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard_checks as checks
from steelyard import (
    ConfigurationError,
    EvalResult,
    Message,
    PassRate,
    Scale,
    ScorerRun,
    ShareOfItems,
    Status,
    Threshold,
    ToolCall,
    Tracked,
    Verdict,
    run_evals,
    scorer,
)
from tests.field_log import unaccounted
from tests.reference import needs_reference


def as_given(run: ScorerRun[Any, Any]) -> Any:
    """Scores an item with its recorded output."""
    return run.output


good = scorer(id="good")(as_given)
bad = scorer(id="bad", scale=Scale(direction="lower"))(as_given)


def over(outputs: Sequence[object], *scorers: object, gates: Sequence[object] = ()) -> EvalResult:
    return run_evals(data=[{"output": output} for output in outputs], scorers=scorers, gates=gates)


# -- a bound of 0 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bound", "score", "passed"),
    [
        (lambda: Threshold(good, 0), 0, True),
        (lambda: Threshold(good, 0.0), 0.0, True),
        (lambda: Threshold(good, -0.0), 0, True),
        (lambda: Threshold(good, min=0), 1, True),
        (lambda: Threshold(good, max=0), 0, True),
        (lambda: Threshold(good, max=0), 0.5, False),
        (lambda: Threshold(good, min=0, max=0), 0.5, False),
        (lambda: Threshold(bad, max=0), 0, True),
        (lambda: Threshold(bad, max=0.0), 0.1, False),
        (lambda: Threshold(bad, min=0), 0.1, True),
        (lambda: PassRate(good, 0), 0, True),
        (lambda: PassRate(good, 1, pass_at=0), 0, True),
        (lambda: PassRate(bad, 1, pass_at=0), 0.5, False),
    ],
)
def test_0_is_a_bound_like_any_other(bound: Callable[[], Any], score: float, passed: bool) -> None:
    """B131"""
    result = over([score], bound())
    assert [each.passed for each in result.threshold_results] == [passed]
    assert result.verdict is (Verdict.PASSED if passed else Verdict.SCORED)


@pytest.mark.parametrize(("made", "score", "status"), [(good, 0.0, Status.PASSED), (bad, 0.5, Status.FAILED)])
def test_0_is_a_score_from_which_an_item_passes(made: Any, score: float, status: Status) -> None:
    """B131"""
    assert over([score], Tracked(made, pass_at=0)).items[0].status is status
    assert over([score], Threshold(made, max=1, pass_at=0)).items[0].status is status


@pytest.mark.parametrize(("share", "passed"), [(0, True), (0.0, True), (0.01, False)])
def test_a_share_of_0_is_a_gate_that_always_passes(share: float, passed: bool) -> None:
    """B131"""
    assert over([0.0], gates=[ShareOfItems(good, share)]).gate_results[0].passed is passed


def test_a_similarity_from_0_on_is_a_threshold_and_no_threshold_is_none() -> None:
    """B131"""
    for threshold, score in ((0, 1.0), (0.0, 1.0), (None, 0.0)):
        assert checks.similarity("wxyz", threshold).run_sync(output="abcd").score == score


def test_a_bound_that_is_none_is_unset() -> None:
    """B131"""
    assert over([0.0], Threshold(good, min=None, max=0)).threshold_results[0].threshold.min is None
    assert over([1.0], Threshold(good, min=0, max=None)).threshold_results[0].passed is True
    with pytest.raises(ConfigurationError, match="give min=, max= or both"):
        Threshold(good, min=None, max=None)
    assert over([0.0], Tracked(good, pass_at=None)).items[0].status is Status.INFORMATIONAL


# -- opposites ---------------------------------------------------------------------------------------------------------

OPPOSITES = [
    (lambda: checks.includes("sun"), lambda: checks.excludes("sun")),
    (lambda: checks.called_tool("search"), lambda: checks.did_not_call("search")),
    (lambda: checks.matches("s.n"), lambda: checks.matches(r"\A(?!.*s.n)")),
]

OUTPUTS: list[object] = [
    "the sun",
    "The SUN and the moon",
    "",
    "moon",
    [Message("assistant", "the sun", tool_calls=[ToolCall("search", {}, "c1", result="found")])],
    [Message("assistant", None, tool_calls=[ToolCall("search", {}, "c1")])],
    [Message("assistant", "no", tool_calls=[ToolCall("look", {}, "c1", error="broken")])],
]


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: f"{output!r:.40}")
@pytest.mark.parametrize("pair", OPPOSITES, ids=["includes", "called_tool", "matches"])
def test_a_check_and_its_opposite_never_agree(pair: Sequence[Callable[[], Any]], output: object) -> None:
    """B133, B135: the score flips with the answer, so that a failed opposite adds nothing to an average."""
    plain, opposite = (make() for make in pair)
    scores = [made.run_sync(output=output).score for made in (plain, opposite)]
    assert sorted(scores) == [0.0, 1.0]
    if plain.id == opposite.id:
        return
    result = over([output], Tracked(plain, pass_at=1), gates=[opposite])
    assert result.gate_results[0].passed is (scores[1] == 1.0)
    assert result.gate_results[0].score == scores[1] == 1 - result.scores[plain.id]


FACTORIES: list[Callable[..., Any]] = [
    lambda **more: checks.includes("a", **more),
    lambda **more: checks.excludes("a", **more),
    lambda **more: checks.equals("a", **more),
    lambda **more: checks.matches("a", **more),
    lambda **more: checks.similarity("a", **more),
    lambda **more: checks.called_tool("a", **more),
    lambda **more: checks.did_not_call("a", **more),
    lambda **more: checks.tool_order(["a"], **more),
    lambda **more: checks.max_tool_calls(1, **more),
    lambda **more: checks.used_no_tools(**more),
    lambda **more: checks.no_tool_errors(**more),
]


@pytest.mark.parametrize("word", ["negate", "negated", "invert", "not_", "inverse"])
@pytest.mark.parametrize("make", FACTORIES)
def test_no_check_takes_a_negation_that_it_would_ignore(make: Callable[..., Any], word: str) -> None:
    """B133"""
    make()
    with pytest.raises(TypeError, match=word):
        make(**{word: True})


EIGHTHS = st.integers(0, 8).map(lambda eighths: eighths / 8)
"""Numbers from 0 to 1 whose difference from 1 is exact."""


@given(st.lists(EIGHTHS, min_size=1, max_size=5), EIGHTHS)
def test_for_a_scorer_where_lower_is_better_score_gate_and_bound_tell_the_same_story(
    scores: list[float], bound: float
) -> None:
    """B135: what a score of 1 - x says where higher is better, a score of x says where lower is."""
    there = over([1 - score for score in scores], PassRate(good, 0.5, pass_at=1 - bound), gates=[good])
    back = over(scores, PassRate(bad, 0.5, pass_at=bound), gates=[bad])
    assert [each.passed for each in there.gate_results] == [each.passed for each in back.gate_results]
    assert [each.pass_rate for each in there.threshold_results] == [each.pass_rate for each in back.threshold_results]
    assert there.verdict == back.verdict
    assert [item.status for item in there.items] == [item.status for item in back.items]
    assert there.scores["good"] == pytest.approx(1 - back.scores["bad"])


# -- outages -----------------------------------------------------------------------------------------------------------


def outage_of_the_target() -> EvalResult:
    def target(_: object) -> str:
        raise ConnectionError("no route to the agent")

    return run_evals(
        data=[{"input": at} for at in range(3)], target=target, scorers=[Threshold(good, 0.5)], gates=[bad]
    )


def outage_of_a_service_that_scorers_use() -> EvalResult:
    def score(run: ScorerRun[Any, Any]) -> float:
        raise ConnectionError("no route to the judge")

    broken, also = scorer(id="good")(score), scorer(id="bad", scale=Scale(direction="lower"))(score)
    return over(["x"] * 3, Threshold(broken, 0.5), gates=[also])


@pytest.mark.parametrize("outage", [outage_of_the_target, outage_of_a_service_that_scorers_use])
def test_an_outage_is_told_apart_from_a_bad_target(outage: Callable[[], EvalResult]) -> None:
    """B141: nothing passed either way, and only the bad one has numbers."""
    condemned, unmeasured = over([0.0, 0.0, 0.0], Threshold(good, 0.5), gates=[bad_when_0]), outage()
    assert condemned.verdict is unmeasured.verdict is Verdict.FAILED

    assert {item.status for item in condemned.items} == {Status.FAILED}
    assert (condemned.gate_results[0].score, condemned.gate_results[0].n_scored) == (0.0, 3)
    assert (condemned.summary.target_errors, condemned.summary.errors) == (0, {})

    assert {item.status for item in unmeasured.items} == {Status.ERRORED}
    for gate in unmeasured.gate_results:
        assert (gate.passed, gate.score, gate.n_scored, gate.n_failed) == (False, None, 0, 3)
    for bound in unmeasured.threshold_results:
        assert (bound.passed, bound.average_score, bound.n_scored, bound.n_failed) == (False, None, 0, 3)
    assert unmeasured.summary.target_errors == 3 or unmeasured.summary.errors == {"good": 3, "bad": 3}


bad_when_0 = scorer(id="bad")(as_given)


def test_an_outage_without_gates_and_bounds_gives_no_verdict() -> None:
    """B141"""

    def target(_: object) -> str:
        raise ConnectionError("no route to the agent")

    result = run_evals(data=[{"input": 1}], target=target, scorers=[good])
    assert (result.verdict, result.scores["good"]) == (None, None)


# -- the same scores, the same verdict ---------------------------------------------------------------------------------


@pytest.mark.parametrize("scores", [[0.4, 0.4, 1.0], [0.7, 0.7, 0.7], [0.1] * 10, [1 / 3, 2 / 3]], ids=str)
def test_the_same_scores_give_the_same_verdict_in_whatever_order(scores: list[float]) -> None:
    """B143: and an average that is meant to meet its bound is not missed by binary rounding."""
    average = sum(map(round, (10**12 * score for score in scores))) / 10**12 / len(scores)
    found = {
        (result.verdict, result.scores["good"], result.gate_results[0].passed)
        for order in list(permutations(scores))[:24]
        for result in [over(order, Threshold(good, min=average, max=average), gates=[ShareOfItems(good, 0)])]
    }
    assert [verdict for verdict, _, _ in found] == [Verdict.PASSED]


def test_one_item_has_no_spread_and_says_that_it_is_one() -> None:
    """B143"""
    result = over([1.0], Threshold(good, 0.5), gates=[good])
    found = result.aggregates["scorers"]["good"]
    assert (found.standard_error, found.n_scored) == (None, 1)
    assert (result.threshold_results[0].n_scored, result.gate_results[0].n_scored) == (1, 1)


SCORES = st.lists(st.sampled_from([0.0, 0.4, 0.5, 1.0]), min_size=1, max_size=6)


@given(SCORES, st.integers(0, 5), st.sampled_from([0.0, 0.4, 0.5, 0.6, 1.0]))
def test_a_larger_win_never_turns_a_pass_into_a_fail(scores: list[float], place: int, bound: float) -> None:
    """B143"""
    better = list(scores)
    better[place % len(scores)] = 1.0
    entries = (Threshold(good, bound), PassRate(good, bound, pass_at=0.5))
    before = over(scores, *entries, gates=[good, ShareOfItems(bad_when_0, bound)])
    after = over(better, *entries, gates=[good, ShareOfItems(bad_when_0, bound)])
    for gates in zip(before.gate_results, after.gate_results, strict=True):
        assert gates[1].passed or not gates[0].passed
    for bounds in zip(before.threshold_results, after.threshold_results, strict=True):
        assert bounds[1].passed or not bounds[0].passed


NOTHING_TO_TEST = (
    ("B137", "Scorers have no weights and no groups within groups: a verdict is made of bounds, each on one average."),
    ("B138", "The exit codes of the command are tested beside it, each with a run of its own."),
    ("B140", "There is no plugin for pytest yet, so no exit status that it could change."),
    ("B145", "A run cannot be resumed yet, so every item of it was executed in it."),
    (
        "B146",
        "An item is evaluated once: repeats and the rule that decides over them come later, and so does the cache.",
    ),
)
"""Entries that cannot occur, or that are of what is still to come."""


@needs_reference
def test_every_entry_of_the_section_has_tests_or_a_sentence() -> None:
    assert unaccounted(["Gate"], globals(), NOTHING_TO_TEST) == []
