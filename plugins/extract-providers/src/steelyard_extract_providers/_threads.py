"""Conversations in a log of requests, each of which repeats the history before it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from steelyard_extract_providers._arguments import as_text
from steelyard_extract_providers._entries import Entry


class Thread:
    """One conversation of a log, as it stands after the requests that were added to it.

    ``entries`` are its messages, ``generations`` the entries of all responses in the order in which they came, those included that failed
    or that a later history leaves out.
    """

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.generations: list[Entry] = []
        self.failed = False
        self._asked: list[Hashable] = []

    def ask(self, request: Sequence[Entry]) -> None:
        """Add the messages of a request.

        What it repeats stays as it was first told; instructions are those of the latest request. A response that the request leaves out,
        since it was tried anew, leaves the messages too. Of a history that was cut or rewritten only what follows the last response is
        new. A request that repeats nothing at all is appended, without the instructions that are there already.
        """
        known, new = _marks(self.entries), _marks(request)
        if new[: len(known)] == known:
            self._go_on(request, len(known))
        elif self._asked and new[: len(self._asked)] == self._asked:
            self._go_on(request, len(self._asked))
        else:
            said = {mark(entry) for entry in self.entries if entry.role == "system"}
            after = _after_last(known, new)
            fresh = [entry for entry in request if entry.role != "system"][after:]
            if not after:
                fresh = [entry for entry in request if entry.role != "system" or mark(entry) not in said]
            self._keep([*self.entries, *fresh])
        self._asked = _marks(self.entries)

    def answer(self, response: Entry) -> None:
        """Add a response; one that failed counts as a generation and is no message."""
        self.generations.append(response)
        self.failed = response.reply.error is not None
        if not self.failed:
            self.entries.append(response)

    def _go_on(self, request: Iterable[Entry], repeated: int) -> None:
        """Take a request whose first messages, instructions not counted, are already known."""
        known = iter([entry for entry in self.entries if entry.role != "system"][:repeated])
        self._keep([entry if entry.role == "system" else next(known, entry) for entry in request])

    def _keep(self, entries: list[Entry]) -> None:
        counted = set(self.generations)
        self.generations += [entry for entry in entries if entry.role == "assistant" and entry not in counted]
        self.entries = entries


class Threads:
    """The conversations of a log, found again by what their next request repeats."""

    def __init__(self) -> None:
        self._ahead: dict[int, Thread] = {}
        self._asked: dict[int, Thread] = {}
        self._ends: dict[tuple[Hashable, Hashable], Thread] = {}

    def of(self, request: Sequence[Entry]) -> Thread:
        """The conversation that a request goes on with, or a new one.

        It goes on with the one whose messages it begins with, instructions not counted; with one that it repeats but for the last response, if that
        failed or more follows; or with one whose last question and response stand in it side by side.
        """
        new = _marks(request)
        hashes = _prefixes(new)
        for length in range(len(hashes), 0, -1):
            found = self._ahead.get(hashes[length - 1])
            if found is not None:
                return found
            found = self._asked.get(hashes[length - 1])
            if found is not None and (found.failed or length < len(hashes)):
                return found
        for at in range(len(new) - 1, 0, -1):
            found = self._ends.get((new[at - 1], new[at]))
            if found is not None:
                return found
        return Thread()

    def remember(self, thread: Thread, request: Sequence[Entry]) -> None:
        """Keep what the next request of a conversation will repeat."""
        asked = _prefixes(_marks(request))
        if asked:
            self._asked[asked[-1]] = thread
        known = _marks(thread.entries)
        if known:
            self._ahead[_prefixes(known)[-1]] = thread
        if len(known) > 1 and thread.entries[-1].role == "assistant":
            self._ends[known[-2], known[-1]] = thread


def mark(entry: Entry) -> Hashable:
    """What of a message stays the same when a history repeats it.

    Clients drop the text beside calls and mend broken arguments, so of calls that have an id only that and the name count.
    """
    if entry.calls:
        calls = [
            (call.id, call.name) if call.id is not None else (call.name, as_text(call.args) or call.raw_args)
            for call in entry.calls
        ]
        return ("calls", *calls)
    said = [part if isinstance(part, str) else f"{part.type} {as_text(part.fields)}" for part in entry.content]
    return (entry.role, entry.call_id, "\n".join(said))


def _marks(entries: Iterable[Entry]) -> list[Hashable]:
    """The marks of messages, instructions left out: some clients write the time of day into them."""
    return [mark(entry) for entry in entries if entry.role != "system"]


def _prefixes(marks: Iterable[Hashable]) -> list[int]:
    """A number for each beginning of the list, the shortest first."""
    made: list[int] = []
    so_far = 0
    for each in marks:
        so_far = hash((so_far, each))
        made.append(so_far)
    return made


def _after_last(known: Sequence[Hashable], new: Sequence[Hashable]) -> int:
    """How many of the new messages end with the last question and response that are known; 0 where these do not stand in them."""
    if len(known) < 2:
        return 0
    return next((at + 1 for at in range(len(new) - 1, 0, -1) if [new[at - 1], new[at]] == [*known[-2:]]), 0)
