"""Whatever users put into their data is written as strict JSON, and comes back where a reader can know what it was."""

from __future__ import annotations

import enum
import json
import math
import re
import sys
import threading
from collections import Counter, OrderedDict, UserDict, defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import MappingProxyType
from typing import Any, NamedTuple
from unittest.mock import MagicMock
from uuid import UUID

import pytest
from attrs import define, frozen
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from steelyard import (
    AgentInput,
    AgentOutput,
    Claim,
    EvalItem,
    ExtractedToolCall,
    JudgeReply,
    MediaPart,
    Message,
    NotScorable,
    Scale,
    Scored,
    Status,
    StepResult,
    TargetResult,
    ToolCall,
    Trajectory,
    TrajectoryStep,
    Turn,
    Usage,
    Verdict,
    VerifyClaims,
    extract_tool_calls,
)
from steelyard._running.item import NOT_GIVEN
from steelyard._wire.faults import Misfit, path_text
from steelyard._wire.foreign import Foreign
from steelyard._wire.results import result_schema
from steelyard._wire.text import dumps, loads
from steelyard._wire.values import MAX_DEPTH, read_value, write_value
from steelyard.testing import strategies

VALUE = Draft202012Validator({"$ref": "#/$defs/value", "$defs": result_schema()["$defs"]})


def there_and_back(value: object) -> Any:
    """The value that comes back through text, where what is written fits the schema and is written again alike."""
    data = write_value(value)
    assert [f"{fault.json_path}: {fault.message:.200}" for fault in VALUE.iter_errors(data)] == []
    read = read_value(loads(dumps(data)))
    assert write_value(read) == data
    return read


@settings(max_examples=60, deadline=None)
@given(strategies.values())
def test_plain_values_come_back_equal(value: object) -> None:
    assert there_and_back(value) == value


@settings(max_examples=60, deadline=None)
@given(strategies.json_values())
def test_what_json_can_say_stays_as_it_is_but_for_objects_with_the_key_of_tags(value: object) -> None:
    tagged = '"$type"' in json.dumps(value)
    assert tagged or write_value(value) == value
    assert there_and_back(value) == value


def test_data_that_looks_like_a_tag_stays_data() -> None:
    looks_alike = {"$type": "tuple", "items": [1, {"$type": "foreign"}]}
    assert write_value(looks_alike) != looks_alike
    assert there_and_back(looks_alike) == looks_alike
    again = write_value(looks_alike)
    assert there_and_back(again) == again


@pytest.mark.parametrize(
    "value",
    [
        (1, ("a", None)),
        {1, 2},
        frozenset({"a", ("b",)}),
        deque([1, 2]),
        OrderedDict(b=1, a=2),
        Counter("aab"),
        {1: "a", None: "b", (1, 2): "c", False: "d"},
        b"\x00\xff",
        bytearray(b"abc"),
        1.5,
        -0.0,
        10**3000,
        10**20_000,
        complex(1, -2),
        Decimal("1.10"),
        Fraction(1, 3),
        UUID(int=5),
        date(2024, 2, 29),
        time(12, 30, 1, 5),
        datetime(2024, 1, 2, 3, 4, 5, 6),
        datetime(2024, 1, 2, tzinfo=timezone(timedelta(hours=-3, minutes=-30))),
        timedelta(days=-1, microseconds=7),
        PurePosixPath("a/b"),
        PureWindowsPath("C:/b"),
        Path("a", "b"),
        Verdict.FAILED,
        Status.ERRORED,
        NOT_GIVEN,
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, int) else None,  # a huge one has no short text
)
def test_values_of_the_standard_library_come_back_as_they_were(value: object) -> None:
    read = there_and_back({"in": [value]})["in"][0]
    assert read == value
    assert type(read) is type(value)


CALL = ToolCall("find", {"at": (1, 2)}, "c1", result={"$type": "x"}, raw_args="{", provider_executed=True)
MESSAGE = Message(
    "assistant", ["a", MediaPart("file", {"type": "text", "text": "no"}), "b"], tool_calls=[CALL], tag="t"
)


