"""What was measured of one item, in the order in which it happened: gates, turns, scorers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from steelyard import Aggregate, ByKey, EachItem, EvalResult, ItemResult, Outcome, Scale, Scored, ShareOfItems
from steelyard_cli._report.numbers import percent, short


@frozen(kw_only=True)
class Measure:
    """One outcome of an item, with what it takes to read it.

    ``scope`` is ``"gates"``, ``"scorers"``, a group, or ``"steps/<id>"``; of a turn, with ``turn`` its index,
    ``"gates"`` or ``"scorers"``. ``mark`` is the score that the item has to reach: the best one for a gate, ``pass_at``
    for a scorer (None: it has no mark). ``scale`` is None where nothing tells it.
    """

    turn: int | None
    scope: str
    key: str
    outcome: Outcome
    scale: Scale | None
    mark: float | None
    rule: str | None = None

    @property
    def is_gate(self) -> bool:
        """Whether it has to hold."""
        return self.scope == "gates"

    @property
    def missed(self) -> bool:
        """Whether there is a score and it is below the mark."""
        if not isinstance(self.outcome, Scored) or self.mark is None or self.scale is None:
            return False
        return not self.scale.reached(self.outcome.score, self.mark)

    @property
    def goodness(self) -> float | None:
        """The score from 0 (worst) to 1 (best); None where there is none."""
        if not isinstance(self.outcome, Scored) or self.scale is None:
            return None
        return self.scale.goodness(self.outcome.score)


def measures_of(item: ItemResult, result: EvalResult | None = None) -> Iterator[Measure]:
    """The outcomes of an item. ``result`` tells the scales of an item that was read from a file and has none."""
    over_all: Mapping[str, Mapping[str, Aggregate]] = {} if result is None else result.aggregates
    yield from _of_scope(None, "gates", item.gates, over_all.get("gates", {}))
    for turn in item.turns:
        accounts: Mapping[str, Aggregate] = {}
        if result is not None and turn.index < len(result.turn_results):
            accounts = result.turn_results[turn.index].aggregates
        yield from _of_scope(turn.index, "gates", turn.gates, accounts)
        yield from _of_scope(turn.index, "scorers", turn.scores, accounts)
    for scope, outcomes in groups_of(item.scores):
        yield from _of_scope(None, scope, outcomes, over_all.get(scope, {}))


def groups_of(scores: Mapping[str, Any], name: str = "scorers") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Scores by scope: those of a plain list as they are, grouped ones by group, those of steps as ``"steps/<id>"``."""
    if isinstance(scores, ByKey):
        yield name, scores
        return
    for group, inner in scores.items():
        if group == "steps" and not isinstance(inner, ByKey):
            for step, outcomes in inner.items():
                yield f"steps/{step}", outcomes
        else:
            yield from groups_of(inner, group)


def _of_scope(
    turn: int | None, scope: str, outcomes: Mapping[str, Outcome], accounts: Mapping[str, Aggregate]
) -> Iterator[Measure]:
    entries = outcomes.entries if isinstance(outcomes, ByKey) else ()
    for at, (key, outcome) in enumerate(outcomes.items()):
        scale, mark, rule = None, None, None
        if entries:
            entry = entries[at]
            scale = entry.scorer.scale
            mark = scale.best if entry.gate is not None else entry.tally.pass_at
            rule = None if entry.gate is None else rule_in_words(entry.gate)
        elif key in accounts:
            scale = accounts[key].scale
            mark = scale.best if scope == "gates" else accounts[key].pass_at
        yield Measure(turn=turn, scope=scope, key=key, outcome=outcome, scale=scale, mark=mark, rule=rule)


def rule_in_words(gate: Any) -> str:
    """How many items a gate wants at the best score."""
    best = short(gate.scorer.scale.best)
    if isinstance(gate, EachItem):
        return f"each item at {best}"
    if isinstance(gate, ShareOfItems):
        return f"{percent(gate.share)} of items at {best}"
    return f"the rule of {type(gate).__name__}"
