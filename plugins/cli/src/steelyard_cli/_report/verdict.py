"""The verdict in words: what it means, and which gate or bound made it so, missed by how much."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from attrs import frozen

from steelyard import Verdict
from steelyard_cli._report.numbers import count, number, percent, short
from steelyard_cli._report.rows import Row, RowStatus


@frozen
class Because:
    """A sentence about one line of the report, in three pieces: only ``name`` comes from data."""

    before: str
    name: str
    after: str

    @property
    def text(self) -> str:
        """The sentence."""
        return f"{self.before}{self.name}{self.after}"


@frozen
class VerdictInWords:
    """``headline`` is one sentence, ``because`` one for each gate or bound that did not pass, or that had no say."""

    headline: str
    because: tuple[Because, ...] = ()


def verdict_in_words(verdict: Verdict | None, rows: Sequence[Row], partial: str | None) -> VerdictInWords:
    """The verdict in words. ``partial`` says how many items there are of how many, where the run did not end."""
    because = _because(rows)
    headline = _headline(verdict, rows, partial)
    if partial is not None and verdict is not None:
        headline = f"{headline.removesuffix('.')} ({partial})."
    return VerdictInWords(headline, because)


def _because(rows: Sequence[Row]) -> tuple[Because, ...]:
    asked = [row for row in rows if row.asked]
    missed = (why_not_passed(row) for row in asked if row.passed is False)
    silent = (why_no_say(row) for row in asked if row.passed is None)
    return (*missed, *silent)


def _headline(verdict: Verdict | None, rows: Sequence[Row], partial: str | None) -> str:
    gates = [row for row in rows if row.kind == "gate"]
    bounds = [row for row in rows if row.kind == "threshold"]
    match verdict:
        case Verdict.PASSED:
            return f"passed: {_what_passed(gates, bounds)}."
        case Verdict.SCORED:
            rest = "every gate held, but " if gates else ""
            return f"scored: {rest}{_what_did_not(bounds, 'threshold', 'not met')}."
        case Verdict.FAILED if not any(row.n_scored for row in (*gates, *bounds)):
            return "failed: nothing could be measured. That says nothing about how good the target is."
        case Verdict.FAILED:
            return f"failed: {_what_did_not(gates, 'gate', 'did not hold')}."
        case None:
            return _no_verdict([*gates, *bounds], partial)


def _what_passed(gates: Sequence[Row], bounds: Sequence[Row]) -> str:
    n_gates, n_bounds = (sum(row.passed is True for row in rows) for rows in (gates, bounds))
    held = [f"{count(n_gates, 'gate')} held"] if n_gates else []
    met = [f"{count(n_bounds, 'threshold was', 'thresholds were')} met"] if n_bounds else []
    return " and ".join(held + met)


def _what_did_not(rows: Sequence[Row], one: str, words: str) -> str:
    missed, left_open = (
        sum(row.status is status for row in rows) for status in (RowStatus.MISSED, RowStatus.NOT_COMPUTED)
    )
    said = [f"{missed} of {count(len(rows), one)} {words}"] if missed else []
    if left_open:
        of = "" if missed else f" of {count(len(rows), one)}"
        said.append(f"{left_open}{of} could not be decided")
    return " and ".join(said)


def _no_verdict(asked: Sequence[Row], partial: str | None) -> str:
    if partial is not None:
        return f"no verdict: the run ended early ({partial})."
    if not asked:
        return "no verdict: no gate and no threshold is set, so nothing can pass or fail."
    return (
        f"no verdict: of {count(len(asked), 'gate or threshold', 'gates and thresholds')} none had anything to measure."
    )


def why_not_passed(row: Row) -> Because:
    """Why a gate or bound did not pass."""
    if row.kind == "gate":
        return Because("Gate ", row.name, _why_gate(row))
    return Because("The pass rate of " if row.of == "pass_rate" else "The average of ", row.name, _why_bound(row))


def why_no_say(row: Row) -> Because:
    """Why a gate or bound had no say."""
    n = row.n_not_scorable
    why = f"{count(n, 'item was', 'items were')} not scorable" if n else "no item belongs to it"
    return Because(
        "Gate " if row.kind == "gate" else "Threshold ", row.name, f" had no say: {why}, and none was scored."
    )


def _why_gate(row: Row) -> str:
    best = "the best score" if row.scale is None else short(row.scale.best)
    n_best = row.n_best or 0
    measured = row.n_scored + row.n_failed
    failed = f"{count(row.n_failed, 'item')} could not be computed"
    if row.status is RowStatus.NOT_COMPUTED:
        rest = f"; the other {row.n_scored:,} reached {best}" if row.n_scored else ""
        return f" could not be decided: {failed}{rest}."
    if row.rule is not None and row.rule.startswith("each item"):
        words = f"{count(row.n_scored - n_best, 'item')} of {measured:,} did not reach {best}"
    else:
        share = percent(n_best / measured) if measured else "none"
        words = f"{n_best:,} of {count(measured, 'item')} ({share}) reached {best}"
        if row.rule is not None:
            short_of = _items_short(row.rule, n_best, measured)
            missed_by = f": missed by {count(short_of, 'item')}" if short_of else ""
            words += f", and {row.rule} was asked{missed_by}"
    return f" did not hold: {words}" + (f"; {failed}." if row.n_failed else ".")


def _items_short(rule: str, n_best: int, measured: int) -> int | None:
    """By how many items a gate on a share of them was missed."""
    share, found, _ = rule.partition("% of items")
    return max(1, ceil(float(share) / 100 * measured - 1e-9) - n_best) if found else None


def _why_bound(row: Row) -> str:
    failed = f"{count(row.n_failed, 'item')} could not be computed"
    asked = _asked(row)
    value = row.value
    if value is None:
        why = failed if row.n_failed else "no score has this part"
        return f" could not be decided: {why}, and {asked} was asked."
    shown = f"{number(value, (row.min, row.max))} over {count(row.n_scored, 'item')}"
    if row.status is RowStatus.NOT_COMPUTED:
        return f" could not be decided: {failed}. It is {shown}, and {asked} was asked."
    by = row.min - value if row.min is not None and value < row.min else value - (row.max or 0.0)
    return f" is {shown}, and {asked} was asked: missed by {number(by)}{f'; {failed}' if row.n_failed else ''}."


def _asked(row: Row) -> str:
    if row.min is not None and row.max is not None:
        return f"{short(row.min)} to {short(row.max)}"
    return f"at least {short(row.min)}" if row.min is not None else f"at most {short(row.max or 0.0)}"
