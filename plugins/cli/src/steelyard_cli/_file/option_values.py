"""The value of an option held against what the plugin's signature says of it."""

from __future__ import annotations

from collections.abc import Mapping

from steelyard_cli._file.options import FROM_ITEM, PYTHON, Option
from steelyard_cli._file.places import FileFault, Place
from steelyard_cli._file.shapes import Schema, found

DEFINITIONS: Mapping[str, Schema] = {
    "from_item": {
        "description": "what each item brings: ground_truth, metadata.KEY, context, and what lies below them",
        "type": "object",
        "properties": {"from_item": {"type": "string", "examples": ["ground_truth", "metadata.must_say"]}},
        "required": ["from_item"],
        "additionalProperties": False,
    },
    "python": {
        "description": "a Python object by its name, or a check or scorer of its own",
        "type": "object",
        "anyOf": [
            {
                "properties": {"python": {"type": "string", "pattern": "^(python:)?.+:.+"}},
                "required": ["python"],
                "additionalProperties": False,
            },
            {"$ref": "#/$defs/gate"},
        ],
    },
}
"""What the schemas of options refer to."""
_WORDS: Mapping[str, str] = {
    "string": "a text",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "null": "nothing",
    "array": "a list",
    "object": "a table",
}
_PLAIN: Schema = {"not": {}}
"""In place of what is no plain value, and was taken before."""


def check_form(value: object, option: Option, place: Place) -> None:
    """Raises ``FileFault`` for a value that the option cannot have. What is no plain data is for the plugin itself to
    look at."""
    if not option.schema or not _is_data(value):
        return
    from jsonschema import Draft202012Validator

    if not Draft202012Validator({**option.schema, "$defs": {"from_item": _PLAIN, "python": _PLAIN}}).is_valid(value):
        raise FileFault(place, f"expected {in_words(option.schema)}, found {found(value)}.")


def in_words(schema: Schema) -> str:
    """What a sentence calls the values that a schema of an option admits."""
    if schema == FROM_ITEM:
        return '{ from_item = "..." }'
    if schema == PYTHON:
        return '{ python = "module:object" }'
    if "anyOf" in schema:
        return " or ".join(in_words(each) for each in schema["anyOf"])
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    words = _WORDS.get(schema.get("type", ""), "a value")
    items = schema.get("items")
    if words == "a list" and items:
        inner = in_words(items).removeprefix("a ").removeprefix("an ")
        return (
            f"a list of {inner}s"
            if inner.replace(" ", "").isalpha() and " or " not in inner
            else f"a list of ({inner})"
        )
    return words


def _is_data(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_data(inner) for key, inner in value.items())
    if isinstance(value, list):
        return all(map(_is_data, value))
    return value is None or isinstance(value, str | int | float)
