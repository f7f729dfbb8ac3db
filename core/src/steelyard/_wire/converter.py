"""The one converter: records of Steelyard to JSON objects and back, field by field.

Fields that say no more than their default are left out, but for the records that people look into for their numbers.
Keys that a reader does not know are ignored, so that a later release may write more of them. What is written is always
what the schema describes; a record whose fields cannot be made to fit raises, and is shown as a foreign value where it
stands among a user's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

from attrs import NOTHING, Attribute, Factory, fields, has, resolve_types

from steelyard._model.outcome import ScoreResult
from steelyard._model.scale import Scale
from steelyard._model.usage import Usage
from steelyard._running.aggregate import Aggregate
from steelyard._running.gates import Bound, GateResult, ThresholdResult, Verdict
from steelyard._running.result import EvalResult, ItemResult, Status, Summary, TurnResult
from steelyard._wire.faults import Misfit, expected, missing
from steelyard._wire.hooks import MAPPING, VALUE, Hooks
from steelyard._wire.scalars import SCALARS, read_scalar
from steelyard._wire.values import read_list, read_mapping

if TYPE_CHECKING:
    from cattrs import Converter

_WHOLE = frozenset({Aggregate, Bound, EvalResult, GateResult, Scale, Summary, ThresholdResult, TurnResult})
"""Records whose fields are all written."""

_UNKNOWN_IF_OTHER = frozenset({Usage, ScoreResult})
"""Records that targets and scorers hand in unchecked: what is none of them is written as null."""

_MADE_WHEN_READ: dict[type, tuple[str, ...]] = {ItemResult: ("status", "id")}
"""Keys that are always there though their fields have defaults: only the run could make them."""

Make = Callable[["Converter", Any], Hooks]


@cache
def converter() -> Converter:
    """The converter, made when first asked for."""
    from cattrs import Converter

    from steelyard._wire.records import hooks_of_classes, hooks_of_fields

    made = Converter()
    _register(made, _is_scalar, lambda _, kind: _scalar(kind))
    _register(made, _is_choice, lambda _, kind: _choice(kind))
    _register(made, lambda kind: kind is Any or kind is object, lambda *_: VALUE)
    _register(made, _is_free_mapping, lambda *_: MAPPING)
    _register(made, lambda kind: get_origin(kind) in (tuple, Sequence), _list)
    _register(made, lambda kind: get_origin(kind) in (Mapping, dict) and not _is_free_mapping(kind), _mapping)
    for plain in (*SCALARS, Verdict, Status):  # these are found by class, before any test is asked
        _register_class(made, plain, _scalar(plain) if plain in SCALARS else _choice(plain))
    special = hooks_of_fields(made)
    _register(made, lambda kind: isinstance(kind, type) and has(kind), lambda made, kind: _record(made, kind, special))
    for fits, hooks in hooks_of_classes(made):
        _register(made, fits, lambda *_, hooks=hooks: hooks)
    return made


def _register(made: Converter, fits: Callable[[Any], bool], make: Make) -> None:
    made.register_unstructure_hook_factory(fits, lambda kind: make(made, kind).write)
    made.register_structure_hook_factory(fits, lambda kind: _taking_a_type(make(made, kind).read))


def _register_class(made: Converter, kind: type, hooks: Hooks) -> None:
    made.register_unstructure_hook(kind, hooks.write)
    made.register_structure_hook(kind, _taking_a_type(hooks.read))


# -- kinds of field -------------------------------------------------------------------------------------------------


def _without_none(kind: Any) -> tuple[Any, bool]:
    """The type beside None, and whether None is allowed; for anything but ``T | None`` the type itself."""
    members = get_args(kind)
    if get_origin(kind) in (Union, UnionType) and len(members) == 2 and NoneType in members:
        return next(member for member in members if member is not NoneType), True
    return kind, False


def _is_scalar(kind: Any) -> bool:
    plain = _without_none(kind)[0]
    return isinstance(plain, type) and plain in SCALARS


def _scalar(kind: Any) -> Hooks:
    plain, optional = _without_none(kind)
    write = SCALARS[plain].write
    if optional:
        return Hooks(write, lambda data: None if data is None else read_scalar(plain, data))

    def write_known(value: object) -> Any:
        data = write(value)
        if data is None:
            raise expected(SCALARS[plain].words, value)
        return data

    return Hooks(write_known, lambda data: read_scalar(plain, data))


def _is_choice(kind: Any) -> bool:
    return get_origin(kind) is Literal or (isinstance(kind, type) and issubclass(kind, Enum))


def _choice(kind: Any) -> Hooks:
    """One of a few texts."""
    values = {value: value for value in get_args(kind)} if get_origin(kind) is Literal else {m.value: m for m in kind}

    def checked(value: Any) -> str:
        if isinstance(value, str) and value in values:
            return str.__str__(value)
        raise expected(f"one of {', '.join(values)}", value)

    return Hooks(checked, lambda data: values[checked(data)])


def _is_free_mapping(kind: Any) -> bool:
    return get_origin(kind) is Mapping and get_args(kind)[1] in (Any, object)


def _list(made: Converter, kind: Any) -> Hooks:
    inner = get_args(kind)[0]
    return Hooks(
        lambda value: [made.unstructure(each, unstructure_as=inner) for each in value],
        lambda data: tuple(read_list(data, lambda each: made.structure(each, inner))),
    )


def _mapping(made: Converter, kind: Any) -> Hooks:
    """A mapping of texts to records or numbers; numbers that are none are left out."""
    inner = get_args(kind)[1]
    numbers = inner is float

    def write(value: Mapping[str, Any]) -> dict[str, Any]:
        found = dict(value.items())
        if numbers:
            found = {key: each for key, each in found.items() if SCALARS[float].write(each) is not None}
        return {str(key): made.unstructure(each, unstructure_as=inner) for key, each in found.items()}

    return Hooks(write, lambda data: read_mapping(data, lambda each: made.structure(each, inner)))


# -- records --------------------------------------------------------------------------------------------------------


def _record(made: Converter, kind: type[Any], special: Mapping[type, Mapping[str, Hooks | None]]) -> Hooks:
    """An attrs class as an object with its fields; None in ``special`` for a field that is not written."""
    from cattrs.errors import ClassValidationError
    from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

    from steelyard._wire.records import settle

    resolve_types(kind)
    hooks = special.get(kind, {})
    overrides: dict[str, Any] = {}
    for attribute in fields(kind):
        own = hooks.get(attribute.name)
        overrides[attribute.name] = override(
            rename=attribute.name.lstrip("_"),
            omit=True if attribute.name in hooks and own is None else None,
            unstruct_hook=None if own is None else own.write,
            struct_hook=None if own is None else _taking_a_type(own.read),
        )
    write_all: Callable[[Any], dict[str, Any]] = make_dict_unstructure_fn(kind, made, **overrides)
    read_all: Callable[[Any, Any], Any] = make_dict_structure_fn(kind, made, **overrides)
    silent = {} if kind in _WHOLE else _written_defaults(made, kind, hooks)

    def write(value: Any) -> dict[str, Any] | None:
        if not isinstance(value, kind):
            if kind in _UNKNOWN_IF_OTHER:
                return None
            raise expected(f"a {kind.__name__}", value)
        settle(value)
        data = write_all(value)
        return {key: each for key, each in data.items() if key not in silent or not _same(each, silent[key])}

    def read(data: Any) -> Any:
        if not isinstance(data, dict):
            raise expected("an object", data)
        for key in _MADE_WHEN_READ.get(kind, ()):
            if key not in data:
                raise missing(key)
        try:
            return read_all(data, kind)
        except ClassValidationError as faults:
            raise _first_fault(faults) from None

    return Hooks(write, read)


def _taking_a_type(read: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda data, _: read(data)


def _written_defaults(made: Converter, kind: type[Any], hooks: Mapping[str, Hooks | None]) -> dict[str, Any]:
    """By key, the JSON form of each field's default."""
    found: dict[str, Any] = {}
    for attribute in fields(kind):
        if attribute.default is NOTHING or (attribute.name in hooks and hooks[attribute.name] is None):
            continue
        own, value = hooks.get(attribute.name), _default(attribute)
        try:
            data = made.unstructure(value, unstructure_as=attribute.type) if own is None else own.write(value)
        except Misfit:  # a default that the class replaces at once
            continue
        found[attribute.name.lstrip("_")] = data
    return found


def _default(attribute: Attribute[Any]) -> Any:
    default: Any = attribute.default
    return default.factory() if isinstance(default, Factory) else default  # type: ignore[arg-type]


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


def _first_fault(faults: Any) -> Misfit:
    """The first of what cattrs found wrong in a record."""
    from cattrs.errors import AttributeValidationNote

    fault: Exception = faults.exceptions[0]
    notes = [note for note in getattr(fault, "__notes__", ()) if isinstance(note, AttributeValidationNote)]
    name = notes[-1].name.lstrip("_") if notes else None
    if isinstance(fault, KeyError):
        return missing(str(name))
    misfit = fault if isinstance(fault, Misfit) else Misfit(str(fault))
    return misfit if name is None else misfit.under(name)
