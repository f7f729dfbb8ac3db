"""Everything that can be found wrong with an evaluation before a target, a scorer or a judge is called."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import islice
from typing import Any, cast

from attrs import define, evolve, field

from steelyard import BadItem, ConfigurationError, EvalOptions, stream_evals
from steelyard_cli._data.places import DataFault, Located
from steelyard_cli._file.building import Built, refused
from steelyard_cli._file.groups import Groups
from steelyard_cli._file.places import FileFault

MOST = 20
"""How many faults are kept to be shown."""
_CHUNK = 500
_SLICE = "A bound names the slice "
_UNMEASURED = "There is nothing to measure"
_INDEX = re.compile(r"Item (?P<index>\d+): ")


@define
class Checked:
    """How many items were looked at, and what is wrong with them: the first faults, and how many there are."""

    n_items: int = 0
    n_faults: int = 0
    faults: list[DataFault] = field(factory=list)
    doubled: set[int] = field(factory=set)
    """Digests of the ids that came more than once."""
    groups: Groups = field(factory=lambda: Groups((), set()))
    _ids: Digests = field(factory=lambda: Digests())

    def add(self, fault: DataFault) -> None:
        """Takes note of a fault."""
        self.n_faults += 1
        if len(self.faults) < MOST:
            self.faults.append(fault)

    def note_id(self, id: object) -> None:
        """Takes note of an item's id."""
        if isinstance(id, str) and not self._ids.add(digest := _digest(id)):
            self.doubled.add(digest)


class Digests:
    """A set of 64-bit numbers in one flat array, since a set of as many ids as a large file has would take ten times
    the memory."""

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * 1024))
        self._count = 0

    def add(self, digest: int) -> bool:
        """Adds a number that is not 0; whether it is new."""
        if 2 * self._count >= len(self._slots):
            old, self._slots, self._count = self._slots, array("Q", bytes(16 * len(self._slots))), 0
            for each in filter(None, old):
                self.add(each)
        at = digest & (len(self._slots) - 1)
        while self._slots[at]:
            if self._slots[at] == digest:
                return False
            at = (at + 1) & (len(self._slots) - 1)
        self._slots[at] = digest
        self._count += 1
        return True


def check_composition(built: Built, *, observers: bool) -> None:
    """Refuses what ``run_evals`` would refuse whatever the data. ``observers`` are opened only where they are asked
    for, since opening may do something."""
    options = dict(built.options)
    if not observers:
        options.pop("observers", None)
    try:
        stream_evals(**cast("EvalOptions", {**options, "data": iter(())}))
    except ConfigurationError as error:
        raise refused(built.place, error) from error


def check_items(built: Built, items: Iterable[Located]) -> Checked:
    """Looks at every item: that it is one, goes with the target, and brings what its scorers need. Memory does not grow
    with their number."""
    checked = Checked(groups=Groups.of(built))
    options: dict[str, Any] = {
        name: value for name, value in built.options.items() if name not in ("observers", "lifecycle")
    }
    measured = False
    chunks = iter(items)
    while chunk := list(islice(chunks, _CHUNK)):
        checked.n_items += len(chunk)
        for located in chunk:
            checked.note_id(located.item.id)
            checked.groups.note(located.item)
        while chunk and (fault := _first_fault(options, chunk)) is not None:
            at, reason = fault
            checked.add(DataFault(chunk[at].path, chunk[at].line, reason))
            del chunk[at]
        measured = measured or not chunk or _is_measured(options, chunk)
    if checked.n_items and not measured:
        raise FileFault(built.place, "there is nothing to measure: no gate or scorer is for any of the items.")
    return checked


def doubled_ids(items: Iterable[Located], checked: Checked) -> Iterator[DataFault]:
    """A fault for each item whose id an earlier one has; ``items`` are those that were looked at, once more."""
    first: dict[str, str] = {}
    for located in items:
        id = located.item.id
        if isinstance(id, str) and _digest(id) in checked.doubled:
            if id in first:
                reason = f"it has the same id as {first[id]}; ids tell items apart"
                yield DataFault(located.path, located.line, reason)
            first.setdefault(id, located.place)


def _first_fault(options: dict[str, Any], chunk: list[Located]) -> tuple[int, str] | None:
    # Ids are told apart over all chunks.
    data = [evolve(located.item, id=None) if isinstance(located.item.id, str) else located.item for located in chunk]
    try:
        stream_evals(**cast("EvalOptions", {**options, "data": data}))
    except BadItem as error:
        return error.index, error.fault.rstrip(".")
    except ConfigurationError as error:
        if str(error).startswith((_SLICE, _UNMEASURED)):
            return None  # looked for last of all, and told apart over all chunks
        found = _INDEX.match(str(error))
        if found is None:
            raise
        return int(found["index"]), str(error)[found.end() :].rstrip(".")
    return None


def _is_measured(options: dict[str, Any], chunk: list[Located]) -> bool:
    """Whether some of these faultless items have a gate or scorer."""
    if options.get("gates") or options.get("scorers"):
        return True
    items = [located.item for located in chunk]
    if any(item.gates or item.scorers for item in items):
        return True
    return any(turn.gates or turn.scorers for item in items for turn in item.turns or ())


def _digest(id: str) -> int:
    return int.from_bytes(blake2b(id.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") or 1
