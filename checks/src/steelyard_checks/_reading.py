"""The JSON value that an output holds: what the text of an answer says as JSON, or a structured output as it is.

A text, messages (and mappings with a role and content, which are messages too) and an ``AgentOutput`` are an agent's
answer: its last assistant message with text. Mappings, lists, numbers, true and false, and objects with fields are
structured. A tuple holds the outputs of several turns, and the last of them is read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from typing import NoReturn

from steelyard import AgentOutput, Message, UnreadableOutput, last_assistant_text
from steelyard_checks._values import below, opened
from steelyard_checks._wording import shown_from, shown_value

_ROLES = ("system", "user", "assistant", "tool", "developer")


class NotJson(ValueError):
    """A text that is no JSON, or a value that JSON cannot hold; its words say why."""


def json_of(output: object) -> object:
    """The JSON value of an output, made of dicts, lists, texts, numbers, bools and None.

    Raises ``NotJson``, and ``UnreadableOutput`` for None and for objects that are no data.
    """
    answer = answer_of(output)
    if not isinstance(answer, str):
        return json_form(answer)
    if not answer.strip():
        raise NotJson("it has no text")
    return parsed(answer)


def answer_of(output: object) -> object:
    """The text of the answer, or the structured output. Raises ``UnreadableOutput``."""
    if isinstance(output, str):
        return output
    if isinstance(output, AgentOutput):
        return output.text
    if _is_messages(output):
        return last_assistant_text(output) or ""
    if type(output) is tuple:
        return answer_of(output[-1]) if output else ""
    if output is None or not isinstance(opened(output), dict | list | str | int | float):
        what = "None" if output is None else f"of type {type(output).__name__}"
        raise UnreadableOutput(f"The output is {what}, which is neither a text, messages nor JSON data.")
    return opened(output)


def _is_messages(output: object) -> bool:
    if isinstance(output, list | tuple):
        return bool(output) and all(_is_message(entry) for entry in output)
    return _is_message(output)


def _is_message(value: object) -> bool:
    if isinstance(value, Mapping):
        return value.get("role") in _ROLES and ("content" in value or "tool_calls" in value)
    return isinstance(value, Message)


def parsed(text: str) -> object:
    """What a text says as JSON (RFC 8259), scalars included. Raises ``NotJson``; NaN and the infinities are none."""
    try:
        return json.loads(text, parse_constant=_no_number, parse_int=_whole)
    except json.JSONDecodeError as error:
        raise NotJson(
            f"{error.msg} at line {error.lineno}, column {error.colno}: {shown_from(text, error.pos)}"
        ) from error


def _no_number(name: str) -> NoReturn:
    raise NotJson(f"{name} is no number of JSON")


def _whole(digits: str) -> int | Decimal:
    try:
        return int(digits)
    except ValueError:  # more digits than Python turns into an int
        return Decimal(digits)


def json_form(value: object, place: str = "") -> object:
    """A copy of the value in the form that JSON has for it. Raises ``NotJson`` with the place of what has none."""
    layer = opened(value)
    if isinstance(layer, dict):
        for key in layer:
            if not isinstance(key, str):
                raise NotJson(f"{_at(place)}the key {shown_value(key)} is no text")
        return {key: json_form(inner, below(place, key)) for key, inner in layer.items()}
    if isinstance(layer, list):
        return [json_form(inner, below(place, number)) for number, inner in enumerate(layer)]
    if isinstance(layer, float) and not isfinite(layer):
        raise NotJson(f"{_at(place)}{layer} is no number of JSON")
    if layer is None or isinstance(layer, str | int | float):
        return layer
    raise NotJson(f"{_at(place)}{type(layer).__name__} is no value of JSON")


def _at(place: str) -> str:
    return f"at {shown_value(place)} " if place else ""


def kind_of(value: object) -> str:
    """What kind of JSON value this is, in words."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else "a number"
