"""Stable keys for scorers, and mappings that also take the plain id."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, Generic, TypeVar, cast

V = TypeVar("V")

LONGEST_ARGUMENTS = 60


def scorer_key(scorer: object) -> str:
    """The scorer's id, and in parentheses the arguments that it was made with, as JSON, where it was made with some.

    ``check-includes("sun", ignore_case=false)``. An argument that is a scorer itself is shown by its own key. Arguments
    longer than 60 characters are cut and end in 8 hexadecimal digits of their hash.
    """
    id = cast("str", scorer.id)  # type: ignore[attr-defined]
    args = getattr(scorer, "args", None)
    if not args:
        return id
    shown = [_json(value) for value in args.positional]
    shown += [f"{name}={_json(value)}" for name, value in args.named.items()]
    text = ", ".join(shown)
    if len(text) > LONGEST_ARGUMENTS:
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
        text = text[: LONGEST_ARGUMENTS - len(digest)] + digest
    return f"{id}({text})"


def _json(value: object) -> str:
    if isinstance(getattr(value, "id", None), str) and callable(getattr(value, "score", None)):
        return scorer_key(value)
    return json.dumps(value, ensure_ascii=False, default=_named)


def _named(value: object) -> object:
    shown = getattr(value, "key_form", None)
    if callable(shown):
        return shown()
    pattern = getattr(value, "pattern", None)
    if isinstance(pattern, str):
        return pattern
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    return getattr(value, "__qualname__", None) or type(value).__qualname__


class KeyIndex:
    """Keys in order with their places; a plain id that one key alone has is another name for it."""

    __slots__ = ("entries", "ids", "keys", "places")

    def __init__(self, keys: Sequence[str], ids: Sequence[str], entries: Sequence[Any] = ()) -> None:
        self.entries = entries
        """What an evaluation knows of each key; empty for keys that were read from a file."""
        self.keys = tuple(keys)
        self.ids = tuple(ids)
        self.places: dict[str, int] = {}
        for place, id in enumerate(ids):
            self.places[id] = place if ids.count(id) == 1 else -1
        self.places = {name: place for name, place in self.places.items() if place >= 0}
        self.places.update({key: place for place, key in enumerate(keys)})


class ByKey(Mapping[str, V], Generic[V]):
    """Values by the keys of scorers. ``[]``, ``get`` and ``in`` also take the plain id while one key alone has it;
    iteration gives keys."""

    __slots__ = ("_index", "_more", "_values")

    def __init__(self, index: KeyIndex, values: Sequence[V], more: Mapping[str, V] = MappingProxyType({})) -> None:
        self._index = index
        self._values = values
        self._more = more

    @classmethod
    def of(
        cls, values: Mapping[str, V], ids: Mapping[str, str], more: Mapping[str, V] = MappingProxyType({})
    ) -> ByKey[V]:
        """From a mapping of keys, the id of each key, and ``more`` that can be read but is not iterated over (parts, as
        ``key/part``)."""
        keys = list(values)
        return cls(KeyIndex(keys, [ids[key] for key in keys]), list(values.values()), more)

    @property
    def entries(self) -> Sequence[Any]:
        """What the evaluation that made this knows of each key; empty where none did."""
        return self._index.entries

    @property
    def ids(self) -> dict[str, str]:
        """The id of each key."""
        return dict(zip(self._index.keys, self._index.ids, strict=True))

    @property
    def more(self) -> Mapping[str, V]:
        """What can be read beside the keys: parts, as ``key/part``."""
        return self._more

    def __getitem__(self, name: str) -> V:
        place = self._index.places.get(name)
        if place is not None:
            return self._values[place]
        if name in self._more:
            return self._more[name]
        raise KeyError(f"{name!r} is none of {', '.join(map(repr, self._index.keys)) or 'no keys'}")

    def __contains__(self, name: object) -> bool:
        return name in self._index.places or name in self._more

    def __iter__(self) -> Iterator[str]:
        return iter(self._index.keys)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ByKey):
            return self._index.keys == other._index.keys and list(self._values) == list(other._values)
        return NotImplemented if not isinstance(other, Mapping) else dict(self) == dict(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[Any, ...]:
        # Without what the evaluation knows of each key: scorers hold functions, which need not pickle.
        return (ByKey.of, (dict(self), self.ids, dict(self._more)))


NO_KEYS = KeyIndex((), ())
EMPTY: ByKey[Any] = ByKey(NO_KEYS, ())
