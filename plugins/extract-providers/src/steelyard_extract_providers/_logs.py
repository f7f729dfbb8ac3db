"""One conversation out of a log of requests, responses and chunks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import Factory, define

from steelyard_extract_providers._chunks import Streams, joined
from steelyard_extract_providers._entries import Entry, Reply, read_entry
from steelyard_extract_providers._faults import Faults, expected, under
from steelyard_extract_providers._responses import read_response, text_of
from steelyard_extract_providers._shapes import Shape, messages_of, request_of, response_of, shape_of
from steelyard_extract_providers._threads import Thread


def read_log(entries: Sequence[object], faults: Faults, *, alone: bool = False) -> Thread:
    """The one conversation of pairs, responses and chunks; what goes on with nothing before it is appended.

    ``alone`` says that the only entry is the whole record.
    """
    thread = Thread()
    requests = Requests(faults)
    for place, entry in _events(entries, alone=alone):
        response = None
        if isinstance(entry, _Stream):
            raw = [chunk for _, chunk in entry.chunks]
            response = read_response(joined(entry.chunks, faults), place, faults, raw=raw)
        elif shape_of(entry) is Shape.PAIR and isinstance(entry, Mapping):
            asked = requests.read(entry, place)
            if asked is not None:
                thread.ask(asked)
            response = answer_of(entry, place, faults)
        elif shape_of(entry) is Shape.RESPONSE:
            response = read_response(entry, place, faults)
        else:
            faults.note(place, expected("a request with its response", entry))
        if response is not None:
            thread.answer(response)
    return thread


@define(eq=False)
class _Stream:
    """The chunks of one response, each with its place."""

    chunks: list[tuple[str, object]] = Factory(list)


def _events(entries: Sequence[object], *, alone: bool) -> Iterator[tuple[str, object]]:
    """Each entry with its place; in the place of a stream's first chunk the whole stream."""
    streams = Streams()
    events: list[tuple[str, object]] = []
    begun: dict[int, _Stream] = {}
    streaming = False
    for at, entry in enumerate(entries):
        place = "" if alone else f"[{at}]"
        shape = shape_of(entry)
        streaming = shape is Shape.CHUNK or (shape is None and streaming)
        if not streaming:
            events.append((place, entry))
            continue
        chunks, is_new = streams.of(entry)
        if is_new:
            begun[id(chunks)] = _Stream()
            events.append((place, begun[id(chunks)]))
        begun[id(chunks)].chunks.append((place, entry))
    yield from events


class Requests:
    """Reads the messages of requests, those that a request repeats only once."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._before: list[tuple[object, Entry | None]] = []

    def read(self, pair: Mapping[str, object], place: str) -> list[Entry] | None:
        """The messages of a pair's request; None for a pair without one."""
        request = request_of(pair)
        if request is None:
            return None
        inside = place if request is pair else under(place, "request")
        inside = under(inside, "messages") if isinstance(request, Mapping) else inside
        messages = messages_of(request)
        if not isinstance(messages, list | tuple):
            self._faults.note(inside, expected("a list of messages", messages))
            return []
        known = Reply(text_of(request, "model") if isinstance(request, Mapping) else None)
        self._before = [
            (message, self._entry(message, at, f"{inside}[{at}]", known)) for at, message in enumerate(messages)
        ]
        return [entry for _, entry in self._before if entry is not None]

    def _entry(self, message: object, at: int, place: str, known: Reply) -> Entry | None:
        if at < len(self._before) and _same(self._before[at][0], message):
            return self._before[at][1]
        return read_entry(message, place, self._faults, known)


def _same(left: object, right: object) -> bool:
    try:
        return left == right
    except RecursionError:
        return False


def answer_of(pair: Mapping[str, object], place: str, faults: Faults) -> Entry | None:
    """The response of a pair; None for a pair without one."""
    response = response_of(pair)
    inside = place if response is pair else under(place, "response")
    if response is None:
        return None
    request = request_of(pair)
    requested = text_of(request, "model") if isinstance(request, Mapping) else None
    if isinstance(response, list | tuple):
        chunks = [(f"{inside}[{at}]", chunk) for at, chunk in enumerate(response)]
        return read_response(joined(chunks, faults), inside, faults, requested=requested, raw=response)
    if isinstance(response, str):
        response = {"role": "assistant", "content": response}
    if shape_of(response) is Shape.MESSAGE:
        return read_entry(response, inside, faults, Reply(requested))
    return read_response(response, inside, faults, requested=requested)
