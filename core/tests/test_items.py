"""Items are checked when an evaluation takes them, and told apart by ids."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from attrs import frozen

from steelyard import (
    BadItem,
    ConfigurationError,
    EvalItem,
    Message,
    ScorerRun,
    Status,
    TargetResult,
    TrajectoryExpectation,
    Turn,
    run_evals,
    scorer,
)
from steelyard._running.item import NOT_GIVEN, canonical_hash, take_item


@scorer
def there(run: ScorerRun[Any, Any]) -> float:
    return 1.0


@frozen
class Order:
    number: int


@dataclass
class Ticket:
    number: int


# -- what an item may be -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "item",
    [
        {"input": "q"},
        {"input": ["a", "b"]},
        {"input": ""},
        {"input": 0},
        {"inputs": ["a", "b"]},
        {"turns": [{"input": "a"}, Turn(input="b")]},
        {"output": "a"},
        {"input": "q", "output": "a"},
        {"inputs": ["q", "r"], "output": "a"},
        EvalItem(input="q"),
    ],
)
def test_an_item_has_exactly_one_of_input_inputs_and_turns_or_a_recorded_output(item: Any) -> None:
    assert isinstance(take_item(item, 0), EvalItem)


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("q", "found str"),
        (None, "found None"),
        (3, "found int"),
        (["q"], "found list"),
        ({}, "neither input"),
        ({"input": None}, "neither input"),
        ({"input": "q", "inputs": ["q"]}, "exactly one"),
        ({"input": "q", "turns": [{"input": "q"}]}, "exactly one"),
        ({"inputs": ["q"], "turns": [{"input": "q"}]}, "exactly one"),
        ({"inputs": []}, "inputs is empty"),
        ({"turns": []}, "turns is empty"),
        ({"inputs": "q"}, "must be a list"),
        ({"turns": {"input": "q"}}, "must be a list"),
        ({"inputs": ["q", None]}, "None"),
        ({"turns": ["q"]}, "turn 0.*found str"),
        ({"turns": [{"input": "q"}, None]}, "turn 1.*found None"),
        ({"turns": [{"gates": []}]}, "turn 0 has no input"),
        ({"turns": [{"inputt": "q"}]}, "turn 0.*Did you mean 'input'"),
        ({"turns": [{"input": "q"}], "output": "a"}, "beside turns"),
        ({"input": "q", "grund_truth": "a"}, "Did you mean 'ground_truth'"),
        ({"input": "q", "colour": "red"}, "metadata"),
        ({"input": "q", 3: "x"}, "unknown field"),
        ({"input": "q", "metadata": ["x"]}, "metadata must be a mapping"),
        ({"input": "q", "context": 3}, "context"),
        ({"input": "q", "context": [3]}, "context"),
        ({"input": "q", "context": (3,)}, "context"),
        ({"input": "q", "context": {"a": "b"}}, "context"),
        ({"input": "q", "expected_trajectory": {"stepz": []}}, "expected_trajectory.*Did you mean 'steps'"),
        ({"input": "q", "expected_trajectory": 3}, "expected_trajectory"),
        ({"input": "q", "id": ["a"]}, "id must be a text"),
        ({"input": "q", "id": True}, "id must be a text"),
        ({"input": "q", "start_options": ["a"]}, "start_options"),
    ],
)
def test_a_bad_item_is_refused_with_its_place_and_what_to_give(item: Any, said: str) -> None:
    with pytest.raises(BadItem, match=rf"Item 7: .*{said}") as raised:
        take_item(item, 7)
    assert (raised.value.index, isinstance(raised.value, ConfigurationError)) == (7, True)


def test_an_item_is_checked_when_it_is_taken_and_not_when_it_is_built() -> None:
    assert EvalItem(input="q", inputs=["q"], context=3).input == "q"  # type: ignore[arg-type]


def test_taking_an_item_reads_what_stands_for_something_else() -> None:
    item = take_item(
        {
            "input": "q",
            "context": "one text",
            "metadata": None,
            "id": 3,
            "expected_trajectory": {"steps": ["find"]},
        },
        0,
    )
    assert (item.context, item.metadata, item.id) == (("one text",), {}, "3")
    assert isinstance(item.expected_trajectory, TrajectoryExpectation)
    assert take_item({"input": "q", "context": ["a", "b"]}, 0).context == ("a", "b")
    assert take_item({"turns": [{"input": "q"}]}, 0).turns == [Turn(input="q")]


def test_a_recorded_output_that_is_none_is_an_output() -> None:
    assert take_item({"output": None}, 0).output is None
    assert take_item({"input": "q"}, 0).output is NOT_GIVEN
    assert not NOT_GIVEN


def test_every_field_of_an_item_reaches_the_scorers() -> None:
    seen: list[ScorerRun[Any, Any]] = []
    note = scorer(id="note")(lambda run: seen.append(run) or 1.0)  # type: ignore[func-returns-value]
    run_evals(
        data=[
            {
                "input": "q",
                "output": "a",
                "ground_truth": "truth",
                "expected_trajectory": {"steps": ["find"]},
                "context": ["doc"],
                "request_context": {"user": "u"},
                "tracing_context": "trace",
                "metadata": {"lang": "de"},
            }
        ],
        scorers=[note],
    )
    [run] = seen
    assert (run.input, run.output, run.ground_truth, run.context) == ("q", "a", "truth", ("doc",))
    assert (run.request_context, run.tracing_context, run.metadata) == ({"user": "u"}, "trace", {"lang": "de"})
    assert run.expected_trajectory == TrajectoryExpectation(steps=["find"])


# -- bad items in lists and streams ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_list_is_validated_whole_before_any_call(kind: Any) -> None:
    calls: list[object] = []
    with pytest.raises(BadItem, match="Item 2"):
        run_evals(data=kind([{"input": "q"}, {"input": "q"}, "bad"]), target=calls.append, scorers=[there])
    assert calls == []


async def later(items: list[Any]) -> AsyncIterator[Any]:
    for item in items:
        yield item


@pytest.mark.parametrize("stream", [iter, later])
def test_a_bad_item_of_a_stream_is_a_failed_item_with_its_position(stream: Any) -> None:
    items = [{"input": "q"}, "bad", {"input": "r"}, None, {"input": "q", "output": "a"}]
    result = run_evals(data=stream(items), target=str, scorers=[there])
    assert result.summary.total_items == 5
    assert (result.summary.bad_items, result.summary.target_errors) == (3, 0)
    assert [item.index for item in result.items if item.error] == [1, 3, 4]
    assert isinstance(result.items[1].error, BadItem)
    assert "Item 1" in str(result.items[1].error)
    assert (result.items[1].item, result.items[1].status) == ("bad", Status.ERRORED)
    assert len(result.items[1].scores) == len(result.items[1].gates) == 0
    assert result.scores["there"] == 1.0


def test_a_bad_item_of_a_stream_fails_gates_and_thresholds() -> None:
    result = run_evals(data=iter([{"output": "a"}, {"outputt": "b"}]), gates=[there])
    assert (result.gate_results[0].passed, result.gate_results[0].n_failed) == (False, 1)
    assert result.verdict == "failed"


def test_a_doubled_explicit_id_is_refused_in_a_list_and_a_failed_item_in_a_stream() -> None:
    items = [{"output": "a", "id": "x"}, {"output": "b", "id": "y"}, {"output": "c", "id": "x"}]
    with pytest.raises(BadItem, match=r"Item 2: the id 'x'"):
        run_evals(data=items, scorers=[there])
    result = run_evals(data=iter(items), scorers=[there])
    assert [item.error is None for item in result.items] == [True, True, False]


def test_ids_that_are_blank_or_nan_as_tables_give_them_are_none() -> None:
    items = [{"output": "a", "id": id} for id in ("", "  ", float("nan"), None)]
    result = run_evals(data=items, scorers=[there])
    assert [item.id.rpartition("-")[2] for item in result.items] == ["1", "2", "3", "4"]


def test_an_item_without_output_and_without_target_is_refused_and_so_is_one_with_both() -> None:
    with pytest.raises(BadItem, match="no target"):
        run_evals(data=[{"input": "q"}], scorers=[there])
    with pytest.raises(BadItem, match="recorded output, and a target"):
        run_evals(data=[{"input": "q", "output": "a"}], target=str, scorers=[there])


# -- ids ---------------------------------------------------------------------------------------------------------------


def ids(*items: dict[str, Any], **more: Any) -> list[str]:
    return [item.id for item in run_evals(data=list(items), scorers=[there], **more).items]


def test_an_item_without_an_id_gets_a_hash_of_its_canonical_input_and_an_occurrence_number() -> None:
    first, again, other = ids({"input": "q"}, {"input": "q"}, {"input": "r"}, target=str)
    assert re.fullmatch(r"[0-9a-f]{16}-1", first)
    assert again == first[:-1] + "2"
    assert other[:16] != first[:16]
    assert ids({"input": "q"}, target=str) == [first]


def test_an_explicit_id_stays() -> None:
    assert ids({"output": "a", "id": "mine"}, {"output": "a"})[0] == "mine"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"input": {"a": 1, "b": 2}}, {"input": {"b": 2, "a": 1}}),
        ({"input": [{"role": "user", "content": "q"}]}, {"input": [{"content": "q", "role": "user"}]}),
        ({"input": {1: "a", "b": 2}}, {"input": {"b": 2, 1: "a"}}),
        ({"input": {(1, 2): {"x", "y"}}}, {"input": {(1, 2): {"y", "x"}}}),
        ({"input": "q", "metadata": {"x": 1}}, {"input": "q", "metadata": {"x": 2}}),
    ],
)
def test_the_order_of_keys_and_what_is_not_given_to_the_target_do_not_change_the_hash(one: Any, other: Any) -> None:
    assert canonical_hash(EvalItem(**one)) == canonical_hash(EvalItem(**other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", 1),
        ([1, 2], [2, 1]),
        ({"a": 1}, {"a": 2}),
        (Order(1), Order(2)),
        (Ticket(1), Ticket(2)),
        ([Order(1)], [Order(2)]),
        ({1: Ticket(1)}, {1: Ticket(2)}),
        (Message("user", "a"), Message("user", "b")),
        (b"a", b"b"),
    ],
)
def test_different_inputs_have_different_hashes(one: object, other: object) -> None:
    assert canonical_hash(EvalItem(input=one)) != canonical_hash(EvalItem(input=other))


def circle() -> list[Any]:
    inner: list[Any] = [1]
    inner.append(inner)
    return inner


def deep() -> list[Any]:
    inner: list[Any] = []
    for _ in range(100_000):
        inner = [inner]
    return inner


class Mute:
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    "odd", [circle(), deep(), Mute(), {Mute(): 1, "a": circle()}, object(), "\ud800", float("nan"), {None: 1, "a": 2}]
)
@pytest.mark.parametrize("stream", [list, iter])
def test_an_odd_input_has_an_id_too_and_costs_nothing_else(odd: object, stream: Any) -> None:
    result = run_evals(
        data=stream([{"input": odd}, {"input": odd}]),
        target=lambda given: "a",
        scorers=[there],
        on_item_complete=lambda *told: None,
    )
    assert result.scores["there"] == 1.0
    assert [item.id[-2:] for item in result.items] == ["-1", "-2"]


def test_ids_of_a_stream_that_is_not_kept_are_those_of_a_list() -> None:
    items = [{"input": text} for text in ("q", "r", "q", "q")]
    seen: list[str] = []

    def note(item: object, given: object, result: Any) -> None:
        seen.append(result.id)

    def stream() -> Iterator[dict[str, str]]:
        yield from items

    run_evals(data=stream(), target=str, scorers=[there], keep_items=False, on_item_complete=note)
    assert seen == ids(*items, target=str)


# -- recorded outputs --------------------------------------------------------------------------------------------------


def test_a_recorded_output_is_scored_as_it_is() -> None:
    result = run_evals(data=[{"output": 0.25}, {"output": 0.75}], scorers=[scorer(id="it")(lambda run: run.output)])
    assert result.scores["it"] == 0.5


def test_a_recorded_target_result_says_more_than_the_output() -> None:
    seen: list[ScorerRun[Any, Any]] = []
    note = scorer(id="note")(lambda run: seen.append(run) or 1.0)  # type: ignore[func-returns-value]
    run_evals(data=[{"output": TargetResult("a", context=["doc"])}], scorers=[note])
    assert (seen[0].output, seen[0].context) == ("a", ("doc",))
