"""Checks of what an output took: turns of the agent, time, money."""

from __future__ import annotations

from typing import Any

from steelyard import AgentOutput, FromItem, NotScorable, Scored, ScorerRun, not_scorable
from steelyard_checks._arguments import dollars as dollars_of
from steelyard_checks._arguments import one_or_more
from steelyard_checks._arguments import seconds as seconds_of
from steelyard_checks._making import Argument, Check, Decide, make_check
from steelyard_checks._wording import counted, named


def max_turns(n: int | FromItem) -> Check:
    """Whether the agent took at most that many turns: 1.0 or 0.0.

    A turn is one assistant message of the output, with the calls that it asks for; a text is one turn. Raises
    ``ConfigurationError`` for anything but a whole number from 1.
    """
    return make_check("max-turns", f"At most {named(n)} turns.", [Argument("n", n, one_or_more)], _max_turns)


def _max_turns(n: int) -> Decide:
    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored:
        turns = sum([message.role == "assistant" for message in run.output])
        return Scored(1.0 if turns <= n else 0.0, f"{counted(turns, 'turn')}, at most {n} allowed.")

    return decide


def latency_under(seconds: float | FromItem) -> Check:
    """Whether the target answered in less than that many seconds: 1.0 or 0.0.

    What counts is the time from the call of the target to its answer, for several turns together, as the evaluation
    measured it; for a step of a workflow, from its start to its end as the workflow told them. Not scorable where
    nothing was measured: the output was recorded, or came from a cache (``TargetResult(cached=True)``). Raises
    ``ConfigurationError`` for anything but a finite number above 0.
    """
    return make_check(
        "latency-under",
        f"The target answers in under {named(seconds)} s.",
        [Argument("seconds", seconds, seconds_of)],
        _latency_under,
        type=None,
    )


def _latency_under(seconds: float) -> Decide:
    def decide(run: ScorerRun[Any, Any]) -> Scored | NotScorable:
        took_ms = run.target_duration_ms
        if took_ms is None:
            return not_scorable(
                "not measurable: the output was recorded or came from a cache, or nothing told its time"
            )
        return Scored(
            1.0 if took_ms < 1000 * seconds else 0.0,
            f"The target took {took_ms / 1000:.6g} s, under {seconds:g} s asked.",
        )

    return decide


def cost_under(dollars: float | FromItem) -> Check:
    """Whether the run of the target cost less than that many US dollars: 1.0 or 0.0.

    What counts is what the target tells: ``TargetResult(cost=...)``, added over several turns. Not scorable where it
    does not. Raises ``ConfigurationError`` for anything but a finite number above 0.
    """
    return make_check(
        "cost-under",
        f"The target costs under {named(dollars)} US dollars.",
        [Argument("dollars", dollars, dollars_of)],
        _cost_under,
        type=None,
    )


def _cost_under(dollars: float) -> Decide:
    def decide(run: ScorerRun[Any, Any]) -> Scored | NotScorable:
        cost = run.cost
        if cost is None:
            return not_scorable("the target did not tell what it cost; it may return TargetResult(cost=...)")
        return Scored(1.0 if cost < dollars else 0.0, f"It cost ${cost:.6g}, under ${dollars:g} asked.")

    return decide
