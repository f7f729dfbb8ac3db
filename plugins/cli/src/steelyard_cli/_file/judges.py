"""How a file names a judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve, field, frozen

from steelyard_cli._file.places import Place
from steelyard_cli._file.references import is_reference
from steelyard_cli._file.shapes import Choice, Number, PythonObject, Schema, TableOf, Text, key, refuse

_PYTHON = PythonObject()


@frozen(kw_only=True)
class JudgeKeys:
    """A judge with settings."""

    judge: Any = field(default=None, metadata=key(_PYTHON, "the judge itself: provider/model, or python:module:object"))
    instructions: str | None = field(default=None, metadata=key(Text(), "the system prompt of the judge"))
    structured_output: str | None = field(
        default=None,
        metadata=key(
            Choice(("auto", "native", "inline", "system")), "where the schema of the answer goes; auto is the default"
        ),
    )
    max_processor_retries: int | None = field(
        default=None, metadata=key(Number(whole=True, least=0), "how many retries there are for one request")
    )


@frozen
class JudgeShape:
    """``"provider/model"``, a Python object, or a table of one of them with settings."""

    words: str = 'a judge ("provider/model" or "python:module:object")'

    def schema(self) -> Schema:
        named: Schema = {"type": "string", "pattern": "^(python:.+:.+|[^/]+/.+)$", "examples": ["openai/gpt-5-mini"]}
        table = TableOf(JudgeKeys).schema()
        table["properties"]["judge"].update(named)
        return {"anyOf": [named, table]}

    def read(self, value: object, place: Place) -> object:
        if not isinstance(value, Mapping):
            return self._one(value, place)
        settings: JudgeKeys = TableOf(JudgeKeys).read({**value, "judge": None}, place)
        judge = value.get("judge")
        return settings if judge is None else evolve(settings, judge=self._one(judge, place / "judge"))

    def _one(self, value: object, place: Place) -> object:
        if isinstance(value, Mapping):
            raise refuse(self, value, place)
        if not isinstance(value, str) or is_reference(value):
            return _PYTHON.read(value, place)
        provider, slash, model = value.partition("/")
        if not slash or not provider.strip() or not model.strip():
            raise refuse(self, value, place)
        return value
