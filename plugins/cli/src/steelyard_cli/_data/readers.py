"""Readers of data files: ours, which tell lines, and those of others, by the name of the format."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Final, Protocol, cast

from attrs import frozen

from steelyard import BrokenPlugin, ConfigurationError, EvalItem, Registry, SteelyardError
from steelyard_cli._data.columns import Columns
from steelyard_cli._data.csv_rows import csv_rows
from steelyard_cli._data.json_rows import json_rows
from steelyard_cli._data.jsonl_rows import jsonl_rows
from steelyard_cli._data.places import BadRow, DataFault, Located, Skipped, UnreadableFile
from steelyard_cli._data.row_items import item_of

FORMAT_OF: Final = {
    "csv": "csv",
    "json": "json",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "tsv": "csv",
    "yaml": "yaml",
    "yml": "yaml",
}
"""The format that the ending of a file's name says."""

MOST_SAID: Final = 200
"""Characters of the message of a reader's own error that are passed on."""

Rows = Iterable[tuple[int | None, object]]


class Reader(Protocol):
    """What reads one format: a plugin of the kind ``readers``.

    It may also have ``rows(path)``, which gives each row's physical line (from 1, None: unknown) and its raw value, or
    in place of the value the exception that says what is wrong with that row: then columns can be mapped, faults have
    lines, and bad rows can be passed over. ``cells = True`` says that every value of a row is a text, as in CSV.
    """

    def __call__(self, path: str, /) -> Iterable[EvalItem]: ...


@frozen
class RowReader:
    """A reader whose format has rows. Called with a path it gives the items, and raises ``DataFault`` at the first bad
    row."""

    rows: Callable[[str], Rows]
    cells: bool = False

    def __call__(self, path: str | os.PathLike[str], /) -> Iterator[EvalItem]:
        return (located.item for located in read_items(path, self))


def _yaml_rows(path: str) -> Rows:
    from steelyard_cli._data.yaml_rows import yaml_rows  # its parser takes longer to load than most files to read

    return yaml_rows(path)


csv: Final = RowReader(csv_rows, cells=True)
json: Final = RowReader(json_rows)
jsonl: Final = RowReader(jsonl_rows)
yaml: Final = RowReader(_yaml_rows)


def reader_for(path: str | os.PathLike[str], format: str | None = None, registry: Registry | None = None) -> Reader:
    """The installed reader of a format; without one, of the format that the ending of the file's name says.

    Raises ``ConfigurationError`` where the name does not tell, ``UnknownPlugin``, ``PluginClash`` and ``BrokenPlugin``.
    """
    registry = Registry() if registry is None else registry
    if format is None:
        ending = PurePath(path).suffix.lower().removeprefix(".")
        format = FORMAT_OF.get(ending, ending)
        if format not in registry.names("readers"):
            installed = ", ".join(registry.names("readers")) or "none"
            raise ConfigurationError(
                f"The name of {os.fspath(path)} does not tell its format. Give format=; installed are {installed}."
            )
    reader = registry.load("readers", format)
    if not callable(reader):
        found = f"an object of type {type(reader).__name__} cannot be called"
        raise BrokenPlugin(registry.find("readers", format), found, "read data")
    return cast("Reader", reader)  # what it gives is checked where it is read


def read_items(
    path: str | os.PathLike[str],
    reader: Reader,
    *,
    columns: Mapping[str, str] | None = None,
    skipped: Skipped | None = None,
) -> Iterator[Located]:
    """The items of a file with their places, one at a time, in the order of the file. A file may hold none.

    ``columns`` says which column is which field, see ``Columns``. Raises ``DataFault`` at the first bad row; with
    ``skipped`` such faults are added there and reading goes on. ``UnreadableFile`` is raised all the same, also for
    whatever else the reader raises. Columns that cannot be mapped are a ``ConfigurationError`` at the call.
    """
    mapped = Columns.of(columns)
    name = os.fspath(path)
    rows: Callable[[str], Rows] | None = getattr(reader, "rows", None)
    if rows is None and mapped.sources:
        raise ConfigurationError(f"{name}: its reader gives finished items, so columns cannot be mapped.")
    cells = bool(getattr(reader, "cells", False))
    return _located(name, _contained(name, reader if rows is None else rows), mapped, skipped, cells=cells)


def _located(
    path: str, given: Iterable[object], columns: Columns, skipped: Skipped | None, *, cells: bool
) -> Iterator[Located]:
    for each in given:
        line, row = each if isinstance(each, tuple) else (None, each)
        if isinstance(row, EvalItem):
            yield Located(item=row, path=path, line=line)
            continue
        try:
            if isinstance(row, Exception):
                raise BadRow(str(row) or type(row).__name__)
            item = item_of(row, columns, cells=cells)
        except BadRow as error:
            fault = DataFault(path, line, str(error))
            if skipped is None:
                raise fault from None
            skipped.add(fault)
        else:
            yield Located(item=item, path=path, line=line)


def _contained(path: str, read: Callable[[str], Iterable[object]]) -> Iterator[object]:
    """What a reader gives; what it raises comes as an error of the file."""
    try:
        yield from read(path)
    except SteelyardError:
        raise
    except Exception as error:
        said = str(error)[:MOST_SAID]
        raise UnreadableFile(path, None, f"its reader failed: {type(error).__name__}{said and f': {said}'}") from error
