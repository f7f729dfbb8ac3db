"""The JSON schema of evaluation files, made from the keys that there are and the plugins that are installed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from steelyard import ConfigurationError, Registry
from steelyard_cli._file.entries import OF_GATES, OF_SCORERS, Kind
from steelyard_cli._file.model import EvaluationFile
from steelyard_cli._file.option_values import DEFINITIONS
from steelyard_cli._file.options import Factory, Option, factory_of
from steelyard_cli._file.shapes import Schema, Shape, TableOf

DRAFT = "https://json-schema.org/draft/2020-12/schema"
KINDS: tuple[Kind, ...] = ("checks", "scorers")
ITEM_FIELDS: Mapping[str, tuple[Schema, str]] = {
    "id": ({"type": "string"}, "what tells the item apart; left out, it is made of the input"),
    "input": ({}, "what the target is given: a text, a message, a list of messages, or anything that it takes"),
    "inputs": ({"type": "array", "minItems": 1}, "the inputs of several turns, sent in order on one thread"),
    "turns": (
        {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/turn"}},
        "turns that are also judged by themselves",
    ),
    "output": ({}, "a recorded output: a text, or messages"),
    "ground_truth": ({}, "what the answer should be; a list of texts means any of them"),
    "context": (
        {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        "the texts that the answer should rest on",
    ),
    "expected_trajectory": ({"type": "object"}, "the steps that are expected"),
    "request_context": ({"type": "object"}, "what the target and scorers are told beside the input"),
    "start_options": ({"type": "object"}, "options of the target for this item alone"),
    "metadata": ({"type": "object"}, "anything else, for scorers, slices and selections"),
    "gates": ({"type": "array", "items": {"$ref": "#/$defs/gate"}}, "gates of this item alone"),
    "scorers": ({"type": "array", "items": {"$ref": "#/$defs/scorer"}}, "scorers of this item alone"),
}
"""The fields of an item that stands in the file."""
_SENTENCE = re.compile(r"(?<=[.])\s+(?=[A-Z`])")


def file_schema(registry: Registry) -> Schema:
    """The schema. A plugin that cannot be loaded is left out of it; ``steelyard plugins --check`` says why."""
    factories = {(kind, name): factory for kind in KINDS for name, factory in _factories(kind, registry)}
    definitions: dict[str, Schema] = {
        **DEFINITIONS,
        "gate": _entry(OF_GATES, factories),
        "scorer": _entry(OF_SCORERS, factories),
        "turn": _fields({name: ITEM_FIELDS[name] for name in ("input", "gates", "scorers")}),
        "item": _fields(ITEM_FIELDS),
    }
    for keys in (OF_GATES, OF_SCORERS):
        for (kind, name), factory in factories.items():
            definitions[_name(kind, name, keys, factory)] = _options(factory, keys)
    return {
        "$schema": DRAFT,
        "title": "An evaluation file of steelyard",
        **TableOf(EvaluationFile).schema(),
        "$defs": definitions,
    }


def _factories(kind: Kind, registry: Registry) -> Iterator[tuple[str, Factory]]:
    for name in registry.names(kind):
        try:
            loaded = registry.load(kind, name)
        except ConfigurationError:
            continue
        if callable(loaded):
            yield name, factory_of(loaded)


def _fields(fields: Mapping[str, tuple[Schema, str]]) -> Schema:
    properties = {name: {"description": about, **schema} for name, (schema, about) in fields.items()}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _entry(keys: Mapping[str, tuple[Shape, str]], factories: Mapping[tuple[Kind, str], Factory]) -> Schema:
    """A gate or scorer: its own keys, and for each plugin that it may name the options of that."""
    properties: dict[str, Schema] = {
        name: {"description": about, **shape.schema()} for name, (shape, about) in keys.items()
    }
    names = {kind: [name for each, name in factories if each == kind] for kind in KINDS}
    python: Schema = {"type": "string", "pattern": "^python:.+:.+"}
    if names["checks"]:
        properties["check"]["enum"] = names["checks"]
    properties["scorer"] = {
        "description": keys["scorer"][1],
        "anyOf": [{"enum": names["scorers"]}, python] if names["scorers"] else [python],
    }
    cases: list[Schema] = [
        {
            "if": {"properties": {kind.removesuffix("s"): {"const": name}}, "required": [kind.removesuffix("s")]},
            "then": {"$ref": f"#/$defs/{_name(kind, name, keys, factory)}"},
        }
        for (kind, name), factory in factories.items()
    ]
    cases.append(
        {"if": {"properties": {"scorer": python}, "required": ["scorer"]}, "then": {"additionalProperties": True}}
    )
    return {
        "type": "object",
        "properties": properties,
        "oneOf": [{"required": ["check"]}, {"required": ["scorer"]}, {"required": ["not"]}],
        "allOf": cases,
        "unevaluatedProperties": False,
    }


def _name(kind: Kind, name: str, keys: Mapping[str, object], factory: Factory) -> str:
    """Where the options of a plugin stand: once, unless one is called like a key that only scorers have."""
    base = f"{kind.removesuffix('s')}.{name}"
    clashing = any(option in OF_SCORERS and option not in OF_GATES for option in factory.options)
    return f"{base}.averaged" if clashing and keys is OF_SCORERS else base


def _options(factory: Factory, keys: Mapping[str, object]) -> Schema:
    options = {name: _option(option, factory.doc) for name, option in factory.options.items() if name != "judge"}
    beside = {name: schema for name, schema in options.items() if name not in keys}
    required = [name for name in factory.missing if name != "judge"]
    schema: Schema = {
        "description": factory.doc,
        "properties": {
            **beside,
            "options": {"properties": options, **({} if factory.open else {"additionalProperties": False})},
        },
    }
    if required:
        schema["anyOf"] = [{"required": [each for each in required if each in beside]}, {"required": ["options"]}]
    if factory.open:
        schema["additionalProperties"] = True
    return schema


def _option(option: Option, doc: str) -> Schema:
    schema: dict[str, Any] = dict(option.schema)
    about = about_option(option.name, doc)
    if "$ref" in schema:
        schema = {"allOf": [schema]}
    if about:
        schema["description"] = about
    if not option.required and _is_json(option.default):
        schema["default"] = option.default
    return schema


def about_option(name: str, doc: str) -> str:
    """The sentences of a docstring that speak of an option."""
    return " ".join(sentence for sentence in _SENTENCE.split(" ".join(doc.split())) if f"``{name}``" in sentence)


def _is_json(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return value is not None
