"""What an evaluation gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from attrs import field, frozen

from steelyard._model.outcome import Failed, Outcome, Scored
from steelyard._model.usage import Usage
from steelyard._running.aggregate import Aggregate
from steelyard._running.gates import GateResult, ThresholdResult, Verdict
from steelyard._running.item import EvalItem
from steelyard._running.keys import EMPTY, ByKey

if TYPE_CHECKING:
    from steelyard._running.compose import Entry


class Status(StrEnum):
    """What became of one item; the first that fits: a gate or ``pass_at`` missed, something not computed, one held, scores alone, nothing measured."""

    FAILED = "failed"
    ERRORED = "errored"
    PASSED = "passed"
    INFORMATIONAL = "informational"
    UNMEASURED = "unmeasured"


Counted: TypeAlias = "list[tuple[Sequence[Entry], Sequence[Outcome]]]"
"""Outcomes of one item beside the entries that they belong to."""


def status_of(counted: Counted, error: BaseException | None) -> Status:
    """The first status that fits an item with these outcomes."""
    held = missed = failed = scored = False
    for entries, outcomes in counted:
        for entry, outcome in zip(entries, outcomes, strict=True):
            if isinstance(outcome, Failed):
                failed = True
            if not isinstance(outcome, Scored):
                continue
            scored = True
            scale, pass_at = entry.scorer.scale, entry.tally.pass_at
            if entry.gate is not None:
                pass_at = scale.best
            if pass_at is not None:
                if scale.reached(outcome.score, pass_at):
                    held = True
                else:
                    missed = True
    if missed:
        return Status.FAILED
    if failed or error is not None:
        return Status.ERRORED
    if held:
        return Status.PASSED
    return Status.INFORMATIONAL if scored else Status.UNMEASURED


Scores = Mapping[str, Any]
"""Outcomes by key; for grouped scorers by group and key, steps by step id below ``"steps"``."""


@frozen(kw_only=True)
class TurnItemResult:
    """One turn of one item: its own input and output, and what its gates and scorers made of them."""

    index: int
    input: Any = None
    output: Any = None
    gates: ByKey[Outcome] = EMPTY
    scores: ByKey[Outcome] = EMPTY


@frozen(kw_only=True)
class ItemResult:
    """One item: what the target gave and what came of it. Indexing it reads its ``scores``.

    ``error`` is what the target raised, or why the item could not be taken; ``gates`` and ``scores`` are empty then. ``duration_ms`` is the whole time of the
    item, ``usage`` and ``cost`` (US dollars) what the target says of itself.
    """

    index: int
    item: Any
    output: Any = None
    error: BaseException | None = None
    gates: ByKey[Outcome] = EMPTY
    scores: Scores = EMPTY
    turns: tuple[TurnItemResult, ...] = ()
    duration_ms: float | None = None
    usage: Usage | None = None
    cost: float | None = None
    metadata: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()
    _status: Status | Counted = field(default=Status.UNMEASURED, eq=False, repr=False)
    _id: str | Callable[[int], str] | None = field(default=None, eq=False, repr=False)

    @property
    def status(self) -> Status:
        """The first of ``Status`` that fits."""
        if not isinstance(self._status, Status):
            object.__setattr__(self, "_status", status_of(self._status, self.error))
        return self._status  # type: ignore[return-value]

    @property
    def id(self) -> str:
        """The item's id, or a hash of what it gives to the target with the number of its occurrence in the data."""
        if self._id is None:
            given = self.item.id if isinstance(self.item, EvalItem) else None
            object.__setattr__(self, "_id", given if given is not None else f"item-{self.index}")
        elif callable(self._id):
            object.__setattr__(self, "_id", self._id(self.index))
        return self._id  # type: ignore[return-value]

    def __getitem__(self, key: str) -> Any:
        return self.scores[key]


@frozen(kw_only=True)
class TurnResult:
    """One turn index over all items. ``scores`` are averages by key (None where nothing was scored)."""

    index: int
    gate_results: tuple[GateResult, ...] = ()
    threshold_results: tuple[ThresholdResult, ...] = ()
    scores: ByKey[float | None] = EMPTY
    aggregates: ByKey[Aggregate] = EMPTY


@frozen(kw_only=True)
class ObserverNote:
    """An observer that watched the run."""

    name: str
    version: str | None = None
    distribution: str | None = None


@frozen(kw_only=True)
class Summary:
    """Counts, durations (milliseconds) and costs of a run.

    ``total_items`` is how many items were evaluated, ``planned_items`` how many there were to be (None for a stream that did not end). ``not_scorable`` and ``errors``
    count scorers' outcomes by key, added over scopes. ``judge_usage`` and ``judge_cost`` (US dollars) cover the calls that told theirs; how many did not is
    counted beside.
    """

    total_items: int = 0
    planned_items: int | None = None
    not_scorable: Mapping[str, int] = field(factory=dict)
    errors: Mapping[str, int] = field(factory=dict)
    target_errors: int = 0
    bad_items: int = 0
    callback_errors: int = 0
    observer_errors: int = 0
    threads_left_behind: int = 0
    duration_ms: float | None = None
    target_duration_ms: float = 0.0
    target_usage: Usage | None = None
    target_cost: float | None = None
    judge_calls: int = 0
    judge_usage: Usage | None = None
    judge_calls_without_usage: int = 0
    judge_cost: float | None = None
    judge_calls_without_cost: int = 0

    @property
    def usage(self) -> Usage | None:
        """What the judges used; None if no call told."""
        return self.judge_usage

    @property
    def cost(self) -> float | None:
        """What the judges cost in US dollars; None if no call told."""
        return self.judge_cost


@frozen(kw_only=True)
class EvalResult:
    """All that an evaluation found.

    ``scores`` are averages by key (for grouped scorers by group, then by key), ``aggregates`` the whole account behind them by scope and key. ``items`` are in the
    order of the data; empty with ``keep_items=False``. ``interrupted`` says that the run ended before its data did (``interruption`` says why): what is here covers ``summary.total_items``
    items, and the verdict is None unless a gate has failed already.
    """

    verdict: Verdict | None
    scores: Mapping[str, Any]
    summary: Summary
    gate_results: tuple[GateResult, ...] = ()
    threshold_results: tuple[ThresholdResult, ...] = ()
    turn_results: tuple[TurnResult, ...] = ()
    items: Sequence[ItemResult] = ()
    aggregates: Mapping[str, ByKey[Aggregate]] = field(factory=dict)
    observers: tuple[ObserverNote, ...] = ()
    interrupted: bool = False
    interruption: str | None = None
