"""An attrs class becomes a strict schema, or is refused with the field that is at fault and what to use instead."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum, Flag, IntEnum, StrEnum
from typing import Annotated, Any, Generic, Literal, NewType, Optional, TypedDict, TypeVar

import pytest
from attrs import define, field, frozen, make_class
from jsonschema import Draft202012Validator

from steelyard._judging.schema import check_output_class, strict_schema
from steelyard._model.errors import ConfigurationError

T = TypeVar("T")
ClaimId = NewType("ClaimId", int)


class Tone(Enum):
    """Not in alphabetical order, with names that are not the values."""

    WARM = "warm"
    COLD = "cold"
    EVEN = "a bit of both"


class Word(StrEnum):
    ONE = "one"


class Level(IntEnum):
    LOW = 3
    HIGH = 1


class Colour(Flag):
    RED = 1
    BLUE = 2


class Mixed(Enum):
    TEXT = "a"
    NUMBER = 1


class Nothing(Enum):
    pass


@frozen
class Verdict:
    """A docstring that no judge should see."""

    id: int
    reason: Annotated[str, "two sentences at most"]
    verdict: Literal["yes", "no", "unsure"]


@frozen
class Verdicts:
    verdicts: list[Verdict]


@frozen
class Everything:
    text: str
    flag: bool
    share: float
    tone: Tone
    word: Word
    level: Level
    rank: Literal[1, 2, 3]
    claim: ClaimId
    maybe: Optional[str]  # noqa: UP045  the old spelling is read too
    number: int | float | None
    pair: tuple[int, ...]
    rows: Annotated[Sequence[list[str]], "rows of cells"]
    verdict: Annotated[Verdict, "the one that counts"] | None


@frozen
class Tree:
    children: list[Tree]


@frozen
class Egg:
    hen: Hen | None


@frozen
class Hen:
    eggs: tuple[Egg, ...]


@frozen
class Box(Generic[T]):
    content: T


@frozen
class Empty:
    pass


@frozen
class Lost:
    where: Nowhere  # type: ignore[name-defined]  # noqa: F821


@frozen
class Cat:
    kind: Literal["cat"]
    name: str


@frozen
class Dog:
    kind: Literal["dog", "puppy"]
    name: str


@frozen
class Wolf:
    kind: Literal[" DOG ", "wolf"]
    name: str


@frozen
class Kennel:
    kind: str


@dataclass
class Plain:
    name: str


class Typed(TypedDict):
    name: str


def made(hint: Any) -> type:
    """A class whose second field has the type."""
    return make_class("Answer", {"first": field(type=str), "odd": field(type=hint)})


def test_a_nested_class_becomes_a_strict_schema_without_references() -> None:
    assert strict_schema(Verdicts) == {
        "type": "object",
        "properties": {
            "verdicts": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "integer"},
                        "reason": {"type": "string", "description": "two sentences at most"},
                        "verdict": {"type": "string", "enum": ["yes", "no", "unsure"]},
                    },
                    "required": ["id", "reason", "verdict"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["verdicts"],
        "additionalProperties": False,
    }


def test_every_supported_type_has_its_schema() -> None:
    schema = strict_schema(Everything)
    Draft202012Validator.check_schema(schema)
    assert schema["properties"] == {
        "text": {"type": "string"},
        "flag": {"type": "boolean"},
        "share": {"type": "number"},
        "tone": {"type": "string", "enum": ["warm", "cold", "a bit of both"]},
        "word": {"type": "string", "enum": ["one"]},
        "level": {"type": "integer", "enum": [3, 1]},
        "rank": {"type": "integer", "enum": [1, 2, 3]},
        "claim": {"type": "integer"},
        "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "number": {"anyOf": [{"type": "integer"}, {"type": "number"}, {"type": "null"}]},
        "pair": {"type": "array", "items": {"type": "integer"}},
        "rows": {
            "type": "array",
            "items": {"type": "array", "items": {"type": "string"}},
            "description": "rows of cells",
        },
        "verdict": {
            "anyOf": [
                strict_schema(Verdict) | {"description": "the one that counts"},
                {"type": "null"},
            ]
        },
    }


def test_keys_stand_in_declared_order_so_that_a_judge_reasons_before_it_decides() -> None:
    names = ["verdict", "reason", "id", "also"]
    schema = strict_schema(make_class("Answer", {name: field(type=str) for name in names}))
    assert schema["required"] == names
    properties = schema["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == names


def test_a_key_is_the_name_of_the_attribute_whatever_its_alias_or_default() -> None:
    @define
    class Answer:
        _hidden: int
        type_: str = field(alias="kind", default="x")
        derived: int = field(init=False, default=0)

    assert strict_schema(Answer)["required"] == ["_hidden", "type_"]


def test_inherited_fields_are_asked_for_too() -> None:
    @frozen
    class Longer(Verdict):
        confidence: float

    assert strict_schema(Longer)["required"] == ["id", "reason", "verdict", "confidence"]


def test_what_a_caller_does_to_a_schema_does_not_reach_the_next_caller() -> None:
    spoilt: Any = strict_schema(Verdicts)
    spoilt["properties"]["verdicts"]["items"]["properties"]["verdict"]["enum"].clear()
    spoilt["required"].append("more")
    assert strict_schema(Verdicts) != spoilt
    assert strict_schema(Verdict)["required"] == ["id", "reason", "verdict"]


def test_asking_for_a_schema_leaves_the_class_as_it_was() -> None:
    before = [attribute.type for attribute in Verdicts.__attrs_attrs__]
    strict_schema(Verdicts)
    assert [attribute.type for attribute in Verdicts.__attrs_attrs__] == before


def test_classes_that_are_no_longer_used_do_not_pile_up() -> None:
    first = weakref.ref(made(str))
    early = first()
    assert early is not None
    strict_schema(early)
    del early
    for _ in range(300):
        strict_schema(made(str))
    gc.collect()
    assert first() is None


def test_attrs_classes_in_a_union_may_be_told_apart_by_their_keys_or_by_a_literal() -> None:
    check_output_class(made(Cat | Dog | None))
    check_output_class(made(list[Cat | Kennel]))


@pytest.mark.parametrize(
    ("hint", "shown", "instead"),
    [
        (dict[str, int], "dict[str, int]", "list of attrs objects"),
        (dict, "dict", "list of attrs objects"),
        (Mapping[str, int], "Mapping[str, int]", "list of attrs objects"),
        (Typed, "Typed", "attrs class with named fields"),
        (Any, "Any", "Say which type"),
        (object, "object", "Say which type"),
        (T, "~T", "Say which type"),
        (set[str], "set[str]", "list[T]"),
        (frozenset[str], "frozenset[str]", "list[T]"),
        (list, "list", "list[T]"),
        (tuple, "tuple", "list[T]"),
        (tuple[int, str], "tuple[int, str]", "list[T]"),
        (tuple[()], "tuple[()]", "list[T]"),
        (Box[int], "Box[int]", "attrs class of its own"),
        (Plain, "Plain", "attrs class with named fields"),
        (bytes, "bytes", "Use str"),
        (date, "date", "Use str"),
        (complex, "complex", "Use str"),
        (Colour, "Colour", "Use str"),
        (Mixed, "Mixed", "all texts or all whole numbers"),
        (Nothing, "Nothing", "all texts or all whole numbers"),
        (Literal["yes", 1], "Literal['yes', 1]", "all texts or all whole numbers"),
        (Literal[True], "Literal[True]", "all texts or all whole numbers"),
        (Literal["yes", None], "Literal['yes', None]", "| None"),
        (str | Tone, "str | ", "look alike"),
        (Literal["a"] | Literal["b"], "Literal['a']", "look alike"),
        (int | Level, "int | ", "look alike"),
        (list[int] | list[str], "list[int] | list[str]", "look alike"),
        (Dog | Wolf, "Dog | ", "Literal field"),
        (Empty, "Empty", "at least one"),
    ],
)
def test_a_type_that_cannot_be_asked_for_is_refused_with_its_place_and_a_way_out(
    hint: object, shown: str, instead: str
) -> None:
    with pytest.raises(ConfigurationError) as refused:
        check_output_class(made(hint))
    assert str(refused.value).startswith("Answer.odd: ")
    assert shown in str(refused.value)
    assert instead in str(refused.value)


def test_the_place_of_a_refused_type_leads_through_lists_and_classes() -> None:
    inner = make_class("Inner", {"notes": field(type=tuple[dict[str, str], ...])})
    with pytest.raises(ConfigurationError, match=r"^Answer\.odd\[\]\.notes\[\]: dict\[str, str\] cannot"):
        check_output_class(made(list[inner]))  # type: ignore[valid-type]


@pytest.mark.parametrize(
    ("recursive", "place"),
    [(Tree, "Tree.children[]"), (Egg, "Egg.hen.eggs[]")],
)
def test_a_class_that_holds_itself_is_refused(recursive: type, place: str) -> None:
    with pytest.raises(ConfigurationError, match="flat list") as refused:
        strict_schema(recursive)
    assert str(refused.value).startswith(f"{place}: ")


@pytest.mark.parametrize(
    "root", [dict, int, Tone, Plain, Typed, list[Verdict], Verdict | None, Verdict(1, "", "no"), None]
)
def test_what_is_no_attrs_class_is_refused_as_output(root: Any) -> None:
    with pytest.raises(ConfigurationError, match="not an attrs class"):
        check_output_class(root)


def test_a_field_without_a_type_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"Answer\.bare has no type"):
        check_output_class(make_class("Answer", ["bare"]))


def test_an_annotation_that_names_something_unknown_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"Lost cannot be read .*Nowhere"):
        check_output_class(Lost)
