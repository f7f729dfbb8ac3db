"""What the value of a key may be: how it is read, how a JSON schema says it, how a sentence calls it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any, Protocol

from attrs import fields, frozen

from steelyard_cli._file.places import FileFault, Place, unknown_key
from steelyard_cli._file.references import PREFIX, is_reference, read_reference

Schema = dict[str, Any]


class Shape(Protocol):
    """One form of value."""

    @property
    def words(self) -> str:
        """What a sentence calls such a value: "a text"."""
        ...

    def schema(self) -> Schema:
        """The form as JSON schema, draft 2020-12."""
        ...

    def read(self, value: object, place: Place) -> object:
        """The value, checked. Raises ``FileFault``."""
        ...


def found(value: object) -> str:
    """How a message calls a value of a wrong form."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value!r:.40}"
    if isinstance(value, str):
        return f"the text {value!r:.40}"
    if isinstance(value, Mapping):
        return "a table"
    return "a list" if isinstance(value, Sequence) else type(value).__name__


def _fits(value: float) -> bool:
    try:
        return isfinite(value)
    except OverflowError:  # a whole number beyond every float
        return False


def refuse(shape: Shape, value: object, place: Place) -> FileFault:
    """The fault of a value that has another form."""
    return FileFault(place, f"expected {shape.words}, found {found(value)}.")


@frozen
class Text:
    """A text that is not blank."""

    words: str = "a text"

    def schema(self) -> Schema:
        return {"type": "string", "minLength": 1}

    def read(self, value: object, place: Place) -> str:
        if not isinstance(value, str):
            raise refuse(self, value, place)
        if not value.strip():
            raise FileFault(place, f"expected {self.words}, found an empty one.")
        return value


@frozen
class Choice:
    """One of a few words."""

    of: tuple[str, ...]

    @property
    def words(self) -> str:
        return f"one of {', '.join(self.of)}"

    def schema(self) -> Schema:
        return {"enum": list(self.of)}

    def read(self, value: object, place: Place) -> str:
        if not isinstance(value, str) or value not in self.of:
            raise refuse(self, value, place)
        return value


@frozen
class Flag:
    """True or false."""

    words: str = "true or false"

    def schema(self) -> Schema:
        return {"type": "boolean"}

    def read(self, value: object, place: Place) -> bool:
        if not isinstance(value, bool):
            raise refuse(self, value, place)
        return value


@frozen(kw_only=True)
class Number:
    """A finite number, in bounds where there are some; ``whole`` admits no fractions."""

    whole: bool = False
    least: float | None = None
    most: float | None = None
    above: float | None = None

    @property
    def words(self) -> str:
        said = "a whole number" if self.whole else "a number"
        if self.above is not None:
            return f"{said} above {self.above:g}"
        if self.least is not None and self.most is not None:
            return f"{said} from {self.least:g} to {self.most:g}"
        return said if self.least is None else f"{said}, {self.least:g} or more"

    def schema(self) -> Schema:
        bounds = {"minimum": self.least, "maximum": self.most, "exclusiveMinimum": self.above}
        kept = {name: bound for name, bound in bounds.items() if bound is not None}
        return {"type": "integer" if self.whole else "number", **kept}

    def read(self, value: object, place: Place) -> float:
        if isinstance(value, bool) or not isinstance(value, int if self.whole else int | float) or not _fits(value):
            raise refuse(self, value, place)
        low = self.least is not None and value < self.least
        high = self.most is not None and value > self.most
        if low or high or (self.above is not None and value <= self.above):
            raise refuse(self, value, place)
        return value


@frozen
class ListOf:
    """A list whose entries all have one form."""

    each: Shape
    words: str = "a list"

    def schema(self) -> Schema:
        return {"type": "array", "items": self.each.schema()}

    def read(self, value: object, place: Place) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise refuse(self, value, place)
        return tuple(self.each.read(entry, place / number) for number, entry in enumerate(value))


