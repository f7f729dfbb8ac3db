"""Values of types that no reader can be expected to have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
_LONGEST = 2000


@frozen
class Foreign:
    """What was written of a value whose type is neither Steelyard's nor the standard library's.

    ``type`` is the module and name of its class. ``fields`` are its fields where it has some (attrs classes,
    dataclasses, named tuples, pydantic models; ``name`` and ``value`` of a member of an enum, ``value`` of a subclass
    of a built-in container), ``shown`` is its ``repr`` else.
    """

    type: str
    shown: str | None = None
    fields: Mapping[str, Any] | None = field(default=None, hash=False)


def name_of(kind: type) -> str:
    """The module and name of a class; the name alone for one that is built in."""
    try:
        return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    except Exception:
        return "a class that cannot be named"


def words_for(value: object) -> str:
    """A value's ``repr`` without addresses, which differ from run to run; cut where it is very long, and a plain name
    where it fails."""
    try:
        text = _ADDRESS.sub("", repr(value))
    except Exception:
        return f"<{type(value).__name__} object that cannot be shown>"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"


def fields_of(value: Any) -> dict[str, object] | None:
    """The fields of a value that is made of some, by name; None for any other. Raises whatever the value's own code
    raises."""
    from dataclasses import fields as fields_of_dataclass
    from dataclasses import is_dataclass
    from enum import Enum

    from attrs import fields as fields_of_attrs
    from attrs import has

    kind = type(value)
    if isinstance(value, Enum):
        return {"name": value.name, "value": value.value}
    if has(kind):
        return _read(value, [attribute.name for attribute in fields_of_attrs(kind)])
    if is_dataclass(kind):
        return _read(value, [each.name for each in fields_of_dataclass(kind)])
    if isinstance(value, tuple):
        names = getattr(kind, "_fields", None)
        return {"value": tuple(value)} if names is None else dict(zip(names, value, strict=True))
    for container in (dict, list, set, frozenset):
        if isinstance(value, container):
            return {"value": container(value)}
    if callable(getattr(kind, "model_dump", None)):
        dumped = value.model_dump()
        return {str(name): each for name, each in dumped.items()} if isinstance(dumped, Mapping) else None
    return {"value": dict(value)} if isinstance(value, Mapping) else None


def _read(value: object, names: list[str]) -> dict[str, object]:
    """The named attributes, without those that were never set."""
    return {name: getattr(value, name) for name in names if hasattr(value, name)}
