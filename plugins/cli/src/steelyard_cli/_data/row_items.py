"""An item from the fields that a row gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from attrs import fields

from steelyard import ConfigurationError, EvalItem, TrajectoryExpectation, Turn
from steelyard_cli._data.columns import Columns, missing
from steelyard_cli._data.field_names import OPEN_FIELDS
from steelyard_cli._data.places import BadRow, UnknownFields, kind_of, shown
from steelyard_cli._data.strict_json import BadJson, StrictJson

_STRUCTURED: Final = (*OPEN_FIELDS, "context", "expected_trajectory", "inputs", "turns")


def item_of(row: object, columns: Columns, *, cells: bool) -> EvalItem:
    """The item that a row is.

    With ``cells`` every value of the row is a text: then fields that cannot be a text are read as JSON, and a context
    that is a JSON list of texts is that list; all other fields stay the text that they are. Raises ``BadRow``, which
    tells kinds of values and names of fields and no content.
    """
    if not isinstance(row, Mapping):
        hint = '; a list of objects is the format "json"' if isinstance(row, list) else ""
        raise BadRow(f"expected an object, found {kind_of(row)}{hint}")
    try:
        given = columns.fields_of({str(name): value for name, value in row.items()}, _of_cell if cells else None)
    except UnknownFields as error:
        separator = getattr(row, "separator", None)
        raise BadRow(f"{error}. Columns were told apart at {separator!r}" if separator else str(error)) from None
    for name in given.keys() & _CHECKS.keys():
        given[name] = _CHECKS[name](name, given[name])
    _check_what_is_given(given, lacking=any(missing(value) for value in row.values()))
    return EvalItem(**given)


def _of_cell(name: str, value: object) -> object:
    if not isinstance(value, str) or name not in _STRUCTURED:
        return value
    try:
        read = StrictJson().only_value(value)
    except BadJson as error:
        if name == "context":
            return value
        raise BadRow(f"the cell of {name} must hold JSON: {error}") from None
    if name == "context":
        return read if isinstance(read, list) and all(isinstance(text, str) for text in read) else value
    return read


def _check_what_is_given(given: Mapping[str, object], *, lacking: bool) -> None:
    asked = [name for name in ("input", "inputs", "turns") if name in given]
    if len(asked) > 1:
        raise BadRow(f"it has {' and '.join(asked)}; give exactly one of input, inputs, turns")
    if not asked and "output" not in given:
        hint = "; null, NaN and an empty cell count as no value" if lacking else ""
        raise BadRow(f"it has neither input, inputs, turns nor output{hint}")
    if "turns" in given and "output" in given:
        raise BadRow("it has turns and output; a recorded output cannot be told apart into turns")


def _id(name: str, value: object) -> str | None:
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise BadRow(f"{name} must be a text, found {kind_of(value)}")


def _object(name: str, value: object) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise BadRow(f"{name} must be an object, found {kind_of(value)}")


def _context(name: str, value: object) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if isinstance(texts, list | tuple) and all(isinstance(text, str) for text in texts):
        return list(texts)
    inside = "" if not isinstance(value, list | tuple) else " with something else in it"
    raise BadRow(f"{name} must be a text or a list of texts, found {kind_of(value)}{inside}")


def _inputs(name: str, value: object) -> list[object]:
    if not isinstance(value, list | tuple):
        raise BadRow(f"{name} must be a list, found {kind_of(value)}")
    if not value:
        raise BadRow(f"{name} is empty; give at least one")
    if any(each is None for each in value):
        raise BadRow(f"{name} holds null; every turn needs an input")
    return list(value)


def _turns(name: str, value: object) -> list[Turn]:
    return [Turn(input=_turn_input(at, turn)) for at, turn in enumerate(_inputs(name, value), start=1)]


def _turn_input(at: int, turn: object) -> object:
    """What the target is given in a turn: the turn itself (a text, a message, a list of messages) or its ``input``."""
    if not isinstance(turn, Mapping):
        return turn
    if "role" in turn:
        if turn["role"] != "user":
            raise BadRow(f"turn {at} is no message of the user; turns in data hold inputs only")
        return turn
    others = [str(key) for key in turn if key != "input"]
    if others:
        raise BadRow(f"turn {at} has {shown(others)}; turns in data hold inputs only")
    if turn.get("input") is None:
        raise BadRow(f"turn {at} has no input")
    return turn["input"]


def _expectation(name: str, value: object) -> TrajectoryExpectation:
    mapping = _object(name, value)
    try:
        return TrajectoryExpectation(**mapping)
    except TypeError:
        known = [field.name for field in fields(TrajectoryExpectation)]
        unknown = [str(key) for key in mapping if key not in known]
        raise BadRow(f"{name} has unknown fields {shown(unknown)}; there are {shown(known, most=len(known))}") from None
    except ConfigurationError:  # it may tell values
        raise BadRow(f"{name}.{_at_fault(mapping)} has a value that an expectation cannot have there") from None


def _at_fault(mapping: Mapping[str, Any]) -> str:
    """The field of an expectation that cannot be read, for its steps the first such step, from 1."""
    name = next(name for name, value in mapping.items() if not _readable({name: value}))
    steps = mapping.get("steps")
    if name != "steps" or not isinstance(steps, list | tuple):
        return name
    return f"steps, step {next(at for at, step in enumerate(steps, start=1) if not _readable({'steps': [step]}))},"


def _readable(mapping: Mapping[str, Any]) -> bool:
    try:
        TrajectoryExpectation(**mapping)
    except ConfigurationError:
        return False
    return True


_CHECKS: Final[Mapping[str, Callable[[str, Any], object]]] = {
    **dict.fromkeys(OPEN_FIELDS, _object),
    "context": _context,
    "expected_trajectory": _expectation,
    "id": _id,
    "inputs": _inputs,
    "turns": _turns,
}