@frozen
class MapOf:
    """A table with any keys whose values all have one form."""

    each: Shape
    words: str = "a table"

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self.each.schema()}

    def read(self, value: object, place: Place) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise refuse(self, value, place)
        return {str(key): self.each.read(inner, place / str(key)) for key, inner in value.items()}


@frozen
class Anything:
    """Any value, handed on as it is."""

    words: str = "a value"

    def schema(self) -> Schema:
        return {}

    def read(self, value: object, place: Place) -> object:
        return value


@frozen
class PythonObject:
    """A Python object by its name; where the evaluation is Python itself, also the object."""

    words: str = f'the name of a Python object ("{PREFIX}module:object")'
    plain: tuple[type, ...] = (str, int, float, list, tuple, Mapping)
    """What is not taken for the object itself."""

    def schema(self) -> Schema:
        return {"type": "string", "pattern": f"^{PREFIX}"}

    def read(self, value: object, place: Place) -> object:
        if is_reference(value):
            return read_reference(str(value), place)
        if place.source.python and value is not None and not isinstance(value, self.plain):
            return value
        raise refuse(self, value, place)


@frozen
class TableOf:
    """A table with known keys: the fields of an attrs class, whose metadata were made with ``key``."""

    kind: type[Any]
    words: str = "a table"

    def schema(self) -> Schema:
        keys = keys_of(self.kind)
        required = [each.name for each in keys if each.required]
        return {
            "type": "object",
            "properties": {each.name: {"description": each.about, **each.shape.schema()} for each in keys},
            **({"required": required} if required else {}),
            "additionalProperties": False,
        }

    def read(self, value: object, place: Place) -> Any:
        if not isinstance(value, Mapping):
            raise refuse(self, value, place)
        keys = {each.name: each for each in keys_of(self.kind)}
        for name in value:
            if name not in keys:
                raise unknown_key(place, name, keys)
        # YAML writes a key without a value for one that is left out.
        given = {name: inner for name, inner in value.items() if inner is not None}
        for each in keys.values():
            if each.required and each.name not in given:
                raise FileFault(place, f"{each.name} is missing: {each.about}.")
        return self.kind(**{name: keys[name].shape.read(inner, place / name) for name, inner in given.items()})


@frozen
class OneOf:
    """A value of one of several forms: of the first one whose test it passes. ``anything`` is a last try."""

    forms: tuple[tuple[Callable[[object], bool], Shape], ...]
    said: str | None = None

    @property
    def words(self) -> str:
        return self.said or " or ".join(dict.fromkeys(shape.words for _, shape in self.forms))

    def schema(self) -> Schema:
        schemas: list[Schema] = []
        for _, shape in self.forms:
            schema = shape.schema()
            if schema not in schemas:
                schemas.append(schema)
        return {"anyOf": schemas}

    def read(self, value: object, place: Place) -> object:
        for fits, shape in self.forms:
            if fits is anything:
                try:
                    return shape.read(value, place)
                except FileFault:
                    break
            if fits(value):
                return shape.read(value, place)
        raise refuse(self, value, place)


def is_text(value: object) -> bool:
    """Whether the value is a text."""
    return isinstance(value, str)


def is_table(value: object) -> bool:
    """Whether the value is a table."""
    return isinstance(value, Mapping)


def is_list(value: object) -> bool:
    """Whether the value is a list."""
    return isinstance(value, list | tuple)


def anything(value: object) -> bool:
    """Whether the value is a value."""
    return True


def key(shape: Shape, about: str, *, required: bool = False) -> dict[str, Any]:
    """The metadata of an attrs field that stands for a key of a file; ``about`` says what it is for, without a full
    stop."""
    return {"shape": shape, "about": about, "required": required}


@frozen
class Key:
    """One key of a table."""

    name: str
    about: str
    shape: Shape
    required: bool


def keys_of(kind: type[Any]) -> list[Key]:
    """The keys that the fields of a class stand for."""
    return [Key(name=each.name, **each.metadata) for each in fields(kind)]
