"""What an output took: turns, time, money."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard_checks as checks
from checks.tests.answers import LAW, called, calls, not_scored, reason, said, score
from steelyard import ConfigurationError, EvalItem, Message, TargetResult, WorkflowScorers, run_evals


class Clock:
    """A clock that stands still unless it is told to go on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def taking(clock: Clock, *seconds: float, **told: Any) -> Any:
    """A target that takes so long for each call in turn."""
    left = list(seconds)

    def target(given: object) -> TargetResult:
        clock.now += left.pop(0)
        return TargetResult("sun", **told)

    return target


# -- turns -------------------------------------------------------------------------------------------------------------


def test_a_turn_is_a_message_of_the_agent_whatever_it_holds() -> None:
    output = [*called("search"), Message("tool", "x", tool_call_id="1"), Message("user", "and?"), *said("", "done")]
    assert score(checks.max_turns(3), output) == 1.0
    assert score(checks.max_turns(2), output) == 0.0
    assert score(checks.max_turns(1), [Message("user", "x")]) == 1.0
    assert reason(checks.max_turns(2), output) == "3 turns, at most 2 allowed."
    assert reason(checks.max_turns(2), said("sun")) == "1 turn, at most 2 allowed."


@LAW
@given(calls(), st.integers(1, 5))
def test_allowing_more_turns_is_never_harder(output: list[Message], n: int) -> None:
    assert score(checks.max_turns(n), output) <= score(checks.max_turns(n + 1), output)


# -- time --------------------------------------------------------------------------------------------------------------


def test_the_target_answers_in_less_than_the_limit() -> None:
    assert score(checks.latency_under(2), "sun", target_duration_ms=1999.0) == 1.0
    assert score(checks.latency_under(2), "sun", target_duration_ms=2000.0) == 0.0
    assert (
        reason(checks.latency_under(2), "sun", target_duration_ms=1250.0) == "The target took 1.25 s, under 2 s asked."
    )


def test_the_time_of_the_call_counts_as_the_evaluation_measured_it() -> None:
    clock = Clock()
    result = run_evals(
        data=[{"input": "a"}, {"input": "b"}],
        target=taking(clock, 1.0, 3.0),
        scorers=[checks.latency_under(2)],
        clock=clock,
    )
    assert [item["check-latency-under"].score for item in result.items] == [1.0, 0.0]


def test_the_turns_of_an_item_count_together_and_each_for_itself() -> None:
    clock = Clock()
    quick = checks.latency_under(2)
    turns = [{"input": "a", "gates": [quick]}, {"input": "b", "gates": [quick]}]
    result = run_evals(
        data=[{"turns": turns}],
        target=taking(clock, 1.5, 1.0),
        scorers=[quick],
        clock=clock,
    )
    assert result.scores["check-latency-under"] == 0.0
    assert [turn.gate_results[0].passed for turn in result.turn_results] == [True, True]


def test_a_step_of_a_workflow_took_what_the_workflow_tells() -> None:
    steps: dict[str, dict[str, object]] = {
        "find": {"output": "x", "started_at": 1000.0, "ended_at": 2500.0},
        "tell": {"output": "y", "started_at": 2500.0, "ended_at": 5500.0},
        "wait": {"output": "z"},
    }
    result = run_evals(
        data=[EvalItem(output=TargetResult("z", step_results=steps))],
        scorers=WorkflowScorers(steps={name: [checks.latency_under(2)] for name in steps}),
    )
    found = result.scores["steps"]
    assert [found[name]["check-latency-under"] for name in steps] == [1.0, 0.0, None]


@pytest.mark.parametrize("recorded", ["sun", TargetResult("sun", cost=1.0)])
def test_a_recorded_output_has_no_latency_and_never_passes_or_fails_a_limit(recorded: object) -> None:
    result = run_evals(data=[{"output": recorded}], gates=[checks.latency_under(2)])
    [gate] = result.gate_results
    assert (gate.passed, gate.n_not_scorable, result.verdict) == (None, 1, None)
    found = result.items[0].gates["check-latency-under"]
    assert "not measurable: the output was recorded" in str(found.reason)


