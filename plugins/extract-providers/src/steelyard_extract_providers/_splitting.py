"""The content of a file, cut into the records of its conversations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from steelyard_extract_providers._chunks import Streams
from steelyard_extract_providers._faults import Faults
from steelyard_extract_providers._logs import Requests, answer_of
from steelyard_extract_providers._shapes import Shape, shape_of
from steelyard_extract_providers._threads import Thread, Threads


def split(data: object) -> Iterator[object]:
    """The records of a file's content; those that are made of several of its entries come last.

    Each in the order in which it begins.
    """
    entries = _entries(data)
    if entries is None:
        yield data
        return
    made = _Made()
    unknown: list[object] = []
    before: Shape | None = None
    for entry in entries:
        shape = shape_of(entry)
        if shape is None and before is None:
            unknown.append(entry)
            continue
        if before is None:
            if shape is Shape.MESSAGE:
                made.messages += unknown
            else:
                yield from unknown
            unknown = []
        # What is damaged among messages or chunks is one of them.
        before = shape or before
        if before is Shape.MESSAGE:
            made.messages.append(entry)
        elif before is Shape.CHUNK:
            made.add_chunk(entry)
        elif shape is not Shape.PAIR or not isinstance(entry, Mapping) or not made.add_pair(entry):
            yield entry
    yield from unknown
    yield from made.records()


def _entries(data: object) -> Iterable[object] | None:
    """What a file lists; None for a file that holds one record."""
    if isinstance(data, Mapping) and data.get("object") == "list":
        data = data.get("data")
    return None if isinstance(data, str | bytes | Mapping) or not isinstance(data, Iterable) else data


class _Made:
    """Records that are made of several entries."""

    def __init__(self) -> None:
        self.messages: list[object] = []
        self._records: list[list[object]] = []
        self._streams = Streams()
        self._threads = Threads()
        self._pairs: dict[Thread, list[object]] = {}

    def add_chunk(self, chunk: object) -> None:
        chunks, is_new = self._streams.of(chunk)
        if is_new:
            self._records.append(chunks)

    def add_pair(self, pair: Mapping[str, object]) -> bool:
        """Whether a pair is a part of some conversation: it is when it has a request that can be read."""
        request = Requests(Faults()).read(pair, "")
        if not request:
            return False
        thread = self._threads.of(request)
        if thread not in self._pairs:
            self._pairs[thread] = []
            self._records.append(self._pairs[thread])
        self._pairs[thread].append(pair)
        thread.ask(request)
        response = answer_of(pair, "", Faults())
        if response is not None:
            thread.answer(response)
        self._threads.remember(thread, request)
        return True

    def records(self) -> Iterator[object]:
        if self.messages:
            yield self.messages
        for record in self._records:
            yield record[0] if len(record) == 1 and shape_of(record[0]) is Shape.PAIR else record
