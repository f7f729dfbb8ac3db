"""The neutral form of messages in plain lists and dicts, and the pairing of tool results with their calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, cast

from attrs import evolve

from steelyard._model.errors import ConfigurationError
from steelyard._model.messages import CALL_STATES, ROLES, CallState, MediaPart, Message, Part, Role, ToolCall

_TEXT_TYPES = ("text", "input_text", "output_text")


def messages_from_json(data: object) -> tuple[Message, ...]:
    """Messages from their neutral form: a list of ``{"role", "content", "tool_calls"?, "tool_call_id"?, "reasoning"?,
    "is_error"?, ...}``.

    ``Message`` objects may stand in the list. A ``tool`` message answers the nearest earlier call of its id that no
    other answers: the call gets its result (and, with ``is_error``, its error) unless it has one already; the message
    itself stays. Unknown fields are ignored. Raises ``ConfigurationError`` that names the place of whatever cannot be
    read.
    """
    if isinstance(data, str | bytes | Mapping) or not isinstance(data, Iterable):
        raise ConfigurationError(f"Messages must be a list of objects, found {type(data).__name__}.")
    return pair_results(
        [entry if isinstance(entry, Message) else _message(entry, f"[{at}]") for at, entry in enumerate(data)]
    )


def pair_results(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages with the results of ``tool`` messages on the calls that they answer.

    Ids repeat in real logs: a result belongs to the nearest earlier message with a call of that id that no other result
    belongs to, and there to the call of its name, else to the first. A call that has its answer already keeps it, so
    that messages which were paired before stay as they are.
    """
    paired = list(messages)
    open_calls: dict[str, list[tuple[int, int]]] = {}
    for at, message in enumerate(paired):
        if message.role == "assistant":
            for place, call in enumerate(message.tool_calls):
                if call.id is not None:
                    open_calls.setdefault(call.id, []).append((at, place))
        elif message.role == "tool" and message.tool_call_id is not None and open_calls.get(message.tool_call_id):
            asked_at, place = _nearest(open_calls[message.tool_call_id], paired, message.name)
            asking = paired[asked_at]
            call = asking.tool_calls[place]
            if not call.answered:
                calls = list(asking.tool_calls)
                calls[place] = _answered(call, message)
                paired[asked_at] = evolve(asking, tool_calls=calls)
    return tuple(paired)


def _nearest(open_calls: list[tuple[int, int]], messages: Sequence[Message], name: str | None) -> tuple[int, int]:
    """Takes the call that a result belongs to out of the open ones of its id."""
    last_at = open_calls[-1][0]
    near = [(at, place) for at, place in open_calls if at == last_at]
    named = [(at, place) for at, place in near if messages[at].tool_calls[place].name == name]
    found = (named or near)[0]
    open_calls.remove(found)
    return found


def _answered(call: ToolCall, message: Message) -> ToolCall:
    result: object = None
    if message.content:
        texts = [part for part in message.content if isinstance(part, str)]
        result = (
            "\n".join(texts)
            if len(texts) == len(message.content)
            else [_part_to_json(part) for part in message.content]
        )
    error = None
    if message.is_error:
        error = message.text or "the tool reported an error"
    return evolve(call, result=result, error=error, state="result")


def _message(entry: object, place: str) -> Message:
    if not isinstance(entry, Mapping):
        raise ConfigurationError(f"messages{place}: expected an object with a role, found {type(entry).__name__}.")
    role = entry.get("role")
    if role == "developer":
        role = "system"
    if role not in ROLES:
        raise ConfigurationError(f"messages{place}.role: expected one of {', '.join(ROLES)}, found {role!r}.")
    calls = entry.get("tool_calls")
    if calls is None:
        calls = ()
    elif not isinstance(calls, list | tuple):
        raise ConfigurationError(f"messages{place}.tool_calls: expected a list, found {type(calls).__name__}.")
    return Message(
        cast("Role", role),
        _content(entry.get("content"), f"{place}.content"),
        tool_calls=[
            call if isinstance(call, ToolCall) else _call(call, f"{place}.tool_calls[{at}]")
            for at, call in enumerate(calls)
        ],
        tool_call_id=_text(entry, "tool_call_id", place),
        name=_text(entry, "name", place),
        reasoning=_text(entry, "reasoning", place),
        refusal=_text(entry, "refusal", place),
        is_error=_flag(entry, "is_error", place),
        remembered=bool(_flag(entry, "remembered", place)),
        tag=_text(entry, "tag", place),
    )


