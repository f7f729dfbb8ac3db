"""What could not be read of a record: each place with its reason, so that damage costs its own place only."""

from __future__ import annotations

from collections.abc import Mapping

_LONGEST_WORD = 40


class Faults:
    """The faults of one record, in the order in which they were met.

    Reasons name kinds of values, never the values themselves.
    """

    def __init__(self) -> None:
        self._noted: list[dict[str, str]] = []
        self.foreign: str | None = None

    def note(self, place: str, reason: str) -> None:
        """Keep one fault; ``place`` leads from the record to the value, as in ``messages[3].content``."""
        self._noted.append({"place": place, "reason": reason})

    def note_foreign(self, place: str, reason: str) -> None:
        """Keep one fault that tells of another format; with such a fault and no call a record is not of ours."""
        self.note(place, reason)
        self.foreign = self.foreign or f"{place}: {reason}"

    @property
    def first(self) -> str | None:
        """Place and reason of the first fault in words; None without any."""
        return f"{self._noted[0]['place']}: {self._noted[0]['reason']}" if self._noted else None

    def as_metadata(self) -> dict[str, list[dict[str, str]]]:
        """The faults as an entry of a conversation's metadata; empty without any."""
        return {"faults": list(self._noted)} if self._noted else {}


def expected(what: str, found: object) -> str:
    """The reason for a value that should have been ``what``."""
    return f"expected {what}, found {kind_of(found)}"


def kind_of(value: object) -> str:
    """What kind of value JSON calls this."""
    if value is None:
        return "null or nothing"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, Mapping):
        return "an object"
    return "a list" if isinstance(value, list | tuple) else f"a {type(value).__name__}"


def word(text: str) -> str:
    """A name from a record, quoted, escaped and cut for a message."""
    return ascii(text if len(text) <= _LONGEST_WORD else f"{text[:_LONGEST_WORD]}...")


def under(place: str, key: str) -> str:
    """The place of a key inside another place; ``""`` is the record itself."""
    return f"{place}.{key}" if place else key