@pytest.mark.parametrize(
    "value",
    [
        CALL,
        MESSAGE,
        Message("user", ""),
        Message("user", None),
        Message("tool", "x", tool_call_id="c1", is_error=False),
        AgentOutput([MESSAGE]),
        AgentInput(input_messages=[MESSAGE], tagged_system_messages={"t": (MESSAGE,)}),
        *extract_tool_calls([MESSAGE]),
        Trajectory([TrajectoryStep(step_type="tool_call", name="a", children=[{"type": "agent_run", "name": "b"}])], 3),
        StepResult(output={1, 2}),
        TargetResult("x", messages=[MESSAGE], usage=Usage(input_tokens=0), step_results={"a": {"output": 1}}),
        JudgeReply(text=None, usage=Usage()),
        VerifyClaims([Claim(1, "a")], ["b"]),
        Scale(1, 5, "lower"),
        Scored(0.5, label="a", parts={"p": 1.0}),
        NotScorable(None, "why"),
        EvalItem(inputs=("a", "b"), output=None),
        EvalItem(turns=[Turn(input={"a": 1})], context=("c",)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_of_steelyard_come_back_as_they_were_wherever_they_stand(value: object) -> None:
    read = there_and_back({"in": (value,)})["in"][0]
    assert read == value
    assert type(read) is type(value)


def test_a_message_is_written_whole_where_the_neutral_form_would_pair_or_reread_it() -> None:
    asked = Message("assistant", None, tool_calls=[ToolCall("find", id="1")])
    answer = Message("tool", "found", tool_call_id="1")
    read = there_and_back([asked, answer])
    assert read == [asked, answer]
    assert not read[0].tool_calls[0].answered


# -- values that no reader can be expected to have ------------------------------------------------------------------


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Wet(enum.Flag):
    RAIN = 1
    SNOW = 2


@frozen
class Rated:
    by: object
    stars: int = 3


@define
class Unset:
    here: int
    gone: int


@dataclass
class Order:
    number: int
    parts: list[object] = field(default_factory=list)


class Place(NamedTuple):
    x: int
    y: object


class Modelled:
    def model_dump(self) -> dict[str, object]:
        return {"name": "n", "at": date(2024, 1, 1)}


class FrozenDict(dict[str, int]):
    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))


def named(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        (Colour.RED, {"name": "RED", "value": "red"}),
        (Level.HIGH, {"name": "HIGH", "value": 3}),
        (Wet.RAIN | Wet.SNOW, {"name": "RAIN|SNOW", "value": 3}),
        (Rated((1, 2)), {"by": (1, 2), "stars": 3}),
        (Order(1, [{2}]), {"number": 1, "parts": [{2}]}),
        (Place(1, b"y"), {"x": 1, "y": b"y"}),
        (Modelled(), {"name": "n", "at": date(2024, 1, 1)}),
        (FrozenDict(a=1), {"value": {"a": 1}}),
        (UserDict({1: "a"}), {"value": {1: "a"}}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_made_of_fields_come_back_as_foreign_values_with_their_fields(
    value: object, fields: dict[str, object]
) -> None:
    assert there_and_back(value) == Foreign(named(value), fields=fields)


def test_fields_that_were_never_set_are_left_out() -> None:
    half_made = Unset.__new__(Unset)
    half_made.here = 1
    assert there_and_back(half_made).fields == {"here": 1}


def test_members_of_sets_and_keys_can_be_foreign_values() -> None:
    read = there_and_back({"set": {Colour.RED, FrozenDict(a=1)}, Colour.RED: 1})
    red = Foreign(named(Colour.RED), fields={"name": "RED", "value": "red"})
    assert read[red] == 1
    assert red in read["set"]


def test_subclasses_of_text_and_number_are_written_plain() -> None:
    class Marked(str):
        def __str__(self) -> str:
            return "something else"

    class Metres(float):
        pass

    written = write_value([Marked("a"), Metres(1.5), Metres(math.nan), {Marked("k"): 1}, defaultdict(list, a=[1])])
    assert [type(each) for each in written[:2]] == [str, float]
    read = read_value(written)
    assert read[:2] == ["a", 1.5]
    assert math.isnan(read[2])
    assert read[3:] == [{"k": 1}, {"a": [1]}]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf], ids=str)
def test_numbers_that_json_has_not_are_tagged_and_come_back(number: float) -> None:
    assert repr(there_and_back([number, {"a": number}])) == repr([number, {"a": number}])


def test_a_read_only_mapping_comes_back_as_one() -> None:
    read = there_and_back(MappingProxyType({"a": (1,)}))
    assert read == {"a": (1,)}
    assert isinstance(read, MappingProxyType)


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Treacherous:
    """Raises wherever it is touched."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


class BadModel:
    def model_dump(self) -> object:
        raise RuntimeError("no")


class NoLength(dict[str, object]):
    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no")

    def keys(self) -> Any:
        raise RuntimeError("no")


def a_function() -> None: ...


@pytest.mark.parametrize(
    "value",
    [
        object(),
        Unshowable(),
        BadModel(),
        NoLength(a=1),
        a_function,
        lambda: 1,
        Rated,
        int,
        json,
        threading.Lock(),
        iter([1]),
        re.compile("a"),
        MagicMock(),
        Ellipsis,
        NotImplemented,
        range(3),
        memoryview(b"a"),
        sys.stdout,
        Place(1, Unshowable()),
        "x" * 3 + "\ud800",
    ],
    ids=lambda value: type(value).__name__,
)
def test_writing_never_raises_and_what_was_read_is_written_alike(value: object) -> None:
    for holder in (value, [value], {"a": value}, {"k": (value, value)}):
        there_and_back(holder)


def test_writing_never_raises_for_a_value_that_raises_wherever_it_is_touched() -> None:
    read = there_and_back({"a": [Treacherous()], "b": 1})
    assert read["b"] == 1
    assert read["a"][0].type.endswith("Treacherous")


def test_addresses_are_not_written_since_they_differ_from_run_to_run() -> None:
    assert there_and_back(a_function).shown == "<function a_function>"
    assert "0x" not in dumps(write_value([object(), lambda: 1, threading.Lock()]))


def test_sets_are_written_in_one_order() -> None:
    one, other = {0, 8}, {8, 0}
    assert list(one) != list(other)
    assert write_value(one) == write_value(other)


def test_very_long_words_for_a_value_are_cut() -> None:
    class Long:
        def __repr__(self) -> str:
            return "x" * 10_000

    assert len(there_and_back(Long()).shown) < 2100


def test_a_value_within_itself_is_cut_there() -> None:
    ring: list[object] = [1]
    ring.append({"again": ring})
    read = there_and_back(ring)
    assert read[0] == 1
    assert read[1]["again"] == Foreign("list", shown="<list that refers to itself>")


def test_a_value_within_itself_by_way_of_a_message_or_an_error_is_cut_there() -> None:
    args: dict[str, object] = {}
    args["call"] = ToolCall("a", args)
    error = RuntimeError("no")
    holder = {"error": error, "args": args}
    args["back"] = holder
    read = there_and_back(holder)
    assert read["args"]["call"].args == Foreign("dict", shown="<dict that refers to itself>")


def test_the_same_value_in_two_places_is_no_ring() -> None:
    shared = {"a": [1]}
    assert there_and_back([shared, shared, (shared, shared)]) == [shared, shared, (shared, shared)]


@pytest.mark.parametrize("wrap", [lambda inner: [inner], lambda inner: {"a": inner}, lambda inner: (inner,)])
def test_what_is_nested_too_deeply_is_cut_there(wrap: Callable[[object], object]) -> None:
    deep: object = "bottom"
    for _ in range(MAX_DEPTH - 1):
        deep = wrap(deep)
    assert read_value(loads(dumps(write_value(deep)))) == deep
    for _ in range(5000):
        deep = wrap(deep)
    text = dumps(write_value(deep))
    assert f"nested more than {MAX_DEPTH} levels deep" in text
    read = read_value(loads(text))
    assert write_value(read) == loads(text)


# -- reading what nobody wrote --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"$type": "Tuple", "items": []}, 'expected a type of this version of the form, got "Tuple" at $type'),
        ({"$type": 3}, "expected a text, got 3 at $type"),
        ({"$type": "tuple"}, 'the key "items" is missing'),
        ({"$type": "tuple", "items": {}}, "expected a list, got an object at items"),
        ({"$type": "set", "items": [[1]]}, "expected values that can stand in a set or as a key, got one that can"),
        ({"$type": "dict", "items": [["a", 1], ["b"]]}, "expected a list of a key and a value, got a list at items[1]"),
        ({"$type": "dict", "items": [[{}, 1]]}, "expected values that can stand in a set or as a key"),
        ({"$type": "datetime", "text": "noon"}, 'expected the text of a datetime, got "noon" at text'),
        ({"$type": "Fraction", "text": "1/0"}, 'expected the text of a Fraction, got "1/0" at text'),
        ({"$type": "bytes", "text": "*"}, 'expected the text of a bytes, got "*" at text'),
        ({"$type": "Decimal", "text": None}, "expected the text of a Decimal, got null at text"),
        ({"$type": "foreign"}, "expected a text, got null at class"),
        ({"$type": "foreign", "class": "a", "fields": [1]}, "expected an object, got a list at fields"),
        ({"$type": "Verdict", "value": "good"}, 'expected one of passed, scored, failed, got "good" at value'),
        ({"$type": "Message", "value": {"role": "boss"}}, "expected one of system, user, assistant, tool, got"),
        ({"$type": "Scale", "value": {"low": 2, "high": 1}}, "low must be below high. at value"),
        ({"$type": "error", "value": {"type": "ValueError"}}, 'the key "message" is missing at value'),
        ({"$type": "Scored", "value": {"outcome": "failed", "step": "a"}}, 'the key "error" is missing at value'),
        ({"$type": "Scored", "value": {"outcome": "not_scorable"}}, 'expected "scored", got "not_scorable" at value'),
        ({"a": [1, {"b c": math.nan}]}, 'expected a finite number, got NaN or an infinity at a[1]["b c"]'),
        ([{1: 2}], "expected texts as keys, got 1 at [0]"),
        ([object()], "expected a value of JSON, got a object, which is nothing of JSON at [0]"),
    ],
)
def test_data_that_nobody_wrote_is_refused_with_its_place(data: object, words: str) -> None:
    with pytest.raises(Misfit) as caught:
        read_value(data)
    place = path_text(caught.value.path)
    assert words in caught.value.problem + (f" at {place}" if place else "")


def test_an_extracted_call_needs_all_its_fields() -> None:
    call = extract_tool_calls([MESSAGE])[0]
    assert isinstance(call, ExtractedToolCall)
    data = write_value(call)
    del data["value"]["call"]["name"]
    with pytest.raises(Misfit, match='the key "name" is missing'):
        read_value(data)
