"""The shapes in which people keep chat records, told apart by a look at the outside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from itertools import islice

from steelyard_extract_providers._arguments import parsed
from steelyard_extract_providers._entries import ROLES

_LOOKED_AT = 50
_SENT = ("messages", "choices", "body", "error")


class Shape(Enum):
    """What one record, or one entry of a list, is."""

    MESSAGE = "a message"
    MESSAGES = "a list of messages"
    CONVERSATION = "an object with messages"
    PAIR = "a request with its response"
    RESPONSE = "a response"
    CHUNK = "a chunk of a response"


def shape_of(value: object) -> Shape | None:
    """The shape of a record; None for what is no chat record. Looks no deeper than it must."""
    if isinstance(value, list | tuple):
        return Shape.MESSAGES if any(shape_of_object(entry) is Shape.MESSAGE for entry in value) else None
    return shape_of_object(value)


def shape_of_object(value: object) -> Shape | None:
    """The shape of a record that is no list."""
    if not isinstance(value, Mapping):
        return None
    kind = value.get("object")
    if kind == "chat.completion.chunk":
        return Shape.CHUNK
    if kind == "chat.completion":
        return Shape.RESPONSE
    role = value.get("role")
    if isinstance(role, str) and role in ROLES:
        return Shape.MESSAGE
    if ("response" in value or "request" in value) and _is_pair(value):
        return Shape.PAIR
    if isinstance(value.get("messages"), list | tuple):
        return Shape.PAIR if _first_choice(value) is not None else Shape.CONVERSATION
    choice = _first_choice(value)
    if choice is None:
        return None
    return Shape.RESPONSE if "message" in choice else Shape.CHUNK if "delta" in choice else None


def request_of(pair: Mapping[str, object]) -> object:
    """The request of a pair: the messages with what was sent beside them.

    A record may hold it open, beside its response.
    """
    return opened(pair["request"]) if pair.get("request") is not None else pair if "messages" in pair else None


def response_of(pair: Mapping[str, object]) -> object:
    """The response of a pair: an object, a message, a text, a list of chunks, or None. An error may stand beside it."""
    if "response" not in pair and "choices" in pair:
        return pair
    response = opened(pair.get("response"))
    error = pair.get("error")
    return {"error": error} if not response and error else response


def opened(value: object) -> object:
    """What was sent, without the envelope that it was kept in: a JSON text, or an object with a body."""
    for _ in range(2):
        if isinstance(value, str):
            inside = parsed(value)
            is_sent = isinstance(inside, Mapping) and any(key in inside for key in _SENT)
            value = inside if is_sent or shape_of(inside) is not None else value
        if not isinstance(value, Mapping) or "messages" in value or "choices" in value or value.get("body") is None:
            break
        value = value["body"]
    return value


def messages_of(request: object) -> object:
    """The messages of a request, which may be nothing but their list."""
    return request.get("messages") if isinstance(request, Mapping) else request


def is_foreign(messages: Iterable[object]) -> bool:
    """Whether a list that looks like one of messages is of another format, by its entries that tell so."""
    looked_at = [entry for entry in islice(messages, _LOOKED_AT) if isinstance(entry, Mapping)]
    return any(_is_foreign(entry) for entry in looked_at)


def _is_foreign(entry: Mapping[str, object]) -> bool:
    role, kind, content = entry.get("role"), entry.get("type"), entry.get("content")
    if isinstance(kind, str) or "parts" in entry or (isinstance(role, str) and role not in ROLES):
        return True
    if isinstance(content, Mapping) and role != "tool":
        return True
    calls = entry.get("tool_calls")
    if isinstance(calls, list | tuple) and any(isinstance(call, Mapping) and _calls_otherwise(call) for call in calls):
        return True
    parts = content if isinstance(content, list | tuple) else ()
    return role != "tool" and any(isinstance(part, Mapping) and _is_foreign_part(part) for part in parts)


def _calls_otherwise(call: Mapping[str, object]) -> bool:
    return isinstance(call.get("function"), str) or "args" in call


def _is_foreign_part(part: Mapping[str, object]) -> bool:
    kind = part.get("type")
    return kind is None or kind in (
        "tool_use",
        "tool_result",
        "tool-call",
        "tool-result",
        "thinking",
        "redacted_thinking",
    )


def _is_pair(value: Mapping[str, object]) -> bool:
    """Whether one side is of a chat and the other is not of something else."""
    asked = messages_of(request_of(value))
    response = response_of(value)
    answered = _is_response(response)
    if isinstance(response, Mapping) and not answered and ("content" in response or "output" in response):
        return False
    has_messages = isinstance(asked, list | tuple) and (not asked or shape_of(asked) is Shape.MESSAGES)
    return answered or has_messages


def _is_response(value: object) -> bool:
    if isinstance(value, list | tuple):
        return any(shape_of_object(entry) is Shape.CHUNK for entry in islice(value, _LOOKED_AT))
    if not isinstance(value, Mapping):
        return False
    if "choices" in value or value.get("object") == "chat.completion":
        return True
    return shape_of_object(value) is Shape.MESSAGE and "type" not in value


def _first_choice(value: Mapping[str, object]) -> Mapping[str, object] | None:
    choices = value.get("choices")
    if not isinstance(choices, list | tuple):
        return None
    return next((choice for choice in choices if isinstance(choice, Mapping)), None)
