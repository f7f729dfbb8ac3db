"""Evaluations come to what the original came to, and to something better where it is wrong."""

from __future__ import annotations

from itertools import permutations

import pytest

from steelyard import ScorerRun, run_evals, scorer
from tests.golden_adapter import observe
from tests.golden_agreement import differences
from tests.golden_deviations import Row, Table
from tests.reference import Case, deviations, each, golden, needs_reference

NAME = "run_evals"

WAITING = {
    "completeness": "the completeness scorer is not there yet",
    "trajectory": "the trajectory scorer is not there yet",
    "trajectory_accuracy": "the trajectory accuracy scorer is not there yet",
}
"""Scorers that the cases use and that are still to come."""

WAITING_CASES = {
    "run_evals-132-inputs-input-relative-scorer",
    "run_evals-158-turns-mixed-trajectory-scorer",
    "run_evals-165-trajectory-gate-missing-expectation",
}


def waits_for(given: object) -> str | None:
    """Why a case has to wait, or None."""
    if isinstance(given, dict):
        return WAITING.get(str(given.get("use"))) or waits_for(list(given.values()))
    if isinstance(given, list):
        return next((reason for one in given if (reason := waits_for(one))), None)
    return None


def gate(passed: bool, score: float | None, id: str = "g") -> dict[str, object]:
    return {"id": id, "passed": passed, "score": score}


REFUSED = {"error": {"kind": "refused"}, "agent_calls": 0, "items_completed": 0}
REFUSED_EARLY = "as suggested, and before any call"
NO_NUMBER = (
    "what is no finite number within the scale is a failure of the scorer: counted, shown, and no part of the average"
)
OWN_ITEM_ONLY = "a failure costs its own item or score only: the other items are finished, and the failure is counted"

