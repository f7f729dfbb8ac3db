"""What a type checker knows of evaluations and results, and what it must refuse. This file is checked, never run."""

from __future__ import annotations

from typing import Any, assert_never, assert_type

from steelyard import (
    EvalItem,
    EvalResult,
    Failed,
    Gate,
    ItemResult,
    Judge,
    JudgeReply,
    JudgeRequest,
    NotScorable,
    Outcome,
    PassRate,
    Scale,
    Scored,
    Scorer,
    ScorerRun,
    ScoringServices,
    ShareOfItems,
    Status,
    Summary,
    TargetResult,
    Threshold,
    Turn,
    Usage,
    Verdict,
    arun_evals,
    create_scorer,
    run_evals,
    stream_evals,
)
from steelyard.testing import ScriptedJudge


def said(outcome: Outcome) -> str:
    """Every outcome is one of three, and the checker knows it."""
    match outcome:
        case Scored(score=score):
            assert_type(score, float)
            return f"{score:.2f}"
        case NotScorable(reason=why):
            return f"not scorable: {why}"
        case Failed(error=error):
            assert_type(error, BaseException)
            return f"could not be measured: {error}"
        case _:
            assert_never(outcome)


def number_of(outcome: Outcome) -> float | None:
    return outcome.score


class Stranger:
    """A scorer that needs no base class."""

    id = "stranger"
    scale = Scale()
    type = None

    async def score(self, run: ScorerRun[Any, Any], services: ScoringServices) -> Outcome:
        return Scored(1.0)


class Rule:
    """A gate that needs no base class."""

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer

    def passed(self, n_best: int, n_scored: int, n_not_scorable: int, n_failed: int) -> bool | None:
        return n_best > 0


class Oracle:
    """A judge that needs no base class."""

    async def answer(self, request: JudgeRequest) -> JudgeReply:
        return JudgeReply(text="yes")


def shapes() -> None:
    scorer: Scorer = Stranger()
    made: Scorer = create_scorer("s", "d").generate_score(lambda ctx: 1.0)
    gate: Gate = Rule(scorer)
    share: Gate = ShareOfItems(made, 0.95)
    judge: Judge = Oracle()
    scripted: Judge = ScriptedJudge([{"good": True}])
    run_evals(
        data=[{"input": "q"}], target=str, scorers=[scorer, Threshold(made, 0.5)], gates=[gate, share], judge=judge
    )
    run_evals(data=[EvalItem(input="q")], target=str, scorers=[PassRate(made, share=0.9)], judge=scripted)


async def results() -> None:
    result = run_evals(data=[{"input": "q"}])
    assert_type(result, EvalResult)
    assert_type(await arun_evals(data=[{"input": "q"}]), EvalResult)
    assert_type(result.verdict, Verdict | None)
    assert_type(result.summary, Summary)
    assert_type(result.summary.usage, Usage | None)
    for item in result.items:
        assert_type(item, ItemResult)
        assert_type(item.status, Status)
        assert_type(item.error, BaseException | None)
    stream = stream_evals(data=[{"input": "q"}])
    async for streamed in stream:
        assert_type(streamed, ItemResult)
    assert_type(stream.result(), EvalResult)
    [gate] = result.gate_results
    assert_type(gate.passed, bool | None)


def must_stay_errors() -> None:
    made = create_scorer("s", "d").generate_score(lambda ctx: 1.0)
    run_evals(data=["q"])  # type: ignore[list-item]
    run_evals(data=[{"input": "q"}], concurency=2)  # type: ignore[call-arg]
    run_evals(data=[{"input": "q"}], on_error="ignore")  # type: ignore[arg-type]
    run_evals(data=[{"input": "q"}], timeout="1")  # type: ignore[arg-type]
    EvalItem("q")  # type: ignore[call-arg]
    EvalItem(imput="q")  # type: ignore[call-arg]
    Turn()  # type: ignore[call-arg]
    Threshold(made, "0.5")  # type: ignore[arg-type]
    Threshold(0.5)  # type: ignore[arg-type]
    PassRate(made)  # type: ignore[call-arg]
    TargetResult("a", usage={"input_tokens": 1})  # type: ignore[arg-type]
    Usage(input_tokens="1")  # type: ignore[arg-type]
    JudgeReply("yes")  # type: ignore[call-arg]
    number_of(None)  # type: ignore[arg-type]
