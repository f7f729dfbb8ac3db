"""JSON schemas: read when a check is made, with every reference in them, and held against a value.

The package ``jsonschema`` does the work. References lead to places in the schema itself and to the published
meta-schemas; nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

from steelyard import ConfigurationError
from steelyard_checks._arguments import refuse
from steelyard_checks._reading import NotJson, json_form
from steelyard_checks._wording import LONGEST, shown_value

Fault: TypeAlias = Callable[[object], str | None]
"""Where a JSON value is not as the schema asks, in words; None where it is."""


def schema_of(value: object, where: str) -> Fault | None:
    """What finds the fault in a value; None for no schema.

    Raises ``ConfigurationError`` for what is no JSON schema, for a reference that leads nowhere, and without the
    package.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping):
        refuse(where, "a JSON schema (a mapping)", value)
    try:
        schema: Any = json_form(value)
    except NotJson as error:
        raise ConfigurationError(f"{where}: a schema is JSON, and {error}.") from error
    return _fault_finder(schema, where)


def _fault_finder(schema: dict[str, Any], where: str) -> Fault:
    try:
        from jsonschema.exceptions import best_match
        from referencing import Registry
    except ImportError as error:
        raise ConfigurationError(
            f"{where}: a schema needs the package jsonschema. Install it with: pip install 'steelyard-checks[schema]'"
        ) from error

    kind = _version(schema, where)
    dangling = _dangling_reference(schema)
    if dangling is not None:
        raise ConfigurationError(f"{where}: the reference {shown_value(dangling)} leads nowhere. Nothing is fetched.")
    # Without a registry of its own the package would fetch what references name.
    validator = kind(schema, registry=Registry())

    def fault(value: object) -> str | None:
        found = best_match(validator.iter_errors(value))
        return None if found is None else f"{_place(found)}: {_cut(found.message)}"

    return fault


def _version(schema: dict[str, Any], where: str) -> Any:
    """The validator of the schema's version. Raises ``ConfigurationError`` for what is no schema of it."""
    from jsonschema import Draft202012Validator, SchemaError
    from jsonschema.validators import validator_for

    kind: Any = Draft202012Validator
    if "$schema" in schema:
        version, nothing = schema["$schema"], cast("Any", None)
        kind = validator_for(schema, default=nothing) if isinstance(version, str) else None
        if kind is None:
            raise ConfigurationError(f"{where}: $schema names no known version of JSON schema: {shown_value(version)}.")
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        raise ConfigurationError(f"{where}: no JSON schema, {_place(error)}: {_cut(error.message)}.") from error
    return kind


def _dangling_reference(schema: dict[str, Any]) -> str | None:
    """The first reference in the schema that leads nowhere; None where all lead somewhere."""
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
    from referencing import Resource
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    def dangling(resource: Any, around: Any) -> str | None:
        resolver = around.in_subresource(resource)
        reference = resource.contents.get("$ref") if isinstance(resource.contents, Mapping) else None
        if isinstance(reference, str):
            try:
                resolver.lookup(reference)
            except Unresolvable:
                return reference
        return next((found for inner in resource.subresources() if (found := dangling(inner, resolver))), None)

    root: Any = Resource.from_contents(schema, default_specification=DRAFT202012)
    return dangling(root, REGISTRY.resolver_with_root(root))


def _place(error: Any) -> str:
    return f"at {shown_value(error.json_path)[1:-1]}"


def _cut(message: str) -> str:
    """The message on one line; a long one, which shows the whole value, is cut in its middle."""
    text = " ".join(message.split()).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 2 * LONGEST else f"{text[:LONGEST]}…{text[-LONGEST:]}"
