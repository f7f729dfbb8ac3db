"""The report on a terminal, or wherever standard output goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from rich.console import Console, Group, RenderableType, detect_legacy_windows
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from steelyard_cli._report.account import WorstItem
from steelyard_cli._report.grid import Column, grid, stacked
from steelyard_cli._report.model import Report
from steelyard_cli._report.numbers import NOT_MEASURED, count, number, percent, span
from steelyard_cli._report.rows import Row, RowStatus
from steelyard_cli._report.spent import spent, troubles
from steelyard_cli._report.text import encodable, shortened, visible

if TYPE_CHECKING:
    from steelyard_cli._report.model import Slice

MOST_ROWS = 200
MOST_SLICES = 60
LONGEST_NAME = 200
LONGEST_REASON = 300

STYLES = {
    RowStatus.PASSED: "green",
    RowStatus.HELD: "yellow",
    RowStatus.MISSED: "bold red",
    RowStatus.NOT_COMPUTED: "bold yellow",
    RowStatus.NO_SAY: "yellow",
    RowStatus.TRACKED: "dim",
    RowStatus.NOT_MEASURED: "yellow",
}
SHOWN = {RowStatus.TRACKED: "-"}
VERDICT_STYLES = {"passed": "bold green", "scored": "bold yellow", "failed": "bold red", None: "bold yellow"}

Say = Callable[[str], str]


def console_on(stream: TextIO, *, width: int | None = None, environment: Mapping[str, str] | None = None) -> Console:
    """A console that writes what it is given and nothing else: no markup is read, nothing is highlighted.

    There are no styles at all with ``NO_COLOR``, with ``TERM=dumb``, and where the stream is no terminal, unless
    ``FORCE_COLOR`` is set. ``COLUMNS`` sets the width.
    """
    import os

    known = os.environ if environment is None else environment
    drawn = can_draw(stream, known)
    wanted = not known.get("NO_COLOR") and (drawn or bool(known.get("FORCE_COLOR")))
    styled = wanted and not detect_legacy_windows()  # such a console would show the codes
    return Console(
        file=stream,
        width=width,
        color_system="auto" if styled else None,
        force_terminal=drawn or styled,
        markup=False,
        emoji=False,
        highlight=False,
        _environ=known,
    )


def can_draw(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether the stream is a terminal on which what was written can be drawn anew."""
    return is_terminal(stream) and environment.get("TERM") != "dumb"


def is_terminal(stream: TextIO) -> bool:
    """Whether the stream is a terminal; a stream that cannot tell is none."""
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def print_report(
    report: Report, stream: TextIO, *, width: int | None = None, environment: Mapping[str, str] | None = None
) -> None:
    """Writes the report to a stream: to a pipe as to a terminal, but for the colours.

    Characters that the encoding of the stream lacks become escapes.
    """
    console = console_on(stream, width=width, environment=environment)
    encoding = console.encoding

    def say(text: str) -> str:
        return encodable(visible(text), encoding)

    with console.capture() as captured:
        for block in _blocks(report, console.width, say):
            console.print(block)
    lines = captured.get().split("\n")
    # Cells are filled up with spaces; what is read from a pipe should not have them.
    stream.write("\n".join(line.rstrip() for line in lines))
    stream.flush()


def _blocks(report: Report, width: int, say: Say) -> Iterator[RenderableType]:
    yield from _head(report, say)
    if report.rows:
        yield ""
        yield _rows_in_lines(report.rows[:MOST_ROWS], width, say)
        yield from _left_out(len(report.rows) - MOST_ROWS, "line")
    if report.parts or report.labels:
        yield ""
        yield from _parts(report, width, say)
    if report.slices:
        yield ""
        yield _title("Slices")
        yield _slices(report.slices[:MOST_SLICES], width, say)
        yield from _left_out(len(report.slices) - MOST_SLICES, "slice")
    if report.worst:
        yield ""
        yield _title("Items to look at")
        for item in report.worst:
            yield from _worst(item, say)
        yield from _left_out(
            report.n_worst_left_out,
            "item that failed or could not be computed",
            "items that failed or could not be computed",
        )
    yield ""
    yield from _spending(report)
    for trouble in troubles(report):
        yield _line(trouble, "yellow")
    yield ""
    yield from _verdict(report, say)


def _title(text: str) -> Text:
    return Text(text, style="bold")


def _line(text: str, style: str = "", indent: int = 2) -> Padding:
    return Padding(Text(text, style=style, overflow="fold"), (0, 0, 0, indent))


def _item(mark: str, text: Text) -> Padding:
    """A text whose further lines begin under its first word."""
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_row(Text(mark), text)
    return Padding(table, (0, 0, 0, 2))


def _left_out(n: int, one: str, many: str | None = None) -> Iterator[RenderableType]:
    if n > 0:
        yield _line(f"and {count(n, f'more {one}', f'more {many or one + chr(115)}')}", "dim")


# -- head and foot -----------------------------------------------------------------------------------------------------


def _head(report: Report, say: Say) -> Iterator[RenderableType]:
    head = Text(shortened(say(report.name), LONGEST_NAME), style="bold", overflow="fold")
    head.append(f": {count(report.n_items, 'item')}")
    if report.partial is not None:
        head.append(f", {report.partial}", style="bold yellow")
    yield head
    if report.stopped is not None:
        yield _line(f"stopped: {shortened(say(report.stopped), LONGEST_REASON)}", "yellow")
    if report.statuses:
        yield _line(", ".join(f"{n:,} {status}" for status, n in report.statuses.items()))


