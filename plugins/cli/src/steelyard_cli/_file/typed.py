"""``KEY=VALUE`` of the command line, with values that are more than texts."""

from __future__ import annotations

import json

from steelyard import ConfigurationError


def key_value(text: str) -> tuple[str, object]:
    """The key, and the value with its type: what stands behind the first equals sign is read as JSON, and is a text
    where it is no JSON.

    ``-1`` and ``1e-3`` are numbers, ``true``, ``null``, ``[1, 2]`` and ``{"a": 1}`` what JSON takes them for, ``"123"``
    with its quotes is a text, and so are ``None``, ``a=b`` and ``NaN``. Raises ``ConfigurationError`` where there is no
    equals sign or no key.
    """
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise ConfigurationError("expected KEY=VALUE.")
    try:
        return key.strip(), json.loads(value, parse_constant=_refused)
    except (ValueError, RecursionError):
        return key.strip(), value


def _refused(name: str) -> object:
    raise ValueError(name)
