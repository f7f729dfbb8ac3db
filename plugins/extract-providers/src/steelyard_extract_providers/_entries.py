"""One message of a chat record, read by itself: who calls what, who answers whom comes later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from attrs import frozen

from steelyard import Part, Usage
from steelyard_extract_providers._arguments import read_arguments
from steelyard_extract_providers._content import read_content
from steelyard_extract_providers._faults import Faults, expected, under, word

ROLES: Mapping[str, Literal["system", "user", "assistant", "tool"]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
"""Roles of chat records, and what they are for us."""

_LARGEST_NUMBER = 10**100
_NAME = ("name", "tool_name")
_REFUSAL = ("refusal",)
_REASONING = ("reasoning_content", "reasoning", "thinking")
"""Where servers keep what the model thought: there is no such field in the original interface."""


@frozen(eq=False)
class Call:
    """A tool call as the model asked for it.

    ``args`` are None and ``raw_args`` their text where that is no JSON object.
    """

    name: str
    id: str | None
    args: Mapping[str, object] | None
    raw_args: str | None
    raw: object


@frozen(eq=False)
class Reply:
    """What is known of a response beside its message; all None for a message that is only known from a history."""

    model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usage: Usage | None = None
    finish_reason: str | None = None
    error: str | None = None
    raw: object = None


UNKNOWN = Reply()


@frozen(eq=False)
class Entry:
    """A message.

    ``result`` is what a tool's message says in full, ``reply`` the response that an assistant's message came in.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: tuple[Part, ...] = ()
    calls: tuple[Call, ...] = ()
    call_id: str | None = None
    name: str | None = None
    result: object = None
    is_error: bool = False
    reasoning: str | None = None
    refusal: str | None = None
    reply: Reply = UNKNOWN
    raw: object = None


def read_entries(messages: object, place: str, faults: Faults, reply: Reply = UNKNOWN) -> list[Entry]:
    """The messages of a list; one that cannot be read is left out and noted.

    ``reply`` is what is known of all their responses.
    """
    if not isinstance(messages, list | tuple):
        faults.note(place or "record", expected("a list of messages", messages))
        return []
    found = [read_entry(message, f"{place}[{at}]", faults, reply) for at, message in enumerate(messages)]
    return [entry for entry in found if entry is not None]


def read_entry(
    message: object, place: str, faults: Faults, reply: Reply = UNKNOWN, role: str | None = None
) -> Entry | None:
    """One message, or None for one that cannot be read, which is noted. ``role`` is that of one that tells none."""
    if not isinstance(message, Mapping):
        faults.note(place, expected("an object with a role", message))
        return None
    said = message.get("role")
    if said is None:
        said = role
    if not isinstance(said, str) or said not in ROLES:
        found = word(said) if isinstance(said, str) else None
        reason = expected(f"one of {', '.join(ROLES)}", said) if found is None else f"there is no role {found}"
        if said is None and isinstance(kind := message.get("type"), str):
            faults.note_foreign(f"{place}.type", f"an entry of type {word(kind)} belongs to another format")
        else:
            faults.note(f"{place}.role", reason)
        return None
    ours = ROLES[said]
    if "parts" in message and "content" not in message:
        faults.note_foreign(f"{place}.parts", "messages with parts in place of content belong to another format")
    content = read_content(message.get("content"), ours, place, faults)
    if ours == "assistant":
        return Entry(
            "assistant",
            content.parts or _spoken(message),
            _calls(message, place, faults),
            reasoning=_first_text(message, _REASONING) or content.reasoning,
            refusal=_first_text(message, _REFUSAL) or content.refusal,
            reply=reply,
            raw=message,
        )
    if ours == "tool":
        return Entry(
            "tool",
            content.parts,
            call_id=read_id(message, "tool_call_id", place, faults),
            name=_first_text(message, _NAME),
            result=content.result,
            is_error=message.get("is_error") is True,
            raw=message,
        )
    return Entry(ours, content.parts, raw=message)


def _spoken(message: Mapping[str, object]) -> tuple[Part, ...]:
    """What an answer in sound says, whose content is null."""
    audio = message.get("audio")
    said = audio.get("transcript") if isinstance(audio, Mapping) else None
    return (said,) if isinstance(said, str) and said else ()


def _first_text(message: Mapping[str, object], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        value = message.get(key)
        if value and isinstance(value, str):
            return value
    return None


def _calls(message: Mapping[str, object], place: str, faults: Faults) -> tuple[Call, ...]:
    calls, legacy = message.get("tool_calls"), message.get("function_call")
    if calls is None and legacy is None:
        return ()
    if isinstance(calls, list | tuple):
        made = [_call(call, f"{place}.tool_calls[{at}]", faults) for at, call in enumerate(calls)]
    else:
        made = []
        if calls is not None:
            faults.note(f"{place}.tool_calls", expected("a list of calls", calls))
    if legacy is not None and not calls:
        if isinstance(legacy, Mapping):
            made.append(_named(legacy, None, legacy, f"{place}.function_call", faults))
        else:
            faults.note(f"{place}.function_call", expected("an object with a name", legacy))
    return tuple([call for call in made if call is not None])


def _call(call: object, place: str, faults: Faults) -> Call | None:
    if not isinstance(call, Mapping):
        faults.note(place, expected("an object with a function", call))
        return None
    id_ = read_id(call, "id", place, faults)
    custom = call.get("custom")
    if custom is not None and isinstance(custom, Mapping):
        name = _name(custom, f"{place}.custom", faults)
        given = custom.get("input")
        return None if name is None else Call(name, id_, {} if given is None else {"input": given}, None, call)
    function = call.get("function")
    if isinstance(function, Mapping):
        return _named(function, id_, call, f"{place}.function", faults)
    if isinstance(function, str):
        faults.note_foreign(f"{place}.function", expected("an object with a name", function))
        return None
    if function is None and "name" in call and "arguments" in call:
        return _named(call, id_, call, place, faults)
    faults.note(f"{place}.function", expected("an object with a name", function))
    return None


def _named(function: Mapping[str, object], id_: str | None, raw: object, place: str, faults: Faults) -> Call | None:
    name = _name(function, place, faults)
    if name is None:
        return None
    args, raw_args = read_arguments(function.get("arguments"))
    return Call(name, id_, args, raw_args, raw)


def _name(function: Mapping[str, object], place: str, faults: Faults) -> str | None:
    name = function.get("name")
    if isinstance(name, str) and name:
        return name
    faults.note(f"{place}.name", "the name of the tool is empty" if name == "" else expected("a name", name))
    return None


def read_id(told: Mapping[str, object], key: str, place: str, faults: Faults) -> str | None:
    """The id at a key, which some servers give as a number; an empty one is none."""
    given = told.get(key)
    if isinstance(given, str):
        return given or None
    if given is None:
        return None
    if isinstance(given, int) and not isinstance(given, bool) and abs(given) < _LARGEST_NUMBER:
        return str(given)
    faults.note(under(place, key), expected("a text", given))
    return None
