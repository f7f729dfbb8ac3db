"""Rows of JSON Lines: one object on each line."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard_cli._data.opening import BOM, lines_of, not_utf8
from steelyard_cli._data.places import BadRow
from steelyard_cli._data.strict_json import BadJson, StrictJson


def jsonl_rows(path: str) -> Iterator[tuple[int, object]]:
    """Each line's number and value, or the exception that says what is wrong with the line. Lines of white space are
    passed over.

    One line is in memory at a time.
    """
    json = StrictJson()
    begun = False
    for number, line in lines_of(path):
        try:
            text = line.decode("utf-8").removeprefix(BOM)  # files that were put together have marks in between
        except UnicodeDecodeError as error:
            begun = True
            yield number, BadRow(not_utf8(error.start))
            continue
        if not text or text.isspace():
            continue
        value: object
        try:
            value = json.only_value(text)
        except BadJson as error:
            value = error if begun else BadJson(f"{error}{_hint(text)}", error.position)
        begun = True
        yield number, value


def _hint(first: str) -> str:
    """What the first line of a file that is no JSONL looks like."""
    if first.lstrip().startswith("["):
        return '. A list over several lines is the format "json"'
    if first.strip() == "{":
        return '. Each object stands on a line of its own; a list of objects over several lines is the format "json"'
    return ""
