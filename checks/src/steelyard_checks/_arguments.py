"""What the arguments of checks may be.

Each function gives the value, or raises ``ConfigurationError`` with where it stood and what was wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from numbers import Real
from typing import NoReturn

from steelyard import ConfigurationError


def any_text(value: object, where: str) -> str:
    """A text, empty or not."""
    if not isinstance(value, str):
        refuse(where, "a text", value)
    return value


def text_to_find(value: object, where: str) -> str:
    """A text that is not empty."""
    if any_text(value, where) == "":
        raise ConfigurationError(
            f"{where}: the text is empty, and every answer contains that. Name the text to look for."
        )
    return str(value)


def texts(value: object, where: str) -> tuple[str, ...]:
    """A list of texts, in order; it may be empty."""
    if not isinstance(value, list | tuple):
        refuse(where, "a list of texts", value)
    for entry in value:
        if not isinstance(entry, str):
            refuse(where, "a list of texts", entry)
    return tuple(value)


def texts_to_find(value: object, where: str) -> tuple[str, ...]:
    """A list of texts, none of which is empty; at least one."""
    found = texts(value, where)
    if not found:
        raise ConfigurationError(f"{where}: the list is empty, so there is nothing to look for. Leave the check out.")
    return tuple([text_to_find(text, where) for text in found])


def one_of(known: Sequence[str], value: object, where: str) -> str:
    """One of the known words."""
    if not isinstance(value, str) or value not in known:
        raise ConfigurationError(f"{where}: use one of {', '.join(map(repr, known))}, found {value!r:.80}.")
    return value


def whole_number_from(least: int, value: object, where: str) -> int:
    """A whole number that is no less than ``least``; a bool is none."""
    if isinstance(value, bool) or not isinstance(value, int):
        refuse(where, "a whole number", value)
    if value < least:
        raise ConfigurationError(f"{where}: must be at least {least}, found {value}.")
    return value


def one_or_more(value: object, where: str) -> int:
    """A whole number from 1."""
    return whole_number_from(1, value, where)


def none_or_more(value: object, where: str) -> int:
    """A whole number from 0."""
    return whole_number_from(0, value, where)


def share(value: object, where: str) -> float | None:
    """A number from 0 to 1, or None for none given; a bool is no number."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Real):
        refuse(where, "a number from 0 to 1", value)
    number = float(value)
    if not 0.0 <= number <= 1.0:
        raise ConfigurationError(f"{where}: must lie between 0 and 1, found {value}.")
    return number


def seconds(value: object, where: str) -> float:
    """A finite number of seconds above 0."""
    return _above_zero("seconds", value, where)


def dollars(value: object, where: str) -> float:
    """A finite number of dollars above 0."""
    return _above_zero("dollars", value, where)


def _above_zero(unit: str, value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        refuse(where, f"a number of {unit}", value)
    limit = float(value)
    if not (isfinite(limit) and limit > 0):
        raise ConfigurationError(f"{where}: must be a finite number of {unit} above 0, found {value}.")
    return limit


def true_or_false(value: object, where: str) -> bool:
    """A bool and nothing that merely counts as one."""
    if not isinstance(value, bool):
        refuse(where, "True or False", value)
    return value


def refuse(where: str, wanted: str, found: object) -> NoReturn:
    """Raises the ``ConfigurationError`` for a value of another type than was wanted."""
    raise ConfigurationError(f"{where}: expected {wanted}, found {type(found).__name__}: {found!r:.80}.")
