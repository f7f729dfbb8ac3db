"""A workflow is scored on its whole output, on each step's own input and output, and on its trajectory."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard import (
    ConfigurationError,
    EvalResult,
    Failed,
    NotScorable,
    PipelineScorer,
    ScorerRun,
    StepResult,
    TargetResult,
    Threshold,
    WorkflowScorers,
    create_scorer,
    run_evals,
)


def noting(seen: list[ScorerRun[Any, Any]], id: str = "note", **more: Any) -> PipelineScorer[Any, Any, Any, Any]:
    def step(ctx: Any) -> float:
        seen.append(ctx.run)
        return 1.0

    return create_scorer(id, "d", **more).generate_score(step)


def number(id: str = "number") -> PipelineScorer[Any, Any, Any, Any]:
    return create_scorer(id, "d").generate_score(lambda ctx: ctx.run.output)


class Flow:
    """A workflow of two steps: it draws a number and halves it."""

    def __init__(self, **steps: Any) -> None:
        self.steps = steps

    async def start(self, given: float) -> TargetResult:
        steps: dict[str, Any] = {
            "draw": {"input": given, "output": given, "started_at": 0, "ended_at": 10},
            "halve": StepResult(input=given, output=given / 2, started_at=10, ended_at=30),
        }
        return TargetResult(given / 2, step_results={**steps, **self.steps})


def evaluated(scorers: Any, flow: object = None, **more: Any) -> EvalResult:
    return run_evals(data=[{"input": 0.5}, {"input": 1.0}], target=flow or Flow(), scorers=scorers, **more)


def test_output_steps_and_trajectory_are_scored_each_in_its_group() -> None:
    whole: list[ScorerRun[Any, Any]] = []
    halves: list[ScorerRun[Any, Any]] = []
    paths: list[ScorerRun[Any, Any]] = []
    result = evaluated(
        WorkflowScorers(
            workflow=[noting(whole), number()],
            steps={"halve": [noting(halves), Threshold(number(), 0.3)], "draw": [number()]},
            trajectory=[noting(paths, type="trajectory")],
        )
    )
    assert [(run.input, run.output) for run in whole] == [(0.5, 0.25), (1.0, 0.5)]
    assert [(run.input, run.output) for run in halves] == [(0.5, 0.25), (1.0, 0.5)]
    assert [[step.name for step in run.output.steps] for run in paths] == [["draw", "halve"]] * 2
    assert paths[0].output.total_duration_ms == 30
    assert result.scores["workflow"]["number"] == 0.375
    assert result.scores["steps"]["draw"]["number"] == 0.75
    assert result.scores["steps"]["halve"]["number"] == 0.375
    assert list(result.scores) == ["workflow", "steps", "trajectory"]
    assert [(bound.scope, bound.passed) for bound in result.threshold_results] == [("steps/halve", True)]
    item = result.items[0]
    assert item.scores["steps"]["halve"]["number"].score == 0.25
    assert item.scores["workflow"]["number"].score == 0.25


def test_a_plain_list_of_scorers_sees_the_workflows_whole_output() -> None:
    assert evaluated([number()]).scores["number"] == 0.375


def test_a_step_that_did_not_run_is_not_scorable() -> None:
    result = evaluated(WorkflowScorers(steps={"skipped": [Threshold(number(), 0.5)]}))
    outcome = result.items[0].scores["steps"]["skipped"]["number"]
    assert isinstance(outcome, NotScorable)
    assert "skipped" in (outcome.reason or "")
    assert outcome.result is not None
    assert (result.threshold_results[0].passed, result.verdict) == (None, None)


def test_a_step_that_failed_could_not_be_computed() -> None:
    flow = Flow(halve={"status": "failed", "error": "division"})
    result = evaluated(WorkflowScorers(steps={"halve": [Threshold(number(), 0.5)]}), flow)
    outcome = result.items[0].scores["steps"]["halve"]["number"]
    assert isinstance(outcome, Failed)
    assert "division" in outcome.reason
    assert (result.threshold_results[0].passed, result.verdict) == (False, "scored")


def test_a_failed_step_that_gave_something_is_scored_on_it() -> None:
    flow = Flow(halve={"status": "failed", "output": 0.25})
    assert evaluated(WorkflowScorers(steps={"halve": [number()]}), flow).scores["steps"]["halve"]["number"] == 0.25


@pytest.mark.parametrize("returned", [0.5, TargetResult(0.5), TargetResult(0.5, step_results={"halve": 3})])  # type: ignore[dict-item]
def test_a_workflow_that_tells_no_readable_steps_fails_the_step_scorers_alone(returned: object) -> None:
    result = run_evals(
        data=[{"input": 1.0}],
        target=lambda given: returned,
        scorers=WorkflowScorers(workflow=[number()], steps={"halve": [number()]}),
    )
    assert result.scores["workflow"]["number"] == 0.5
    assert isinstance(result.items[0].scores["steps"]["halve"]["number"], Failed)
    assert result.summary.errors == {"number": 1}


def test_a_recorded_result_of_a_workflow_is_scored_like_a_live_one() -> None:
    recorded = TargetResult(0.5, step_results={"halve": {"input": 1.0, "output": 0.5}})
    result = run_evals(data=[{"output": recorded}], scorers=WorkflowScorers(steps={"halve": [number()]}))
    assert result.scores["steps"]["halve"]["number"] == 0.5


def test_step_scorers_that_are_no_mapping_and_conversations_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="steps="):
        evaluated(WorkflowScorers(steps=[number()]))  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="steps/halve"):
        evaluated(WorkflowScorers(steps={"halve": number()}))  # type: ignore[dict-item]
    for item in ({"inputs": ["a"]}, {"turns": [{"input": "a"}]}):
        with pytest.raises(ConfigurationError, match="a workflow takes input"):
            run_evals(data=[item], target=lambda given: 1.0, scorers=WorkflowScorers(workflow=[number()]))


def test_gates_stand_beside_groups() -> None:
    result = evaluated(WorkflowScorers(steps={"halve": [number()]}), gates=[number()])
    assert [(gate.key, gate.scope, gate.passed) for gate in result.gate_results] == [("number", "gates", False)]
