"""Streamed responses: which chunks belong to one, and the response that they make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import Factory, define

from steelyard_extract_providers._faults import Faults, expected
from steelyard_extract_providers._responses import index_of, text_of

_TEXTS = ("refusal", "reasoning_content", "reasoning")


class Streams:
    """Chunks by the response that they belong to, told by its id, or else by the end of the one before."""

    def __init__(self) -> None:
        self._open: dict[str | None, _Stream] = {}
        self._last: _Stream | None = None

    def of(self, chunk: object) -> tuple[list[object], bool]:
        """The chunks of the response that this one belongs to, it among them, and whether it is the first of them."""
        id_ = text_of(chunk, "id") if isinstance(chunk, Mapping) else None
        stream = self._open.get(id_) if id_ is not None else self._last
        if stream is None and self._last is not None and self._last.id is None:
            stream = self._last  # the first chunks of some servers have no id
        is_new = stream is None or stream.ended_before(chunk)
        if stream is None or is_new:
            stream = _Stream()
        stream.id = id_ or stream.id
        stream.take(chunk)
        self._open[stream.id] = self._last = stream
        return stream.chunks, is_new


@define(eq=False)
class _Stream:
    id: str | None = None
    chunks: list[object] = Factory(list)
    finished: set[int] = Factory(set)

    def ended_before(self, chunk: object) -> bool:
        """Whether a choice that has ended would go on with this chunk, which is then of another response."""
        return any(
            index_of(choice, 0) in self.finished and isinstance(choice, Mapping) and bool(choice.get("delta"))
            for choice in _choices(chunk)
        )

    def take(self, chunk: object) -> None:
        self.chunks.append(chunk)
        for choice in _choices(chunk):
            if isinstance(choice, Mapping) and choice.get("finish_reason"):
                self.finished.add(index_of(choice, 0))


def _choices(chunk: object) -> list[object] | tuple[object, ...]:
    choices = chunk.get("choices") if isinstance(chunk, Mapping) else None
    return choices if isinstance(choices, list | tuple) else ()


def joined(chunks: Iterable[tuple[str, object]], faults: Faults) -> dict[str, object]:
    """The response that these chunks make, each given with its place; of several choices the one of the lowest index.

    Pieces of calls are joined by the call's index. A piece that brings another id than the call of its index begins a
    call of its own, and one without an index goes on with the call before it.
    """
    told: dict[str, object] = {"object": "chat.completion"}
    deltas: dict[int, list[tuple[str, Mapping[str, object]]]] = {}
    reasons: dict[int, object] = {}
    for place, chunk in chunks:
        if not isinstance(chunk, Mapping):
            faults.note(place, expected("a chunk of a response", chunk))
            continue
        for key in ("id", "model"):
            told[key] = told.get(key) or text_of(chunk, key)
        for key in ("usage", "error"):
            told[key] = chunk.get(key) or told.get(key)
        choices = chunk.get("choices")
        if choices is not None and not isinstance(choices, list | tuple):
            faults.note(f"{place}.choices", expected("a list of choices", choices))
        for at, choice in enumerate(_choices(chunk)):
            here = f"{place}.choices[{at}]"
            if not isinstance(choice, Mapping):
                faults.note(here, expected("an object with a delta", choice))
                continue
            index = index_of(choice, 0)
            pieces = deltas.setdefault(index, [])
            delta = choice.get("delta")
            if isinstance(delta, Mapping):
                pieces.append((f"{here}.delta", delta))
            elif delta is not None:
                faults.note(f"{here}.delta", expected("an object", delta))
            reasons[index] = choice.get("finish_reason") or reasons.get(index)
    if deltas:
        index = min(deltas)
        told["choices"] = [{"index": 0, "message": _message(deltas[index], faults), "finish_reason": reasons[index]}]
    return told


def _message(deltas: Iterable[tuple[str, Mapping[str, object]]], faults: Faults) -> dict[str, object]:
    content: list[object] = []
    texts = _Pieces()
    calls = _Calls()
    legacy = _Pieces()
    for place, delta in deltas:
        given = delta.get("content")
        if isinstance(given, list | tuple):
            content.extend(given)
        elif isinstance(given, str):
            content.append(given)
        elif given is not None:
            faults.note(f"{place}.content", expected("a text or a list of parts", given))
        texts.add(delta, _TEXTS)
        pieces = delta.get("tool_calls")
        if isinstance(pieces, list | tuple):
            for at, piece in enumerate(pieces):
                calls.take(piece, f"{place}.tool_calls[{at}]", faults)
        elif pieces is not None:
            faults.note(f"{place}.tool_calls", expected("a list of calls", pieces))
        function = delta.get("function_call")
        if isinstance(function, Mapping):
            legacy.add(function, ("name", "arguments"))
    return {
        "role": "assistant",
        "content": _whole(content),
        **texts.whole(),
        "tool_calls": calls.whole(),
        "function_call": legacy.whole() or None,
    }


def _whole(content: list[object]) -> object:
    """The content of all deltas: one text, unless some of it came as parts; None where no delta had any."""
    texts = [piece for piece in content if isinstance(piece, str)]
    if len(texts) < len(content):
        return content
    return "".join(texts) if content else None


class _Pieces:
    """Texts that arrive in pieces, each under its key."""

    def __init__(self) -> None:
        self._of: dict[str, list[str]] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._of

    def add(self, piece: Mapping[str, object], keys: Iterable[str]) -> None:
        """Add the texts of a piece. A name that comes whole again with every piece stays one."""
        for key in keys:
            text = text_of(piece, key)
            if text is not None and not (key == "name" and self._of.get(key) == [text]):
                self._of.setdefault(key, []).append(text)

    def whole(self) -> dict[str, str]:
        return {key: "".join(pieces) for key, pieces in self._of.items()}


@define(eq=False)
class _Begun:
    """A call whose pieces are still arriving."""

    index: int
    id: object = None
    function: _Pieces = Factory(_Pieces)
    custom: _Pieces = Factory(_Pieces)

    def whole(self) -> dict[str, object]:
        custom = self.custom.whole()
        return {"id": self.id, "custom": custom} if custom else {"id": self.id, "function": self.function.whole()}


class _Calls:
    """The calls of one message while their pieces arrive."""

    def __init__(self) -> None:
        self._begun: list[_Begun] = []
        self._latest: dict[int, _Begun] = {}
        self._named: dict[tuple[int, str], _Begun] = {}

    def take(self, piece: object, place: str, faults: Faults) -> None:
        if not isinstance(piece, Mapping):
            faults.note(place, expected("an object with an index", piece))
            return
        call = self._of(piece)
        for kind, pieces, text in (("function", call.function, "arguments"), ("custom", call.custom, "input")):
            given = piece.get(kind)
            if isinstance(given, Mapping):
                pieces.add(given, ("name", text))
            elif given is not None:
                faults.note(f"{place}.{kind}", expected("an object", given))

    def _of(self, piece: Mapping[str, object]) -> _Begun:
        """The call that a piece belongs to, begun with this piece if it is the first."""
        before = self._begun[-1].index if self._begun else 0
        index = index_of(piece, before)
        id_ = piece.get("id")
        known = id_ if isinstance(id_, str) and id_ else None
        call = self._latest.get(index)
        if call is not None and known is not None and call.id not in (None, known):
            call = self._named.get((index, known))
        elif call is not None and known is None and "index" not in piece and _names(piece) and "name" in call.function:
            call = None
        if call is None:
            call = _Begun(index)
            self._begun.append(call)
        call.id = call.id or id_
        self._latest[index] = call
        if known is not None:
            self._named[index, known] = call
        return call

    def whole(self) -> list[dict[str, object]] | None:
        """The calls by index; those that share one keep the order in which they began."""
        return [call.whole() for call in sorted(self._begun, key=lambda call: call.index)] or None


def _names(piece: Mapping[str, object]) -> bool:
    function = piece.get("function")
    return isinstance(function, Mapping) and text_of(function, "name") is not None
