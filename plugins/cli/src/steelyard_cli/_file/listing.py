"""What can be measured here: the installed checks and scorers, and what can be told of each without running it."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from steelyard import ConfigurationError, Registry, Scale, UnknownPlugin, from_item
from steelyard_cli._file.entries import Kind
from steelyard_cli._file.options import FROM_ITEM, Factory, Option, factory_of
from steelyard_cli._file.schema import KINDS
from steelyard_cli._file.shapes import Schema
from steelyard_cli._file.workshop import is_scorer

_NOTHING = factory_of(lambda: None)


@frozen(kw_only=True)
class Listed:
    """A check or scorer. ``scale`` and ``id`` are None where none can be made without knowing its options; ``broken``
    says why it cannot be used."""

    kind: Kind
    name: str
    factory: Factory = _NOTHING
    id: str | None = None
    scale: Scale | None = None
    needs: tuple[str, ...] = ()
    broken: str | None = None


def listing(registry: Registry) -> Iterator[Listed]:
    """All of them, sorted by kind and name."""
    for kind in KINDS:
        for name in registry.names(kind):
            yield listed(kind, name, registry)


def find(name: str, registry: Registry) -> Listed:
    """The one that has this name or id. Raises ``UnknownPlugin``."""
    named = [listed(kind, name, registry) for kind in KINDS if name in registry.names(kind)]
    found = named or [each for each in listing(registry) if each.id == name]
    if found:
        return found[0]
    names = sorted({each for kind in KINDS for each in registry.names(kind)})
    raise UnknownPlugin("checks" if registry.names("checks") else "scorers", name, names)


def listed(kind: Kind, name: str, registry: Registry) -> Listed:
    """What can be told of one."""
    try:
        loaded = registry.load(kind, name)
    except ConfigurationError as error:
        return Listed(kind=kind, name=name, broken=str(error))
    if not callable(loaded):
        return Listed(
            kind=kind, name=name, broken=f"it is no function that makes a scorer, but of type {type(loaded).__name__}"
        )
    factory = factory_of(loaded)
    made = _example(factory)
    if made is None:
        return Listed(kind=kind, name=name, factory=factory)
    needs: tuple[str, ...] = tuple(sorted(getattr(made, "needs", ())))
    return Listed(kind=kind, name=name, factory=factory, id=made.id, scale=made.scale, needs=needs)  # type: ignore[attr-defined]


def _example(factory: Factory) -> object | None:
    """One that was made with some value for each option that must be given; nobody runs it. None where that does not
    work."""
    options = [option for option in factory.options.values() if option.required]
    for sample in (_plain_sample, _sample_from_items):
        try:
            made = factory({option.name: sample(option) for option in options})
        except Exception:  # any value may be refused, and this is about none in particular
            continue
        if is_scorer(made):
            return made
    return None


def _plain_sample(option: Option) -> object:
    return _value(option.schema)


def _sample_from_items(option: Option) -> object:
    return from_item("ground_truth") if option.takes_from_item else _value(option.schema)


def _value(schema: Schema) -> object:
    if "anyOf" in schema:
        return _value(next((each for each in schema["anyOf"] if each != FROM_ITEM), FROM_ITEM))
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "integer" | "number":
            return 1
        case "boolean":
            return True
        case "array":
            return [_value(schema.get("items", {}))]
        case "object":
            return {"a": _value(schema.get("additionalProperties") or {})}
        case _:
            return "a"
