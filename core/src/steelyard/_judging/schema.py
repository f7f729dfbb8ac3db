"""The shape of an answer: an attrs class as a tree of few kinds of value, and that tree as a strict JSON schema.

A judge's answer is described once, by an attrs class. ``shape_of`` understands the class; the schema that a provider
gets and the reading of what comes back both follow that one shape, so they cannot disagree.

- An object's keys are the names of the attributes (not their aliases), in declared order, all of them required. What
  ``__init__`` does not take is not asked for. Judges write fields in this order, so put the reasoning first.
- ``Annotated[T, "..."]`` describes a value to the judge. Docstrings, comments and defaults do not reach it.
- A list is ``list[T]``, ``tuple[T, ...]`` or ``Sequence[T]``; the last two are read as tuples.
- A ``Literal`` or an enum has texts only, or whole numbers only.
- The kind of the JSON value must tell which member of a union is meant. ``int | float`` is allowed, and so are several
  attrs classes, if their keys differ or a key with disjoint values says which it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, Flag
from functools import lru_cache
from itertools import combinations
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NewType, NoReturn, TypeAlias, TypeVar, Union, get_args, get_origin
from typing import get_type_hints as _hints_of

from attrs import evolve, fields, frozen, has

from steelyard._model.errors import ConfigurationError


@frozen(kw_only=True)
class Scalar:
    """A text, a whole number, a number, a truth value or null: ``kind`` is its Python type."""

    kind: type
    description: str | None = None


@frozen(kw_only=True)
class Choice:
    """One of a few texts or whole numbers; ``values`` maps each, as it stands in JSON, to its Python value."""

    values: dict[str | int, object]
    description: str | None = None

    @property
    def is_text(self) -> bool:
        return isinstance(next(iter(self.values)), str)


@frozen(kw_only=True)
class Many:
    """A list of equal shapes, read into ``kind``: list or tuple."""

    item: Shape
    kind: type[list[object]] | type[tuple[object, ...]]
    description: str | None = None


@frozen(kw_only=True)
class OneOf:
    """A union; the kind of the JSON value tells which member is meant."""

    members: tuple[Shape, ...]
    description: str | None = None


@frozen(kw_only=True)
class Key:
    """An attribute: ``name`` is its key in JSON, ``argument`` its name for ``__init__``."""

    name: str
    argument: str
    shape: Shape


@frozen(kw_only=True)
class Record:
    """An attrs class."""

    cls: type
    keys: tuple[Key, ...]
    description: str | None = None


Shape: TypeAlias = Scalar | Choice | Many | OneOf | Record

_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
_LISTS: dict[object, type[list[object]] | type[tuple[object, ...]]] = {list: list, tuple: tuple, Sequence: tuple}


def strict_schema(cls: type) -> dict[str, object]:
    """The JSON schema (draft 2020-12) of an attrs class, in the subset that the strict modes of providers share.

    Only ``type``, ``properties``, ``required``, ``additionalProperties`` (always false), ``items``, ``enum``,
    ``description`` and ``anyOf`` (never at the root) occur. Each call gives a fresh dict. Refuses what
    ``check_output_class`` refuses.
    """
    return _schema(shape_of(cls))


def check_output_class(cls: type) -> None:
    """Raise ``ConfigurationError`` for a class that no judge can be asked for: it names the field and what to use."""
    shape_of(cls)


def shape_of(cls: object) -> Record:
    """The shape of an attrs class, worked out once. Refuses what ``check_output_class`` refuses."""
    if not isinstance(cls, type) or not has(cls):
        raise ConfigurationError(
            f"{_name(cls)} cannot be the output of a prompt step, because it is not an attrs class. "
            "Write an attrs class with a field for each value that the judge shall give."
        )
    return _remembered(cls)


# Bounded instead of weak: a shape refers to its class, so an entry of a weak mapping would keep itself alive for ever.
@lru_cache(maxsize=256)
def _remembered(cls: type) -> Record:
    return _record(cls, cls.__name__, ())


def _schema(shape: Shape) -> dict[str, object]:
    schema: dict[str, object]
    match shape:
        case Scalar():
            schema = {"type": _SCALARS[shape.kind]}
        case Choice():
            schema = {"type": "string" if shape.is_text else "integer", "enum": list(shape.values)}
        case Many():
            schema = {"type": "array", "items": _schema(shape.item)}
        case OneOf():
            schema = {"anyOf": [_schema(member) for member in shape.members]}
        case Record():
            schema = {
                "type": "object",
                "properties": {key.name: _schema(key.shape) for key in shape.keys},
                "required": [key.name for key in shape.keys],
                "additionalProperties": False,
            }
    if shape.description is not None:
        schema["description"] = shape.description
    return schema


def _record(cls: type, path: str, within: tuple[type, ...]) -> Record:
    if cls in within:
        _refuse(path, cls, "A class cannot hold itself. Ask for a flat list whose elements name their parent by id")
    try:
        hints = _hints_of(cls, include_extras=True)
    except (NameError, AttributeError, TypeError, SyntaxError) as error:
        raise ConfigurationError(
            f"{path}: the annotations of {_name(cls)} cannot be read ({error}). "
            "Define or import what they name at the top of the module."
        ) from error
    keys = []
    for attribute in fields(cls):
        if attribute.init:
            hint, place = hints.get(attribute.name, attribute.type), f"{path}.{attribute.name}"
            if hint is None:
                raise ConfigurationError(f"{place} has no type. Annotate it, for example with str.")
            shape = _shape(hint, place, (*within, cls))
            keys.append(Key(name=attribute.name, argument=attribute.alias or attribute.name, shape=shape))
    if not keys:
        _refuse(path, cls, "It has no fields, so there is nothing to ask for. Give it at least one")
    return Record(cls=cls, keys=tuple(keys))


def _shape(hint: Any, path: str, within: tuple[type, ...]) -> Shape:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        texts = [note for note in args[1:] if isinstance(note, str)]
        shape = _shape(args[0], path, within)
        return evolve(shape, description=texts[-1]) if texts else shape
    if isinstance(hint, NewType):
        return _shape(hint.__supertype__, path, within)
    if origin in (Union, UnionType):
        return _union([_shape(arg, path, within) for arg in args], path, hint)
    if origin is Literal:
        return _choice([(value, value) for value in args], path, hint)
    if origin in _LISTS and args and (origin is not tuple or args[1:] == (...,)):
        return Many(item=_shape(args[0], f"{path}[]", within), kind=_LISTS[origin])
    if not isinstance(hint, type) or origin is not None:
        _refuse(path, hint, _instead_of(origin or hint))
    if hint in _SCALARS:
        return Scalar(kind=hint)
    if issubclass(hint, Enum) and not issubclass(hint, Flag):
        return _choice([(member.value, member) for member in hint], path, hint)
    if has(hint):
        return _record(hint, path, within)
    _refuse(path, hint, _instead_of(hint))


def _choice(pairs: list[tuple[Any, object]], path: str, hint: object) -> Choice:
    if {type(value) for value, _ in pairs} not in ({str}, {int}):
        _refuse(path, hint, "Its values must be all texts or all whole numbers; null is added with | None")
    return Choice(values=dict(pairs))


def _union(shapes: list[Shape], path: str, hint: object) -> OneOf:
    members = [member for shape in shapes for member in (shape.members if isinstance(shape, OneOf) else (shape,))]
    for one, other in combinations(members, 2):
        numbers = isinstance(one, Scalar) and isinstance(other, Scalar) and one.kind is not other.kind
        records = isinstance(one, Record) and isinstance(other, Record) and _differ(one, other)
        if not (numbers or records or _kinds([one]).isdisjoint(_kinds([other]))):
            _refuse(
                path, hint, "Two of its members look alike in JSON. Keep one, or tell classes apart by a Literal field"
            )
    return OneOf(members=tuple(members))


def _differ(one: Record, other: Record) -> bool:
    """Whether an object made for one of two classes cannot be taken for the other."""
    mine, theirs = ({key.name: key.shape for key in record.keys} for record in (one, other))
    return mine.keys() != theirs.keys() or any(_apart(mine[name], theirs[name]) for name in mine)


def _apart(one: Shape, other: Shape) -> bool:
    if isinstance(one, Choice) and isinstance(other, Choice):
        return {folded(value) for value in one.values}.isdisjoint(folded(value) for value in other.values)
    return _kinds([one]).isdisjoint(_kinds([other]))


def folded(value: str | int) -> str | int:
    """A value of a choice as it is compared: a text without regard to case and to white space around it."""
    return value.strip().casefold() if isinstance(value, str) else value


def _kinds(shapes: Iterable[Shape]) -> set[str]:
    """The kinds of JSON value that the shapes allow; whole numbers are numbers."""
    kinds: set[str] = set()
    for shape in shapes:
        match shape:
            case Scalar():
                kinds.add("number" if shape.kind is int else _SCALARS[shape.kind])
            case Choice():
                kinds.add("string" if shape.is_text else "number")
            case Many():
                kinds.add("array")
            case OneOf():
                kinds |= _kinds(shape.members)
            case Record():
                kinds.add("object")
    return kinds


def _refuse(path: str, hint: object, instead: str) -> NoReturn:
    raise ConfigurationError(f"{path}: {_name(hint)} cannot be asked of a judge. {instead}.")


def _instead_of(hint: Any) -> str:
    if hint in (Any, object) or isinstance(hint, TypeVar):
        return "Say which type it is, for example str, or a union of the types that it may have"
    if hint in (list, tuple, Sequence, set, frozenset):
        return "Use list[T] or tuple[T, ...] for a list, and an attrs class where places have types of their own"
    if isinstance(hint, type) and issubclass(hint, Mapping):
        return "Use an attrs class with named fields, or a list of attrs objects that each hold a key and a value"
    if isinstance(hint, type) and has(hint):
        return "Write an attrs class of its own in which the types are filled in"
    return "Use str, int, float, bool, a Literal, an Enum, a list of these, or an attrs class with named fields"


def _name(hint: object) -> str:
    if isinstance(hint, type) and get_origin(hint) is None:
        return hint.__qualname__
    return repr(hint).replace("typing.", "")
