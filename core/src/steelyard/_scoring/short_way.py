"""The short way of a scorer that is one plain function: the same work without a coroutine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import isawaitable, iscoroutinefunction
from typing import Any

from steelyard._model.outcome import (
    Failed,
    NotScorable,
    Outcome,
    Scored,
    ScoreResult,
    attach,
    set_evidence,
    set_maker,
    settled,
)
from steelyard._model.run import ScorerRun
from steelyard._model.scale import Scale
from steelyard._scoring.door import is_contained
from steelyard._scoring.pipeline import checked_scored, make_plain_result
from steelyard._scoring.protocol import Pending, ShortWay
from steelyard._scoring.steps import StepContext


class FromContext:
    """A one-step function that takes the context, as one that takes the run."""

    __slots__ = ("step",)

    def __init__(self, step: Callable[[Any], Any]) -> None:
        self.step = step

    def __call__(self, run: ScorerRun[Any, Any]) -> Any:
        return self.step(StepContext(run, None, None))


class OfRun:
    """A function that takes the run, as a step that takes the context."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def __call__(self, context: StepContext[Any, Any, Any, Any]) -> Any:
        return self.function(context.run)


def is_async(step: object) -> bool:
    return iscoroutinefunction(step) or iscoroutinefunction(getattr(step, "__call__", None))  # noqa: B004


def short_way(id: str, scale: Scale, function: Callable[[Any], Any]) -> ShortWay:
    """One plain function with its checks. This is where the time of quick checks goes, so it does nothing that can be
    left for later."""
    low, high = scale.low, scale.high

    def result(outcome: Outcome, run_id: str | None) -> ScoreResult:
        return make_plain_result(outcome, (id, run_id))

    def failed(error: BaseException, run: ScorerRun[Any, Any]) -> Outcome:
        return attach(Failed("generate_score", error), result, run._run_id)

    def settle(value: object, run: ScorerRun[Any, Any]) -> Outcome:
        try:
            outcome = checked_scored(value, scale)
        except Exception as error:
            return failed(error, run)
        if isinstance(outcome, Scored):
            return settled(outcome, outcome.score, result, run._run_id)
        return attach(outcome, result, run._run_id)

    async def later(value: Awaitable[object], run: ScorerRun[Any, Any]) -> Outcome:
        try:
            given = await value
        except BaseException as error:
            if not is_contained(error):
                raise
            return failed(error, run)
        return settle(given, run)

    def plain(run: ScorerRun[Any, Any]) -> Outcome | Pending:
        try:
            value = function(run)
        except BaseException as error:
            if not is_contained(error):
                raise
            return failed(error, run)
        if type(value) is Scored and value._maker is None and value._more is None:
            score = value.score
            if type(score) is float and low <= score <= high:
                set_evidence(value, run._run_id)
                set_maker(value, result)
                return value
        elif not isinstance(value, float | int | NotScorable) and isawaitable(value):
            run.__dict__["_pending"] = True
            return Pending(later(value, run))
        return settle(value, run)

    return plain
