"""Which items are taken: the same ones for the same options, in the order of the data, and nonsense refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import ConfigurationError, EvalItem
from steelyard_cli._data.places import Located
from steelyard_cli._data.selection import Selection, parse_count, parse_where


def data(*items: EvalItem) -> list[Located]:
    return [Located(item=item, path="data.jsonl", line=at) for at, item in enumerate(items, start=1)]


NUMBERED = data(*(EvalItem(input=at, id=str(at), metadata={"even": at % 2 == 0}) for at in range(50)))


def taken(located: list[Located] = NUMBERED, **options: Any) -> list[Any]:
    return [each.item.input for each in Selection(**options).of(located)]


def holds(item: EvalItem, where: str) -> bool:
    return parse_where(where).holds(item)


def test_without_options_all_items_are_taken_as_they_are() -> None:
    assert list(Selection().of(NUMBERED)) == NUMBERED
    assert Selection().takes_all
    assert not Selection(limit=0).takes_all


@pytest.mark.parametrize(("limit", "count"), [(0, 0), (1, 1), (None, 50), (100, 50), ("3", 3), ("0", 0)])
def test_a_limit_of_zero_takes_nothing_and_none_takes_all(limit: Any, count: int) -> None:
    """B169"""
    assert taken(limit=limit) == list(range(count))


@pytest.mark.parametrize(
    "nonsense",
    [
        *["5-10-15", "10-5", "5-10", "-3", "a-b", "1.0", "+3", "1e3", "٣"],
        "",
        " ",
        "9" * 30,
        -1,
        1.0,
        True,
        float("nan"),
        [3],
    ],
)
@pytest.mark.parametrize("name", ["limit", "sample"])
def test_what_is_no_number_of_items_is_refused(name: str, nonsense: Any) -> None:
    """B171"""
    with pytest.raises(ConfigurationError) as caught:
        Selection(**{name: nonsense})
    assert str(caught.value).startswith(f"{name}: give a whole number, 0 or more; found ")
    with pytest.raises(ConfigurationError):
        parse_count(nonsense, name)


def test_nothing_is_read_beyond_the_limit() -> None:
    def endless() -> Iterator[Located]:
        while True:
            yield NUMBERED[0]

    selected = Selection(limit=3).of(endless())
    assert len(list(selected)) == 3
    assert (selected.read, selected.taken) == (3, 3)
    assert list(Selection(limit=0).of(endless())) == []
    assert list(Selection(sample=0).of(endless())) == []


@given(size=st.integers(0, 60), seed=st.integers(), limit=st.none() | st.integers(0, 60))
def test_a_sample_is_so_many_items_in_the_order_of_the_data_and_a_larger_one_holds_it(
    size: int, seed: int, limit: int | None
) -> None:
    sample = taken(sample=size, seed=seed)
    assert len(sample) == min(size, 50)
    assert sample == sorted(set(sample))
    assert sample == taken(sample=size, seed=seed)
    assert set(sample) <= set(taken(sample=size + 1, seed=seed))
    assert taken(sample=size, seed=seed, limit=limit) == sample[:limit]


def test_a_sample_does_not_change_from_one_release_to_the_next() -> None:
    assert taken(sample=5, seed=0) == [25, 35, 40, 46, 48]
    assert taken(sample=5, seed=1) == [9, 13, 20, 26, 35]


@pytest.mark.parametrize("seed", [None, "7", 1.0, True])
def test_a_seed_that_is_no_whole_number_is_refused(seed: Any) -> None:
    with pytest.raises(ConfigurationError, match="seed: give a whole number"):
        Selection(sample=3, seed=seed)


def test_every_item_has_the_same_chance_of_being_in_a_sample() -> None:
    counts = [0] * 50
    for seed in range(2000):
        for at in taken(sample=5, seed=seed):
            counts[at] += 1
    # 200 expected for each, standard deviation 13.4: five of them on either side.
    assert min(counts) >= 133
    assert max(counts) <= 267


def test_a_sample_keeps_no_more_items_than_it_takes() -> None:
    alive = 0
    most = 0

    class Counted(str):
        def __init__(self, _: str) -> None:
            nonlocal alive, most
            alive += 1
            most = max(most, alive)

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    items = (Located(item=EvalItem(input=Counted("x")), path="p", line=at) for at in range(2000))
    assert len(list(Selection(sample=10).of(items))) == 10
    assert most <= 13


def test_ids_are_taken_and_those_that_no_item_has_are_told() -> None:
    selected = Selection(ids=["7", "x", "3", "7", "y"]).of(NUMBERED)
    assert not selected.missing_ids
    assert [each.item.id for each in selected] == ["3", "7"]
    assert selected.missing_ids == ("x", "y")
    assert (selected.read, selected.taken) == (50, 2)


def test_an_id_is_there_though_other_options_leave_its_item_out() -> None:
    selected = Selection(ids=["3", "4", "x"], where=["metadata.even=true"]).of(NUMBERED)
    assert [each.item.id for each in selected] == ["4"]
    assert selected.missing_ids == ("x",)


def test_where_not_everything_was_read_no_id_is_told_as_missing() -> None:
    selected = Selection(ids=["3", "x"], limit=1).of(NUMBERED)
    assert len(list(selected)) == 1
    assert selected.missing_ids == ()


def test_an_item_without_an_id_has_none_of_those_asked_for() -> None:
    assert taken(data(EvalItem(input="a"), EvalItem(input="b", id="None")), ids=["None"]) == ["b"]


@pytest.mark.parametrize("ids", [[""], [" "], [None], [3]])
def test_an_id_that_is_no_text_or_blank_is_refused(ids: Any) -> None:
    with pytest.raises(ConfigurationError, match="an id is a text"):
        Selection(ids=ids)


def test_one_id_or_condition_may_stand_by_itself() -> None:
    assert taken(ids="7") == [7]
    assert taken(where="id=7") == [7]
    assert taken(where=parse_where("input=7")) == [7]


def test_all_conditions_must_hold() -> None:
    where = ["metadata.even=true", "input=4"]
    assert taken(where=where) == [4]
    assert taken(where=[*where, "id=5"]) == []


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("metadata.v=de", "de"),
        ("metadata.v=a=b", "a=b"),
        ("metadata.v==", "="),
        ("metadata.v=", ""),
        ("metadata.v= x ", " x "),
        ("metadata.v=12", "12"),
        ("metadata.v=12", 12),
        ("metadata.v=12", 12.0),
        ("metadata.v=true", True),
        ("metadata.v=true", "true"),
        ("metadata.v=null", None),
        ("metadata.v=null", "null"),
        ('metadata.v=["a", 1]', ["a", 1]),
        ('metadata.v=["a", 1]', ("a", 1)),
        ('metadata.v={"b": [true], "a": null}', {"a": None, "b": [True]}),
        ("metadata.v=日本", "日本"),
        ("metadata.v=é", "e\u0301"),
        (" metadata.v =x", "x"),
    ],
)
def test_a_condition_holds_for_the_text_or_for_the_value_that_it_writes_as_json(where: str, value: object) -> None:
    """B217"""
    assert holds(EvalItem(metadata={"v": value}), where)


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("metadata.v=de", "DE"),
        ("metadata.v=de", "den"),
        ('metadata.v="de"', "de"),
        ("metadata.v=1", True),
        ("metadata.v=true", 1),
        ("metadata.v=True", True),
        ("metadata.v=[1]", [True]),
        ("metadata.v=[1]", [1, 2]),
        ("metadata.v={}", {"a": 1}),
        ('metadata.v={"a": 1}', {"a": 2}),
        ("metadata.v=", None),
        ("metadata.v=null", False),
        ("metadata.v=0", None),
        ("metadata.v=" + "[" * 100_000, [[]]),
    ],
)
def test_a_condition_does_not_hold_for_what_only_looks_alike(where: str, value: object) -> None:
    assert not holds(EvalItem(metadata={"v": value}), where)


def test_a_path_leads_through_objects_and_past_dots_in_keys() -> None:
    item = EvalItem(input={"city": "Oslo"}, metadata={"a": {"b": {"c": "x"}}, "k.l": "y"}, request_context={"user": 7})
    for where in ["metadata.a.b.c=x", "metadata.k.l=y", "input.city=Oslo", "request_context.user=7"]:
        assert holds(item, where)
    for path in ["metadata.a.x", "metadata.a.b.c.d", "metadata.none", "output", "context", "start_options.x"]:
        assert holds(item, f"{path}=null")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("metadata.lang", "write PATH=VALUE, such as metadata.lang=de; found 'metadata.lang'"),
        ("=de", "write PATH=VALUE"),
        ("", "write PATH=VALUE"),
        ("lang=de", "an item has no field 'lang'"),
        ("lang=de", "Did you mean 'metadata.lang'?"),
        ("metdata.lang=de", "Did you mean 'metadata'?"),
        ("gates=x", "an item has no field 'gates'"),
        ("metadata.=de", "a name is missing in 'metadata.'"),
        ("metadata..x=de", "a name is missing"),
    ],
)
def test_what_is_no_condition_is_refused(text: str, told: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_where(text)
    assert told in str(caught.value)
    with pytest.raises(ConfigurationError):
        Selection(where=[text])


@given(
    where=st.lists(st.sampled_from(["metadata.even=true", "metadata.even=false", "input=7"]), max_size=2),
    ids=st.lists(st.integers(0, 60).map(str), max_size=5),
    sample=st.none() | st.integers(0, 60),
    limit=st.none() | st.integers(0, 60),
)
def test_every_further_option_takes_a_part_of_what_is_there_in_the_same_order(
    where: list[str], ids: list[str], sample: int | None, limit: int | None
) -> None:
    every = taken(where=where, ids=ids)
    some = taken(where=where, ids=ids, sample=sample, limit=limit)
    assert [each for each in every if each in set(some)] == some
    assert len(some) == min(each for each in [len(every), sample, limit] if each is not None)
