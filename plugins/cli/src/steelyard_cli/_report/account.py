"""What a report keeps of the items while they complete: counts, the worst of them, the rules of gates."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from typing import Literal

from attrs import field, frozen

from steelyard import EvalResult, Failed, ItemResult, NotScorable, Scored, Status
from steelyard_cli._report.measures import Measure, measures_of
from steelyard_cli._report.text import NOTHING_HIDDEN, Hide, shortened

WORST = 10
LONGEST_REASON = 2000

Kind = Literal["scored", "not scorable", "failed"]
KINDS: tuple[Kind, ...] = ("scored", "not scorable", "failed")


@frozen(kw_only=True)
class WorstItem:
    """An item that one should look at, and why.

    ``broke`` names the first gate or mark that it missed or that could not be computed, with its turn: ``"gate
    check-includes(\\"sun\\")"``; ``"target"`` where the target failed; for an item that missed nothing its lowest
    score. ``reason`` is what was said there. ``goodness`` is its lowest score, from 0 (worst) to 1 (best).
    """

    index: int
    id: str
    status: str
    broke: str
    score: float | None
    reason: str | None
    goodness: float | None


@frozen(order=True)
class _Place:
    """Where an item stands among the worst: failed, then errored, then others; of each the lowest first."""

    rank: int
    goodness: float
    index: int
    item: WorstItem = field(eq=False, order=False)


_RANKS = {Status.FAILED: 0, Status.ERRORED: 1}


class ItemAccount:
    """Counts items and keeps the worst ones, in whatever order they come. Memory does not grow with their number."""

    def __init__(self, *, limit: int = WORST, hide: Hide = NOTHING_HIDDEN) -> None:
        self._limit = limit
        self._hide = hide
        self._places: list[_Place] = []
        self.statuses: Counter[Status] = Counter()
        self.kinds: Counter[Kind] = Counter()
        self.rules: dict[tuple[int | None, str], str] = {}
        """What gates want, by turn and key, as far as the items tell."""

    @classmethod
    def of(cls, result: EvalResult, *, limit: int = WORST, hide: Hide = NOTHING_HIDDEN) -> ItemAccount:
        """The account of the items of a result."""
        account = cls(limit=limit, hide=hide)
        for item in result.items:
            account.item_completed(item, result)
        return account

    @property
    def n_items(self) -> int:
        """How many items were counted."""
        return self.kinds.total()

    @property
    def worst(self) -> tuple[WorstItem, ...]:
        """Failed items, then errored ones, then those not at their best; each group from its lowest score upwards."""
        return tuple(place.item for place in self._places)

    @property
    def n_worst_left_out(self) -> int:
        """How many failed and errored items there are beyond those that are kept."""
        broken = sum(self.statuses[status] for status in _RANKS)
        return broken - sum(place.rank < len(_RANKS) for place in self._places)

    def item_completed(self, item: ItemResult, result: EvalResult | None = None) -> None:
        """Takes note of one item."""
        measures = list(measures_of(item, result))
        self.statuses[item.status] += 1
        self.kinds[kind_of(item, measures)] += 1
        for measure in measures:
            if measure.rule is not None:
                self.rules.setdefault((measure.turn, measure.key), measure.rule)
        rank = _RANKS.get(item.status, len(_RANKS))
        found = [goodness for measure in measures if (goodness := measure.goodness) is not None]
        goodness = min(found, default=None)
        if rank == len(_RANKS) and (goodness is None or goodness >= 1.0):
            return
        if len(self._places) == self._limit:
            last = self._places[-1]
            if (last.rank, last.goodness, last.index) <= (rank, _or_best(goodness), item.index):
                return
        worst = _worst(item, measures, goodness, self._hide)
        insort(self._places, _Place(rank, _or_best(goodness), item.index, worst))
        del self._places[self._limit :]


def _or_best(goodness: float | None) -> float:
    """Nothing measured is not the worst that can be measured: within its group such an item comes last."""
    return 2.0 if goodness is None else goodness


def kind_of(item: ItemResult, measures: list[Measure]) -> Kind:
    """Whether something of the item could not be computed; else whether anything was scored."""
    if item.error is not None or any(isinstance(measure.outcome, Failed) for measure in measures):
        return "failed"
    return "scored" if any(isinstance(measure.outcome, Scored) for measure in measures) else "not scorable"


def _worst(item: ItemResult, measures: list[Measure], goodness: float | None, hide: Hide) -> WorstItem:
    broken = first_broken(item, measures)
    score = reason = None
    if broken is None:
        broke, reason = "target", None if item.error is None else error_in_words(item.error)
    else:
        broke, reason = named(broken), reason_of(broken)
        score = broken.outcome.score
    return WorstItem(
        index=item.index,
        id=shortened(hide(item.id), LONGEST_REASON),
        status=str(item.status),
        broke=hide(broke),
        score=score,
        reason=shortened(hide(reason), LONGEST_REASON) if reason else None,
        goodness=goodness,
    )


def first_broken(item: ItemResult, measures: list[Measure]) -> Measure | None:
    """The first gate or mark that was missed, else what could not be computed, else the lowest score.

    None where the target failed.
    """
    if item.error is not None:
        return None
    for measure in measures:
        if measure.missed:
            return measure
    for measure in measures:
        if isinstance(measure.outcome, Failed):
            return measure
    scored = [measure for measure in measures if measure.goodness is not None]
    return min(scored, key=lambda measure: measure.goodness or 0.0, default=None)


def named(measure: Measure) -> str:
    """The measure by its turn, kind and key: ``turn 1: gate no-promise``."""
    turn = "" if measure.turn is None else f"turn {measure.turn}: "
    if measure.is_gate:
        return f"{turn}gate {measure.key}"
    group = "" if measure.scope == "scorers" else f"{measure.scope}: "
    return f"{turn}{group}{measure.key}"


def reason_of(measure: Measure) -> str | None:
    """What was said about the outcome."""
    match measure.outcome:
        case Scored(reason=reason):
            return reason
        case NotScorable(reason=reason):
            return reason
        case Failed() as failed:
            return f"could not be computed: {failed.reason}"


def error_in_words(error: BaseException) -> str:
    """What the target, or the item itself, raised."""
    return Failed("target", error).reason
