"""The report as Markdown that fits into a comment of a pull request.

Whatever comes from data stands as code, where no service looks for links, images, people to call or numbers of issues,
and no table is broken by it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from steelyard_cli._report.files import replaced
from steelyard_cli._report.model import Part, Report, Slice
from steelyard_cli._report.numbers import NOT_MEASURED, count, number, span
from steelyard_cli._report.rows import Row, RowStatus
from steelyard_cli._report.spent import spent, troubles
from steelyard_cli._report.text import shortened, visible

MOST_CHARACTERS = 60_000
"""Pull-request comments of the common services take 65,536 characters."""

ROWS, SLICES, PARTS = 100, 60, 40
LONGEST_NAME = 150
LONGEST_REASON = 400

MARKS = {
    RowStatus.PASSED: "✅ passed",
    RowStatus.HELD: "⚪ held so far",
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
    shown = shortened(visible(text), limit)
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
    rows, parts, slices = report.rows[: some(ROWS)], report.parts[: some(PARTS)], report.slices[: some(SLICES)]
    yield from _section(None, _rows(rows), len(report.rows), len(rows), "line")
    yield from _section("Parts of scores", _parts(parts), len(report.parts), len(parts), "part")
    yield from _labels(report, some(PARTS))
    yield from _section("Slices", _slices(slices), len(report.slices), len(slices), "slice")
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
    words = report.words
    yield f"**Verdict: {words.headline}**"
    if words.because:
        yield ""
    for each in words.because[:most]:
        yield f"- {each.before}{code(each.name)}{each.after}"
    yield from _more(len(words.because) - most, "reason")


def _counts(report: Report) -> str:
    words = [count(report.n_items, "item")]
    if report.partial is not None:
        words.append(f"**{report.partial}**")
    words += [f"{n:,} {status}" for status, n in (report.statuses or {}).items()]
    return ", ".join(words)


def _section(title: str | None, lines: Sequence[str], n_lines: int, most: int, what: str) -> Iterator[str]:
    """A table whose first two lines are its head."""
    if len(lines) > 2:
        yield from ["", *([f"### {title}", ""] if title else []), *lines]
        yield from _more(n_lines - most, what)


def _more(n: int, what: str, many: str | None = None) -> Iterator[str]:
    if n > 0:
        yield from ["", f"and {n:,} more {what if n == 1 else many or what + 's'}"]


def _rows(rows: Sequence[Row]) -> list[str]:
    return [
        "| scorer | better | average | scored | not scorable | failed | bound | result |",
        "|---|---|---:|---:|---:|---:|---|---|",
        *(
            f"| {code(row.name)} | {row.direction or ''} | {row.shown_average} | {row.n_scored} | {row.n_not_scorable} "
            f"| {row.n_failed} | {code(row.bound) if row.bound else ''} | {MARKS[row.status]} |"
            for row in rows
        ),
    ]


def _parts(parts: Sequence[Part]) -> list[str]:
    lines = (f"| {code(f'{each.name}/{each.part}')} | {number(each.average)} | {each.n} |" for each in parts)
    return ["| part | average | items |", "|---|---:|---:|", *lines]


def _labels(report: Report, most: int) -> Iterator[str]:
    if report.labels:
        yield ""
    for each in report.labels[:most]:
        counts = ", ".join(f"{code(label, 60)} {n}" for label, n in list(each.counts.items())[:most])
        yield f"- labels of {code(each.name)}: {counts}"
        yield from _more(len(each.counts) - most, "label")
    yield from _more(len(report.labels) - most, "scorer with labels", "scorers with labels")


def _slices(slices: Sequence[Slice]) -> list[str]:
    lines = (
        f"| {code(each.slice)} | {code(each.name)} | {each.scale.direction} "
        f"| {number(each.average, (each.scale.low, each.scale.high))} "
        f"| {each.n_scored} | {each.n_not_scorable} | {each.n_failed} |"
        for each in slices
    )
    return [
        "| slice | scorer | better | average | scored | not scorable | failed |",
        "|---|---|---|---:|---:|---:|---:|",
        *lines,
    ]


def _foot(report: Report) -> Iterator[str]:
    yield f"Time: {NOT_MEASURED if report.duration_ms is None else span(report.duration_ms / 1000)}."
    yield f"Target: {spent(report.target)}."
    yield f"Judge: {'not asked' if report.judge.calls == 0 else spent(report.judge)}."
    for trouble in troubles(report):
        yield f"- {trouble}"
