"""Scripted judge calls that each take their time, against the least time that they can take together."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from attrs import frozen

from steelyard import EvalItem, PromptStep, create_scorer, run_evals
from steelyard.testing import ScriptedJudge

CALLS, SECONDS, CONCURRENCY = 500, 0.05, 50


@frozen
class Grade:
    """What the judge answers."""

    reason: str
    grade: float


def main(calls: int = CALLS, seconds: float = SECONDS, concurrency: int = CONCURRENCY) -> dict[str, Any]:
    """The time of one evaluation, and its ratio to calls * seconds / concurrency."""
    judge = ScriptedJudge(lambda request: {"reason": "as scripted", "grade": 0.5}, delay=seconds)
    graded = create_scorer("graded", "A judge's grade", type="agent", judge=judge).generate_score(
        PromptStep(
            description="Grade the answer",
            output=Grade,
            prompt=lambda context: f"Grade this: {context.run.output.text}",
            calculate_score=lambda context, answer: answer.grade,
        )
    )
    items = [EvalItem(output=f"answer {n}") for n in range(calls)]
    started = perf_counter()
    result = run_evals(data=items, scorers=[graded], concurrency=concurrency)
    took = perf_counter() - started
    assert result.summary.judge_calls == calls
    assert result.scores["graded"] == 0.5
    ideal = calls * seconds / concurrency
    return {"calls": calls, "ideal_s": ideal, "took_s": took, "ratio": took / ideal}


if __name__ == "__main__":
    print(main())
