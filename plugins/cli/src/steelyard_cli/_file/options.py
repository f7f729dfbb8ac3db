"""The options of a plugin, told from the signature of its factory: names, defaults, what values may be."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import Enum
from inspect import Parameter, Signature, cleandoc, getdoc, signature, unwrap
from typing import Any, Literal, Union, get_args, get_origin

from attrs import frozen

from steelyard import FromItem
from steelyard_cli._file.shapes import Schema

FROM_ITEM: Schema = {"$ref": "#/$defs/from_item"}
PYTHON: Schema = {"$ref": "#/$defs/python"}
_SIMPLE: Mapping[object, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    None: {"type": "null"},
    type(None): {"type": "null"},
    FromItem: FROM_ITEM,
}
_LISTS = (list, tuple, set, frozenset, Sequence, Iterable, Collection)
_TABLES = (dict, Mapping)
_BY_PLACE = (Parameter.POSITIONAL_ONLY, Parameter.VAR_POSITIONAL)


@frozen(kw_only=True)
class Option:
    """One option. ``schema`` says what a file may give for it: ``{}`` is anything, which also stands for a type that is
    not known."""

    name: str
    schema: Schema
    required: bool
    default: object = None
    kind: Any = Parameter.KEYWORD_ONLY

    @property
    def takes_from_item(self) -> bool:
        """Whether it can be looked up in each item."""
        return not self.schema or FROM_ITEM in self.forms

    @property
    def takes_python(self) -> bool:
        """Whether a file may name a Python object for it."""
        return not self.schema or PYTHON in self.forms

    @property
    def takes_scorer(self) -> bool:
        """Whether a table may stand for a check or scorer."""
        return PYTHON in self.forms and not self.takes_table

    @property
    def takes_table(self) -> bool:
        """Whether it may be a table as it stands."""
        return not self.schema or any(form.get("type") == "object" for form in self.forms)

    @property
    def forms(self) -> tuple[Schema, ...]:
        """The forms of value that it may have."""
        return tuple(self.schema.get("anyOf", (self.schema,)))


@frozen(kw_only=True)
class Factory:
    """What makes a scorer, and the options that it takes. ``open`` says that it takes any others too."""

    make: Callable[..., object]
    options: Mapping[str, Option]
    open: bool
    doc: str

    @property
    def summary(self) -> str:
        """The first paragraph of its docstring, as one line."""
        return " ".join(self.doc.split("\n\n")[0].split())

    @property
    def missing(self) -> tuple[str, ...]:
        """The options that must be given."""
        return tuple(option.name for option in self.options.values() if option.required)

    def __call__(self, given: Mapping[str, object]) -> object:
        """What it makes of these options; whatever it raises passes."""
        positional: list[object] = []
        for option in self.options.values():
            if option.kind is Parameter.POSITIONAL_ONLY and option.name in given:
                positional.append(given[option.name])
            elif option.kind is Parameter.VAR_POSITIONAL:
                more = given.get(option.name, ())
                positional.extend(more if isinstance(more, list | tuple) else [more])
        named = {
            name: value
            for name, value in given.items()
            if name not in self.options or self.options[name].kind not in _BY_PLACE
        }
        return self.make(*positional, **named)


def factory_of(make: Callable[..., object]) -> Factory:
    """The factory that a plugin is, with its options."""
    parameters = _parameters(make)
    options = {name: _option(each) for name, each in parameters.items() if each.kind is not Parameter.VAR_KEYWORD}
    if any(option.kind is Parameter.VAR_POSITIONAL for option in options.values()):
        # Whatever stands before a star can only be given by its place.
        options = {
            name: option if option.kind is Parameter.KEYWORD_ONLY else _by_place(option)
            for name, option in options.items()
        }
    is_open = any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values())
    return Factory(make=make, options=options, open=is_open, doc=cleandoc(getdoc(make) or ""))


def _by_place(option: Option) -> Option:
    from attrs import evolve

    return option if option.kind in _BY_PLACE else evolve(option, kind=Parameter.POSITIONAL_ONLY)


def _parameters(make: Callable[..., object]) -> Mapping[str, Parameter]:
    try:
        parameters = _signature(make).parameters
    except (TypeError, ValueError):
        return {"options": Parameter("options", Parameter.VAR_KEYWORD)}
    names = _names_seen_by(make)
    return {name: each.replace(annotation=_resolved(each.annotation, names)) for name, each in parameters.items()}


def _signature(make: Callable[..., object]) -> Signature:
    if sys.version_info >= (3, 14):
        from annotationlib import Format  # annotations are made when they are asked for, and may name what is not there

        return signature(make, annotation_format=Format.FORWARDREF)
    return signature(make)


def _names_seen_by(make: Callable[..., object]) -> dict[str, Any]:
    function = unwrap(make.__init__ if isinstance(make, type) else make)  # type: ignore[misc]
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    return getattr(function, "__globals__", None) or (vars(module) if module is not None else {})


def _resolved(annotation: object, names: dict[str, Any]) -> object:
    """The type that an annotation names; empty where it names something that is there for type checkers only."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, names)  # the plugin's own text, read as typing.get_type_hints reads it
    except Exception:
        return Parameter.empty


def _option(parameter: Parameter) -> Option:
    schema = {} if parameter.annotation is Parameter.empty else schema_of(parameter.annotation)
    if parameter.kind is Parameter.VAR_POSITIONAL:
        schema = {"type": "array", "items": schema}
    optional = parameter.default is not Parameter.empty or parameter.kind is Parameter.VAR_POSITIONAL
    return Option(
        name=parameter.name,
        schema=schema,
        required=not optional,
        default=None if parameter.default is Parameter.empty else parameter.default,
        kind=parameter.kind,
    )


def schema_of(annotation: object) -> Schema:
    """What a file may give for a value of this type; ``{}`` where anything goes or nothing is known of it."""
    if annotation in (Any, object) or isinstance(annotation, str):
        return {}
    if isinstance(annotation, type(None)) or (isinstance(annotation, type) and annotation in _SIMPLE):
        return _SIMPLE[annotation]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return _any_of([schema_of(each) for each in arguments])
    if origin is Literal:
        return {"enum": list(arguments)}
    kind = annotation if origin is None else origin
    if kind in _LISTS:
        inner = [each for each in arguments if each is not Ellipsis]
        return {"type": "array", "items": schema_of(inner[0])} if len(inner) == 1 else {"type": "array"}
    if kind in _TABLES:
        return (
            {"type": "object", "additionalProperties": schema_of(arguments[1])}
            if len(arguments) == 2
            else {"type": "object"}
        )
    if isinstance(kind, type) and issubclass(kind, Enum):
        # What an enum of numbers is called in Python is its own affair: a file gives the number, or the member from
        # Python.
        return {"type": "integer"} if issubclass(kind, int) else PYTHON
    return PYTHON if isinstance(kind, type) else {}


def _any_of(schemas: Sequence[Schema]) -> Schema:
    distinct: list[Schema] = []
    for each in schemas:
        for one in each.get("anyOf", [each]):
            if one not in distinct:
                distinct.append(one)
    if {} in distinct:
        return {}
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}
