"""Leaving out of a run what a scorer should not see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from attrs import evolve

from steelyard._model.conversation import AgentInput, AgentOutput
from steelyard._model.errors import ConfigurationError, UnreadableOutput
from steelyard._model.messages import MediaPart, Message
from steelyard._model.run import ScorerRun


def _prefixes(what: str, value: Iterable[str] | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, str) and isinstance(value, Iterable):
        prefixes = tuple(value)
        if all(isinstance(prefix, str) for prefix in prefixes):
            return prefixes
    raise ConfigurationError(f"filter_run({what}={value!r}): give a list of prefixes.")


def _limit(what: str, value: int | None) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise ConfigurationError(f"filter_run({what}={value!r}): give a whole number of messages, 0 or more.")
    return value


def _kinds(message: Message) -> set[str]:
    """The kinds of what a message holds; a call has three names, since logs call it all of these."""
    kinds = {part.type if isinstance(part, MediaPart) else "text" for part in message.content if part != ""}
    if message.reasoning:
        kinds.add("reasoning")
    for call in message.tool_calls:
        kinds.update((f"tool-{call.name}", "tool-call", "tool-invocation"))
    if message.role == "tool":
        kinds.add("tool-result")
    return kinds


def filter_run(
    *,
    part_types: Iterable[str] | None = None,
    tool_names: Iterable[str] | None = None,
    max_remembered_messages: int | None = None,
    max_output_messages: int | None = None,
    drop_request_context: bool = False,
    drop_expected_trajectory: bool = False,
    drop_ground_truth: bool = False,
) -> Callable[[ScorerRun[Any, Any]], ScorerRun[Any, Any]]:
    """A ``prepare_run`` function that keeps a part of a run.

    ``part_types`` and ``tool_names`` are prefixes. The kinds of a message are ``text``, ``reasoning``, ``image``,
    ``file``, for each call ``tool-<name>``, ``tool-call`` and ``tool-invocation``, and ``tool-result``; a message that
    has none of the wanted kinds is left out, one that is kept stays whole. ``tool_names`` touches only messages with
    tool calls (and the results of calls that it leaves out); with both filters a message must satisfy both. System
    messages always stay. The limits keep the newest messages and apply afterwards. Outputs that are no messages stay as
    they are. Raises ``ConfigurationError`` for a text in place of a list and for limits that are no whole number of 0
    or more.
    """
    kinds, names = _prefixes("part_types", part_types), _prefixes("tool_names", tool_names)
    newest_remembered = _limit("max_remembered_messages", max_remembered_messages)
    newest_output = _limit("max_output_messages", max_output_messages)

    def kept(message: Message, dropped_ids: set[str]) -> bool:
        if message.role == "system":
            return True
        if kinds is not None and not any(kind.startswith(kinds) for kind in _kinds(message)):
            return False
        if names is not None:
            if message.tool_calls and not any(call.name.startswith(names) for call in message.tool_calls):
                dropped_ids.update(call.id for call in message.tool_calls if call.id is not None)
                return False
            if message.role == "tool" and message.tool_call_id in dropped_ids:
                return False
        return True

    def keep(messages: Sequence[Message], newest: int | None) -> tuple[Message, ...]:
        dropped_ids: set[str] = set()
        left = [message for message in messages if kept(message, dropped_ids)]
        if newest is None:
            return tuple(left)
        surplus = sum(message.role != "system" for message in left) - newest
        result = []
        for message in left:
            if message.role != "system" and surplus > 0:
                surplus -= 1
                continue
            result.append(message)
        return tuple(result)

    def prepare(run: ScorerRun[Any, Any]) -> ScorerRun[Any, Any]:
        changes: dict[str, Any] = {}
        if _is_conversation(run.output):
            changes["output"] = AgentOutput(keep(run.output, newest_output))
        try:
            given = run.input
        except UnreadableOutput:
            given = None
        if isinstance(given, AgentInput):
            changes["input"] = evolve(
                given,
                input_messages=keep(given.input_messages, None),
                remembered_messages=keep(given.remembered_messages, newest_remembered),
            )
        if drop_request_context:
            changes["request_context"] = None
        if drop_expected_trajectory:
            changes["expected_trajectory"] = None
        if drop_ground_truth:
            changes["ground_truth"] = None
        return evolve(run, **changes)

    return prepare


def _is_conversation(value: object) -> bool:
    return isinstance(value, AgentOutput) or (
        isinstance(value, list | tuple) and bool(value) and all(isinstance(each, Message) for each in value)
    )
