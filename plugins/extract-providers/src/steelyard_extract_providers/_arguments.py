"""Arguments of tool calls, which are kept as text that may not be JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NoReturn


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
_NONE_AND_QUOTES = re.compile(r'\s*\{\s*\}\s*(?:""\s*)+')
"""No arguments at all, followed by the empty texts that some servers send after them."""


def read_arguments(given: object) -> tuple[Mapping[str, object] | None, str | None]:
    """The arguments and, where they are no JSON object, None and their text.

    Empty text and null are no arguments. Text is parsed; what is structured already stays as it is.
    """
    if isinstance(given, str):
        if not given or given.isspace():
            return {}, None
        value = parsed(given)
        if isinstance(value, dict):
            return value, None
        return ({}, None) if _NONE_AND_QUOTES.fullmatch(given) else (None, given)
    if given is None:
        return {}, None
    if isinstance(given, Mapping):
        return given, None
    return None, as_text(given)


def parsed(text: str) -> object:
    """The value of a JSON text; None for a text that is none, or that is nested too deeply to be read."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def as_text(value: object) -> str | None:
    """A structured value as JSON text; None for one that has no such form."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return None
