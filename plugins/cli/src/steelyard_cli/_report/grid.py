"""Lines of cells at any width: a table, or each line by itself with its cells named. No number is broken in two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

GAP = 2
INDENT = 2
LONGEST_UNBROKEN = 24
"""Words up to this width are not broken to make a table fit."""


@frozen(kw_only=True)
class Column:
    """One column of a table.

    ``head`` stands over it, its words one under the other where that saves room; ``label`` before the cell
    where the line stands by itself.

    ``least`` is how narrow a column of words may become (None: it holds numbers, which are never broken).
    """

    head: str
    label: str
    least: int | None = None
    right: bool = False


Cells = Sequence[Text]


def grid(
    columns: Sequence[Column], rows: Sequence[Cells], width: int, head_style: str = "bold"
) -> RenderableType | None:
    """The rows as a table; None where ``width`` has no room for it."""
    widths = _widths(columns, rows, width - INDENT)
    if widths is None:
        return None
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), show_edge=False, header_style=head_style)
    for column, wide in zip(columns, widths, strict=True):
        table.add_column(
            Text(_stacked(column.head, wide)),
            width=wide,
            justify="right" if column.right else "left",
            vertical="top",
            overflow="fold",
        )
    for row in rows:
        table.add_row(*row)
    return Padding(table, (0, 0, 0, INDENT), expand=False)


def stacked(columns: Sequence[Column], rows: Sequence[Cells], width: int) -> RenderableType:
    """Each row by itself: its first cell, and under it the others with their labels, as many to a line as fit."""
    lines: list[RenderableType] = []
    for row in rows:
        lines.append(Padding(_folding(row[0].copy()), (0, 0, 0, INDENT)))
        cells = [
            Text.assemble(f"{column.label} " if column.label else "", cell)
            for column, cell in zip(columns[1:], row[1:], strict=True)
            if cell.plain not in ("", "-")
        ]
        lines += [Padding(_folding(line), (0, 0, 0, 2 * INDENT)) for line in flowing(cells, width - 2 * INDENT)]
    return Group(*lines)


def flowing(cells: Sequence[Text], width: int) -> Iterator[Text]:
    """The cells one after the other, as many to a line as fit; one that is wider than a line has its own."""
    line: Text | None = None
    for cell in cells:
        if line is not None and line.cell_len + GAP + cell.cell_len <= width:
            line = Text.assemble(line, " " * GAP, cell)
            continue
        if line is not None:
            yield line
        line = cell
    if line is not None:
        yield line


def _folding(text: Text) -> Text:
    text.overflow = "fold"
    return text


def _stacked(head: str, width: int) -> str:
    return head if cell_len(head) <= width else head.replace(" ", "\n")


def _widths(columns: Sequence[Column], rows: Sequence[Cells], width: int) -> list[int] | None:
    """What each column gets: numbers all that they need, words at least their least and as much as is left."""
    heads = [max(map(cell_len, column.head.split())) if column.head else 0 for column in columns]
    natural = [max([head, *(row[at].cell_len for row in rows)]) for at, head in enumerate(heads)]
    least = list(natural)
    for at, column in enumerate(columns):
        if column.least is not None:
            words = (cell_len(word) for row in rows for word in row[at].plain.split())
            longest = min(max(words, default=0), LONGEST_UNBROKEN)
            least[at] = min(natural[at], max(column.least, heads[at], longest))
    left = width - sum(least) - GAP * (len(columns) - 1)
    if left < 0:
        return None
    widths = list(least)
    for at, full in enumerate(natural):
        more = min(left, full - widths[at])
        widths[at] += more
        left -= more
    return widths
