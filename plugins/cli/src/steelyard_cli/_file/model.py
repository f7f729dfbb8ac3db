"""The keys of an evaluation file: what there is, what it is for, what may stand there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from steelyard_cli._file.entries import Entries, Entry, Scorers
from steelyard_cli._file.environment import Names
from steelyard_cli._file.judges import JudgeShape
from steelyard_cli._file.places import Place
from steelyard_cli._file.references import is_reference
from steelyard_cli._file.shapes import (
    Anything,
    Choice,
    ListOf,
    MapOf,
    Number,
    OneOf,
    PythonObject,
    Schema,
    TableOf,
    Text,
    anything,
    is_list,
    is_table,
    is_text,
    key,
)

RECORDED = "recorded"
OUTPUTS = ("json", "jsonl", "junit", "markdown", "csv")
_PATH = Text("the path of a file")
_PYTHON = PythonObject()


@frozen(kw_only=True)
class DataKeys:
    """Where the items are, and how they are read."""

    path: str = field(
        metadata=key(
            _PATH, "the file of the items; a relative path starts at the folder of the evaluation file", required=True
        )
    )
    format: str | None = field(
        default=None,
        metadata=key(
            Text(),
            "the reader: jsonl, json, csv, yaml or another installed one; left out, the ending of the path says it",
        ),
    )
    columns: Mapping[str, str] | None = field(
        default=None,
        metadata=key(
            MapOf(Text("the name of a column, or a path in a row")),
            "fields of an item, and the column of the file that each is taken from",
        ),
    )
    extractor: Any = field(
        default=None,
        metadata=key(
            OneOf(
                ((is_reference, _PYTHON), (is_text, Text("the name of an installed extractor")), (anything, _PYTHON))
            ),
            "makes items of records that another system wrote, such as openai-chat; left out, the rows are items",
        ),
    )


@frozen(kw_only=True)
class OutputKeys:
    """Files that results are written to."""

    json: str | None = field(default=None, metadata=key(_PATH, "everything, as one JSON document"))
    jsonl: str | None = field(default=None, metadata=key(_PATH, "a line of JSON for each item, as it completes"))
    junit: str | None = field(default=None, metadata=key(_PATH, "JUnit XML, for CI servers"))
    markdown: str | None = field(default=None, metadata=key(_PATH, "a summary that fits a comment on a pull request"))
    csv: str | None = field(default=None, metadata=key(_PATH, "a row for each item and scorer"))


@frozen
class ItemShape:
    """An item that stands in the evaluation file; it is read when the data is."""

    words: str = 'an item such as { input = "..." }'

    def schema(self) -> Schema:
        return {"$ref": "#/$defs/item"}

    def read(self, value: object, place: Place) -> object:
        return value


_JUDGE = JudgeShape()
_TARGET = OneOf(
    (
        (lambda value: value == RECORDED, Choice((RECORDED,))),
        (is_reference, _PYTHON),
        (anything, _PYTHON),
    ),
    '"python:module:callable" or "recorded"',
)
_ITEMS = ListOf(ItemShape(), "a list of items")
_DATA = OneOf(
    (
        (is_reference, PythonObject("python:module:object, an iterable of items or a function that gives one")),
        (is_text, _PATH),
        (is_table, TableOf(DataKeys)),
        (is_list, _ITEMS),
        (anything, _PYTHON),
    ),
    'the path of a file, a table, a list of items, or "python:module:object"',
)
_REPLY = MapOf(OneOf(((is_reference, _PYTHON), (is_text, Text("a path such as docs[].text")), (anything, _PYTHON))))


@frozen(kw_only=True)
class EvaluationFile:
    """An evaluation as it was written down, its keys checked; nothing that it names was looked for yet."""

    name: str | None = field(
        default=None, metadata=key(Text(), "what reports call the evaluation; left out, the name of the file")
    )
    description: str | None = field(
        default=None, metadata=key(Text(), "what the evaluation is about; for readers of the file")
    )
    target: Any = field(
        default=None,
        metadata=key(
            _TARGET,
            'what is evaluated: "python:module:callable" (a class is made without arguments), or "recorded" where the '
            "items hold their outputs, which is also meant where it is left out",
        ),
    )
    target_factory: Any = field(
        default=None, metadata=key(_PYTHON, "in place of target: a function that makes a fresh target for each item")
    )
    target_options: Mapping[str, Any] | None = field(
        default=None, metadata=key(MapOf(Anything()), "options that reach the target with each call")
    )
    reply: Mapping[str, Any] | None = field(
        default=None,
        metadata=key(
            _REPLY,
            'which part of what the target returns is what: { output = "answer", context = "docs[].text" }',
        ),
    )
    data: Any = field(
        metadata=key(
            _DATA,
            "the items: the path of a file, a table that also says how to read it, or the items themselves",
            required=True,
        )
    )
    gates: tuple[Entry, ...] | None = field(
        default=None, metadata=key(Entries(gates=True), "what must hold on every item, or the evaluation has failed")
    )
    scorers: Any = field(
        default=None,
        metadata=key(
            Scorers(),
            "what is measured and averaged, with bounds where there are some: a list; or a table of lists, agent and "
            "trajectory for agents, workflow, trajectory and steps.<id> for workflows",
        ),
    )
    judge: Any = field(
        default=None,
        metadata=key(
            _JUDGE, 'the model that scorers ask: "provider/model", "python:module:object", or a table with settings'
        ),
    )
    group_by: tuple[str, ...] | None = field(
        default=None,
        metadata=key(
            ListOf(Text(), 'a list of paths such as "metadata.lang"'),
            "values of the items by which averages are also told apart",
        ),
    )
    concurrency: int | None = field(
        default=None, metadata=key(Number(whole=True, least=1), "how many items are worked on at once; 1 if left out")
    )
    timeout: float | None = field(
        default=None,
        metadata=key(Number(above=0), "seconds for each call of the target and each scorer; no limit if left out"),
    )
    lifecycle: Any = field(
        default=None, metadata=key(_PYTHON, "a Lifecycle: what is set up around the run and around each item")
    )
    observers: tuple[Any, ...] | None = field(
        default=None,
        metadata=key(
            ListOf(
                OneOf(
                    ((is_reference, _PYTHON), (is_text, Text("the name of an installed observer")), (anything, _PYTHON))
                ),
                "a list of observers",
            ),
            "who is told of the run: names of installed hooks, or Python objects",
        ),
    )
    env: tuple[str, ...] | None = field(
        default=None,
        metadata=key(
            Names(), "names of environment variables that must be set; their values are never written anywhere"
        ),
    )
    output: OutputKeys | None = field(
        default=None,
        metadata=key(
            TableOf(OutputKeys),
            "files that results are written to; a relative path starts at the folder of the evaluation file",
        ),
    )
