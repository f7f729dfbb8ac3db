"""The reference of evaluation files as a page: the text beside this module, with tables of the keys that there are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from steelyard_cli._file.entries import COMMON, OF_GATES, OF_SCORERS
from steelyard_cli._file.judges import JudgeKeys
from steelyard_cli._file.model import DataKeys, EvaluationFile, OutputKeys
from steelyard_cli._file.schema import ITEM_FIELDS
from steelyard_cli._file.shapes import Shape, keys_of

_MARK = re.compile(r"<!-- keys of (?P<name>\w+) -->")


def page() -> str:
    """The whole page."""
    rows: dict[str, Iterable[tuple[str, ...]]] = {
        kind.__name__: _of_class(kind) for kind in (EvaluationFile, DataKeys, JudgeKeys, OutputKeys)
    }
    rows["gates"] = _of_mapping(OF_GATES)
    rows["scorers"] = _of_mapping({name: each for name, each in OF_SCORERS.items() if name not in COMMON})
    rows["items"] = ((name, about) for name, (_, about) in ITEM_FIELDS.items())
    text = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
    return _MARK.sub(lambda mark: _table(list(rows[mark["name"]])), text)


def _of_class(kind: type) -> Iterator[tuple[str, ...]]:
    for each in keys_of(kind):
        yield each.name, each.shape.words, each.about + (" (must be there)" if each.required else "")


def _of_mapping(keys: Mapping[str, tuple[Shape, str]]) -> Iterator[tuple[str, ...]]:
    for name, (shape, about) in keys.items():
        yield name, shape.words, about


def _table(rows: list[tuple[str, ...]]) -> str:
    head = ["key", "value", "what for"] if len(rows[0]) == 3 else ["key", "what for"]
    lines = [head, ["---"] * len(head), *([f"`{name}`", *map(_cell, cells)] for name, *cells in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
