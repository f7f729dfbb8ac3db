"""Files of data for the tests of the readers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from steelyard import EvalItem, Registry
from steelyard_cli._data.places import DataFault, Located, Skipped
from steelyard_cli._data.readers import csv, json, jsonl, read_items, yaml

READERS = {"csv": csv, "json": json, "jsonl": jsonl, "yaml": yaml}


class Installed(Registry):
    """A registry in which exactly these readers and extractors are installed."""

    def __init__(self, **plugins: object) -> None:
        super().__init__()
        self._plugins = plugins or dict(READERS)

    def names(self, kind: str) -> tuple[str, ...]:
        return tuple(sorted(self._plugins))

    def load(self, kind: str, name: str) -> object:
        return self._plugins[name] if name in self._plugins else super().load("readers", name)


def written(folder: Path, name: str, content: str | bytes) -> str:
    """The path of a new file that holds exactly this; a text in UTF-8."""
    path = folder / name
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return str(path)


def located(path: str, columns: Mapping[str, str] | None = None, skipped: Skipped | None = None) -> list[Located]:
    return list(read_items(path, READERS[path.rpartition(".")[2]], columns=columns, skipped=skipped))


def items(path: str, columns: Mapping[str, str] | None = None, skipped: Skipped | None = None) -> list[EvalItem]:
    return [each.item for each in located(path, columns, skipped)]


def inputs(path: str) -> list[Any]:
    return [item.input for item in items(path)]


def fault(path: str, columns: Mapping[str, str] | None = None) -> DataFault:
    """What is wrong with the file; its message must not hold the word SECRET, which tests put into rows."""
    with pytest.raises(DataFault) as caught:
        located(path, columns)
    assert "SECRET" not in str(caught.value)
    assert str(caught.value).startswith(path)
    return caught.value


def place_and_reason(path: str, columns: Mapping[str, str] | None = None) -> tuple[int | None, str]:
    found = fault(path, columns)
    return found.line, found.reason


def lines(faults: Skipped) -> list[int | None]:
    return [each.line for each in faults]


def named(reason: str) -> list[str]:
    """The names that a reason quotes."""
    return re.findall(r"'([^']*)'", reason)
