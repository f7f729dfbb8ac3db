"""Rows of a CSV file (RFC 4180): a header, and texts that stay texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from steelyard_cli._data.opening import lines_of, not_utf8
from steelyard_cli._data.places import BadRow, UnreadableFile, shown

_QUOTED: Final = re.compile(r'"[^"]*"')
_SEPARATORS: Final = (",", ";", "\t")


def csv_rows(path: str) -> Iterator[tuple[int, object]]:
    """The line on which each row begins, and its cells by column, or the exception that says what is wrong with that
    row.

    Cells are separated by what separates the columns of the header: commas, else semicolons (as spreadsheets write them
    where the comma is the decimal sign), else tabs. A cell without text is None. Blank lines and rows of nothing but
    empty cells are passed over. One row is in memory at a time. Raises ``UnreadableFile`` for a header that cannot be
    one, and for a quoted cell that is never closed, since nothing tells where the next row would begin.
    """
    header: list[str] | None = None
    records = _Records(path)
    for line, cells in records:
        if header is None:
            header = _header(path, line, cells)
        elif isinstance(cells, BadRow):
            yield line, cells
        elif any(cells):
            yield line, _row(header, cells, records.separator)


def _header(path: str, line: int, cells: list[str] | BadRow) -> list[str]:
    if isinstance(cells, BadRow):
        raise UnreadableFile(path, line, f"the header: {cells}")
    names = [cell.strip() for cell in cells]
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise UnreadableFile(path, line, f"the header has columns of one name: {shown(twice)}")
    if not any(names):
        raise UnreadableFile(path, line, "the first line must hold the names of the columns")
    return names


class CsvRow(dict[str, str | None]):
    """The cells of a row by column, and the character that told them apart."""

    separator = ","


def _row(header: Sequence[str], cells: Sequence[str], separator: str) -> object:
    if len(cells) != len(header):
        return BadRow(f"the row has {_cells(len(cells))} and the header {_cells(len(header))}")
    row = CsvRow()
    row.separator = separator
    for at, (name, cell) in enumerate(zip(header, cells, strict=True), start=1):
        if name:
            row[name] = cell or None
        elif cell:
            return BadRow(
                f"cell {at} stands in a column without a name. "
                "Name it in the header or leave it out (pandas: index=False)"
            )
    return row


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"


class _Records:
    """The cells of each record with the line on which it begins; for one that cannot be read the line and what is wrong
    there.

    After such a record reading goes on with the next physical line.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._lines = lines_of(path)
        self._line = 0
        self.separator = ""
        self._no_text: tuple[int, BadRow] | None = None

    def __iter__(self) -> Iterator[tuple[int, list[str] | BadRow]]:
        while True:
            self._no_text = None
            text = self._next()
            if text is None:
                return
            if text.isspace():
                continue
            self.separator = self.separator or _separator(text)
            begun = self._line
            if '"' not in text:
                cells = text[: _end(text)].split(self.separator)
            else:
                try:
                    cells = self._quoted(text, begun)
                except BadRow as fault:
                    yield self._no_text or (self._line, fault)
                    continue
            yield self._no_text or (begun, cells)

    def _next(self) -> str | None:
        """The next physical line. The first one of a record that is no UTF-8 is noted, and the record read to its
        end."""
        self._line, line = next(self._lines, (self._line, b""))
        try:
            return line.decode("utf-8") if line else None
        except UnicodeDecodeError as error:
            self._no_text = self._no_text or (self._line, BadRow(not_utf8(error.start)))
            return line.decode("utf-8", "replace")

    def _quoted(self, text: str, begun: int) -> list[str]:
        """The cells of a record that begins with this line; further lines are taken while a quote is open."""
        cells: list[str] = []
        at = 0
        while True:
            if text.startswith('"', at):
                cell, text, at = self._quoted_cell(text, at + 1, begun)
            else:
                separator = text.find(self.separator, at)
                end = _end(text) if separator < 0 else separator
                cell, at = text[at:end], end
                if '"' in cell:
                    raise BadRow(
                        f"cell {len(cells) + 1} has a quote in it; put the cell in quotes and double those inside"
                    )
            cells.append(cell)
            if at == _end(text):
                return cells
            if not text.startswith(self.separator, at):
                raise BadRow(f"text follows the closing quote of cell {len(cells)}; double the quotes inside a cell")
            at += 1

    def _quoted_cell(self, text: str, at: int, begun: int) -> tuple[str, str, int]:
        """The content of the cell whose opening quote lies before this place, the line in which it ends, and the place
        after it."""
        parts: list[str] = []
        while True:
            quote = text.find('"', at)
            if quote < 0:
                parts.append(text[at:])
                following = self._next()
                if following is None:
                    raise UnreadableFile(self._path, begun, "a cell that begins in this row has no closing quote")
                text, at = following, 0
            elif text.startswith('"', quote + 1):
                parts.append(text[at : quote + 1])
                at = quote + 2
            else:
                parts.append(text[at:quote])
                return "".join(parts), text, quote + 1


def _separator(header: str) -> str:
    bare = _QUOTED.sub("", header)
    return next((separator for separator in _SEPARATORS if separator in bare), _SEPARATORS[0])


def _end(line: str) -> int:
    """The place in a line where its line end begins."""
    return len(line.removesuffix("\n").removesuffix("\r"))
