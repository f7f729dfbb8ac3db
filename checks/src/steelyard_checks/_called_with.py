"""The check ``tool_called_with``: what a tool was called with, compared by value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import iscoroutine, iscoroutinefunction
from typing import Any, Literal, TypeAlias

from steelyard import AgentOutput, ConfigurationError, ExtractedToolCall, FromItem, Scored, ScorerRun
from steelyard_checks._arguments import any_text, one_of, refuse
from steelyard_checks._making import Argument, Check, Decide, make_check
from steelyard_checks._tools import calls_made
from steelyard_checks._values import copied, difference, opened
from steelyard_checks._wording import named, shown, shown_value

Match: TypeAlias = Literal["exact", "subset", "predicate"]
MATCHES = ("exact", "subset", "predicate")

_FAULTS_SHOWN = 3

Fault: TypeAlias = Callable[[ExtractedToolCall], str | None]
"""Why a call is not the one that is asked for; None where it is."""


def tool_called_with(
    name: str | FromItem,
    args: Mapping[str, object] | Callable[[Any], bool] | FromItem,
    *,
    match: Match | FromItem = "exact",
) -> Check:
    """Whether one call of a tool had such arguments: 1.0 or 0.0. The outcome of the call does not matter.

    With ``match="exact"`` they are equal to ``args``: the order of keys does not matter, order and number in lists do,
    1 equals 1.0, true is not 1, texts are compared in composed form (NFC) and case counts. With ``"subset"`` every
    argument of ``args`` is there and equal, others may be there too, and so in mappings at any depth. With
    ``"predicate"`` ``args`` is a plain function of the arguments that gives True or False; what it raises is a failure
    of the check. A call whose arguments could not be read as a mapping is not the one. The reason names the first
    difference of each call.

    Of several names or arguments that an item brings, one is enough. Raises ``ConfigurationError`` for arguments of
    another kind than ``match`` asks for.
    """
    if isinstance(args, Mapping):
        args = copied(args, "tool_called_with(args=)")
    if not isinstance(args, FromItem) and not isinstance(match, FromItem):
        _asked(args, one_of(MATCHES, match, "tool_called_with(match=)"))
    asked = named(args) if isinstance(args, FromItem) else _words(args)
    return make_check(
        "tool-called-with",
        f"{named(name)} was called with {asked}.",
        [
            Argument("name", name, any_text),
            Argument("args", args, _args_of),
            Argument(
                "match",
                match,
                lambda value, where: one_of(MATCHES, value, where),
                default="exact",
                keyword=True,
            ),
        ],
        _tool_called_with,
    )


def _words(args: object) -> str:
    return "arguments that its function accepts" if callable(args) else shown_value(args)


def _args_of(value: object, where: str) -> object:
    """Arguments to compare with, or a plain function of arguments."""
    if not isinstance(value, Mapping) and (not callable(value) or iscoroutinefunction(value)):
        refuse(where, "a mapping of arguments or a plain function of them", value)
    return value


def _tool_called_with(name: str, args: Any, match: Match) -> Decide:
    fault = _asked(args, match)
    quoted, wanted = shown(name), _words(args)

    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored:
        calls = run.output.tool_calls
        faults = []
        for call in calls:
            if call.name != name:
                continue
            found = fault(call)
            if found is None:
                return Scored(1.0, f"{quoted} was called with {shown_value(call.args)}.")
            faults.append(found)
        if not faults:
            return Scored(0.0, f"{quoted} was never called. {calls_made(calls)}")
        if len(faults) == 1:
            return Scored(0.0, f"{quoted} was called, and not with {wanted}: {faults[0]}.")
        told = "; ".join(f"call {at}: {found}" for at, found in enumerate(faults[:_FAULTS_SHOWN], 1))
        left = len(faults) - _FAULTS_SHOWN
        more = f"; and {left} more" if left > 0 else ""
        return Scored(0.0, f"{quoted} was called {len(faults)} times, and never with {wanted}: {told}{more}.")

    return decide


def _asked(args: Any, match: str) -> Fault:
    """What finds the fault in a call. Raises ``ConfigurationError`` for arguments that do not go with the match."""
    _args_of(args, "tool_called_with(args=)")
    if match == "predicate":
        if not callable(args):
            refuse("tool_called_with(args=), with match='predicate'", "a function of the arguments", args)
        return lambda call: _readable(call) or _rejected(args, call)
    if not isinstance(args, Mapping):
        raise ConfigurationError(
            f"tool_called_with(args=): a function of the arguments goes with match='predicate', found match={match!r}."
        )

    def fault(call: ExtractedToolCall) -> str | None:
        unreadable = _readable(call)
        if unreadable is not None:
            return unreadable
        parting = difference(args, call.args, partly=match == "subset")
        return None if parting is None else str(parting)

    return fault


def _readable(call: ExtractedToolCall) -> str | None:
    """Why the arguments of a call cannot be read; None where they can."""
    if call.args is None and call.call.raw_args is not None:
        return f"its arguments could not be read: {shown(call.call.raw_args)}"
    if not isinstance(opened(call.args), dict):
        return f"its arguments are no mapping: {shown_value(call.args)}"
    return None


def _rejected(accepts: Callable[[Any], object], call: ExtractedToolCall) -> str | None:
    held = accepts(call.args)
    if iscoroutine(held):
        held.close()
    if not isinstance(held, bool):
        raise TypeError(
            f"tool_called_with(args=): the function must give True or False, it gave {type(held).__name__}: "
            f"{held!r:.80}."
        )
    return None if held else f"{shown_value(call.args)} was not accepted"
