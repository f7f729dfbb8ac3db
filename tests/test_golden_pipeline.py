"""The four steps of a scorer give what the original gave, and a better outcome where it is wrong."""

from __future__ import annotations

from tests.golden_adapter import observe
from tests.golden_agreement import differences
from tests.golden_deviations import Row, Table
from tests.reference import Case, deviations, each, golden, needs_reference

NAME = "scorer_pipeline"

OUT_OF_RANGE = {"error": {"kind": "scorer_failed", "failed_step": "score", "completed_steps": [], "partial": {}}}

TABLE = Table(
    Row(
        "not-scorable-after-score",
        "scorer_pipeline-020",
        {
            "score": 0.7,
            "reason": None,
            "reason_not_given": "at reason",
            "not_scorable": None,
            "steps_run": ["score", "reason"],
        },
        why="the score was measured, so it stays; only its explanation is missing, and the result says why",
    ),
    Row(
        "scores-outside-range",
        "scorer_pipeline-026 scorer_pipeline-027",
        OUT_OF_RANGE,
        why="a number outside the scorer's scale is a mistake in the scorer, not a measurement",
    ),
    Row("score-type-not-checked", "scorer_pipeline-030 scorer_pipeline-033"),
    Row(
        "steps-run-as-declared",
        "scorer_pipeline-034",
        {"error": {"kind": "invalid_configuration"}, "steps_run": []},
        why="steps have one order; one that comes too late is refused while the scorer is built",
    ),
    Row("duplicate-step", "scorer_pipeline-036 scorer_pipeline-037"),
)


@each(golden(NAME))
def test_a_scorer_gives_the_golden_outcome_of_its_steps(case: Case) -> None:
    assert differences(case["expected"], observe(case)) == []


@each(deviations(NAME))
def test_a_scorer_does_better_where_the_original_is_wrong(case: Case) -> None:
    assert TABLE.shortfall(case, observe(case)) == []


@needs_reference
def test_every_deviation_of_the_steps_has_a_row_and_every_row_a_deviation() -> None:
    assert TABLE.gaps([NAME]) == set()
