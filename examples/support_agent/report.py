"""An evaluation as plain text: the table of scorers, the slices, the items that did not pass, and the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from steelyard import Aggregate, EvalResult, Failed, ItemResult, Outcome, Scored, ThresholdResult, Verdict

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
    statuses = Counter(item.status for item in result.items)
    counts = ", ".join(f"{count} {status}" for status, count in statuses.items())
    yield f"{title}: {result.summary.total_items} items ({counts})"
    yield ""
    yield from table([HEAD, *gate_rows(result), *scorer_rows(result), *turn_rows(result)])
    slices = slice_table(result)
    if slices:
        yield ""
        yield from table(slices)
    broken = [item for item in result.items if item.status in ("failed", "errored")]
    if broken:
        yield ""
        yield "  Items that did not pass, each with the first thing that broke:"
        yield from (f"  - {item.id} ({item.status}): {what_broke(result, item)}" for item in broken)
    yield ""
    yield f"  Verdict: {result.verdict or 'none'} ({MEANING[result.verdict]})."


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in (rows[0], ["-" * width for width in widths], *rows[1:]):
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def measured(name: str, account: Aggregate, value: float | None) -> tuple[str, ...]:
    """The left part of a line: which end of the scale is the better one, what came out, and over how many items."""
    counts = (account.n_scored, account.n_not_scorable, account.n_failed)
    return (name, account.scale.direction, "-" if value is None else f"{value:.3f}", *map(str, counts))


def gate_rows(result: EvalResult) -> Iterator[tuple[str, ...]]:
    for gate in result.gate_results:
        account = result.aggregates["gates"][gate.key]
        yield (*measured(gate.key, account, gate.score), "gate: each item", PASSED[gate.passed])


def scorer_rows(result: EvalResult) -> Iterator[tuple[str, ...]]:
    """A line for each bound, and one for each scorer that has none."""
    for scope, accounts in tracked(result):
        for account in accounts.values():
            bounds = [each for each in result.threshold_results if (each.scope, each.key) == (scope, account.key)]
            for each in bounds:
                seen = account if each.threshold.slice is None else account.slices.get(each.threshold.slice, account)
                yield (*measured(account.key, seen, each.average_score), in_words(each), PASSED[each.passed])
            if not bounds:
                yield (*measured(account.key, account, account.average), "-", "-")


def turn_rows(result: EvalResult) -> Iterator[tuple[str, ...]]:
    for turn in result.turn_results:
        for gate in turn.gate_results:
            line = measured(f"turn {turn.index}: {gate.key}", turn.aggregates[gate.key], gate.score)
            yield (*line, "gate: each item", PASSED[gate.passed])


def slice_table(result: EvalResult) -> list[tuple[str, ...]]:
    """A line for each slice of the items, with the average of each scorer that is no gate, and over how many items."""
    accounts = [account for _, by_key in tracked(result) for account in by_key.values()]
    names = sorted({name for account in accounts for name in account.slices})
    rows = [tuple(in_short(account.slices.get(name)) for account in accounts) for name in names]
    head = ("average (items scored) by slice", *(account.id for account in accounts))
    return [head, *((name, *row) for name, row in zip(names, rows, strict=True))] if rows else []


def in_short(part: Aggregate | None) -> str:
    return "-" if part is None or part.average is None else f"{part.average:.3f} ({part.n_scored})"


def tracked(result: EvalResult) -> Iterator[tuple[str, Mapping[str, Aggregate]]]:
    return ((scope, accounts) for scope, accounts in result.aggregates.items() if scope != "gates")


def in_words(result: ThresholdResult) -> str:
    bound = result.threshold
    words = " and ".join(f"{sign} {end:g}" for sign, end in ((">=", bound.min), ("<=", bound.max)) if end is not None)
    if bound.of == "pass_rate":
        words = f"pass rate {'-' if result.pass_rate is None else format(result.pass_rate, '.3f')} {words}"
    return words if bound.slice is None else f"{words} in {bound.slice}"


def what_broke(result: EvalResult, item: ItemResult) -> str:
    """The first bar that the item missed, or else the first thing that could not be computed, with the reason."""
    if item.error is not None:
        return f"the target failed: {item.error}"
    failures = []
    for name, outcome, account, bar in bars(result, item):
        if isinstance(outcome, Failed):
            failures.append(f"{name}: could not be computed: {outcome.reason}")
        elif isinstance(outcome, Scored) and bar is not None and not account.scale.reached(outcome.score, bar):
            return f"{name}: {outcome.reason or f'scored {outcome.score:g}'}"
    return failures[0]


def bars(result: EvalResult, item: ItemResult) -> Iterator[tuple[str, Outcome, Aggregate, float | None]]:
    """Each outcome of the item beside the score that it has to reach: the best one for a gate, else ``pass_at``."""
    scopes: list[tuple[str, Mapping[str, Aggregate], Mapping[str, Outcome], bool]]
    scopes = [("", result.aggregates.get("gates", {}), item.gates, True)]
    for turn, over_all in zip(item.turns, result.turn_results, strict=False):
        scopes.append((f"turn {turn.index}: ", over_all.aggregates, turn.gates, True))
    scopes.append(("", result.aggregates.get("scorers", {}), item.scores, False))
    for where, accounts, outcomes, gates in scopes:
        for key, outcome in outcomes.items():
            account = accounts[key]
            yield where + key, outcome, account, account.scale.best if gates else account.pass_at
