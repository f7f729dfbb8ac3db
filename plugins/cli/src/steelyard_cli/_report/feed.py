"""Items to all who want them while they complete, where one that fails costs neither the run nor the others."""

from __future__ import annotations

from typing import Protocol

from steelyard import ItemResult


class Sink(Protocol):
    """Takes items as they complete."""

    def item_completed(self, item: ItemResult, /) -> object:
        """One more item is complete."""
        ...


class Feed:
    """Gives each completed item to the sinks, in their order. It has the form of ``on_item_complete``.

    A sink that raises gets no further items, and ``errors`` has what it raised, so that a full disk is told at the end
    and ends no run.
    """

    def __init__(self, *sinks: Sink) -> None:
        self._sinks = list(sinks)
        self.errors: list[tuple[Sink, Exception]] = []

    def __call__(self, item: object, target_result: object, result: ItemResult) -> None:
        for sink in tuple(self._sinks):
            try:
                sink.item_completed(result)
            except Exception as error:
                self._sinks.remove(sink)
                self.errors.append((sink, error))


def needs_items(*, json: object = None, junit: object = None, csv: object = None) -> bool:
    """Whether one of these outputs is wanted, which are written from all items at the end.

    The others do without, so that memory stays flat.
    """
    return any(output is not None for output in (json, junit, csv))
