"""The JSON schema of evaluation files says what the reader takes, and the reference page what there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from plugins.cli.tests.command_desk import Desk
from steelyard import FromItem, Registry, Scorer
from steelyard_cli._file.building import open_evaluation
from steelyard_cli._file.loading import load
from steelyard_cli._file.model import DataKeys, EvaluationFile, OutputKeys
from steelyard_cli._file.options import schema_of
from steelyard_cli._file.reference_page import page
from steelyard_cli._file.schema import ITEM_FIELDS, file_schema
from steelyard_cli._file.shapes import keys_of
from steelyard_cli._file.yaml_text import read_yaml

ROOT = Path(__file__).parents[3]


class Installed(Registry):
    """A registry with one scorer, one that needs a word that a scorer's own keys have taken, and one that is broken."""

    def __init__(self) -> None:
        super().__init__()
        self._scorers: dict[str, Any] = {"brevity": brevity, "bounded": bounded}

    def names(self, kind: Any) -> tuple[str, ...]:
        return ("bounded", "brevity", "broken") if kind == "scorers" else super().names(kind)

    def load(self, kind: Any, name: str) -> object:
        if kind == "scorers" and name in self._scorers:
            return self._scorers[name]
        return super().load(kind, name)


def brevity(words: int = 10, *, judge: object = None) -> Scorer:
    """How short the answer is, against ``words`` words.

    The formula is simple. ``words`` is at least 1.
    """
    raise NotImplementedError


def bounded(max: int, **more: object) -> Scorer:
    """A scorer whose option has a name that bounds have."""
    raise NotImplementedError


SCHEMA = file_schema(Installed())
VALIDATOR = Draft202012Validator(SCHEMA)

GOOD = [
    "data = 'x'",
    "data = { path = 'x', columns = { input = 'q' } }\n[[gates]]\ncheck = 'includes'\nvalue = 'x'",
    "data = [ { output = 'x', metadata = { a = 1 }, gates = [ { check = 'refused' } ] } ]",
    "data = [ { turns = [ { input = 'x', gates = [ { check = 'refused' } ] } ] } ]",
    "data = 'x'\n[[gates]]\ncheck = 'includes'\nvalue.from_item = 'ground_truth'\nshare = 0.5\nwhen_given = true",
    "data = 'x'\n[[gates]]\ncheck = 'includes'\noptions = { value = 'x', ignore_case = false }",
    "data = 'x'\n[[gates]]\nnot = { check = 'includes', value = 'x' }",
    "data = 'x'\n[[gates]]\nscorer = 'python:a:b'\nanything = [1]",
    "data = 'x'\n[[scorers]]\nscorer = 'brevity'\nwords = 5\njudge = 'a/b'\nmin = 0.5\nslice = 'a=b'",
    "data = 'x'\n[[scorers]]\nscorer = 'bounded'\noptions.max = 5\nmax = 0.5",
    "data = 'x'\n[[gates]]\nscorer = 'bounded'\nmax = 5\nother = 'x'",
    "data = 'x'\n[[scorers.agent]]\ncheck = 'refused'\n[[scorers.trajectory]]\ncheck = 'refused'",
    "data = 'x'\n[[scorers.steps.a]]\ncheck = 'refused'",
    "data = 'x'\n[[gates]]\ncheck = 'tool_called_with'\nname = 'x'\nargs = { a = 1 }",
    "data = 'x'\n[[gates]]\ncheck = 'tool_called_with'\nname = 'x'\nargs = { python = 'a:b' }\nmatch = 'predicate'",
    (
        "data = 'x'\ntarget = 'recorded'\nenv = ['A']\n"
        "judge = { judge = 'a/b', instructions = 'x' }\noutput = { json = 'x' }"
    ),
    "data = 'x'\ntarget = 'python:a:b'\ntarget_options = { a = [1] }\nreply = { output = 'a' }\nobservers = ['x']",
]
BAD = [
    "",
    "data = 5",
    "data = 'x'\nunknown = 1",
    "data = { format = 'x' }",
    "data = [ 'x' ]",
    "data = [ { outptu = 'x' } ]",
    "data = 'x'\n[[gates]]\nvalue = 'x'",
    "data = 'x'\n[[gates]]\ncheck = 'inclodes'\nvalue = 'x'",
    "data = 'x'\n[[gates]]\ncheck = 'includes'",
    "data = 'x'\n[[gates]]\ncheck = 'includes'\nvalue = 5",
    "data = 'x'\n[[gates]]\ncheck = 'includes'\nvalue = 'x'\nvalu = 'x'",
    "data = 'x'\n[[gates]]\ncheck = 'includes'\noptions = { valu = 'x' }",
    "data = 'x'\n[[gates]]\ncheck = 'includes'\nvalue = 'x'\nmin = 1",
    "data = 'x'\n[[gates]]\ncheck = 'a'\nscorer = 'b'",
    "data = 'x'\n[[gates]]\ncheck = 'includes'\nvalue = 'x'\nshare = 2",
    "data = 'x'\n[[gates]]\nnot = { check = 'includes' }",
    "data = 'x'\n[[scorers]]\nscorer = 'nothing'",
    "data = 'x'\n[[scorers]]\nscorer = 'brevity'\nwords = 'x'",
    "data = 'x'\n[[scorers.agents]]\ncheck = 'refused'",
    "data = 'x'\nconcurrency = 0",
    "data = 'x'\ntimeout = 0",
    "data = 'x'\ntarget = 'a:b'",
    "data = 'x'\nenv = ['A=b']",
    "data = 'x'\njudge = 'a'",
]


