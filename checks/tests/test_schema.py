"""JSON held against a schema, and schemas that are refused."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import steelyard_checks as checks
from checks.tests.answers import reason, said, score
from steelyard import ConfigurationError

PERSON: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "friends": {"type": "array", "items": {"$ref": "#"}}},
}


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('{"name": "Ada"}', 1.0),
        ('{"name": "Ada", "friends": [{"name": "Bob"}]}', 1.0),
        ('{"name": "Ada", "friends": [{}]}', 0.0),
        ('{"name": 3}', 0.0),
        ("[]", 0.0),
        ("Ada", 0.0),
    ],
)
def test_an_answer_is_held_against_the_schema(answer: str, found: float) -> None:
    assert score(checks.is_json(PERSON), answer) == found
    assert score(checks.is_json(PERSON), said(answer)) == found


def test_a_structured_output_is_held_against_the_schema_with_its_tuples_as_lists() -> None:
    assert score(checks.is_json(PERSON), {"name": "Ada", "friends": ({"name": "Bob"},)}) == 1.0
    assert score(checks.is_json({"type": "integer"}), True) == 0.0


def test_the_reason_tells_the_place_and_what_was_asked() -> None:
    check = checks.is_json(PERSON)
    assert reason(check, '{"name": "Ada"}') == "The answer is JSON: an object."
    assert reason(check, '{"name": 3}') == (
        "The answer is JSON, and not as the schema asks at $.name: 3 is not of type 'string'."
    )
    assert "at $.friends[0]: 'name' is a required property" in reason(check, '{"name": "Ada", "friends": [{}]}')
    long = reason(checks.is_json({"type": "string"}), {"a": "x\n" * 5000})
    assert long.endswith("is not of type 'string'.")
    assert len(long) < 260
    assert long.splitlines() == [long]


def test_the_version_that_the_schema_names_is_followed() -> None:
    old = {"$schema": "http://json-schema.org/draft-04/schema#", "maximum": 3, "exclusiveMaximum": True}
    assert score(checks.is_json(old), "3") == 0.0
    assert score(checks.is_json({"exclusiveMaximum": 3}), "3") == 0.0
    assert score(checks.is_json({"maximum": 3}), "3") == 1.0


def test_a_format_is_a_note_and_is_not_looked_at() -> None:
    assert score(checks.is_json({"type": "string", "format": "date"}), '"sun"') == 1.0


@pytest.mark.parametrize(
    "schema",
    [
        {"$defs": {"a": {"type": "string"}}, "$ref": "#/$defs/a"},
        {"$defs": {"a": {"$anchor": "word", "type": "string"}}, "$ref": "#word"},
        {"$id": "https://schemas.example/s", "$defs": {"a": {"$id": "a", "type": "string"}}, "$ref": "a"},
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "definitions": {"a": {"type": "string"}},
            "allOf": [{"$ref": "#/definitions/a"}],
        },
    ],
)
def test_references_within_the_schema_are_followed(schema: Any) -> None:
    assert score(checks.is_json(schema), '"sun"') == 1.0
    assert score(checks.is_json(schema), "3") == 0.0


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "text"}, r"no JSON schema, at \$\.type"),
        ({"properties": {"a": {"minimum": "x"}}}, r"no JSON schema, at \$\.properties\.a\.minimum"),
        ({"pattern": "("}, r"no JSON schema, at \$\.pattern"),
        ({"$schema": "https://schemas.example/mine"}, r"\$schema names no known version"),
        ({"$schema": 7}, r"\$schema names no known version"),
        ({"const": {1, 2}}, "a schema is JSON, and at 'const' set is no value of JSON"),
        ([], r"expected a JSON schema \(a mapping\), found list"),
        ("object", r"expected a JSON schema \(a mapping\), found str"),
        (False, r"expected a JSON schema \(a mapping\), found bool"),
    ],
)
def test_what_is_no_schema_is_refused_when_the_check_is_made(schema: Any, words: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"is_json\(schema=\): {words}"):
        checks.is_json(schema)


@pytest.mark.parametrize("reference", ["#/$defs/gone", "#gone", "other.json", "https://schemas.example/s.json"])
def test_a_reference_that_leads_nowhere_is_refused_and_nothing_is_fetched(reference: str) -> None:
    for schema in ({"$ref": reference}, {"properties": {"a": {"anyOf": [{"$ref": reference}]}}}):
        with pytest.raises(ConfigurationError, match=r"leads nowhere\. Nothing is fetched"):
            checks.is_json(schema)


def test_a_property_that_is_named_like_a_reference_is_none() -> None:
    assert score(checks.is_json({"properties": {"$ref": {"type": "string"}}}), '{"$ref": "#/gone"}') == 1.0


def test_without_the_package_a_sentence_names_the_extra_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("jsonschema", "jsonschema.exceptions"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ConfigurationError, match=r"pip install 'steelyard-checks\[schema\]'"):
        checks.is_json(PERSON)
    assert score(checks.is_json(), "{}") == 1.0
