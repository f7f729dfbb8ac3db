"""Gates and scorers that only some of the items have: those that bring what these take from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from steelyard import EvalItem


@frozen(kw_only=True)
class Own:
    """What is added to each item that has a value at all of ``needs``."""

    needs: tuple[str, ...]
    gates: tuple[Any, ...] = ()
    scorers: tuple[Any, ...] = ()


def with_own(item: EvalItem, own: Sequence[Own]) -> EvalItem:
    """The item with all that is for items such as this one."""
    fitting = [each for each in own if all(brings(item, need) for need in each.needs)]
    if not fitting:
        return item
    gates = [gate for each in fitting for gate in each.gates]
    scorers = [scorer for each in fitting for scorer in each.scorers]
    return evolve(item, gates=[*item.gates, *gates], scorers=[*item.scorers, *scorers])


def brings(item: EvalItem, path: str) -> bool:
    """Whether the item has a value there; None is none."""
    first, *names = path.split(".")
    value: object = getattr(item, first, None)
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
    return value is not None
