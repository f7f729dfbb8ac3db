"""The report as Markdown that fits into a comment of a pull request.

Whatever comes from data stands as code, where no service looks for links, images, people to call or numbers of issues, and no table is broken by it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from steelyard_cli._report.files import replaced
from steelyard_cli._report.model import Report
from steelyard_cli._report.numbers import NOT_MEASURED, count, money, number, span
from steelyard_cli._report.rows import Row, RowStatus
from steelyard_cli._report.text import encodable, shortened, visible

MOST_CHARACTERS = 60_000
"""Pull-request comments of the common services take 65,536 characters."""

ROWS, SLICES, PARTS = 100, 60, 40
LONGEST_NAME = 150
LONGEST_REASON = 400

MARKS = {
    RowStatus.PASSED: "✅ passed",
    RowStatus.MISSED: "❌ missed",
    RowStatus.NOT_COMPUTED: "⚠️ not computed",
    RowStatus.NO_SAY: "⚪ no say",
    RowStatus.TRACKED: "tracked",
    RowStatus.NOT_MEASURED: "⚪ not measured",
}
VERDICT_MARKS = {"passed": "✅", "scored": "⚠️", "failed": "❌", None: "⚪"}


def write_markdown(report: Report, path: str | os.PathLike[str]) -> None:
    """Writes the report to a file, which is replaced at once or stays as it was. Raises ``OSError``."""
    with replaced(path) as stream:
        stream.write(markdown_text(report))


def markdown_text(report: Report) -> str:
    """The report in fewer than 60,000 characters; what has no room is counted."""
    share = 1.0
    while True:
        text = "\n".join(_lines(report, share)) + "\n"
        if len(text) < MOST_CHARACTERS:
            return text
        share /= 2


def code(text: str, limit: int = LONGEST_NAME) -> str:
    """The text as code in one line, for a table or anywhere else: it is shown as it is and means nothing."""
    shown = encodable(shortened(visible(text), limit), "utf-8")
    if not shown:
        return "(empty)"
    if not any(character in shown for character in "`|\\"):
        return f"`{shown}`"
    # Between backticks these three would need rules that differ from service to service.
    return f"<code>{''.join(c if c.isalnum() or c == ' ' or not c.isascii() else f'&#{ord(c)};' for c in shown)}</code>"


def _lines(report: Report, share: float) -> Iterator[str]:
    def some(most: int) -> int:
        return max(1, int(most * share))

    yield f"## {VERDICT_MARKS[report.verdict]} {code(report.name)}"
    yield ""
    yield from _sentences(report, some(20))
    yield ""
    yield _counts(report)
    if report.stopped is not None:
        yield f"Stopped: {code(report.stopped, LONGEST_REASON)}"
    yield from _section(None, _rows, report.rows, some(ROWS), "line")
    yield from _section("Parts of scores", _parts, report.parts, some(PARTS), "part")
    yield from _labels(report, some(PARTS))
    yield from _section("Slices", _slices, report.slices, some(SLICES), "slice")
    if report.worst:
        yield from ["", "### Items to look at", ""]
        kept = report.worst[: some(len(report.worst))]
        for item in kept:
            reason = f": {code(item.reason, LONGEST_REASON)}" if item.reason else ""
            yield f"- {code(item.id)} ({item.status}), {code(item.broke)}{reason}"
        yield from _more(report.n_worst_left_out + len(report.worst) - len(kept), "item")
    yield ""
    yield from _foot(report)


def _sentences(report: Report, most: int) -> Iterator[str]:
    yield f"**Verdict: {report.words.headline}**"
    if report.words.because:
        yield ""
    for row, why in zip(_with_reasons(report), report.words.because[:most], strict=False):
        yield f"- {_with_code(why, row.name)}"
    yield from _more(len(report.words.because) - most, "reason")


def _with_reasons(report: Report) -> list[Row]:
    asked = report.asked
    return [*(row for row in asked if row.passed is False), *(row for row in asked if row.passed is None)]


def _with_code(sentence: str, name: str) -> str:
    before, _, after = sentence.partition(name)
    return f"{before}{code(name)}{after}"


def _counts(report: Report) -> str:
    words = [count(report.n_items, "item")]
    if report.partial is not None:
        words.append(f"**{report.partial}**")
    words += [f"{n:,} {status}" for status, n in sorted((report.statuses or {}).items())]
    return ", ".join(words)


Table = Callable[[Sequence[object]], Iterator[str]]


def _section(title: str | None, table: Table, all: Sequence[object], most: int, what: str) -> Iterator[str]:
    if not all:
        return
    yield from ["", *([f"### {title}", ""] if title else [])]
    yield from table(all[:most])
    yield from _more(len(all) - most, what)


def _more(n: int, what: str) -> Iterator[str]:
    if n > 0:
        yield from ["", f"and {count(n, f'more {what}')}"]


def _rows(rows: Sequence[Row]) -> Iterator[str]:
    yield "| scorer | better | average | scored | not scorable | failed | bound | result |"
    yield "|---|---|---:|---:|---:|---:|---|---|"
    for row in rows:
        bound = code(row.bound) if row.bound else ""
        yield (
            f"| {code(row.name)} | {row.direction or ''} | {row.shown_average} | {row.n_scored} | {row.n_not_scorable} "
            f"| {row.n_failed} | {bound} | {MARKS[row.status]} |"
        )
