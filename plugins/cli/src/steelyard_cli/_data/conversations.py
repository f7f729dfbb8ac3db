"""Items from recorded conversations, in whatever form an installed extractor reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePath
from typing import Final, Protocol, cast

from attrs import frozen

from steelyard import BrokenPlugin, ConfigurationError, Conversation, EvalItem, Registry, SteelyardError
from steelyard_cli._data.json_rows import json_values
from steelyard_cli._data.jsonl_rows import jsonl_rows
from steelyard_cli._data.places import BadRow, DataFault, Located, Skipped, UnreadableFile
from steelyard_cli._data.readers import FORMAT_OF, MOST_SAID

FORMATS: Final = ("json", "jsonl")
"""The formats that recorded conversations are kept in."""


Placed = tuple[int | None, object]
"""A value and the line on which it begins."""


class Extractor(Protocol):
    """What reads one record: a plugin of the kind ``extractors``.

    It may also have ``split(data)``, which cuts what a file holds (the value of a JSON file, the list of the values of
    a JSONL file) into records. Without it a JSON file is one record, and so is each line of a JSONL file.
    """

    def __call__(self, record: object, /) -> Conversation: ...


def extractor_for(name: str, registry: Registry | None = None) -> Extractor:
    """The installed extractor of that name. Raises ``UnknownPlugin``, ``PluginClash`` and ``BrokenPlugin``."""
    registry = Registry() if registry is None else registry
    extractor = registry.load("extractors", name)
    if not callable(extractor):
        found = f"an object of type {type(extractor).__name__} cannot be called"
        raise BrokenPlugin(registry.find("extractors", name), found, "read records")
    return cast("Extractor", extractor)


def read_conversations(
    path: str | os.PathLike[str], extract: Extractor, *, format: str | None = None, skipped: Skipped | None = None
) -> Iterator[Located]:
    """An item for each recorded conversation of a file, with its place: what the agent was given as input, all from its
    first message as output.

    ``format`` is ``"json"`` or ``"jsonl"``; without it the ending of the file's name says which. A line of JSONL is in
    memory at a time unless the extractor cuts the file into records itself. Raises ``DataFault`` for the first line or
    record that cannot be read; with ``skipped`` such faults are added there and reading goes on. ``UnreadableFile`` is
    raised all the same. ``ConfigurationError`` for another format, at the call.
    """
    name = os.fspath(path)
    if format is None:
        format = FORMAT_OF.get(PurePath(name).suffix.lower().removeprefix("."), "")
    if format not in FORMATS:
        raise ConfigurationError(
            f"{name}: recorded conversations are read from JSON or JSONL. Give format=, one of {', '.join(FORMATS)}."
        )
    return _Reading(name, extract, skipped).items(lines=format == "jsonl")


@frozen
class _Reading:
    path: str
    extract: Extractor
    skipped: Skipped | None

    def items(self, *, lines: bool) -> Iterator[Located]:
        split: Callable[[object], Iterable[object]] | None = getattr(self.extract, "split", None)
        rows: Iterable[tuple[int, object]]
        rows, is_list = (jsonl_rows(self.path), True) if lines else json_values(self.path)
        values = self._sound(rows)
        if split is not None:
            records = self._cut(split, list(values), is_list=is_list)
        else:
            records = values if lines else self._whole(list(values), is_list=is_list)
        for line, record in records:
            try:
                yield self._item(line, record)
            except DataFault as fault:
                self._note(fault)

    def _sound(self, rows: Iterable[tuple[int, object]]) -> Iterator[Placed]:
        for line, value in rows:
            if isinstance(value, BadRow):
                self._note(DataFault(self.path, line, str(value)))
            else:
                yield line, value

    def _whole(self, values: list[Placed], *, is_list: bool) -> Iterator[Placed]:
        """A JSON file that is one record."""
        if values:
            yield (1, [value for _, value in values]) if is_list else values[0]

    def _cut(
        self, split: Callable[[object], Iterable[object]], values: list[Placed], *, is_list: bool
    ) -> Iterator[Placed]:
        """The records that the extractor makes of all values, with the line of the value that each is or begins
        with."""
        if not values:
            return
        [(_, data)] = values if not is_list else [(None, [value for _, value in values])]
        try:
            records = list(split(data))
        except Exception as error:
            raise UnreadableFile(self.path, None, f"it cannot be cut into records: {_told(error)}") from error
        line_of = {id(value): line for line, value in values}
        for record in records:
            line = line_of.get(id(record))
            if line is None and isinstance(record, list | tuple) and record:
                line = line_of.get(id(record[0]))
            yield line, record

    def _item(self, line: int | None, record: object) -> Located:
        try:
            conversation = self.extract(record)
        except Exception as error:
            raise DataFault(self.path, line, f"the record cannot be read: {_told(error)}") from error
        if not isinstance(conversation, Conversation):
            raise UnreadableFile(
                self.path, line, f"its extractor gave a value of type {type(conversation).__name__}, not a Conversation"
            )
        item = EvalItem(
            input=conversation.input,
            output=conversation.output,
            id=conversation.id,
            metadata=conversation.metadata,
        )
        return Located(item=item, path=self.path, line=line, record=conversation)

    def _note(self, fault: DataFault) -> None:
        if self.skipped is None or isinstance(fault, UnreadableFile):
            raise fault
        self.skipped.add(fault)


def _told(error: Exception) -> str:
    """What an extractor says; of errors that it did not raise on purpose the type alone, since their text may hold the
    record."""
    return str(error)[:MOST_SAID] if isinstance(error, SteelyardError) else type(error).__name__
