"""Rows of a JSON file: a list of objects, an object around such a list, or one object."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from steelyard_cli._data.documents import LISTS, list_within
from steelyard_cli._data.opening import text_of
from steelyard_cli._data.places import BadRow, UnreadableFile, kind_of
from steelyard_cli._data.strict_json import BadJson, StrictJson, after_space

Row = tuple[int, object]


def json_rows(path: str) -> Iterator[Row]:
    """The line on which each element begins, and its value, or the exception that says what is wrong with that element.

    The text of the file is in memory, its values are made one by one. Raises ``UnreadableFile`` where the text is no
    JSON, and where the list of items cannot be told.
    """
    document = _Document(path, text_of(path))
    try:
        yield from document.rows()
    except BadJson as error:
        raise UnreadableFile(path, document.line_of(error.position), str(error)) from None


def json_values(path: str) -> tuple[list[Row], bool]:
    """What a JSON file holds, whatever it is: the elements of its list as ``json_rows`` gives them, and True; else its
    one value, and False.

    A file of white space alone holds an empty list. Raises ``UnreadableFile`` where the text is no JSON.
    """
    document = _Document(path, text_of(path))
    try:
        return document.values()
    except BadJson as error:
        raise UnreadableFile(path, document.line_of(error.position), str(error)) from None


class _Document:
    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._text = text
        self._json = StrictJson()
        self._counted = (0, 1)  # up to which place lines were counted, and the line there

    def line_of(self, at: int) -> int:
        before, line = self._counted
        if at < before:
            before, line = 0, 1
        line += self._text.count("\n", before, at)
        self._counted = (at, line)
        return line

    def rows(self) -> Iterator[Row]:
        text = self._text
        at = after_space(text, 0)
        if at == len(text):
            return
        if text[at] == "[":
            end = yield from self._elements(at)
        elif text[at] == "{":
            rows, end = self._object(at)
            yield from rows
        else:
            value, end = self._json.value_at(text, at)
            raise BadJson(f"expected a list of objects, found {kind_of(value)}", at)
        self._ended(end)

    def values(self) -> tuple[list[Row], bool]:
        """The elements of the list that the text is, and True; or the value that it is, and False."""
        at = after_space(self._text, 0)
        rows: list[Row] = []
        if at == len(self._text):
            return rows, True
        is_list = self._text[at] == "["
        if is_list:
            _, end = self._list(at, rows)
        else:
            value, end = self._json.value_at(self._text, at)
            rows.append((self.line_of(at), value if self._json.fault is None else BadRow(self._json.fault)))
        self._ended(end)
        return rows, is_list

    def _ended(self, at: int) -> None:
        at = after_space(self._text, at)
        if at < len(self._text):
            hint = 'Where each line holds one object, the format is "jsonl"' if self._text[at] == "{" else ""
            raise BadJson(f"something follows the first value of the file. {hint}".rstrip(" ."), at)

    def _elements(self, at: int) -> Generator[Row, None, int]:
        """The elements of the list that begins here; returns the place after it."""
        text = self._text
        at = after_space(text, at + 1)
        if text.startswith("]", at):
            return at + 1
        while True:
            value, end = self._json.value_at(text, at)
            yield self.line_of(at), value if self._json.fault is None else BadRow(self._json.fault)
            at = after_space(text, end)
            if text.startswith("]", at):
                return at + 1
            at = after_space(text, self._past(",", at))

    def _object(self, at: int) -> tuple[list[Row], int]:
        """The rows of the object that begins here and the place after it: those of the list in it, or itself as one."""
        text, start = self._text, at
        members: dict[str, object] = {}
        lists: dict[str, list[Row]] = {}
        fault: str | None = None
        at = after_space(text, at + 1)
        closed = text.startswith("}", at)
        while not closed:
            if not text.startswith('"', at):
                raise BadJson("no JSON: expected a key in double quotes", at)
            key, at = self._json.value_at(text, at)
            at = after_space(text, self._past(":", after_space(text, at)))
            if key in members:
                raise BadJson("the file's object has one key twice", at)
            if key in LISTS and text.startswith("[", at):
                members[str(key)], at = self._list(at, lists.setdefault(str(key), []))
            else:
                members[str(key)], at = self._json.value_at(text, at)
                fault = fault or self._json.fault
            at = after_space(text, at)
            closed = text.startswith("}", at)
            if not closed:
                at = after_space(text, self._past(",", at))
        try:
            name = list_within(members, lists)
        except BadRow as error:
            raise BadJson(str(error), start) from None
        if name is not None:
            return lists[name], at + 1
        faulty = [row for rows in lists.values() for _, row in rows if isinstance(row, BadRow)]
        row: object = BadRow(fault) if fault else faulty[0] if faulty else members
        return [(self.line_of(start), row)], at + 1

    def _list(self, at: int, rows: list[Row]) -> tuple[list[object], int]:
        elements = self._elements(at)
        while True:
            try:
                rows.append(next(elements))
            except StopIteration as done:
                end: int = done.value
                return [value for _, value in rows], end

    def _past(self, character: str, at: int) -> int:
        if self._text.startswith(character, at):
            return at + 1
        if at >= len(self._text):
            raise BadJson("no JSON: it ends before the value does", at)
        raise BadJson(f"no JSON: expected {character!r}", at)
