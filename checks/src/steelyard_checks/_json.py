"""The checks ``is_json`` and ``json_path_equals``: whether an answer is JSON, and what it says at one place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from attrs import frozen

from steelyard import ConfigurationError, FromItem, Scored, ScorerRun
from steelyard_checks._arguments import any_text
from steelyard_checks._making import Argument, Check, Decide, make_check
from steelyard_checks._reading import NotJson, json_form, json_of, kind_of
from steelyard_checks._schema import Fault, schema_of
from steelyard_checks._text import composed
from steelyard_checks._values import copied, difference, keyed
from steelyard_checks._wording import counted, listed, named, shown, shown_value

_PATH = re.compile(r"(?:[^.\[\]]+|\[-?[0-9]+\])(?:\.[^.\[\]]+|\[-?[0-9]+\])*")
_STEP = re.compile(r"\[(-?[0-9]+)\]|\.?([^.\[\]]+)")


def is_json(schema: Mapping[str, object] | FromItem | None = None) -> Check:
    """Whether the answer is JSON, and as a JSON schema asks where one is given: 1.0 or 0.0.

    A text is JSON by RFC 8259, so ``100``, ``"sun"`` and ``null`` are; a schema that says ``{"type": ["object",
    "array"]}`` leaves those out. NaN is none, and neither is JSON in a code fence or with words around it. Of messages
    the last assistant message with text is read, of several turns the last. An output that is no text but data (a
    mapping, a list, a number, an object with fields) is JSON unless something in it has no form there, such as a date.
    None, and objects that are no data, raise ``UnreadableOutput``, so that the check has failed.

    The schema is of draft 2020-12 unless its ``$schema`` says otherwise; ``format`` is not looked at. It needs the
    package jsonschema (the extra ``schema``). Of several schemas that an item brings, one is enough. Raises
    ``ConfigurationError`` for what is no schema, for references that lead nowhere, and where the package is missing.
    """
    if isinstance(schema, Mapping):
        schema = copied(schema, "is_json(schema=)")
    asked = "" if schema is None else f", as {named(schema) if isinstance(schema, FromItem) else 'its schema'} asks"
    return make_check(
        "is-json",
        f"The answer is JSON{asked}.",
        [Argument("schema", schema, schema_of, default=None)],
        _is_json,
        type=None,
    )


def _is_json(fault: Fault | None) -> Decide:
    def decide(run: ScorerRun[Any, Any]) -> Scored:
        try:
            value = json_of(run.output)
        except NotJson as error:
            return Scored(0.0, f"The answer is not JSON: {error}.")
        found = None if fault is None else fault(value)
        if found is None:
            return Scored(1.0, f"The answer is JSON: {kind_of(value)}.")
        return Scored(0.0, f"The answer is JSON, and not as the schema asks {found}.")

    return decide


def json_path_equals(path: str | FromItem, value: object) -> Check:
    """Whether the answer, read as JSON, has a value at a place: 1.0 or 0.0.

    A path is names of keys joined by dots and ``[n]`` for a place of a list, from 0 or, negative, from the end:
    ``items[0].price``. It may begin with ``$``, which by itself is the whole. Keys that hold a dot or a bracket cannot
    be named. Values are equal at any depth: the order of keys does not matter, order and number in lists do, 1 equals
    1.0, true is not 1, texts are compared in composed form (NFC) and case counts. The answer is found as ``is_json``
    finds it; where it is no JSON or has nothing at the path, the score is 0.0.

    Of several values that an item brings, one is enough, so a list to compare with stands in a list there. Raises
    ``ConfigurationError`` for a path that cannot be read and for a value that is not JSON.
    """
    if not isinstance(value, FromItem):
        value = copied(value, "json_path_equals(value=)")
    expected = named(value) if isinstance(value, FromItem) else shown_value(value)
    return make_check(
        "json-path-equals",
        f"The answer has {expected} at {named(path)}.",
        [Argument("path", path, path_of), Argument("value", value, _json_value)],
        _json_path_equals,
        type=None,
    )


@frozen
class JsonPath:
    """A way into a JSON value: keys and places of lists, in order."""

    text: str
    steps: tuple[str | int, ...]

    def before(self, number: int) -> str:
        """The path that the steps before that number make."""
        steps = "".join([f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.steps[:number]])
        return steps.removeprefix(".")


def path_of(value: object, where: str) -> JsonPath:
    """A path as it was written. Raises ``ConfigurationError``."""
    text = any_text(value, where)
    if _PATH.fullmatch(text) is None:
        raise ConfigurationError(
            f"{where}: {shown(text)} is no path. Join keys by dots and write [n] for a place of a list: "
            '"items[0].price".'
        )
    rest = text[1:] if re.match(r"\$(?:$|[.\[])", text) else text
    return JsonPath(text, tuple([int(at) if at else composed(name) for at, name in _STEP.findall(rest)]))


def _json_value(value: object, where: str) -> object:
    try:
        return json_form(value)
    except NotJson as error:
        raise ConfigurationError(f"{where}: expected a value of JSON, and {error}.") from error


def _json_path_equals(path: JsonPath, value: object) -> Decide:
    def decide(run: ScorerRun[Any, Any]) -> Scored:
        try:
            found = json_of(run.output)
        except NotJson as error:
            return Scored(0.0, f"The answer is not JSON: {error}.")
        for number, step in enumerate(path.steps):
            below = _one(found, step)
            if below is None:
                return Scored(0.0, f"Nothing stands at {shown(path.text)}: {_what_is_there(path, number, found)}.")
            [found] = below
        parting = difference(value, found, path.text)
        if parting is None:
            return Scored(1.0, f"{shown(path.text)} is {shown_value(found)}.")
        return Scored(0.0, f"{parting}.")

    return decide


_Below: TypeAlias = tuple[object] | None


def _one(value: object, step: str | int) -> _Below:
    """What is one step below, in a tuple of its own since it may be None; None where there is nothing."""
    if isinstance(step, str):
        if not isinstance(value, dict):
            return None
        there = keyed(value)
        return (there[step],) if step in there else None
    if isinstance(value, list) and -len(value) <= step < len(value):
        return (value[step],)
    return None


def _what_is_there(path: JsonPath, number: int, value: object) -> str:
    """What the steps before that number lead to."""
    at = shown(path.before(number)) if number else "the answer"
    what = kind_of(value)
    if isinstance(value, dict):
        what += f" with the keys {listed(list(value))}" if value else " without keys"
    elif isinstance(value, list):
        what += f" of {counted(len(value), 'element')}"
    return f"{at} is {what}"
