"""The report of an evaluation: one value from which the terminal and every file are made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import field, frozen

from steelyard import Aggregate, EvalResult, Scale, Status, Usage, Verdict
from steelyard_cli._report.account import KINDS, WORST, ItemAccount, WorstItem
from steelyard_cli._report.rows import Row, RowStatus, Text, held_so_far, rows_of
from steelyard_cli._report.text import NOTHING_HIDDEN, Hide
from steelyard_cli._report.verdict import VerdictInWords, verdict_in_words

__all__ = ["Labels", "Part", "Report", "Row", "RowStatus", "Slice", "Spending"]


@frozen(kw_only=True)
class Slice:
    """One scorer over the items of one slice."""

    slice: str
    name: str
    scale: Scale
    average: float | None
    standard_error: float | None
    pass_rate: float | None
    n_scored: int
    n_not_scorable: int
    n_failed: int


@frozen(kw_only=True)
class Part:
    """One part of a score over the ``n`` items that have it."""

    name: str
    part: str
    average: float | None
    n: int


@frozen(kw_only=True)
class Labels:
    """How often a scorer gave each of its labels."""

    name: str
    counts: Mapping[str, int]


@frozen(kw_only=True)
class Spending:
    """What model calls used: tokens and US dollars, each None where no call told.

    ``calls``, and how many of them did not tell, are None where calls are not counted: a target tells of itself as a
    whole.
    """

    usage: Usage | None
    cost: float | None
    calls: int | None = None
    calls_without_usage: int | None = None
    calls_without_cost: int | None = None


@frozen(kw_only=True)
class Report:
    """All that is shown of an evaluation.

    ``partial`` says how many items there are of how many (``"partial 3/10"``) where the run ended before its data did,
    ``stopped`` why; such a run never comes to the verdict ``passed``, and what holds in it is ``held so far``.
    ``n_planned`` is how many items there were to be, None where nobody could know. ``statuses`` counts items by their
    status; ``kinds`` by whether something of them could not be computed, something was scored, or neither; both are
    None where nobody counted. ``hide`` is what is kept out of every output. ``skipped`` is how many lines of the data
    were left out as unreadable and never came to be items; ``bad_items`` how many items the evaluation took and
    refused. What was not measured is None.
    """

    name: str
    verdict: Verdict | None
    words: VerdictInWords
    n_items: int
    n_planned: int | None
    partial: str | None
    stopped: str | None
    statuses: Mapping[str, int] | None
    kinds: Mapping[str, int] | None
    rows: tuple[Row, ...]
    slices: tuple[Slice, ...]
    parts: tuple[Part, ...]
    labels: tuple[Labels, ...]
    worst: tuple[WorstItem, ...]
    n_worst_left_out: int
    skipped: int
    bad_items: int
    target_errors: int
    callback_errors: int
    observer_errors: int
    threads_left_behind: int
    duration_ms: float | None
    target: Spending
    judge: Spending
    hide: Hide = field(default=NOTHING_HIDDEN, eq=False, repr=False)

    @classmethod
    def of(
        cls,
        result: EvalResult,
        *,
        name: str,
        account: ItemAccount | None = None,
        stopped: str | None = None,
        planned: int | None = None,
        skipped: int = 0,
        limit: int = WORST,
        hide: Hide = NOTHING_HIDDEN,
    ) -> Report:
        """The report of a result.

        ``account`` is what was noted of the items as they completed, needed where the result does not keep them;
        ``limit`` bounds the worst items where none is given. ``stopped`` says why the run ended early, where the caller
        knows it better than the result does; ``planned`` is how many items there were to be.
        """
        if account is None or (account.n_items < len(result.items)):
            account = ItemAccount.of(result, limit=limit, hide=hide)
        summary = result.summary
        n_items = summary.total_items
        why = stopped if stopped is not None else result.interruption
        ended_early = result.interrupted or stopped is not None
        if planned is None and (result.interrupted or not ended_early):  # a run that was stopped knows only what it got
            planned = summary.planned_items
        partial = f"partial {n_items}/{'?' if planned is None else planned}" if ended_early else None
        rows = tuple(rows_of(result, account.rules, hide))
        verdict = result.verdict
        if partial is not None:
            rows = tuple(map(held_so_far, rows))
            verdict = None if verdict is Verdict.PASSED else verdict
        counted = account.n_items > 0 or n_items == 0
        return cls(
            name=hide(name),
            verdict=verdict,
            words=verdict_in_words(verdict, rows, partial),
            n_items=n_items,
            n_planned=planned,
            partial=partial,
            stopped=None if why is None or not ended_early else hide(why),
            statuses={str(status): n for status in STATUSES if (n := account.statuses[status])} if counted else None,
            kinds={kind: account.kinds[kind] for kind in KINDS} if counted else None,
            rows=rows,
            slices=tuple(_slices(result, hide)),
            parts=tuple(_parts(result, hide)),
            labels=tuple(_labels(result, hide)),
            worst=account.worst,
            n_worst_left_out=account.n_worst_left_out,
            skipped=skipped,
            bad_items=summary.bad_items,
            target_errors=summary.target_errors,
            callback_errors=summary.callback_errors,
            observer_errors=summary.observer_errors,
            threads_left_behind=summary.threads_left_behind,
            duration_ms=summary.duration_ms,
            target=Spending(usage=summary.target_usage, cost=summary.target_cost),
            judge=Spending(
                usage=summary.judge_usage,
                cost=summary.judge_cost,
                calls=summary.judge_calls,
                calls_without_usage=summary.judge_calls_without_usage,
                calls_without_cost=summary.judge_calls_without_cost,
            ),
            hide=hide,
        )

    @property
    def asked(self) -> tuple[Row, ...]:
        """The gates and thresholds."""
        return tuple(row for row in self.rows if row.asked)


STATUSES = (Status.PASSED, Status.FAILED, Status.ERRORED, Status.INFORMATIONAL, Status.UNMEASURED)


def _accounts(result: EvalResult) -> Iterator[tuple[str, Aggregate]]:
    """Every account with the name under which its line stands."""
    for account in result.aggregates.get("gates", {}).values():
        yield account.key, account
    for turn in result.turn_results:
        for account in turn.aggregates.values():
            yield f"turn {turn.index}: {account.key}", account
    for scope, accounts in result.aggregates.items():
        for account in accounts.values() if scope != "gates" else ():
            yield (account.key if scope == "scorers" else f"{scope}: {account.key}"), account


def _slices(result: EvalResult, hide: Text) -> Iterator[Slice]:
    for name, account in _accounts(result):
        for slice, part in account.slices.items():
            error = part.standard_error
            yield Slice(
                slice=hide(slice),
                name=hide(name),
                scale=part.scale,
                average=part.average,
                standard_error=0.0 if error is not None and error <= part.scale.slack * 1e4 else error,
                pass_rate=part.pass_rate,
                n_scored=part.n_scored,
                n_not_scorable=part.n_not_scorable,
                n_failed=part.n_failed,
            )


def _parts(result: EvalResult, hide: Text) -> Iterator[Part]:
    for name, account in _accounts(result):
        for part, seen in account.parts.items():
            yield Part(name=hide(name), part=hide(part), average=seen.average, n=seen.n)


def _labels(result: EvalResult, hide: Text) -> Iterator[Labels]:
    for name, account in _accounts(result):
        if account.labels:
            yield Labels(name=hide(name), counts={hide(label): n for label, n in account.labels.items()})
