"""Which message of a tool answers which call: ids repeat in real records, and old ones have none."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from steelyard_extract_providers._entries import Call, Entry


def answers(entries: Sequence[Entry]) -> Mapping[Call, Entry]:
    """The answer of each call that has one.

    A result belongs to the nearest earlier message with an unanswered call of its id: there to the call of its name,
    else to the first. A result without an id belongs in the same way to a call without one, of its name if it has one;
    failing that, to the nearest call of its name that has an id.
    """
    found: dict[Call, Entry] = {}
    by_id: dict[str, list[_Asked]] = {}
    by_name: dict[str, list[_Asked]] = {}
    by_name_with_id: dict[str, list[_Asked]] = {}
    without_id: list[_Asked] = []
    some_lack_ids = any(entry.role == "tool" and entry.call_id is None for entry in entries)
    for entry in entries:
        if entry.calls:
            _register(by_id, ((call.id, call) for call in entry.calls if call.id is not None))
            if some_lack_ids:
                bare = [call for call in entry.calls if call.id is None]
                _register(by_name, ((call.name, call) for call in bare))
                _register(by_name_with_id, ((call.name, call) for call in entry.calls if call.id is not None))
                without_id.append(_Asked(bare))
        elif entry.role == "tool":
            if entry.call_id is not None:
                call = _nearest(by_id.get(entry.call_id), entry.name, found)
            elif entry.name is None:
                call = _nearest(without_id, None, found)
            else:
                call = _nearest(by_name.get(entry.name), entry.name, found)
                call = call or _nearest(by_name_with_id.get(entry.name), entry.name, found)
            if call is not None:
                found[call] = entry
    return found


class _Asked:
    """Calls of one message that share an id or a name."""

    def __init__(self, calls: Iterable[Call]) -> None:
        self._in_order = deque(calls)
        self._of_name: dict[str, deque[Call]] = {}
        if len(self._in_order) > 1:
            for call in self._in_order:
                self._of_name.setdefault(call.name, deque()).append(call)

    def unanswered(self, name: str | None, answered: Mapping[Call, Entry]) -> Call | None:
        """The first of this name that has no answer, else the first of any name; None when all are answered."""
        for calls in (() if name is None else self._of_name.get(name, ()), self._in_order):
            while calls and calls[0] in answered:
                calls.popleft()
            if calls:
                return calls[0]
        return None


def _register(waiting: dict[str, list[_Asked]], calls: Iterable[tuple[str, Call]]) -> None:
    """Add the calls of one message to those that wait for an answer."""
    groups: dict[str, list[Call]] = {}
    for key, call in calls:
        groups.setdefault(key, []).append(call)
    for key, group in groups.items():
        waiting.setdefault(key, []).append(_Asked(group))


def _nearest(waiting: list[_Asked] | None, name: str | None, answered: Mapping[Call, Entry]) -> Call | None:
    """The unanswered call of the latest message that has one; messages without one are forgotten."""
    while waiting:
        call = waiting[-1].unanswered(name, answered)
        if call is not None:
            return call
        waiting.pop()
    return None