def test_an_output_from_a_cache_has_no_latency() -> None:
    """B198"""
    clock = Clock()
    cached = run_evals(
        data=[{"input": "a"}],
        target=taking(clock, 0.001, cached=True),
        gates=[checks.latency_under(2)],
        clock=clock,
    )
    [gate] = cached.gate_results
    assert (gate.passed, gate.score, cached.verdict) == (None, None, None)
    assert "came from a cache" in str(cached.items[0].gates["check-latency-under"].reason)


def test_a_reply_map_may_tell_that_an_output_came_from_a_cache() -> None:
    result = run_evals(
        data=[{"input": "a"}, {"input": "b"}],
        target=lambda given: {"text": "sun", "hit": given == "a"},
        reply={"output": "text", "cached": "hit"},
        scorers=[checks.latency_under(3600)],
    )
    assert [item["check-latency-under"].score for item in result.items] == [None, 1.0]


# -- money -------------------------------------------------------------------------------------------------------------


def test_the_run_costs_less_than_the_limit() -> None:
    assert score(checks.cost_under(0.5), "sun", cost=0.25) == 1.0
    assert score(checks.cost_under(0.5), "sun", cost=0.5) == 0.0
    assert score(checks.cost_under(0.5), "sun", cost=0.0) == 1.0
    assert reason(checks.cost_under(0.5), "sun", cost=0.25) == "It cost $0.25, under $0.5 asked."


def test_the_cost_is_what_the_target_tells_live_or_recorded() -> None:
    told = {"a": 0.25, "b": 0.75, "c": None}
    live = run_evals(
        data=[{"input": key} for key in told],
        target=lambda key: TargetResult("sun", cost=told[key]),
        scorers=[checks.cost_under(0.5)],
    )
    recorded = run_evals(
        data=[{"output": TargetResult("sun", cost=cost)} for cost in told.values()], scorers=[checks.cost_under(0.5)]
    )
    for result in (live, recorded):
        assert [item["check-cost-under"].score for item in result.items] == [1.0, 0.0, None]


def test_the_cost_of_several_turns_is_added_and_unknown_if_one_is() -> None:
    costs = iter([0.25, 0.5, 0.25, None])
    result = run_evals(
        data=[{"inputs": ["a", "b"]}, {"inputs": ["c", "d"]}],
        target=lambda given: TargetResult("sun", cost=next(costs)),
        scorers=[checks.cost_under(0.7)],
    )
    assert [item["check-cost-under"].score for item in result.items] == [0.0, None]


def test_a_target_that_does_not_tell_its_cost_is_not_scorable() -> None:
    assert "did not tell" in not_scored(checks.cost_under(1), "sun")


# -- limits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("factory", "limit", "words"),
    [
        (checks.latency_under, 0, r"latency_under\(seconds=\): must be a finite number of seconds above 0, found 0"),
        (checks.latency_under, float("nan"), r"latency_under\(seconds=\): must be a finite number"),
        (checks.latency_under, "2", r"latency_under\(seconds=\): expected a number of seconds, found str"),
        (checks.cost_under, -1, r"cost_under\(dollars=\): must be a finite number of dollars above 0, found -1"),
        (checks.cost_under, float("inf"), r"cost_under\(dollars=\): must be a finite number"),
        (checks.cost_under, True, r"cost_under\(dollars=\): expected a number of dollars, found bool"),
        (checks.max_turns, 0, r"max_turns\(n=\): must be at least 1, found 0"),
        (checks.max_turns, 1.0, r"max_turns\(n=\): expected a whole number, found float"),
    ],
)
def test_limits_that_nothing_could_meet_are_refused(factory: Any, limit: Any, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        factory(limit)


@LAW
@given(st.floats(0, 1e6), st.floats(0.001, 1e3))
def test_a_higher_limit_is_never_harder(amount: float, limit: float) -> None:
    for factory, run in ((checks.latency_under, {"target_duration_ms": amount}), (checks.cost_under, {"cost": amount})):
        assert score(factory(limit), "sun", **run) <= score(factory(limit * 2), "sun", **run)
