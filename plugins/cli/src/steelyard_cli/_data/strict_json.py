"""JSON as data files need it: no doubled keys, NaN is null, faults without content."""

from __future__ import annotations

import re
from json import JSONDecodeError, JSONDecoder
from math import isinf
from typing import Final

from steelyard_cli._data.places import BadRow, shown

_SPACE: Final = re.compile(r"[ \t\n\r]*")


class BadJson(BadRow):
    """A text that is no JSON; ``position`` is where, from 0."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.position = position

    def __str__(self) -> str:
        return self.reason


class StrictJson:
    """Decodes values one after another out of a text.

    Null stands for NaN, which tables write where nothing is. What would be lost or is no value of JSON (a key that an
    object has twice, infinity) is a fault of its value alone: ``fault`` names the first one in the value that was
    decoded last, and the next one can be decoded.
    """

    def __init__(self) -> None:
        self.fault: str | None = None
        self._decoder = JSONDecoder(
            object_pairs_hook=self._object, parse_constant=self._constant, parse_float=self._float
        )

    def value_at(self, text: str, at: int) -> tuple[object, int]:
        """The value that begins at this place, and the place after it. Raises ``BadJson``."""
        self.fault = None
        try:
            return self._decoder.raw_decode(text, at)
        except JSONDecodeError as error:
            raise BadJson(_reason(error, text), error.pos) from None  # the error holds the whole text
        except RecursionError:
            raise BadJson("it is nested too deeply", at) from None
        except ValueError:  # the one that int() has for thousands of digits
            raise BadJson("it holds a number of too many digits", at) from None

    def only_value(self, text: str) -> object:
        """The value that is all of the text. Raises ``BadJson``; a fault of the value counts as one here."""
        value, end = self.value_at(text, after_space(text, 0))
        end = after_space(text, end)
        if end < len(text):
            raise BadJson(f"no JSON: something follows the value (character {end + 1})", end)
        if self.fault is not None:
            raise BadJson(self.fault, 0)
        return value

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(pairs)
        if len(made) != len(pairs) and self.fault is None:
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            self.fault = f"an object has the key {shown([twice])} twice"
        return made

    def _constant(self, name: str) -> None:
        if name != "NaN":
            self._not_finite()

    def _float(self, digits: str) -> float | None:
        number = float(digits)
        if isinf(number):
            self._not_finite()
        return number

    def _not_finite(self) -> None:
        if self.fault is None:
            self.fault = "it holds a number that is not finite"


def after_space(text: str, at: int) -> int:
    """The place of the first character from there on that is no white space of JSON."""
    space = _SPACE.match(text, at)
    return at if space is None else space.end()


def _reason(error: JSONDecodeError, text: str) -> str:
    if after_space(text, error.pos) >= len(text):
        return "no JSON: it ends before the value does"
    return f"no JSON: {error.msg[:1].lower()}{error.msg[1:].rstrip(': ')} (character {error.colno})"