def _content(content: object, place: str) -> tuple[Part, ...]:
    if content is None:
        return ()
    if isinstance(content, str):
        return (content,)
    if not isinstance(content, list | tuple):
        raise ConfigurationError(
            f"messages{place}: expected a text, null or a list of parts, found {type(content).__name__}."
        )
    return tuple([_part(part, f"{place}[{at}]") for at, part in enumerate(content)])


def _part(part: object, place: str) -> Part:
    if isinstance(part, str | MediaPart):
        return part
    if not isinstance(part, Mapping) or not isinstance(part.get("type"), str):
        raise ConfigurationError(
            f"messages{place}: expected a text or an object with a type, found {type(part).__name__}."
        )
    kind = cast("str", part["type"])
    if kind in _TEXT_TYPES:
        text = part.get("text")
        if not isinstance(text, str):
            raise ConfigurationError(f"messages{place}.text: expected a text, found {type(text).__name__}.")
        return text
    family: Literal["image", "file"] = "image" if "image" in kind else "file"
    return MediaPart(family, {key: value for key, value in part.items() if key != "type" or kind != family})


def _call(call: object, place: str) -> ToolCall:
    if not isinstance(call, Mapping):
        raise ConfigurationError(f"messages{place}: expected an object with a name, found {type(call).__name__}.")
    if "function" in call and "name" not in call:
        raise ConfigurationError(
            f"messages{place}: this is the form of a provider's log, not the neutral one. Read such records "
            "with their extractor first."
        )
    state = call.get("state")
    if state is not None and state not in CALL_STATES:
        raise ConfigurationError(f"messages{place}.state: expected one of {', '.join(CALL_STATES)}, found {state!r}.")
    if state is None and "result" in call and call.get("error") is None:
        state = "result"
    raw = _text(call, "raw_args", place)
    error = call.get("error")
    name = call.get("name")
    if name is not None and not isinstance(name, str):
        raise ConfigurationError(f"messages{place}.name: expected a text, found {type(name).__name__}.")
    return ToolCall(
        name or "",
        call.get("args", None if raw is not None else {}),
        _text(call, "id", place),
        call.get("result"),
        error if error is None or isinstance(error, str) else str(error),
        cast("CallState", state),
        raw,
        bool(_flag(call, "provider_executed", place)),
    )


def _text(entry: Mapping[str, object], key: str, place: str) -> str | None:
    value = entry.get(key)
    if value is None or isinstance(value, str):
        return value
    if key in ("id", "tool_call_id") and isinstance(value, int):
        return str(value)
    raise ConfigurationError(f"messages{place}.{key}: expected a text or null, found {type(value).__name__}.")


def _flag(entry: Mapping[str, object], key: str, place: str) -> bool | None:
    value = entry.get(key)
    if value is None or isinstance(value, bool):
        return value
    raise ConfigurationError(f"messages{place}.{key}: expected true, false or null, found {value!r}.")


def messages_to_json(messages: Iterable[Message]) -> list[dict[str, object]]:
    """The neutral form of messages: plain lists and dicts, fields that say nothing left out.

    ``messages_from_json`` reads back what it has read once, unchanged. Arguments and results stay as they are; what is
    to be kept in a file whatever they hold goes through ``item_to_json`` or ``result_to_json``.
    """
    return [_message_to_json(message) for message in messages]


def _message_to_json(message: Message) -> dict[str, object]:
    data: dict[str, object] = {"role": message.role, "content": _content_to_json(message.content)}
    if message.tool_calls:
        data["tool_calls"] = [_call_to_json(call) for call in message.tool_calls]
    for key in ("tool_call_id", "name", "reasoning", "refusal", "is_error", "tag"):
        value = getattr(message, key)
        if value is not None:
            data[key] = value
    if message.remembered:
        data["remembered"] = True
    return data


def _content_to_json(content: tuple[Part, ...]) -> object:
    if not content:
        return None
    if len(content) == 1 and isinstance(content[0], str):
        return content[0]
    return [_part_to_json(part) for part in content]


def _part_to_json(part: Part) -> object:
    return part if isinstance(part, str) else {"type": part.type, **part.fields}


def _call_to_json(call: ToolCall) -> dict[str, object]:
    data: dict[str, object] = {
        "id": call.id,
        "name": call.name,
        "args": call.args,
        "result": call.result,
        "error": call.error,
        "state": call.state,
    }
    if call.raw_args is not None:
        data["raw_args"] = call.raw_args
    if call.provider_executed:
        data["provider_executed"] = True
    return data