TABLE = Table(
    # -- what cannot be a score
    Row(
        "scores-outside-range",
        "run_evals-006-out-of-range",
        {"scores": {}, "errors": {"a": 2}, "verdict": None, "statuses": ["errored", "errored"]},
        why=NO_NUMBER,
    ),
    Row(
        "scores-above-one-hide-failures",
        "run_evals-025-gate-average-above-one",
        {"verdict": "failed", "gate_results": [gate(False, 0)], "errors": {"g": 1}},
        why="as suggested: every item has to be best on its own, and a score of 2 on 0 to 1 is a failure of the scorer",
    ),
    Row(
        "missing-or-nan-scores",
        "run_evals-112-score-missing run_evals-114-score-nan",
        {"scores": {"a": 0.5}, "errors": {"a": 1}, "verdict": None, "statuses": ["errored", "informational"]},
        why=NO_NUMBER,
    ),
    Row(
        "missing-or-nan-scores",
        "run_evals-113-score-missing-threshold",
        {
            "scores": {"a": 0.5},
            "errors": {"a": 1},
            "verdict": "scored",
            "threshold_results": [{"id": "a", "passed": False, "average_score": 0.5, "threshold": 0.5}],
        },
        why=NO_NUMBER + "; a bound with an item that could not be computed is missed",
    ),
    Row(
        "missing-or-nan-scores",
        "run_evals-116-score-text",
        {"scores": {}, "errors": {"a": 1}, "verdict": None, "statuses": ["errored"]},
        why=NO_NUMBER,
    ),
    # -- what raises
    Row(
        "gate-error-counts-as-zero",
        "run_evals-018-gate-raises",
        {
            "verdict": "failed",
            "gate_results": [gate(False, 1)],
            "scores": {"a": 1},
            "errors": {"g": 1},
            "statuses": ["passed", "errored"],
        },
        why="the gate has not passed, its error is counted, and the average is over what was computed",
    ),
    Row(
        "target-error-aborts-run",
        "run_evals-117-target-raises",
        {"scores": {"a": 1}, "target_errors": 1, "errors": {}, "agent_calls": 3, "items_completed": 3, "verdict": None},
        why=OWN_ITEM_ONLY,
    ),
    Row(
        "target-error-aborts-run",
        "run_evals-118-target-raises-first",
        {
            "verdict": "failed",
            "gate_results": [gate(False, 1)],
            "target_errors": 1,
            "errors": {},
            "agent_calls": 3,
            "items_completed": 3,
        },
        why=OWN_ITEM_ONLY + "; a gate with an item that could not be computed has not passed",
    ),
    Row(
        "target-error-aborts-run",
        "run_evals-119-target-raises-concurrent",
        {"scores": {"a": 1}, "target_errors": 1, "errors": {}, "agent_calls": 4, "items_completed": 4, "verdict": None},
        why=OWN_ITEM_ONLY,
    ),
    Row(
        "target-error-aborts-run",
        "run_evals-131-inputs-later-turn-raises",
        {"scores": {"a": 1}, "target_errors": 1, "errors": {}, "agent_calls": 3, "items_completed": 2, "verdict": None},
        why=OWN_ITEM_ONLY,
    ),
    Row(
        "scorer-error-aborts-run",
        "run_evals-120-scorer-raises",
        {"scores": {"a": 1, "b": 1}, "errors": {"a": 1}, "agent_calls": 3, "items_completed": 3, "verdict": None},
        why=OWN_ITEM_ONLY,
    ),
    Row(
        "scorer-error-aborts-run",
        "run_evals-121-scorer-raises-with-failed-gate",
        {
            "verdict": "failed",
            "gate_results": [gate(False, 0)],
            "scores": {"a": 1},
            "errors": {"a": 1},
            "agent_calls": 2,
            "items_completed": 2,
        },
        why=OWN_ITEM_ONLY,
    ),
    Row(
        "scorer-error-aborts-run",
        "run_evals-143-turns-scorer-raises",
        {
            "turn_results": [{"index": 0, "gate_results": None, "threshold_results": None, "scores": None}],
            "errors": {"s": 1},
            "items_completed": 1,
            "verdict": None,
        },
        why=OWN_ITEM_ONLY,
    ),
    Row(
        "callback-error-aborts-run",
        "run_evals-123-callback-raises",
        {"scores": {"a": 1}, "callback_errors": 2, "agent_calls": 2, "items_completed": 2, "verdict": None},
        why="an exception of the callback is counted and costs nothing that was measured",
    ),
    # -- what is refused before a call
    Row(
        "wrapped-scorer-without-threshold-crashes",
        "run_evals-070-entry-without-threshold",
        REFUSED,
        why="a threshold without a bound is refused when it is built",
    ),
    Row("input-and-inputs-accepted", "run_evals-089-input-and-inputs", REFUSED, why=REFUSED_EARLY),
    Row("null-input-accepted", "run_evals-090-item-input-null", REFUSED, why=REFUSED_EARLY),
    Row(
        "duplicate-scorer-id-overwrites",
        "run_evals-103-duplicate-thresholds-differ",
        REFUSED,
        why=REFUSED_EARLY,
    ),
    # -- binary rounding
    Row("threshold-float-boundary", "run_evals-055-threshold-rounding run_evals-056-threshold-rounding-max"),
    Row(
        "completion-order-affects-sum",
        "run_evals-097-concurrency-order",
        {
            "scores": {"a": 0.25},
            "completion_order": ["q3", "q1", "q2", "q0"],
            "peak_parallel_agent_calls": 4,
            "agent_calls": 4,
            "items_completed": 4,
        },
        why="the sum does not depend on the order of its parts; to the last digit, a test below says",
    ),
    # -- scorers of one id
    Row(
        "duplicate-scorer-id-overwrites",
        "run_evals-100-duplicate-scorers run_evals-101-duplicate-scorers-reversed",
        {"scores": {'check-includes("missing")': 0, 'check-includes("echo")': 1}},
        why="as suggested: keys hold the arguments, so both are there",
    ),
    Row(
        "duplicate-gate-id-pools",
        "run_evals-104-duplicate-gates",
        {
            "verdict": "failed",
            "gate_results": [gate(True, 1, "check-includes"), gate(False, 0, "check-includes")],
            "keys": ['check-includes("echo")', 'check-includes("missing")'],
        },
        why="as suggested: each gate has its own key and its own score",
    ),
    Row(
        "duplicate-gate-id-pools",
        "run_evals-105-duplicate-gates-pass",
        {
            "verdict": "passed",
            "gate_results": [gate(True, 1, "check-includes"), gate(True, 1, "check-includes")],
            "keys": ['check-includes("echo")', 'check-includes("q0")'],
        },
        why="each gate has its own key, so they can be told apart although both pass",
    ),
    Row(
        "duplicate-gate-id-pools",
        "run_evals-156-turns-duplicate-gates",
        {
            "verdict": "failed",
            "turn_results": [
                {"index": 0, "gate_results": [gate(True, 1, "check-includes"), gate(False, 0, "check-includes")]}
            ],
        },
        why="each gate of a turn has its own key and its own score",
    ),
    Row(
        "duplicate-scorer-id-pools-in-turn",
        "run_evals-155-turns-duplicate-scorers",
        {
            "turn_results": [{"index": 0, "scores": {'check-includes("echo")': 1, 'check-includes("missing")': 0}}],
            "verdict": None,
        },
        why="each scorer of a turn has its own key and its own average",
    ),
    Row(
        "not-scorable-count-shared-by-id",
        "run_evals-107-gate-shares-not-scorable-count",
        {
            "verdict": None,
            "summary": {"total_items": 1, "not_scorable": {"x": 2}},
            "not_scorable_by_scope": {"gates": {"x": 1}, "scorers": {"x": 1}},
        },
        why="the summary adds up over scopes; the account of each scope tells them apart",
    ),
    Row(
        "reserved-scorer-ids",
        "run_evals-108-reserved-id-agent run_evals-109-reserved-id-workflow run_evals-111-reserved-id-trajectory",
    ),
    # -- groups and turns
    Row(
        "first-items-threshold-wins",
        "run_evals-154-turns-threshold-differs-by-item",
        {
            "verdict": "scored",
            "turn_results": [
                {
                    "index": 0,
                    "scores": {"s": 0.5},
                    "threshold_results": [
                        {"id": "s", "passed": True, "average_score": 0.5, "threshold": 0.1},
                        {"id": "s", "passed": False, "average_score": 0.5, "threshold": 0.9},
                    ],
                }
            ],
        },
        why="as suggested: every bound is judged, on the pooled average",
    ),
    Row(
        "no-thresholds-in-grouped-form",
        "run_evals-167-grouped-threshold",
        {
            "verdict": "passed",
            "scores": {"agent": {"a": 0.9}},
            "threshold_results": [{"id": "a", "passed": True, "average_score": 0.9, "threshold": 0.5}],
        },
        why="as suggested: bounds work in groups as they do in the plain list",
    ),
    # -- what waits for scorers that are still to come
    Row("multi-turn-input-shape", "run_evals-132-inputs-input-relative-scorer"),
    Row("trajectory-scorer-in-plain-list", "run_evals-158-turns-mixed-trajectory-scorer"),
    Row("missing-expectation-scores-zero", "run_evals-165-trajectory-gate-missing-expectation"),
)


