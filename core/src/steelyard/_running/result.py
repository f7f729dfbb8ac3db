"""What an evaluation gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from attrs import field, fields, frozen

from steelyard._model.outcome import Failed, Outcome, Scored, Told
from steelyard._model.usage import Usage
from steelyard._running.aggregate import Aggregate
from steelyard._running.gates import GateResult, ThresholdResult, Verdict
from steelyard._running.item import EvalItem
from steelyard._running.keys import EMPTY, ByKey


class Status(StrEnum):
    """What became of one item; the first that fits: a gate or ``pass_at`` missed, something not computed, one held,
    scores alone, nothing measured."""

    FAILED = "failed"
    ERRORED = "errored"
    PASSED = "passed"
    INFORMATIONAL = "informational"
    UNMEASURED = "unmeasured"


def status_of(result: ItemResult) -> Status:
    """The first status that fits an item with these outcomes."""
    held = missed = failed = scored = False
    groups = [result.gates, *groups_of(result.scores)]
    for turn in result.turns:
        groups += [turn.gates, turn.scores]
    for group in groups:
        # Scores that were put together by hand know nothing of what was asked of them.
        entries = group.entries or [None] * len(group)
        for entry, outcome in zip(entries, group.values(), strict=True):
            if isinstance(outcome, Failed):
                failed = True
            if not isinstance(outcome, Scored):
                continue
            scored = True
            if entry is None:
                continue
            scale = entry.scorer.scale
            pass_at = entry.tally.pass_at if entry.gate is None else scale.best
            if pass_at is not None:
                if scale.reached(outcome.score, pass_at):
                    held = True
                else:
                    missed = True
    if missed:
        return Status.FAILED
    if failed or result.error is not None:
        return Status.ERRORED
    if held:
        return Status.PASSED
    return Status.INFORMATIONAL if scored else Status.UNMEASURED


def groups_of(scores: Mapping[str, Any]) -> Iterator[ByKey[Outcome]]:
    """The mappings by key within an item's scores: one, or one for each group."""
    if isinstance(scores, ByKey):
        yield scores
        return
    for inner in scores.values():
        yield from groups_of(inner)


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

    ``error`` is what the target raised, or why the item could not be taken; ``gates`` and ``scores`` are empty then.
    ``duration_ms`` is the whole time of the item, ``usage`` and ``cost`` (US dollars) what the target says of itself.
    """

    index: int
    item: Any
    output: Any = None
    error: BaseException | None = field(default=None, eq=Told)
    gates: ByKey[Outcome] = EMPTY
    scores: Scores = EMPTY
    turns: tuple[TurnItemResult, ...] = ()
    duration_ms: float | None = None
    usage: Usage | None = None
    cost: float | None = None
    metadata: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()
    _status: Status | None = field(default=None, eq=False, repr=False)
    _id: str | Callable[[int], str] | None = field(default=None, eq=False, repr=False)

    @property
    def status(self) -> Status:
        """The first of ``Status`` that fits."""
        if self._status is None:
            object.__setattr__(self, "_status", status_of(self))
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

    def __reduce__(self) -> tuple[Any, ...]:
        known = {attribute.alias: getattr(self, attribute.name) for attribute in fields(ItemResult)}
        return (_read_back, ({**known, "status": self.status, "id": self.id},))


def _read_back(known: dict[str, Any]) -> ItemResult:
    return ItemResult(**known)


_SETTERS = {attribute.name: getattr(ItemResult, attribute.name).__set__ for attribute in fields(ItemResult)}
_set_index, _set_item, _set_output, _set_error = (_SETTERS[name] for name in ("index", "item", "output", "error"))
_set_gates, _set_scores, _set_turns, _set_duration = (
    _SETTERS[name] for name in ("gates", "scores", "turns", "duration_ms")
)
_set_usage, _set_cost, _set_metadata, _set_notes = (_SETTERS[name] for name in ("usage", "cost", "metadata", "notes"))
_set_status, _set_id = _SETTERS["_status"], _SETTERS["_id"]


def measured(
    index: int,
    item: object,
    output: object,
    gates: ByKey[Outcome],
    scores: Scores,
    turns: tuple[TurnItemResult, ...],
    duration_ms: float,
    told: tuple[Usage | None, float | None, Mapping[str, Any] | None],
    id: str | Callable[[int], str] | None,
) -> ItemResult:
    """The result of an item whose target answered: what ``ItemResult(...)`` gives, at half its cost, since every item
    needs one."""
    result: ItemResult = ItemResult.__new__(ItemResult)
    _set_index(result, index)
    _set_item(result, item)
    _set_output(result, output)
    _set_error(result, None)
    _set_gates(result, gates)
    _set_scores(result, scores)
    _set_turns(result, turns)
    _set_duration(result, duration_ms)
    usage, cost, metadata = told
    _set_usage(result, usage)
    _set_cost(result, cost)
    _set_metadata(result, metadata)
    _set_notes(result, ())
    _set_status(result, None)
    _set_id(result, id)
    return result


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

    ``total_items`` is how many items were evaluated, ``planned_items`` how many there were to be (None for a stream
    that did not end). ``not_scorable`` and ``errors`` count scorers' outcomes by key, added over scopes.
    ``judge_usage`` and ``judge_cost`` (US dollars) cover the calls that told theirs; how many did not is counted
    beside.
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

    ``scores`` are averages by key (for grouped scorers by group, then by key), ``aggregates`` the whole account behind
    them by scope and key. ``items`` are in the order of the data; empty with ``keep_items=False``. ``interrupted`` says
    that the run ended before its data did (``interruption`` says why): what is here covers ``summary.total_items``
    items, and the verdict is None unless a gate has failed already. ``notes`` tell what else went wrong.
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
    notes: tuple[str, ...] = ()