def _spending(report: Report) -> Iterator[RenderableType]:
    took = NOT_MEASURED if report.duration_ms is None else span(report.duration_ms / 1000)
    yield _line(f"Time: {took}")
    yield _line(f"Target: {spent(report.target)}")
    judge = "not asked" if report.judge.calls == 0 else spent(report.judge)
    yield _line(f"Judge: {judge}")


def _verdict(report: Report, say: Say) -> Iterator[RenderableType]:
    yield Text(f"Verdict: {say(report.words.headline)}", style=VERDICT_STYLES[report.verdict], overflow="fold")
    for reason in report.words.because[:20]:
        sentence = f"{reason.before}{shortened(say(reason.name), LONGEST_NAME)}{reason.after}"
        yield _item("-", Text(sentence, overflow="fold"))
    yield from _left_out(len(report.words.because) - 20, "reason")


# -- tables ------------------------------------------------------------------------------------------------------------

NAME = Column(head="scorer", label="", least=20)
BETTER = Column(head="better", label="better when")
AVERAGE = Column(head="average", label="average", right=True)
SCORED = Column(head="scored", label="scored", right=True)
NOT_SCORABLE = Column(head="not scorable", label="not scorable", right=True)
FAILED = Column(head="failed", label="failed", right=True)
COUNTS = Column(head="s/n/f", label="", right=True)
COUNTS_LEGEND = "s/n/f: scored / not scorable / failed"
BOUND = Column(head="bound", label="bound", least=14)
RESULT = Column(head="result", label="result", least=8)


def _rows_in_lines(rows: Sequence[Row], width: int, say: Say) -> RenderableType:
    wide = [_row(row, say) for row in rows]
    return _fitting([NAME, RESULT, BETTER, AVERAGE, SCORED, NOT_SCORABLE, FAILED, BOUND], wide, width, counts_at=4)


def _row(row: Row, say: Say) -> list[Text]:
    style = STYLES[row.status]
    return [
        Text(shortened(say(row.name), LONGEST_NAME)),
        Text(SHOWN.get(row.status, str(row.status)), style=style),
        Text(row.direction or "-"),
        _number(row.shown_average),
        *_counts(row),
        Text(row.bound or "-"),
    ]


def _number(shown: str) -> Text:
    return Text(shown, style="yellow" if shown == NOT_MEASURED else "")


def _counts(seen: Row | Slice) -> list[Text]:
    return [
        Text(f"{seen.n_scored}"),
        Text(f"{seen.n_not_scorable}", style="" if seen.n_not_scorable else "dim"),
        Text(f"{seen.n_failed}", style="bold yellow" if seen.n_failed else "dim"),
    ]


def _fitting(columns: list[Column], rows: list[list[Text]], width: int, *, counts_at: int) -> RenderableType:
    """A table with the three counts apart, or with them together where that is too wide, or each line by itself."""
    table = grid(columns, rows, width)
    if table is not None:
        return table
    end = counts_at + 3
    joined = [[*row[:counts_at], Text("/").join(row[counts_at:end]), *row[end:]] for row in rows]
    table = grid([*columns[:counts_at], COUNTS, *columns[end:]], joined, width)
    return stacked(columns, rows, width) if table is None else Group(table, _line(COUNTS_LEGEND, "dim"))


def _slices(slices: Sequence[Slice], width: int, say: Say) -> RenderableType:
    columns = [
        NAME,
        Column(head="slice", label="slice", least=14),
        Column(head="average (s.e.)", label="average (s.e.)", right=True),
        Column(head="items passing", label="items passing", right=True),
        SCORED,
        NOT_SCORABLE,
        FAILED,
    ]
    rows = [
        [
            Text(shortened(say(each.name), LONGEST_NAME)),
            Text(shortened(say(each.slice), LONGEST_NAME)),
            _number(number(each.average, (each.scale.low, each.scale.high))).append(
                "" if each.standard_error is None else f" ({number(each.standard_error)})"
            ),
            Text("-" if each.pass_rate is None else percent(each.pass_rate)),
            *_counts(each),
        ]
        for each in slices
    ]
    return _fitting(columns, rows, width, counts_at=4)


def _parts(report: Report, width: int, say: Say) -> Iterator[RenderableType]:
    yield _title("Parts of scores")
    columns = [
        Column(head="part", label="", least=20),
        Column(head="average", label="average", right=True),
        Column(head="items", label="items", right=True),
    ]
    rows = [
        [
            Text(shortened(say(f"{part.name}/{part.part}"), LONGEST_NAME)),
            _number(number(part.average)),
            Text(f"{part.n}"),
        ]
        for part in report.parts
    ]
    if rows:
        yield grid(columns, rows, width) or stacked(columns, rows, width)
    for each in report.labels:
        counts = ", ".join(f"{say(label)} {n:,}" for label, n in each.counts.items())
        yield _line(shortened(f"labels of {say(each.name)}: {counts}", 1000))


def _worst(item: WorstItem, say: Say) -> Iterator[RenderableType]:
    head = Text(shortened(say(item.id), LONGEST_NAME), overflow="fold")
    status_style = {"failed": "bold red", "errored": "bold yellow"}.get(item.status, "")
    head.append(f" ({item.status})", style=status_style)
    head.append(f"  {shortened(say(item.broke), LONGEST_NAME)}")
    if item.score is not None:
        head.append(f"  {number(item.score)}")
    yield Padding(head, (0, 0, 0, 2))
    if item.reason:
        yield _line(shortened(say(item.reason), LONGEST_REASON), indent=4)
