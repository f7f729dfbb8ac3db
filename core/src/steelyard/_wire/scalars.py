"""Texts, numbers and truth values of records.

Reading is exact. Writing takes what people put into fields in spite of their types: a text is made of whatever is none,
and what is no finite number is written as null, which means unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from operator import index
from typing import Any

from attrs import frozen

from steelyard._wire.faults import expected
from steelyard._wire.foreign import words_for


@frozen
class Scalar:
    """A kind of value that JSON has: what it is called in messages, and how it is written (None: it is none of this
    kind)."""

    words: str
    write: Callable[[Any], Any]


def write_text(value: object) -> str | None:
    """The value as a text; None stays None."""
    if type(value) is str or value is None:
        return value
    return str.__str__(value) if isinstance(value, str) else words_for(value)


def write_number(value: Any) -> float | None:
    """The value as a finite number, or None."""
    if type(value) is float:
        return value if isfinite(value) else None
    if type(value) is int or value is None:
        return value
    from numbers import Real

    try:
        number = float(value) if isinstance(value, Real) else None
    except (ArithmeticError, TypeError, ValueError):
        return None
    return number if number is not None and isfinite(number) else None


def write_whole(value: Any) -> int | None:
    """The value as a whole number, or None."""
    if type(value) is int or value is None:
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    try:
        return index(value)
    except TypeError:
        return None


def write_flag(value: object) -> bool | None:
    """The value as a truth value; None stays None, and stands for what cannot be asked."""
    if isinstance(value, bool) or value is None:
        return value
    try:
        return bool(value)
    except Exception:
        return None


SCALARS: dict[type, Scalar] = {
    str: Scalar("a text", write_text),
    float: Scalar("a number", write_number),
    int: Scalar("a whole number", write_whole),
    bool: Scalar("true or false", write_flag),
}


def read_scalar(kind: type, data: object) -> Any:
    """The data, if it is of this kind; a whole number is also a number. Raises ``Misfit``."""
    if type(data) is kind or (kind is float and type(data) is int):
        if not isinstance(data, float) or isfinite(data):
            return data
        raise expected("a finite number", data)
    raise expected(SCALARS[kind].words, data)


def read_text(data: object) -> str:
    """The data, if it is a text. Raises ``Misfit``."""
    return read_scalar(str, data)  # type: ignore[no-any-return]


def read_number(data: object) -> float:
    """The data, if it is a finite number. Raises ``Misfit``."""
    return read_scalar(float, data)  # type: ignore[no-any-return]