def test_the_schema_is_one_of_its_draft() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_every_reference_in_the_schema_leads_somewhere() -> None:
    text = repr(SCHEMA)
    assert set(re.findall(r"#/\$defs/([\w.]+)", text)) <= set(SCHEMA["$defs"])


@pytest.mark.parametrize("text", GOOD)
def test_the_schema_takes_what_the_reader_takes(text: str, desk: Desk) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(tomllib.loads(text))] == []
    desk.write("x.toml", text)
    open_evaluation(load("x.toml", desk.folder))


@pytest.mark.parametrize("text", BAD)
def test_the_schema_refuses_what_the_command_refuses(text: str) -> None:
    assert not VALIDATOR.is_valid(tomllib.loads(text))


def test_options_bring_their_documentation() -> None:
    options = SCHEMA["$defs"]["scorer.brevity"]
    assert options["description"].startswith("How short the answer is")
    assert options["properties"]["words"] == {
        "type": "integer",
        "default": 10,
        "description": "How short the answer is, against ``words`` words. ``words`` is at least 1.",
    }
    assert "judge" not in options["properties"]


def test_a_plugin_that_cannot_be_loaded_costs_itself_alone() -> None:
    assert "scorer.broken" not in SCHEMA["$defs"]
    assert "check.includes" in SCHEMA["$defs"]


def test_every_check_is_in_the_schema_of_what_is_installed() -> None:
    assert {f"check.{name}" for name in Registry().names("checks")} <= set(file_schema(Registry())["$defs"])


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, {"type": "string"}),
        (float | None, {"anyOf": [{"type": "number"}, {"type": "null"}]}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (tuple[str, ...], {"type": "array", "items": {"type": "string"}}),
        (tuple[str, int], {"type": "array"}),
        (dict[str, bool], {"type": "object", "additionalProperties": {"type": "boolean"}}),
        (dict, {"type": "object"}),
        (Any, {}),
        (object, {}),
        ("NotThere", {}),
        (str | Any, {}),
        (str | FromItem, {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/from_item"}]}),
        (re.Pattern[str], {"$ref": "#/$defs/python"}),
        (re.RegexFlag, {"type": "integer"}),
    ],
)
def test_types_become_schemas_where_they_are_simple(annotation: object, schema: object) -> None:
    assert schema_of(annotation) == schema


def test_the_page_in_the_docs_is_up_to_date() -> None:
    assert (ROOT / "docs" / "evaluation-file.md").read_text(encoding="utf-8") == page(), (
        "renew it: steelyard schema --markdown --output docs/evaluation-file.md"
    )


def test_the_page_names_every_key() -> None:
    text = page()
    names = [each.name for kind in (EvaluationFile, DataKeys, OutputKeys) for each in keys_of(kind)]
    assert [name for name in (*names, *ITEM_FIELDS) if f"| `{name}` |" not in text] == []
    assert "<!--" not in text


@pytest.mark.parametrize(("language", "name"), [("toml", "x.toml"), ("yaml", "x.yaml")])
def test_the_examples_of_the_page_are_evaluations_and_all_the_same(language: str, name: str, desk: Desk) -> None:
    [example] = re.findall(rf"```{language}\n(.*?)```", page(), re.DOTALL)
    desk.write(name, example)
    loaded = load(name, desk.folder)
    open_evaluation(loaded)
    assert VALIDATOR.is_valid(loaded.values)
    [toml] = re.findall(r"```toml\n(.*?)```", page(), re.DOTALL)
    assert loaded.values == tomllib.loads(toml)


def test_the_example_of_the_support_agent_fits_the_schema() -> None:
    text = (ROOT / "examples" / "support_agent" / "evaluation.toml").read_text(encoding="utf-8")
    assert [error.message for error in VALIDATOR.iter_errors(tomllib.loads(text))] == []


def test_yaml_is_read_into_what_a_schema_can_look_at() -> None:
    values, _ = read_yaml("data: x\ngates: [{check: includes, value: no}]\n", load_source())
    assert VALIDATOR.is_valid(values)


def load_source() -> Any:
    from steelyard_cli._file.places import Source

    return Source("x.yaml", Path())
