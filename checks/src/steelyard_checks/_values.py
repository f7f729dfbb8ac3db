"""Values compared by what they say: keys in any order, true told from 1, objects by their fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields as fields_of_dataclass
from dataclasses import is_dataclass
from enum import Enum
from typing import Any, Final

from attrs import fields, frozen, has

from steelyard import ConfigurationError, FromItem
from steelyard_checks._text import composed
from steelyard_checks._wording import LONGEST, shown_value

_NOTHING: Final = object()


def opened(value: Any) -> object:
    """The value with its outermost layer in the form that JSON has for it.

    Mappings, and the fields of dataclasses, attrs classes, named tuples and what has ``model_dump``, are a dict; lists
    and tuples a list; a member of an enum is its value. Anything else stays as it is.
    """
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, Enum):
        return opened(value.value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, list | tuple):
        names = getattr(value, "_fields", None)
        return list(value) if names is None else dict(zip(names, value, strict=True))
    if isinstance(value, type):
        return value
    if has(type(value)):
        return {field.name: getattr(value, field.name) for field in fields(type(value))}
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields_of_dataclass(value)}
    if callable(getattr(value, "model_dump", None)):
        return opened(value.model_dump(mode="json"))
    return value


def keyed(mapping: Mapping[Any, object]) -> Mapping[Any, object]:
    """The mapping with its texts for keys in composed form (NFC), unless two of them became one."""
    made = {composed(key) if isinstance(key, str) else key: value for key, value in mapping.items()}
    return made if len(made) == len(mapping) else mapping


def below(place: str, key: object) -> str:
    """The place of a key in the mapping, or of a number in the list, at a place."""
    if isinstance(key, str):
        return f"{place}.{key}" if place else key
    return f"{place}[{key!r}]"


@frozen
class Difference:
    """The first place at which a value is not what was expected."""

    place: str
    expected: object
    found: object

    def __str__(self) -> str:
        at = self.place if len(self.place) <= LONGEST else f"{self.place[: LONGEST - 1]}…"
        told = f"expected {_told(self.expected)}, found {_told(self.found)}"
        return f"{shown_value(at)[1:-1]}: {told}" if at else told


def _told(value: object) -> str:
    return "nothing" if value is _NOTHING else shown_value(value)


def difference(expected: object, found: object, place: str = "", *, partly: bool = False) -> Difference | None:
    """Where the two part first, in the order of what is expected; None where they say the same.

    Numbers are equal by value, texts in composed form (NFC); true and false equal themselves alone. With ``partly`` the
    mappings that were found may have more keys, at any depth; lists have the same length all the same.
    """
    wanted, there = opened(expected), opened(found)
    if isinstance(wanted, dict) and isinstance(there, dict):
        return _of_mappings(keyed(wanted), keyed(there), place, partly)
    if isinstance(wanted, list) and isinstance(there, list):
        return _of_lists(wanted, there, place, partly)
    return None if _alike(wanted, there) else Difference(place, expected, found)


def _of_mappings(
    wanted: Mapping[Any, object], there: Mapping[Any, object], place: str, partly: bool
) -> Difference | None:
    for key, value in wanted.items():
        at = below(place, key)
        if key not in there:
            return Difference(at, value, _NOTHING)
        parting = difference(value, there[key], at, partly=partly)
        if parting is not None:
            return parting
    if not partly:
        for key, value in there.items():
            if key not in wanted:
                return Difference(below(place, key), _NOTHING, value)
    return None


def _of_lists(wanted: list[object], there: list[object], place: str, partly: bool) -> Difference | None:
    for at, (one, other) in enumerate(zip(wanted, there, strict=False)):
        parting = difference(one, other, below(place, at), partly=partly)
        if parting is not None:
            return parting
    shorter = min(len(wanted), len(there))
    if len(wanted) == len(there):
        return None
    return Difference(
        below(place, shorter),
        wanted[shorter] if shorter < len(wanted) else _NOTHING,
        there[shorter] if shorter < len(there) else _NOTHING,
    )


def _alike(wanted: object, there: object) -> bool:
    if isinstance(wanted, bool) or isinstance(there, bool):
        return wanted is there
    if isinstance(wanted, str) and isinstance(there, str):
        return composed(wanted) == composed(there)
    return bool(wanted == there)


def copied(value: object, where: str) -> Any:
    """The value with mappings and lists of its own, so that what their owner changes later changes nothing here.

    Raises ``ConfigurationError`` for a ``from_item`` inside.
    """
    if isinstance(value, FromItem):
        raise ConfigurationError(f"{where}: from_item(...) stands for a whole argument, and not for a part of one.")
    if isinstance(value, Mapping):
        return {key: copied(inner, where) for key, inner in value.items()}
    if isinstance(value, list):
        return [copied(inner, where) for inner in value]
    return tuple([copied(inner, where) for inner in value]) if type(value) is tuple else value
