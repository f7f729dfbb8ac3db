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

MOST = 20
"""How many faults are kept to be shown."""
_CHUNK = 500
_INDEX = re.compile(r"Item (?P<index>\d+): ")


@define
class Checked:
    """How many items were looked at, and what is wrong with them: the first faults, and how many there are."""

    n_items: int = 0
    n_faults: int = 0
    faults: list[DataFault] = field(factory=list)
    ids: array[int] = field(factory=lambda: array("Q"))

    def add(self, fault: DataFault) -> None:
        """Takes note of a fault."""
        self.n_faults += 1
        if len(self.faults) < MOST:
            self.faults.append(fault)


def check_composition(built: Built, *, observers: bool) -> None:
    """Refuses what ``run_evals`` would refuse whatever the data. ``observers`` are opened only where they are asked for, since opening may do something."""
    options = dict(built.options)
    if not observers:
        options.pop("observers", None)
    try:
        stream_evals(**cast("EvalOptions", {**options, "data": iter(())}))
    except ConfigurationError as error:
        raise refused(built.place, error) from error


def check_items(built: Built, items: Iterable[Located]) -> Checked:
    """Looks at every item: that it is one, goes with the target, and brings what its scorers need. Memory does not grow with their number."""
    checked = Checked()
    options: dict[str, Any] = {name: value for name, value in built.options.items() if name not in ("observers", "lifecycle")}
    chunks = iter(items)
    while chunk := list(islice(chunks, _CHUNK)):
        checked.n_items += len(chunk)
        checked.ids.extend(_digest(located.item.id) for located in chunk if isinstance(located.item.id, str))
        while chunk and (fault := _first_fault(options, chunk)) is not None:
            at, reason = fault
            checked.add(DataFault(chunk[at].path, chunk[at].line, reason))
            del chunk[at]
    return checked


def has_doubled_ids(checked: Checked) -> bool:
    """Whether two items may have the same id; which ones, ``doubled_ids`` tells."""
    return len(set(checked.ids)) < len(checked.ids)


def doubled_ids(items: Iterable[Located], checked: Checked) -> Iterator[DataFault]:
    """A fault for each item whose id an earlier one has."""
    counts: dict[int, int] = {}
    for digest in checked.ids:
        counts[digest] = counts.get(digest, 0) + 1
    first: dict[str, Located] = {}
    for located in items:
        id = located.item.id
        if not isinstance(id, str) or counts.get(_digest(id), 0) < 2:
            continue
        if id in first:
            yield DataFault(located.path, located.line, f"it has the same id as {first[id].place}; ids tell items apart")
        else:
            first[id] = located


def _first_fault(options: dict[str, Any], chunk: list[Located]) -> tuple[int, str] | None:
    # Ids are told apart over all chunks.
    data = [evolve(located.item, id=None) if isinstance(located.item.id, str) else located.item for located in chunk]
    try:
        stream_evals(**cast("EvalOptions", {**options, "data": data}))
    except BadItem as error:
        return error.index, error.fault.rstrip(".")
    except ConfigurationError as error:
        found = _INDEX.match(str(error))
        if found is None:
            raise
        return int(found["index"]), str(error)[found.end() :].rstrip(".")
    return None


def _digest(id: str) -> int:
    return int.from_bytes(blake2b(id.encode("utf-8", "surrogatepass"), digest_size=8).digest())
