"""An argument of a check may be looked up in each item."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from attrs import frozen

from steelyard import BadItem, ConfigurationError, EvalItem, FromItem, ScorerRun, from_item, run_evals, scorer
from steelyard._scoring.from_item import MissingValue, look_up


@frozen
class Facts:
    lang: str


class Pair(NamedTuple):
    left: int


EXPECTED: FromItem = from_item("ground_truth")


@scorer(needs=["ground_truth"])
def equal(run: ScorerRun[Any, Any]) -> float:
    return float(run.output == EXPECTED.of(run))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("ground_truth", {"a": [1], "facts": Facts("de"), "pair": Pair(3)}),
        ("ground_truth.a", [1]),
        ("ground_truth.facts.lang", "de"),
        ("ground_truth.pair.left", 3),
        ("metadata.must_say", "yes"),
        ("context", ("doc",)),
    ],
)
def test_a_path_leads_through_keys_and_fields(path: str, value: object) -> None:
    item = EvalItem(
        input="q",
        ground_truth={"a": [1], "facts": Facts("de"), "pair": Pair(3)},
        metadata={"must_say": "yes"},
        context=("doc",),
    )
    assert look_up(item, path) == value


@pytest.mark.parametrize(
    "path",
    [
        "metadata.gone",
        "metadata.text.title",
        "metadata.text.upper",
        "metadata.numbers.append",
        "metadata.number.real",
        "metadata.none",
        "metadata.none.more",
        "ground_truth",
    ],
)
def test_a_path_that_leads_nowhere_is_missing_and_never_a_method_of_what_is_there(path: str) -> None:
    item = EvalItem(input="q", metadata={"text": "a title", "numbers": [1], "number": 3, "none": None})
    with pytest.raises(MissingValue, match="The item has no"):
        look_up(item, path)


def test_false_and_empty_values_are_values() -> None:
    item = EvalItem(input="q", metadata={"zero": 0, "no": False, "empty": "", "list": []})
    assert [look_up(item, f"metadata.{name}") for name in ("zero", "no", "empty", "list")] == [0, False, "", []]


@pytest.mark.parametrize(
    "path", ["", "output", "metadata.", "metadata..a", ".metadata", "input", 3, None, "Metadata.a"]
)
def test_a_path_that_begins_with_nothing_known_is_refused_with_the_known_beginnings(path: Any) -> None:
    with pytest.raises(ConfigurationError, match="ground_truth, metadata"):
        from_item(path)


def test_a_value_that_an_item_of_a_list_lacks_is_found_before_anything_is_called() -> None:
    calls: list[object] = []
    with pytest.raises(BadItem, match=r"Item 1: scorer 'equal' needs ground_truth") as raised:
        run_evals(data=[{"input": "q", "ground_truth": "a"}, {"input": "q"}], target=calls.append, scorers=[equal])
    assert raised.value.index == 1
    assert calls == []


def test_a_value_that_an_item_of_a_stream_lacks_fails_that_scorer_alone() -> None:
    def stream() -> Iterator[dict[str, str]]:
        yield {"output": "a", "ground_truth": "a"}
        yield {"output": "a"}

    result = run_evals(data=stream(), scorers=[equal])
    assert result.scores["equal"] == 1.0
    assert result.summary.errors == {"equal": 1}
    assert "ground_truth" in result.items[1]["equal"].reason


def test_scorers_of_a_turn_and_of_an_item_say_what_they_need_too() -> None:
    for item in (
        {"input": "q", "scorers": [equal]},
        {"input": "q", "gates": [equal]},
        {"turns": [{"input": "q", "scorers": [equal]}]},
    ):
        with pytest.raises(BadItem, match="needs ground_truth"):
            run_evals(data=[item], target=str, scorers=[])
