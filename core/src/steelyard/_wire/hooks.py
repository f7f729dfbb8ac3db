"""How one kind of field is written and read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from steelyard._wire.values import TAG, body_of, read_value, write_mapping, write_value


@frozen
class Hooks:
    """A pair of functions: ``write`` gives the JSON form of a value, ``read`` the value of a JSON form (it raises
    ``Misfit``)."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


VALUE = Hooks(write_value, read_value)
"""Of a field that takes whatever a user puts there."""

MAPPING = Hooks(write_mapping, read_value)
"""Of a field that takes a mapping with whatever a user puts into it."""


def given(fits: Callable[[Any], bool], write: Callable[[Any], Any], read: Callable[[Any], Any]) -> Hooks:
    """Of a field that users fill unchecked: a value that does not fit stands as ``{"$type": "given",
    "value": ...}``."""

    def written(value: Any) -> Any:
        return write(value) if fits(value) else {TAG: "given", "value": write_value(value)}

    def was_read(data: Any) -> Any:
        if isinstance(data, dict) and data.get(TAG) == "given":
            return body_of(data, "value", read_value)
        return read(data)

    return Hooks(written, was_read)


def optional(hooks: Hooks) -> Hooks:
    """The same, and None as null."""
    return Hooks(
        lambda value: None if value is None else hooks.write(value),
        lambda data: None if data is None else hooks.read(data),
    )
