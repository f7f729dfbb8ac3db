"""Scales have a range and a direction; usage knows what is unknown."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard import ConfigurationError, Scale, Usage
from steelyard._model.usage import NO_USAGE

# -- scale -------------------------------------------------------------------------------------------------------------


def test_a_scale_is_zero_to_one_with_higher_better_unless_it_says_otherwise() -> None:
    scale = Scale()
    assert (scale.low, scale.high, scale.direction) == (0.0, 1.0, "higher")


def test_the_best_end_follows_from_the_direction() -> None:
    assert (Scale(0, 10).best, Scale(0, 10).worst) == (10.0, 0.0)
    assert (Scale(0, 10, "lower").best, Scale(0, 10, "lower").worst) == (0.0, 10.0)


@pytest.mark.parametrize(
    "given",
    [
        {"low": 1, "high": 1},
        {"low": 2, "high": 1},
        {"low": float("nan")},
        {"high": float("nan")},
        {"high": float("inf")},
        {"low": float("-inf")},
        {"high": 10**400},
        {"high": True},
        {"low": "0"},
        {"high": None},
        {"direction": "up"},
        {"direction": None},
    ],
)
def test_a_scale_that_is_no_range_of_finite_numbers_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="Scale"):
        Scale(**given)


@pytest.mark.parametrize(
    ("scale", "score", "bound", "reached"),
    [
        (Scale(), 0.7, 0.7, True),
        (Scale(), 0.1 + 0.2, 0.3, True),
        (Scale(), 0.3, 0.1 + 0.2, True),
        (Scale(), 0.69, 0.7, False),
        (Scale(direction="lower"), 0.1 + 0.2, 0.3, True),
        (Scale(direction="lower"), 0.31, 0.3, False),
        (Scale(0, 1e-13), 1e-14, 9e-14, False),
        (Scale(0, 1e9), 1e9 - 1, 1e9, False),
    ],
)
def test_reaching_a_bound_allows_for_binary_rounding_and_for_nothing_else(
    scale: Scale, score: float, bound: float, reached: bool
) -> None:
    assert scale.reached(score, bound) is reached


def test_goodness_maps_any_scale_to_zero_for_worst_and_one_for_best() -> None:
    assert [Scale(-5, 5).goodness(score) for score in (-5, 0, 5)] == [0.0, 0.5, 1.0]
    assert [Scale(0, 10, "lower").goodness(score) for score in (0, 5, 10)] == [1.0, 0.5, 0.0]


# -- usage -------------------------------------------------------------------------------------------------------------


def test_the_total_counts_reasoning_once_as_a_part_of_output() -> None:
    usage = Usage(
        input_tokens=1, cached_input_tokens=10, cache_creation_tokens=100, output_tokens=1000, reasoning_tokens=999
    )
    assert usage.total_tokens == 1111


@pytest.mark.parametrize("unknown", ["input_tokens", "cached_input_tokens", "cache_creation_tokens", "output_tokens"])
def test_the_total_is_unknown_if_a_part_is_unknown(unknown: str) -> None:
    counts = dict.fromkeys(("input_tokens", "cached_input_tokens", "cache_creation_tokens", "output_tokens"), 1)
    assert Usage(**{**counts, unknown: None}).total_tokens is None


def test_adding_keeps_unknown_apart_from_zero() -> None:
    known = Usage(input_tokens=2, output_tokens=3)
    assert known + known == Usage(input_tokens=4, output_tokens=6)
    assert known + Usage(input_tokens=2) == Usage(input_tokens=4)


def test_the_usage_of_no_call_changes_nothing() -> None:
    usage = Usage(
        input_tokens=1, cached_input_tokens=2, cache_creation_tokens=3, output_tokens=4, reasoning_tokens=None
    )
    assert usage + NO_USAGE == NO_USAGE + usage == usage
