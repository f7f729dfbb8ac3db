"""Which of the items are taken: by what they hold, by id, by chance, by number."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from heapq import heappush, heapreplace
from random import Random
from typing import Final
from unicodedata import normalize

from attrs import field, frozen

from steelyard import ConfigurationError, EvalItem
from steelyard_cli._data.field_names import FIELDS
from steelyard_cli._data.places import Located, shown

_NO_OUTPUT: Final = EvalItem().output


@frozen
class Where:
    """What an item must hold: at ``path`` the value that ``text`` writes.

    A text is compared with the text itself (composed characters count as their parts), any other value with its JSON:
    ``true``, ``3``, ``["a", "b"]``; no value is ``null``.
    """

    path: str
    text: str

    def holds(self, item: EvalItem) -> bool:
        value = _value_at(item, self.path)
        if isinstance(value, str):
            return normalize("NFC", value) == normalize("NFC", self.text)
        try:
            wanted: object = json.loads(self.text)
        except (ValueError, RecursionError):
            return False
        return _same(value, wanted)


def parse_where(text: str) -> Where:
    """The condition that ``metadata.lang=de`` writes. The first ``=`` ends the path; what follows it is taken as it is,
    spaces and further ``=`` included.

    Raises ``ConfigurationError`` for a text without path or ``=`` and for a path that begins with no field of an item.
    """
    path, equals, value = text.partition("=")
    path = path.strip()
    if not equals or not path:
        raise ConfigurationError(f"where: write PATH=VALUE, such as metadata.lang=de; found {shown([text])}.")
    root, *keys = path.split(".")
    if root not in FIELDS:
        near = get_close_matches(root, FIELDS, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Did you mean {f'metadata.{path}'!r}?"
        raise ConfigurationError(f"where: an item has no field {shown([root])}, only {', '.join(FIELDS)}. {hint}")
    if not all(keys):
        raise ConfigurationError(f"where: a name is missing in {shown([path])}; keys are joined by single dots.")
    return Where(path, value)


def parse_count(text: object, name: str) -> int | None:
    """A number of items, 0 or more, None for no bound; a text of digits is one too.

    Raises ``ConfigurationError`` for anything else: negative numbers, ranges, numbers with a sign or a fraction.
    """
    if text is None or (isinstance(text, int) and not isinstance(text, bool) and text >= 0):
        return text
    if isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) <= 18:
        return int(text)
    found = shown([text]) if isinstance(text, str) else repr(text)
    raise ConfigurationError(f"{name}: give a whole number, 0 or more; found {found}.")


def _limit(value: object) -> int | None:
    return parse_count(value, "limit")


def _sample(value: object) -> int | None:
    return parse_count(value, "sample")


def _seed(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ConfigurationError(f"seed: give a whole number; found {shown([value])}.")


def _conditions(conditions: Iterable[Where | str]) -> tuple[Where, ...]:
    if isinstance(conditions, str | Where):
        conditions = (conditions,)
    return tuple(parse_where(one) if isinstance(one, str) else one for one in conditions)


def _ids(ids: Iterable[str]) -> tuple[str, ...]:
    wanted = (ids,) if isinstance(ids, str) else tuple(ids)
    if not all(isinstance(id, str) and id.strip() for id in wanted):
        raise ConfigurationError("ids: an id is a text that is not blank.")
    return tuple(dict.fromkeys(wanted))


@frozen(kw_only=True)
class Selection:
    """Which items are taken. Conditions come first: all of ``where`` must hold, and the id must be one of ``ids``, if
    any are given.

    Of those ``sample`` takes so many by chance: the same ``seed`` takes the same ones, and a larger sample holds the
    smaller one. Of what is left, ``limit`` takes the first so many. The order of the data stays. 0 takes nothing, None
    sets no bound. ``where`` takes texts such as ``metadata.lang=de``. Raises ``ConfigurationError`` for what is no
    number of items, no condition, a blank id.
    """

    limit: int | None = field(default=None, converter=_limit)
    sample: int | None = field(default=None, converter=_sample)
    seed: int = field(default=0, converter=_seed)
    ids: tuple[str, ...] = field(default=(), converter=_ids)
    where: tuple[Where, ...] = field(default=(), converter=_conditions)

    @property
    def takes_all(self) -> bool:
        return self.limit is None and self.sample is None and not self.ids and not self.where

    def of(self, items: Iterable[Located]) -> Selected:
        """The chosen items, in the order of the data, one at a time; only a sample is kept in memory.

        Items are read as far as they are needed: not beyond the limit, and not at all for a limit or a sample of 0.
        """
        return Selected(self, items)


class Selected(Iterator[Located]):
    """The chosen items, and what was seen on the way: ``read`` items were looked at and ``taken`` given out so far."""

    def __init__(self, selection: Selection, items: Iterable[Located]) -> None:
        self.read = 0
        self.taken = 0
        self._selection = selection
        self._unseen = dict.fromkeys(selection.ids)
        self._read_to_the_end = False
        self._chosen = self._choose(items)

    def __iter__(self) -> Selected:
        return self

    def __next__(self) -> Located:
        located = next(self._chosen)
        self.taken += 1
        return located

    @property
    def missing_ids(self) -> tuple[str, ...]:
        """The ids that were asked for and that no item has, in the order of asking; empty as long as not all items were
        read."""
        return tuple(self._unseen) if self._read_to_the_end else ()

    def _choose(self, items: Iterable[Located]) -> Iterator[Located]:
        limit, sample = self._selection.limit, self._selection.sample
        if limit == 0 or sample == 0:
            return
        chosen = self._fitting(items)
        if sample is not None:
            chosen = _sampled(chosen, sample, self._selection.seed)
        for number, located in enumerate(chosen, start=1):
            yield located
            if number == limit:
                return

    def _fitting(self, items: Iterable[Located]) -> Iterator[Located]:
        ids, where = frozenset(self._selection.ids), self._selection.where
        for located in items:
            self.read += 1
            item = located.item
            if item.id is not None:
                self._unseen.pop(item.id, None)
            if (not ids or item.id in ids) and all(one.holds(item) for one in where):
                yield located
        self._read_to_the_end = True


def _sampled(items: Iterable[Located], size: int, seed: int) -> Iterator[Located]:
    """So many items, each set of them as likely as any other: those that drew the smallest numbers."""
    draw = Random(seed).random  # the one method whose numbers are the same in every version of Python
    kept: list[tuple[float, int, Located]] = []
    for at, located in enumerate(items):
        drawn = (-draw(), at, located)
        if len(kept) < size:
            heappush(kept, drawn)
        elif drawn[0] > kept[0][0]:
            heapreplace(kept, drawn)
    for _, _, located in sorted(kept, key=lambda entry: entry[1]):
        yield located


def _value_at(item: EvalItem, path: str) -> object:
    """What a path leads to in an item, None where it leads nowhere. A key may have dots in it."""
    root, _, rest = path.partition(".")
    value: object = getattr(item, root)
    value = None if value is _NO_OUTPUT else value
    while rest:
        if not isinstance(value, Mapping):
            return None
        if rest in value:
            return value[rest]
        key, _, rest = rest.partition(".")
        value = value.get(key)
    return value


def _same(value: object, wanted: object) -> bool:
    """Whether two values are the same JSON; true is not 1."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    if isinstance(value, list | tuple):
        return isinstance(wanted, list) and len(value) == len(wanted) and all(map(_same, value, wanted))
    if isinstance(value, Mapping):
        return (
            isinstance(wanted, Mapping)
            and value.keys() == wanted.keys()
            and all(_same(value[key], wanted[key]) for key in value)
        )
    return value == wanted
