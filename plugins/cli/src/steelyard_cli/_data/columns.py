"""Which column of a row is which field of an item."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Final

from attrs import frozen

from steelyard import ConfigurationError
from steelyard_cli._data.field_names import FIELDS, NOT_IN_DATA, own_target, unknown_fields
from steelyard_cli._data.places import BadRow, UnknownFields, kind_of, shown

_STEP: Final = re.compile(r"\[(\d*)\]|\.?([^.\[\]]+)")
_EACH: Final = "[]"

Step = str | int
"""A key, a place in a list from 0, or ``[]`` for each element of a list."""


@frozen
class _Source:
    """Where a value is found in a row: a column of that name, else a path. ``may_lack`` allows for rows that have
    neither."""

    name: str
    steps: tuple[Step, ...]
    may_lack: bool

    def find(self, row: Mapping[str, object], target: str) -> object:
        """The value, None for none. Raises ``BadRow`` where the row has no such column and must have it."""
        if self.name in row:
            return row[self.name]
        try:
            return _follow(row, self.steps)
        except LookupError:
            if self.may_lack:
                return None
        optional = f"{self.name}?"
        raise BadRow(
            f"there is no {shown([self.name])} for {target}, only {shown(list(row)) or 'no column at all'}. "
            f"Write {shown([optional])} if rows may lack it"
        )

    def without(self, row: Mapping[str, object]) -> Mapping[str, object]:
        """The row without what was found."""
        if self.name in row:
            return {name: value for name, value in row.items() if name != self.name}
        keys = [step for step in self.steps if isinstance(step, str) and step != _EACH]
        return _pruned(row, keys) if len(keys) == len(self.steps) else row


@frozen
class Columns:
    """Which field gets its value from which column, as ``{"input": "question", "metadata.lang": "language"}``.

    Targets are fields of an item or, joined by a dot, keys in ``metadata``, ``request_context`` and ``start_options``.
    Sources are names of columns or paths into them: ``item.question``, ``docs[].text`` (of each element),
    ``choices[0]``; a question mark at the end allows for rows that lack it. What no source takes stays: as the field
    whose name it has, else in ``metadata`` under its own name. Without any target a column that is no field is refused.
    Raises ``ConfigurationError`` for a target that no item has and for a source that cannot be read.
    """

    sources: tuple[tuple[tuple[str, ...], _Source], ...] = ()

    @classmethod
    def of(cls, mapping: Mapping[str, str] | None) -> Columns:
        """The columns that a mapping of targets to sources means; None and an empty one mean that columns have the
        names of fields."""
        return cls(tuple((_target(target), _source(target, source)) for target, source in (mapping or {}).items()))

    def fields_of(
        self, row: Mapping[str, object], whole: Callable[[str, object], object] | None = None
    ) -> dict[str, Any]:
        """The fields that a row gives, those without a value left out; ``whole`` makes the value of a field of a cell.

        Raises ``BadRow``.
        """
        found: list[tuple[tuple[str, ...], object]] = []
        rest: Mapping[str, object] = row
        for target, source in self.sources:
            found.append((target, source.find(row, ".".join(target))))
            rest = source.without(rest)
        found.extend(self._others(rest))
        fields: dict[str, Any] = {}
        for target, value in sorted(found, key=lambda pair: len(pair[0])):  # a whole field before keys in it
            if not missing(value):
                _put(fields, target, value if whole is None or len(target) > 1 else whole(target[0], value))
        return fields

    def _others(self, rest: Mapping[str, object]) -> Iterator[tuple[tuple[str, ...], object]]:
        """The targets of the columns that no source takes."""
        mapped = {target for target, _ in self.sources}
        unknown: list[str] = []
        for name, value in rest.items():
            own = own_target(name)
            if own is not None and own not in mapped:
                yield own, value
            elif self.sources:
                yield ("metadata", name), value
            else:
                unknown.append(name)
        if unknown:
            raise UnknownFields(unknown_fields(unknown, rest))


def missing(value: object) -> bool:
    """Whether a value stands for none: null, and the NaN of tables."""
    return value is None or (isinstance(value, float) and value != value)


def _target(name: object) -> tuple[str, ...]:
    target = own_target(name) if isinstance(name, str) else None
    if target is not None:
        return target
    if name in NOT_IN_DATA:
        raise ConfigurationError(f"columns: {name} are named in the evaluation file; data have none.")
    near = get_close_matches(str(name), FIELDS, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"Write {f'metadata.{name}'!r} to keep it with the item."
    raise ConfigurationError(f"columns: an item has no field {shown([name])}, only {', '.join(FIELDS)}. {hint}")


def _source(target: str, name: object) -> _Source:
    if not isinstance(name, str) or not name.strip("? "):
        raise ConfigurationError(
            f"columns: {target} must be the name of a column or a path such as 'item.question', found {kind_of(name)}."
        )
    may_lack = name.endswith("?")
    name = name.removesuffix("?")
    steps: list[Step] = []
    at = 0
    while at < len(name):
        step = _STEP.match(name, at)
        if step is None:  # a name that is no path; a column may have it all the same
            return _Source(name, (name,), may_lack)
        place, key = step.groups()
        steps.append(key if key is not None else int(place) if place else _EACH)
        at = step.end()
    return _Source(name, tuple(steps), may_lack)


def _follow(value: object, steps: tuple[Step, ...]) -> object:
    """What the steps lead to; null leads to null. Raises ``LookupError``."""
    for at, step in enumerate(steps):
        if value is None:
            return None
        if step == _EACH:
            if not isinstance(value, list | tuple):
                raise LookupError(step)
            return [_follow(each, steps[at + 1 :]) for each in value]
        if isinstance(step, int):
            if not isinstance(value, list | tuple):
                raise LookupError(step)
            value = value[step]
        elif isinstance(value, Mapping):
            value = value[step]
        else:
            raise LookupError(step)
    return value


def _pruned(value: Mapping[str, object], keys: list[str]) -> Mapping[str, object]:
    first, *others = keys
    inner = value.get(first)
    smaller = {key: each for key, each in value.items() if key != first}
    if others and isinstance(inner, Mapping):
        left = _pruned(inner, others)
        if left:
            smaller[first] = left
    return smaller


def _put(fields: dict[str, Any], target: tuple[str, ...], value: object) -> None:
    """Sets a field or a key in one; what it changes it has made itself."""
    holder, name = fields, target[-1]
    for at, key in enumerate(target[:-1]):
        inner = holder.get(key, {})
        if not isinstance(inner, Mapping):
            raise BadRow(f"{'.'.join(target[: at + 1])} must be an object, found {kind_of(inner)}")
        holder[key] = dict(inner)
        holder = holder[key]
    if name in holder:
        raise BadRow(f"{'.'.join(target)} has a value from two columns")
    holder[name] = value
