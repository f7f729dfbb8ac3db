"""An evaluation as plain text: the table of scorers, the slices, the items that did not pass, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from steelyard import EvalResult, Failed, Scored, Verdict

HEAD = ("scorer", "better", "average", "scored", "not scorable", "failed", "bound", "passed")
PASSED = {True: "yes", False: "NO", None: "-"}
MEANING = {
    Verdict.PASSED: "every gate held, and every bound was met",
    Verdict.SCORED: "every gate held, but a bound was missed",
    Verdict.FAILED: "a gate did not hold",
    None: "nothing that has a say could be measured",
}


def report(title: str, result: EvalResult) -> Iterator[str]:
    """The lines of the report."""
    statuses = ", ".join(f"{count} {status}" for status, count in result.summary.statuses.items() if count)
    yield f"{title}: {result.summary.total_items} items ({statuses})"
    yield ""
    yield from table([HEAD, *gate_rows(result), *scorer_rows(result), *turn_rows(result)])
    slices = [HEAD, *slice_rows(result)]
    if len(slices) > 1:
        yield ""
        yield from table(slices)
    broken = list(broken_items(result))
    if broken:
        yield ""
        yield "  Items that did not pass, each with the first thing that broke:"
        yield from broken
    yield ""
    yield f"  Verdict: {result.verdict or 'none'} ({MEANING[result.verdict]})."


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in (rows[0], ["-" * width for width in widths], *rows[1:]):
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def row(name: str, account: Any, bound: str, passed: bool | None, value: float | None) -> tuple[str, ...]:
    """One line of the table, from a scorer's account (its counts and average over all items)."""
    average = "-" if value is None else f"{value:.3f}"
    counts = (account.n_scored, account.n_not_scorable, account.n_failed)
    return (name, account.scale.direction, average, *map(str, counts), bound, PASSED[passed])


def gate_rows(result: EvalResult) -> Iterator[tuple[str, ...]]:
    for gate in result.gate_results:
        yield row(gate.key, result.aggregates["gates"][gate.key], "gate: each item", gate.passed, gate.score)


def scorer_rows(result: EvalResult) -> Iterator[tuple[str, ...]]:
    """A line for each bound, and one for each scorer that has none."""
    for scope, accounts in result.aggregates.items():
        if scope == "gates":
            continue
        for key, account in accounts.items():
            bounds = [bound for bound in result.threshold_results if (bound.scope, bound.key) == (scope, key)]
            for bound in bounds:
                value = bound.average_score if bound.pass_rate is None else bound.pass_rate
                measured = account if bound.threshold.slice is None else account.slices.get(bound.threshold.slice, account)
                yield row(key, measured, in_words(bound.threshold), bound.passed, value)
            if not bounds:
                yield row(key, account, "-", None, account.average)


def turn_rows(result: EvalResult) -> Iterator[tuple[str, ...]]:
    for turn in result.turn_results:
        for gate in turn.gate_results:
            yield row(f"turn {turn.index}: {gate.key}", gate, "gate: each item", gate.passed, gate.score)


def slice_rows(result: EvalResult) -> Iterator[tuple[str, ...]]:
    """The scorers that are no gates, once more for each slice of the items."""
    for scope, accounts in result.aggregates.items():
        if scope != "gates":
            for account in accounts.values():
                for name, part in account.slices.items():
                    yield row(f"{account.id} ({name.partition('=')[2]})", part, "-", None, part.average)


def in_words(bound: Any) -> str:
    ends = ((">=", bound.min), ("<=", bound.max))
    words = " and ".join(f"{sign} {end:g}" for sign, end in ends if end is not None)
    return " ".join(filter(None, ["passing" if bound.of == "pass_rate" else "", words, bound.slice and f"({bound.slice})"]))


def broken_items(result: EvalResult) -> Iterator[str]:
    for item in result.items:
        if item.status in ("failed", "errored"):
            yield f"  - {item.id} ({item.status})"
            yield f"      {why(result, item)}"
