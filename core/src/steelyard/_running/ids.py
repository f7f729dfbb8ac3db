"""Ids of items: those that were given, told apart; and those that are made, when somebody reads them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from hashlib import blake2b

from steelyard._running.item import BadItem, EvalItem, canonical_hash


class SeenDigests:
    """A set of 64-bit digests in one flat array: about 16 bytes for each of a million texts, where a set of texts takes
    over 100."""

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * 1024))
        self._count = 0

    def add(self, text: str) -> bool:
        """Adds a text; whether it is new (two texts of one digest, of which a million hold one pair in 10 million runs,
        count as one)."""
        digest = int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") or 1
        if 2 * self._count >= len(self._slots):
            self._grow()
        return self._put(self._slots, digest)

    def _put(self, slots: array[int], digest: int) -> bool:
        mask = len(slots) - 1
        place = digest & mask
        while slots[place]:
            if slots[place] == digest:
                return False
            place = (place + 1) & mask
        slots[place] = digest
        self._count += 1
        return True

    def _grow(self) -> None:
        old, self._count = self._slots, 0
        self._slots = array("Q", bytes(16 * len(old)))
        for digest in old:
            if digest:
                self._put(self._slots, digest)


class Ids:
    """The ids of one evaluation's items, by index.

    An item without an id gets the hash of what it gives to the target, and the number of its occurrence:
    ``"9f86d081884c7d65-1"``. Given ``kept`` items, ids are made when the first is read; for a stream whose items are
    not kept they are counted as the items pass.
    """

    def __init__(self, kept: Sequence[object] | None, *, counting: bool) -> None:
        self._kept = kept
        self._given = SeenDigests()
        self._counting = counting and kept is None
        self._first = SeenDigests()
        self._again: dict[str, int] = {}
        self._pending: dict[int, str] = {}
        self._made: list[str] = []
        self._numbers: dict[str, int] = {}

    def take(self, index: int, item: EvalItem) -> None:
        """Takes note of an item. Raises ``BadItem`` for an id that an earlier one has."""
        if item.id is not None:
            if not self._given.add(item.id):
                raise BadItem(index, f"the id {item.id!r} was given to an earlier item too. Ids must differ.")
        elif self._counting:
            digest = canonical_hash(item)
            number = 1
            if not self._first.add(digest):
                number = self._again.get(digest, 1) + 1
                self._again[digest] = number
            self._pending[index] = f"{digest}-{number}"

    def forget(self, index: int) -> None:
        """Lets go of an item of a stream that is done with."""
        self._pending.pop(index, None)

    def of(self, index: int) -> str:
        """The id of the item at this place, for one that has none of its own."""
        if self._kept is None:
            return self._pending.get(index, f"item-{index}")
        while len(self._made) <= index:
            item = self._kept[len(self._made)]
            digest = canonical_hash(item) if isinstance(item, EvalItem) else "unreadable"
            self._numbers[digest] = self._numbers.get(digest, 0) + 1
            self._made.append(f"{digest}-{self._numbers[digest]}")
        return self._made[index]
