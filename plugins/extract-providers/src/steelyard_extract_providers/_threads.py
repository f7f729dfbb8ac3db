"""Conversations in a log of requests, each of which repeats the history before it."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Sequence

from steelyard_extract_providers._arguments import as_text
from steelyard_extract_providers._entries import Entry


class Thread:
    """One conversation of a log, as it stands after the requests that were added to it.

    ``entries`` are its messages, ``marks`` tell which messages of a request repeat them (see ``marks_of``).
    ``generations`` are the entries of all responses in the order in which they came, those included that failed or
    that a later history leaves out.
    """

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.generations: list[Entry] = []
        self.failed = False
        self.marks: list[Hashable] = []
        self._asked = 0
        self._instructions: set[Hashable] = set()
        self._counted: set[Entry] = set()

    def ask(self, request: Sequence[Entry]) -> None:
        """Add the messages of a request.

        What it repeats stays as it was first told; instructions are those of the latest request. A response that the
        request leaves out, since it was tried anew, leaves the messages too. Of a history that was cut or rewritten
        only what follows the last response is new. A request that repeats nothing at all is appended, without the
        instructions that are there already.
        """
        new = marks_of(request)
        if new[: len(self.marks)] == self.marks:
            self._go_on(request, len(self.marks))
        elif self._asked and new[: self._asked] == self.marks[: self._asked]:
            self._go_on(request, self._asked + self._answered_in(request))
        else:
            after = self._after_last(new)
            told = [entry for entry in request if entry.role != "system"][after:]
            if not after:
                told = [entry for entry in request if entry.role != "system" or mark(entry) not in self._instructions]
            self._add(told)
        self._asked = len(self.marks)

    def answer(self, response: Entry) -> None:
        """Add a response; one that failed counts as a generation and is no message."""
        self.failed = response.reply.error is not None
        if self.failed:
            self.generations.append(response)
        else:
            self._add([response])

    def _after_last(self, new: Sequence[Hashable]) -> int:
        """How many messages of a request end with the last question and its response; 0 where these stand nowhere."""
        last = self.marks[-2:]
        found = (at + 1 for at in range(len(new) - 1, 0, -1) if [new[at - 1], new[at]] == last)
        return next(found, 0)

    def _answered_in(self, request: Iterable[Entry]) -> bool:
        """Whether a request has an assistant's message in the place of the last response: that one, changed."""
        later = [entry for entry in request if entry.role != "system"][self._asked :]
        mine = [entry for entry in self.entries if entry.role != "system"][self._asked :]
        return bool(later and mine) and later[0].role == mine[0].role == "assistant"

    def _go_on(self, request: Iterable[Entry], repeated: int) -> None:
        """Take a request whose first messages, instructions not counted, are already known."""
        told = [entry for entry in self.entries if entry.role != "system"]
        known = iter(told[:repeated])
        # A response whose own request could not be read is found in a later history, with what came before it.
        later = {mark(entry): entry for entry in told[repeated:]}
        self.entries, self.marks, self._instructions = [], [], set()
        self._add(
            [
                entry if entry.role == "system" else next(known, None) or later.pop(mark(entry), entry)
                for entry in request
            ]
        )

    def _add(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self.entries.append(entry)
            if entry.role == "system":
                self._instructions.add(mark(entry))
                continue
            self.marks.append(mark(entry))
            if entry.role == "assistant" and entry not in self._counted:
                self._counted.add(entry)
                self.generations.append(entry)


class Threads:
    """The conversations of a log, found again by what their next request repeats."""

    def __init__(self) -> None:
        self._known = _Index()
        self._asked = _Index()
        self._ends = _Index()

    def of(self, request: Sequence[Entry]) -> Thread:
        """The conversation that a request goes on with, or a new one.

        It goes on with the one whose messages it begins with, instructions not counted; with one that it repeats but
        for the last response, if that failed or more follows; or with one whose last question and response stand in
        it side by side.
        """
        new = marks_of(request)
        beginnings = _beginnings(new)
        for length in range(len(new), 0, -1):
            known = self._known.first(beginnings[length - 1])
            if known is not None:
                return known
            asked = self._asked.first(beginnings[length - 1])
            if asked is not None and (asked.failed or length < len(new)):
                return asked
        pairs = ((new[at - 1], new[at]) for at in range(len(new) - 1, 0, -1))
        return next((thread for pair in pairs if (thread := self._ends.first(pair)) is not None), Thread())

    def remember(self, thread: Thread, request: Sequence[Entry]) -> None:
        """Keep what the next request of a conversation will repeat, in place of what this one did."""
        asked, known = marks_of(request), thread.marks
        self._asked.put(thread, _beginnings(asked)[-1] if asked else None)
        self._known.put(thread, _beginnings(known)[-1] if known else None)
        self._ends.put(thread, (known[-2], known[-1]) if len(known) > 1 and not thread.failed else None)


class _Index:
    """Threads by one key each; of several under one key the first comes first."""

    def __init__(self) -> None:
        self._at: dict[Hashable, deque[Thread]] = {}
        self._keys: dict[Thread, Hashable] = {}

    def first(self, key: Hashable) -> Thread | None:
        found = self._at.get(key)
        return found[0] if found else None

    def put(self, thread: Thread, key: Hashable) -> None:
        """Put a thread under this key alone; None takes it out."""
        before = self._keys.pop(thread, None)
        if before is not None:
            self._at[before].remove(thread)
            if not self._at[before]:
                del self._at[before]
        if key is not None:
            self._at.setdefault(key, deque()).append(thread)
            self._keys[thread] = key


def mark(entry: Entry) -> Hashable:
    """What of a message stays the same when a history repeats it.

    Clients drop the text beside calls and mend broken arguments, so of calls that have an id only that and the name
    count.
    """
    if entry.calls:
        calls = [
            (call.id, call.name) if call.id is not None else (call.name, as_text(call.args) or call.raw_args)
            for call in entry.calls
        ]
        return ("calls", *calls)
    said = [part if isinstance(part, str) else f"{part.type} {as_text(part.fields)}" for part in entry.content]
    return (entry.role, entry.call_id, "\n".join(said).strip())


def marks_of(entries: Iterable[Entry]) -> list[Hashable]:
    """The marks of messages, instructions left out: some clients write the time of day into them."""
    return [mark(entry) for entry in entries if entry.role != "system"]


def _beginnings(marks: Iterable[Hashable]) -> list[int]:
    """A number for each beginning of the list, the shortest first."""
    made: list[int] = []
    so_far = 0
    for each in marks:
        so_far = hash((so_far, each))
        made.append(so_far)
    return made
