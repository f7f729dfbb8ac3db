"""Values are equal by what they say, and where they part first is told."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from checks.tests.answers import LAW, json_values
from steelyard_checks._values import difference, opened


@frozen
class Place:
    city: str


@dataclass
class Spot:
    city: str


class Point(NamedTuple):
    city: str


class Model:
    def __init__(self, city: str) -> None:
        self.city = city

    def model_dump(self, *, mode: str) -> dict[str, str]:
        assert mode == "json"
        return {"city": self.city}


class Town(Enum):
    PARIS = "Paris"


def same(expected: object, found: object, *, partly: bool = False) -> bool:
    return difference(expected, found, partly=partly) is None


def test_structures_are_compared_by_value_whatever_the_order_of_keys() -> None:
    """B161"""
    value = {"a": [{"b": 1, "c": [True, None]}]}
    assert same(value, deepcopy(value))
    assert same(value, {"a": [{"c": [True, None], "b": 1}]})
    assert not same(value, {"a": [{"c": [None, True], "b": 1}]})


@pytest.mark.parametrize("found", [Place("Paris"), Spot("Paris"), Point("Paris"), Model("Paris"), {"city": Town.PARIS}])
def test_objects_are_compared_by_their_fields(found: object) -> None:
    """B158"""
    assert same({"city": "Paris"}, found)
    assert same(found, {"city": "Paris"})
    assert str(difference({"city": "Rome"}, found)).startswith("city: expected 'Rome', found ")


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (0, False), (1.0, True), (None, False), (None, 0), ("1", 1), ([], {}), ("", None), ([1], 1)],
)
def test_values_of_different_kinds_are_never_equal(one: object, other: object) -> None:
    assert not same(one, other)
    assert not same(other, one)
    assert not same({"a": [one]}, {"a": [other]})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        ("e\u0301", "\u00e9"),
        ({"e\u0301": 1}, {"\u00e9": 1}),
        ((1, 2), [1, 2]),
        (MappingProxyType({"a": 1}), {"a": 1}),
    ],
)
def test_what_says_the_same_is_equal(one: object, other: object) -> None:
    assert same(one, other)
    assert same(other, one)


def test_case_counts_in_values() -> None:
    assert not same("Paris", "paris")


def test_keys_that_differ_in_composition_alone_stay_two() -> None:
    both = {"e\u0301": 1, "\u00e9": 2}
    assert same(both, dict(both))
    assert not same(both, {"\u00e9": 2})
    assert not same({"\u00e9": 2}, both)


@pytest.mark.parametrize(
    ("expected", "found", "told"),
    [
        ({"city": "Paris"}, {"city": "Rome"}, "city: expected 'Paris', found 'Rome'"),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, "a.b[1]: expected 2, found 3"),
        ({"a": 1, "b": 2}, {"b": 3}, "a: expected 1, found nothing"),
        ({"a": 1}, {"a": 1, "z": None}, "z: expected nothing, found None"),
        ([1], [1, 2], "[1]: expected nothing, found 2"),
        ([1, 2], [1], "[1]: expected 2, found nothing"),
        (1, "one", "expected 1, found 'one'"),
        ({"a": []}, {"a": {}}, "a: expected [], found {}"),
        ({1: "x"}, {1: "y"}, "[1]: expected 'x', found 'y'"),
    ],
)
def test_the_first_difference_is_told_with_its_place(expected: object, found: object, told: str) -> None:
    assert str(difference(expected, found)) == told


def test_a_difference_is_one_line_of_readable_length_that_every_file_can_hold() -> None:
    told = str(difference({"k\n" * 500: "\ud83d" * 500}, {"k\n" * 500: "y" * 500}))
    assert told.encode("utf-8").decode().splitlines() == [told]
    assert len(told) < 400


def test_a_part_may_have_more_keys_at_any_depth_and_no_more_elements() -> None:
    found = {"a": {"b": 1, "c": 2}, "d": [{"e": 1, "f": 2}]}
    assert same({"a": {"b": 1}}, found, partly=True)
    assert same({"d": [{"e": 1}]}, found, partly=True)
    assert same({}, found, partly=True)
    assert not same({"d": []}, found, partly=True)
    assert not same({"a": {"b": 2}}, found, partly=True)
    assert not same({"a": {"z": None}}, found, partly=True)


def test_a_class_is_no_instance_of_itself() -> None:
    assert opened(Place) is Place
    assert opened(Spot) is Spot


def _shuffled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shuffled(inner) for key, inner in reversed(value.items())}
    return [_shuffled(inner) for inner in value] if isinstance(value, list) else value


@LAW
@given(json_values)
def test_a_value_equals_its_copy_with_its_keys_in_another_order(value: Any) -> None:
    assert same(value, _shuffled(deepcopy(value)))


@LAW
@given(json_values, json_values)
def test_equality_has_no_direction_and_what_is_equal_is_a_part(one: Any, other: Any) -> None:
    assert same(one, other) == same(other, one)
    if same(one, other):
        assert same(one, other, partly=True)


@LAW
@given(st.dictionaries(st.sampled_from("abc"), json_values), st.dictionaries(st.sampled_from("xyz"), json_values))
def test_a_mapping_is_a_part_of_itself_with_more_keys(part: dict[str, Any], more: dict[str, Any]) -> None:
    assert same(part, {**more, **part}, partly=True)
    assert same(part, {**more, **part}) == (not more)
