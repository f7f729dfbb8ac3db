"""JSON data and its text: strict, readable, and always encodable."""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any, NoReturn

from steelyard._wire.faults import WireError

_SURROGATE = re.compile("[\ud800-\udfff]")


def escaped(text: str) -> str:
    """JSON text in which lone surrogates, which no encoding can carry, stand as escapes."""
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def dumps(data: object, *, indent: int | None = None) -> str:
    """JSON data as text that any strict reader takes and that always encodes to UTF-8.

    Characters stay readable; a lone surrogate (half a character, as cut texts have) is written as ``\\udXXX``. Two
    halves that stand side by side come back as the character that they make. Raises ``WireError`` for NaN and the
    infinities, for what has no JSON form, and for data nested too deeply.
    """
    try:
        return escaped(json.dumps(data, ensure_ascii=False, allow_nan=False, indent=indent))
    except (TypeError, ValueError, RecursionError) as error:
        raise WireError("JSON", _said(error)) from error


def loads(text: str) -> Any:
    """The JSON data of a text.

    Raises ``WireError`` for what is no JSON; NaN, the infinities and numbers too large for a float are none.
    """
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except (TypeError, ValueError, RecursionError) as error:
        raise WireError("JSON", _said(error)) from error


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError(f"{digits[:40]} is too large for a number")
    return number


def _said(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
