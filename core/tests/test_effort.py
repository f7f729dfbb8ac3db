"""What scorers may know of how much an output took: time, tokens, money."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard import (
    EvalItem,
    PipelineScorer,
    ScorerRun,
    StepResult,
    TargetResult,
    UnreadableOutput,
    Usage,
    WorkflowScorers,
    create_scorer,
    run_evals,
)

Effort = tuple[float | None, Usage | None, float | None]

SOME = Usage(input_tokens=1, cached_input_tokens=0, cache_creation_tokens=0, output_tokens=2, reasoning_tokens=0)


class Clock:
    """A clock that stands still unless it is told to go on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def pass_(self, seconds: float) -> None:
        self.now += seconds


def noting(seen: list[Effort], id: str = "note", **more: Any) -> PipelineScorer[Any, Any, Any, Any]:
    def step(context: Any) -> float:
        run: ScorerRun[Any, Any] = context.run
        seen.append((run.target_duration_ms, run.usage, run.cost))
        return 1.0

    return create_scorer(id, "d", **more).generate_score(step)


@pytest.mark.parametrize("type", [None, "agent", "trajectory"])
def test_a_scorer_of_every_type_sees_what_the_call_took_and_told(type: Any) -> None:
    clock, seen = Clock(), list[Effort]()

    def target(given: float) -> TargetResult:
        clock.pass_(given)
        return TargetResult("sun", usage=SOME, cost=0.25)

    run_evals(data=[{"input": 1.5}], target=target, scorers=[noting(seen, type=type)], clock=clock)
    assert seen == [(1500.0, SOME, 0.25)]


def test_time_is_known_and_the_rest_is_not_where_the_target_gives_its_output_alone() -> None:
    clock, seen = Clock(), list[Effort]()

    async def target(given: float) -> str:
        clock.pass_(given)
        return "sun"

    run_evals(data=[{"input": 2.0}], target=target, scorers=[noting(seen)], clock=clock)
    assert seen == [(2000.0, None, None)]


def test_a_recorded_output_took_no_time_that_is_known_and_may_tell_the_rest() -> None:
    seen: list[Effort] = []
    outputs = ["sun", TargetResult("sun", usage=SOME, cost=0.5)]
    run_evals(data=[{"output": output} for output in outputs], scorers=[noting(seen)])
    assert seen == [(None, None, None), (None, SOME, 0.5)]


def test_an_output_from_a_cache_took_no_time_that_is_known() -> None:
    seen: list[Effort] = []
    run_evals(
        data=[{"input": "a"}], target=lambda given: TargetResult("sun", cost=0.0, cached=True), scorers=[noting(seen)]
    )
    assert seen == [(None, None, 0.0)]


def test_whether_an_output_came_from_a_cache_is_true_or_false() -> None:
    with pytest.raises(UnreadableOutput, match=r"TargetResult\(cached=\): expected bool"):
        TargetResult("sun", cached="yes")  # type: ignore[arg-type]


def test_turns_are_added_for_the_item_and_each_turn_sees_its_own() -> None:
    clock, seen = Clock(), list[Effort]()

    def target(given: float) -> TargetResult:
        clock.pass_(given)
        return TargetResult("sun", cost=given / 4)

    turns = [{"input": each, "scorers": [noting(seen, f"turn {each}")]} for each in (1.0, 2.0)]
    run_evals(data=[{"turns": turns}], target=target, scorers=[noting(seen)], clock=clock)
    assert seen == [(3000.0, None, 0.75), (1000.0, None, 0.25), (2000.0, None, 0.5)]


def test_the_time_of_several_turns_is_unknown_where_one_came_from_a_cache() -> None:
    clock, seen = Clock(), list[Effort]()

    def target(given: float) -> TargetResult:
        clock.pass_(given)
        return TargetResult("sun", cached=given == 2.0)

    run_evals(data=[{"inputs": [1.0, 2.0]}], target=target, scorers=[noting(seen)], clock=clock)
    assert seen == [(None, None, None)]


def test_making_a_target_and_setting_up_its_surroundings_is_not_its_time() -> None:
    clock, seen = Clock(), list[Effort]()

    def make() -> Any:
        clock.pass_(5.0)
        return clock.pass_

    run_evals(
        data=[{"input": 1.0}],
        target_factory=make,
        reply={"output": lambda _: "sun"},
        scorers=[noting(seen)],
        clock=clock,
    )
    assert seen == [(1000.0, None, None)]


def test_a_step_of_a_workflow_took_what_its_times_say() -> None:
    seen: list[Effort] = []
    steps = {
        "a": StepResult(started_at=10.0, ended_at=35.0),
        "b": StepResult(started_at=35.0, ended_at=10.0),
        "c": StepResult(started_at=35.0),
    }
    scorers = WorkflowScorers(steps={name: [noting(seen)] for name in steps})
    run_evals(data=[EvalItem(output=TargetResult("x", step_results=steps, cost=1.0))], scorers=scorers)
    assert seen == [(25.0, None, None), (None, None, None), (None, None, None)]


def test_a_run_that_was_made_by_hand_knows_what_it_is_told() -> None:
    bare: ScorerRun[None, str] = ScorerRun(output="sun")
    assert (bare.target_duration_ms, bare.usage, bare.cost) == (None, None, None)
    full: ScorerRun[None, str] = ScorerRun(output="sun", target_duration_ms=1.0, usage=SOME, cost=0.5)
    assert (full.target_duration_ms, full.usage, full.cost) == (1.0, SOME, 0.5)


def test_what_an_item_does_not_have_is_none_on_its_run() -> None:
    seen: list[ScorerRun[Any, Any]] = []

    def note(context: Any) -> float:
        seen.append(context.run)
        return 1.0

    run_evals(data=[{"output": "sun"}], scorers=[create_scorer("note").generate_score(note)])
    [run] = seen
    assert [run.ground_truth, run.expected_trajectory, run.context, run.request_context, run.state] == [None] * 5
    assert (run.input, run.tracing_context, run.trajectory, dict(run.metadata)) == (None, None, None, {})
