"""Scorers of our own: what this shop asks of its support agent and no ready-made check knows."""

from __future__ import annotations

from typing import Any

from steelyard import AgentInput, AgentOutput, NotScorable, Scale, Scored, ScorerRun, not_scorable, scorer


@scorer(id="answered", type="agent")
def answered(run: ScorerRun[AgentInput, AgentOutput]) -> Scored | NotScorable:
    """The customer got an answer, where one was due."""
    if run.metadata.get("reply_due") is False:
        return not_scorable("no answer was due")
    if run.output.text:
        return Scored(1.0)
    return Scored(0.0, reason="the customer got no answer")


@scorer(id="refund-after-lookup", type="agent")
def refund_after_lookup(run: ScorerRun[AgentInput, AgentOutput]) -> Scored | NotScorable:
    """No refund without a look at the order first."""
    names = [call.name for call in run.output.tool_calls]
    if "issue_refund" not in names:
        return not_scorable("no refund was issued")
    if "lookup_order" in names[: names.index("issue_refund")]:
        return Scored(1.0)
    return Scored(0.0, reason="issue_refund came before any lookup_order")


@scorer(id="failures-made-good", type="agent")
def failures_made_good(run: ScorerRun[AgentInput, AgentOutput]) -> Scored | NotScorable:
    """A call that failed was repeated with success, or a person took over."""
    calls = run.output.tool_calls
    if not any(call.failed for call in calls):
        return not_scorable("no call failed")
    still_open: set[str] = set()
    for call in calls:
        if call.failed:
            still_open.add(call.name)
        elif call.name == "hand_over_to_human":
            still_open.clear()
        else:
            still_open.discard(call.name)
    if not still_open:
        return Scored(1.0)
    return Scored(0.0, reason=f"nothing made good the failed {', '.join(sorted(still_open))}")


@scorer(id="tool-calls", type="agent", scale=Scale(low=0, high=50, direction="lower"))
def tool_calls(run: ScorerRun[AgentInput, AgentOutput]) -> float:
    """How many tools were called; the fewer, the better."""
    return len(run.output.tool_calls)


@scorer(id="stars", scale=Scale(low=1, high=5))
def stars(run: ScorerRun[Any, Any]) -> float | NotScorable:
    """What the customer gave in the survey: one to five stars. Any other number counts as a failure, not as a score."""
    given: float | None = run.metadata.get("stars")
    return not_scorable("the customer gave no stars") if given is None else given
