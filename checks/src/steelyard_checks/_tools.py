"""Checks of which tools the agent called: how often, in what order, and how the calls ended.

Counted are the calls of all assistant messages that have a name, whether they were answered or not; one whose
arguments were still arriving is no call yet. Names are compared exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard import AgentOutput, ExtractedToolCall, FromItem, Scored, ScorerRun
from steelyard_checks._arguments import any_text, none_or_more, one_or_more, texts
from steelyard_checks._making import Argument, Check, Decide, accepted_lists, all_of, make_check
from steelyard_checks._wording import MOST_LISTED, listed, named, shown


def called_tool(name: str | FromItem, times: int | FromItem = 1) -> Check:
    """Whether a tool was called at least that often: 1.0 or 0.0. The outcome of the calls does not matter.

    Of several names that an item brings, one is enough. Raises ``ConfigurationError`` for a name that is no text and
    for fewer than one time.
    """
    return make_check(
        "called-tool",
        f"{named(name)} was called" + ("." if times == 1 else f" at least {named(times)} times."),
        [Argument("name", name, any_text), Argument("times", times, one_or_more, default=1)],
        _called_tool,
    )


def _called_tool(name: str, times: int) -> Decide:
    quoted = shown(name)

    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored:
        calls = run.output.tool_calls
        count = 0
        for call in calls:
            if call.name == name:
                count += 1
        if count >= times:
            return Scored(1.0, f"{quoted} was called {_times(count)}.")
        called = f"called {_times(count)}" if count else "never called"
        return Scored(0.0, f"{quoted} was {called}, at least {times} asked. {calls_made(calls)}")

    return decide


def did_not_call(name: str | FromItem) -> Check:
    """Whether a tool was never called: 1.0 or 0.0. A call that failed or was not answered is a call.

    Of several names that an item brings, none may have been called. Raises ``ConfigurationError`` for a name that is
    no text.
    """
    return make_check(
        "did-not-call",
        f"{named(name)} was not called.",
        [Argument("name", name, any_text)],
        _did_not_call,
        join=all_of,
    )


def _did_not_call(name: str) -> Decide:
    quoted = shown(name)
    clear = f"{quoted} was not called."

    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored:
        calls = run.output.tool_calls
        for call in calls:
            if call.name == name:
                return Scored(0.0, f"Forbidden {quoted} was called. {calls_made(calls)}")
        return Scored(1.0, clear)

    return decide


def tool_order(order: Sequence[str] | FromItem) -> Check:
    """Whether the tools were called in this order, other calls between them allowed: 1.0 or 0.0.

    An empty order always holds. A list of names that an item brings is the order; a list of such lists are several
    orders, of which one is enough. Raises ``ConfigurationError`` for anything but a list of texts.
    """
    if isinstance(order, list):
        order = tuple(order)  # a list that its owner changes later must not change the check's key
    return make_check(
        "tool-order",
        f"Tools were called in the order of {named(order)}.",
        [Argument("order", order, texts, alternatives=accepted_lists)],
        _tool_order,
    )


def _tool_order(order: tuple[str, ...]) -> Decide:
    kept = f"Called in this order: {listed(order)}." if order else "No order was asked."

    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored:
        calls = run.output.tool_calls
        met = 0
        for call in calls:
            if met < len(order) and call.name == order[met]:
                met += 1
        if met == len(order):
            return Scored(1.0, kept)
        after = f" after {listed(order[:met])}" if met else ""
        return Scored(0.0, f"{shown(order[met])} was not called{after}. {calls_made(calls)}")

    return decide


def max_tool_calls(n: int | FromItem) -> Check:
    """Whether there were at most that many calls, of whatever tools: 1.0 or 0.0.

    Raises ``ConfigurationError`` for anything but a whole number from 0.
    """
    return make_check(
        "max-tool-calls", f"At most {named(n)} tool calls.", [Argument("n", n, none_or_more)], _max_tool_calls
    )


def _max_tool_calls(n: int) -> Decide:
    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored:
        calls = run.output.tool_calls
        if len(calls) <= n:
            return Scored(1.0, f"{_counted(len(calls))}, at most {n} allowed.")
        return Scored(0.0, f"{_counted(len(calls))}, at most {n} allowed. {calls_made(calls)}")

    return decide


def used_no_tools() -> Check:
    """Whether no tool was called at all: 1.0 or 0.0."""
    return make_check("used-no-tools", "No tool was called.", [], _used_no_tools)


def _used_no_tools() -> Decide:
    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored:
        calls = run.output.tool_calls
        if not calls:
            return Scored(1.0, "No tool was called.")
        return Scored(0.0, f"{_counted(len(calls))} where none was allowed. {calls_made(calls)}")

    return decide


def no_tool_errors() -> Check:
    """Whether every call ended well: 1.0 or 0.0; no call at all is no error.

    A call did not end well if it raised, was flagged as failed, has a truthy ``error`` in its result, or never
    completed: never answered, or its arguments were still arriving.
    """
    return make_check("no-tool-errors", "No tool call failed or was left open.", [], _no_tool_errors)


def _no_tool_errors() -> Decide:
    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored:
        calls = run.output.all_tool_calls
        failed = [call for call in calls if call.failed]
        if failed:
            told = "; ".join(_what_went_wrong(call) for call in failed[:MOST_LISTED])
            more = f"; and {len(failed) - MOST_LISTED} more" if len(failed) > MOST_LISTED else ""
            return Scored(0.0, f"{len(failed)} of {_counted(len(calls))} did not end well: {told}{more}.")
        return Scored(1.0, f"{_counted(len(calls))}, none failed." if calls else "No tool was called, so none failed.")

    return decide


def _what_went_wrong(call: ExtractedToolCall) -> str:
    """The call's name and how it ended, for a call that did not end well."""
    name = shown(call.name)
    if call.state == "partial-call":
        return f"{name} broke off while its arguments arrived"
    if call.state == "call":
        return f"{name} was never answered"
    if call.error is None and call.state == "result":
        return f"{name} gave a result with an error: {shown(repr(call.result))}"
    ended = "raised" if call.state == "output-error" else "failed"
    return f"{name} {ended}" + ("" if call.error is None else f": {shown(call.error)}")


def calls_made(calls: Sequence[ExtractedToolCall]) -> str:
    """The names of the calls in order, as a sentence."""
    return f"Calls: {listed([call.name for call in calls])}." if calls else "No tool was called."


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _counted(count: int) -> str:
    return "1 call" if count == 1 else f"{count} calls"