@each(golden(NAME))
def test_an_evaluation_comes_to_the_golden_result(case: Case) -> None:
    if reason := waits_for(case["params"]):
        pytest.skip(reason)
    assert differences(case["expected"], observe(case)) == []


@each(deviations(NAME))
def test_an_evaluation_does_better_where_the_original_is_wrong(case: Case) -> None:
    if reason := waits_for(case["params"]):
        pytest.skip(reason)
    assert TABLE.shortfall(case, observe(case)) == []


@needs_reference
def test_every_deviation_of_an_evaluation_has_a_row_and_every_row_a_deviation() -> None:
    assert TABLE.gaps([NAME]) == set()


@needs_reference
def test_the_cases_that_wait_are_those_that_are_listed() -> None:
    cases = [*golden(NAME), *deviations(NAME)]
    assert {case["id"] for case in cases if waits_for(case["params"])} == WAITING_CASES


@pytest.mark.parametrize("order", list(permutations([0.1, 0.2, 0.3, 0.4])))
def test_an_average_is_the_same_to_the_last_digit_in_whatever_order_its_scores_come(order: tuple[float, ...]) -> None:
    @scorer
    def as_given(run: ScorerRun[float, float]) -> float:
        return run.output

    result = run_evals(data=[{"input": "q", "output": score} for score in order], scorers=[as_given])
    assert result.scores["as_given"] == 0.25
