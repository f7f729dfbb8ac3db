"""Where an item stands in its file, and what is wrong with a file at which line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import define, field, frozen

from steelyard import ConfigurationError, Conversation, EvalItem

MOST_KEPT: Final = 20
"""How many faults are kept of those that were passed over."""


@frozen(kw_only=True)
class Located:
    """An item with the file that it came from and the physical line, from 1, on which it begins (None: its format tells
    no lines).

    ``record`` is the recorded conversation that it was made of, for what an item has no field for: trajectory and
    usage.
    """

    item: EvalItem
    path: str
    line: int | None = None
    record: Conversation | None = None

    @property
    def place(self) -> str:
        """The place for messages: ``data.jsonl:7``, or the file alone."""
        return place(self.path, self.line)


class DataFault(ConfigurationError):
    """One row of a data file that cannot be an item. The next one may be sound.

    ``line`` is its physical line, from 1, None where there is none to name. ``reason`` never holds what the row holds,
    only names of fields and kinds of values.
    """

    def __init__(self, path: str, line: int | None, reason: str) -> None:
        super().__init__(path, line, reason)
        self.path = path
        self.line = line
        self.reason = reason

    def __str__(self) -> str:
        return f"{place(self.path, self.line)}: {self.reason}"


class UnreadableFile(DataFault):
    """A file that cannot be read, or not beyond this line; no fault of one row that could be passed over."""


class BadRow(ValueError):
    """Why a row cannot be an item, without its place and without its content."""


class UnknownFields(BadRow):
    """A row with names that are no fields of an item."""


@define
class Skipped:
    """The bad rows that were passed over: ``count`` of them, and the ``first`` twenty."""

    count: int = 0
    first: list[DataFault] = field(factory=list)

    def add(self, fault: DataFault) -> None:
        self.count += 1
        if len(self.first) < MOST_KEPT:
            self.first.append(fault)

    def __iter__(self) -> Iterator[DataFault]:
        return iter(self.first)


def place(path: str, line: int | None) -> str:
    return path if line is None else f"{path}:{line}"


def kind_of(value: object) -> str:
    """What a value is, in the words of data files."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case str():
            return "a text"
        case int() | float():
            return "a number"
        case list() | tuple():
            return "a list"
        case dict():
            return "an object"
        case _:
            return f"a value of type {type(value).__name__}"


def shown(names: object, most: int = 8) -> str:
    """Names of fields, quoted, overlong ones cut: the first few and how many more there are."""
    listed = [str(name) for name in names] if isinstance(names, list | tuple | set | dict) else [str(names)]
    more = len(listed) - most
    said = ", ".join(repr(name if len(name) <= 60 else f"{name[:60]}...") for name in listed[:most])
    return said + (f" and {more} more" if more > 0 else "")
