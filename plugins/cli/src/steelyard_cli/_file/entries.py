"""One gate or scorer as a file names it: which plugin, its options, and what is asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from attrs import field, frozen

from steelyard_cli._file.judges import JudgeShape
from steelyard_cli._file.places import FileFault, Place, nearest, unknown_key
from steelyard_cli._file.references import Reference, is_reference, read_reference
from steelyard_cli._file.shapes import (
    Anything,
    Flag,
    MapOf,
    Number,
    Schema,
    Shape,
    Text,
    found,
    is_list,
    refuse,
)

Kind = Literal["checks", "scorers"]
GROUPS = ("agent", "trajectory", "workflow", "steps")


@frozen
class Negated:
    """A table that names a check or scorer."""

    words: str = 'a table such as { check = "includes", value = "x" }'

    def schema(self) -> Schema:
        return {"$ref": "#/$defs/gate"}

    def read(self, value: object, place: Place) -> object:
        return read_nested(value, place)


_WHEN_GIVEN = (
    "true: only for the items that bring what it takes from them with from_item, or needs otherwise; "
    "left out, an item that lacks that is refused"
)
COMMON: Mapping[str, tuple[Shape, str]] = {
    "check": (Text(), "the name of an installed check"),
    "scorer": (
        Text(),
        "the name of an installed scorer, or python:module:object (a scorer, or a function that makes one)",
    ),
    "not": (Negated(), "a check or scorer that is turned round: it passes where that does not"),
    "options": (
        MapOf(Anything()),
        "the options, which may also stand beside the name unless they are called like a key of this table",
    ),
    "judge": (JudgeShape(), "the model that this one asks, in place of the evaluation's"),
    "when_given": (Flag(), _WHEN_GIVEN),
}
"""The keys of every gate and scorer that are no options."""
OF_GATES: Mapping[str, tuple[Shape, str]] = {
    **COMMON,
    "share": (
        Number(least=0, most=1),
        "the share of the items, from 0 to 1, that must be at the best end of the scale; left out, every one",
    ),
}
OF_SCORERS: Mapping[str, tuple[Shape, str]] = {
    **COMMON,
    "min": (Number(), "the average must be at least this"),
    "max": (Number(), "the average must be at most this"),
    "part": (Text(), "the bound is one of this part of the score"),
    "slice": (Text(), 'the bound is one of this slice, such as "metadata.lang=de"'),
    "pass_at": (Number(), "the score from which on a single item passes"),
    "share": (Number(least=0, most=1), "the share of the items, from 0 to 1, that must pass"),
}


@frozen(kw_only=True)
class Entry:
    """A gate or scorer. ``what`` is a plugin's name, a reference to Python, or in a Python evaluation the object
    itself."""

    place: Place
    what: str | Reference | object
    kind: Kind | None = None
    options: Mapping[str, Any] = field(factory=dict)
    judge: object = None
    when_given: bool = False
    min: float | None = None
    max: float | None = None
    part: str | None = None
    slice: str | None = None
    share: float | None = None
    pass_at: float | None = None

    @property
    def said(self) -> str:
        """What messages call it."""
        if self.kind is not None:
            return f"the {self.kind.removesuffix('s')} {self.what!r}"
        return self.what.text if isinstance(self.what, Reference) else "the scorer"

    def place_of(self, option: str) -> Place:
        """Where an option stands."""
        nested = self.place / "options" / option
        return nested if (*self.place.path, "options", option) in self.place.source.lines else self.place / option


def read_entry(value: object, place: Place, *, gates: bool) -> Entry:
    """The entry, its own keys checked; what it names and its options are not looked at. Raises ``FileFault``."""
    if not isinstance(value, Mapping):
        if place.source.python and value is not None and not isinstance(value, str | int | float | list | tuple):
            return Entry(place=place, what=value)
        hint = (
            f' Write {{ scorer = "{value}" }}.'
            if is_reference(value)
            else ' Write { check = "name", ... } or { scorer = "name", ... }.'
        )
        raise FileFault(place, f"expected a table that names a check or a scorer, found {found(value)}.{hint}")
    keys = OF_GATES if gates else OF_SCORERS
    given: dict[str, Any] = {
        name: keys[name][0].read(inner, place / name)
        for name, inner in value.items()
        if name in keys and inner is not None
    }
    beside = {name: inner for name, inner in value.items() if name not in keys}
    options = {**given.pop("options", {}), **beside}
    negated = given.pop("not", None)
    if negated is not None:
        for name in ("check", "scorer", "options", *beside):
            if name in value:
                raise FileFault(place / str(name), "with not, everything else about the check stands in its table.")
        return Entry(place=place, what="not_", kind="checks", options={"check": negated}, **given)
    what, kind = _named(given, beside, place)
    for name in beside:
        if not isinstance(name, str):
            raise unknown_key(place, name, keys)
        if name in value.get("options", ()):
            raise FileFault(place / name, "this option stands there twice; once in options.")
    return Entry(place=place, what=what, kind=kind, options=options, **given)


def read_nested(value: object, place: Place) -> Entry:
    """A check or scorer that is part of another one: nothing is asked of it by itself. Raises ``FileFault``."""
    entry = read_entry(value, place, gates=True)
    for name in ("share", "when_given"):
        if getattr(entry, name):
            raise FileFault(place / name, "this belongs to the gate or scorer around it.")
    return entry


def _named(given: dict[str, Any], beside: Mapping[str, object], place: Place) -> tuple[str | Reference, Kind | None]:
    check, scorer = given.pop("check", None), given.pop("scorer", None)
    if check is not None and scorer is not None:
        raise FileFault(place, "it names a check and a scorer; give one of them.")
    if scorer is not None:
        if is_reference(scorer):
            return read_reference(scorer, place / "scorer"), None
        return str(scorer), "scorers"
    if check is None:
        for name in beside:
            near = nearest(name, ("check", "scorer"))
            if near is not None:
                raise FileFault(place / str(name), f"there is no such key. Did you mean {near!r}?")
        raise FileFault(place, 'it names neither a check nor a scorer: check = "includes", for example.')
    if is_reference(check):
        raise FileFault(place / "check", f'Python is named by scorer: scorer = "{check}".')
    return str(check), "checks"


@frozen
class Entries:
    """A list of gates or of scorers."""

    gates: bool

    @property
    def words(self) -> str:
        return f"a list of {'gates' if self.gates else 'scorers'}"

    def schema(self) -> Schema:
        return {"type": "array", "items": {"$ref": f"#/$defs/{'gate' if self.gates else 'scorer'}"}}

    def read(self, value: object, place: Place) -> tuple[Entry, ...]:
        if isinstance(value, Mapping):
            named = "gates" if self.gates else "scorers"
            raise FileFault(place, f"expected a list; in TOML each entry begins with [[{place.keys or named}]].")
        if not is_list(value):
            raise refuse(self, value, place)
        return tuple(read_entry(each, place / number, gates=self.gates) for number, each in enumerate(value))  # type: ignore[var-annotated, arg-type]


@frozen(kw_only=True)
class Groups:
    """Scorers in groups, of an agent or of a workflow."""

    agent: tuple[Entry, ...] = ()
    trajectory: tuple[Entry, ...] = ()
    workflow: tuple[Entry, ...] = ()
    steps: Mapping[str, tuple[Entry, ...]] = field(factory=dict)

    @property
    def is_workflow(self) -> bool:
        """Whether the groups are those of a workflow."""
        return bool(self.workflow or self.steps)


@frozen
class Scorers:
    """A list of scorers, or a table of groups."""

    words: str = "a list of scorers, or a table of groups"

    def schema(self) -> Schema:
        listed = Entries(gates=False).schema()
        groups: Schema = dict.fromkeys(GROUPS[:-1], listed)
        groups["steps"] = {"type": "object", "additionalProperties": listed}
        return {"anyOf": [listed, {"type": "object", "properties": groups, "additionalProperties": False}]}

    def read(self, value: object, place: Place) -> object:
        if not isinstance(value, Mapping):
            if place.source.python and not isinstance(value, str | int | float | list | tuple):
                return value
            return Entries(gates=False).read(value, place)
        for name in value:
            if name not in GROUPS:
                raise unknown_key(place, name, GROUPS)
        entries = Entries(gates=False)
        read: dict[str, Any] = {
            name: entries.read(value[name], place / name) for name in GROUPS[:-1] if value.get(name) is not None
        }
        if value.get("steps") is not None:
            read["steps"] = MapOf(entries, "a table of lists of scorers, by the ids of steps").read(
                value["steps"], place / "steps"
            )
        groups = Groups(**read)
        if groups.agent and groups.is_workflow:
            raise FileFault(place, "there are groups of an agent and of a workflow; an evaluation is of one of them.")
        return groups
