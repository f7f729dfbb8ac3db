"""What the items are told apart by: the paths of ``group_by``, and the slices that bounds name."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import define, field

from steelyard import EvalItem
from steelyard_cli._file.building import Built
from steelyard_cli._file.places import FileFault, nearest

MOST: Final = 1000
"""How many names are kept to be suggested."""
_SHOWN: Final = 20


@define
class Groups:
    """What was seen of the items that a ``group_by`` is about."""

    paths: tuple[str, ...]
    wanted: set[str]
    there: dict[str, None] = field(factory=dict)
    led_somewhere: set[str] = field(factory=set)
    known: dict[str, None] = field(factory=dict)
    n_items: int = 0

    @classmethod
    def of(cls, built: Built) -> Groups:
        """Nothing seen yet."""
        options: Mapping[str, Any] = built.options
        return cls(tuple(options.get("group_by") or ()), set(_slices(options.get("scorers"))))

    def note(self, item: EvalItem) -> None:
        """Takes note of an item, and of the bounds that it brings itself."""
        self.n_items += 1
        if not self.paths:
            return
        for holder in (item, *(item.turns or ())):
            self.wanted.update(_slices(getattr(holder, "scorers", ())))
        for path in self.paths:
            found, value = _look_up(item, path)
            if found:
                self.led_somewhere.add(path)
            name = f"{path}={value if isinstance(value, str) else _shown(value)}"
            if len(self.there) < MOST or name in self.wanted:
                self.there.setdefault(name)
        if len(self.known) < MOST:
            for root in ("metadata", "request_context", "start_options"):
                self.known.update(dict.fromkeys(f"{root}.{key}" for key in getattr(item, root, None) or ()))

    def check(self, built: Built) -> None:
        """Raises ``FileFault`` for a path that leads nowhere in all the items, and for a bound on a slice that none of
        them is in, which could never be missed."""
        if not self.n_items:
            return
        for number, path in enumerate(self.paths):
            if path in self.led_somewhere:
                continue
            near = nearest(path, self.known)
            names = ", ".join(list(self.known)[:_SHOWN])
            hint = f" Did you mean {near!r}?" if near else f" There are {names}." if names else ""
            raise FileFault(built.place / "group_by" / number, f"no item has {path}.{hint}")
        for name in sorted(self.wanted - set(self.there)):
            near = nearest(name, self.there)
            hint = f" Did you mean {near!r}?" if near else ""
            names = ", ".join(sorted(self.there)[:_SHOWN])
            raise FileFault(
                built.place, f"a bound names the slice {name!r}, to which no item belongs.{hint} There are {names}."
            )


def _slices(scorers: object) -> Iterator[str]:
    """The slices that bounds among these scorers name, whatever groups they stand in."""
    if isinstance(scorers, Mapping):
        scorers = list(scorers.values())
    if isinstance(scorers, list | tuple):
        for each in scorers:
            yield from _slices(each)
        return
    named = getattr(scorers, "slice", None)
    if isinstance(named, str):
        yield named
    for group in ("agent", "workflow", "steps", "trajectory"):
        yield from _slices(getattr(scorers, group, ()))


def _look_up(item: EvalItem, path: str) -> tuple[bool, object]:
    """Whether the item has something at the path, be it null, and what."""
    root, *names = path.split(".")
    value: object = getattr(item, root, None)
    found = True
    for name in names:
        if isinstance(value, Mapping) and name in value:
            value = value[name]
        elif value is not None and not isinstance(value, Mapping) and hasattr(value, name):
            value = getattr(value, name)
        else:
            return False, None
    return found if names else value is not None, value


def _shown(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    except (TypeError, ValueError, RecursionError):
        return repr(value)
