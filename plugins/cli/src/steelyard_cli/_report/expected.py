"""What would have been measured of an item whose target failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from steelyard import EvalItem, EvalResult, Failed, ItemResult, scorer_key
from steelyard_cli._report.measures import Measure


class Expected:
    """The gates and scorers of an item that has no outcomes: those of all items, and those that it brings itself.

    Averages count each of them as failed, so whoever lists outcomes has to list these to come to the same counts.
    """

    def __init__(self, result: EvalResult) -> None:
        brought = {key for item in result.items for taken in _brought(item) for key in taken}
        self._common = [
            (scope, key) for scope, accounts in result.aggregates.items() for key in accounts if key not in brought
        ]
        self._own_scope = next((scope for scope in ("agent", "workflow") if scope in result.aggregates), "scorers")

    def of(self, item: ItemResult) -> Iterator[Measure]:
        """A failed measure for each; none for an item whose target did not fail."""
        if item.error is None:
            return
        failed = Failed("target", item.error)
        gates, scorers = _brought(item)
        wanted: list[tuple[int | None, str, str]] = [
            (None, scope, key) for scope, key in self._common if scope == "gates"
        ]
        wanted += [(None, "gates", key) for key in gates]
        if isinstance(item.item, EvalItem):
            for at, turn in enumerate(item.item.turns or ()):
                wanted += [(at, "gates", key) for key in _keys(turn.gates)]
                wanted += [(at, "scorers", key) for key in _keys(turn.scorers)]
        wanted += [(None, scope, key) for scope, key in self._common if scope != "gates"]
        wanted += [(None, self._own_scope, key) for key in scorers]
        for turn_index, scope, key in wanted:
            yield Measure(turn=turn_index, scope=scope, key=key, outcome=failed, scale=None, mark=None)


def _brought(item: ItemResult) -> tuple[list[str], list[str]]:
    """The keys of the gates and scorers that the item itself brings."""
    own = item.item
    return (_keys(own.gates), _keys(own.scorers)) if isinstance(own, EvalItem) else ([], [])


def _keys(entries: Iterable[object]) -> list[str]:
    """The key of each scorer once; one that was read from a file is its key."""
    keys = (entry if isinstance(entry, str) else scorer_key(getattr(entry, "scorer", entry)) for entry in entries)
    return list(dict.fromkeys(keys))
