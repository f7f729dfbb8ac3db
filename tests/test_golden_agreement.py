"""The comparison with golden outcomes sees what differs, and lets pass what means the same."""

from __future__ import annotations

from typing import Any

import pytest

from tests.golden_agreement import differences, disagreement


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"score": 0.3333333333333333}, {"score": 0.33333333339}),
        ({"score": 1}, {"score": 1.0, "kept_beside": "x"}),
        ({"scores": None}, {"scores": {}}),
        ({"scores": {"a": 1}}, {"scores": {"a": 1, "b": None, "agent": {}}}),
        ({"gate_results": None}, {"gate_results": [{"id": "g", "passed": None, "score": None}]}),
        (
            {"threshold_results": [{"threshold": 0.5}]},
            {"threshold_results": [{"threshold": {"min": 0.5, "max": None}}]},
        ),
        ({"error": {"kind": "no_data"}}, {"error": {"kind": "refused"}}),
        ({"reason": ""}, {"reason": None}),
    ],
)
def test_what_means_the_same_agrees(wanted: dict[str, Any], found: dict[str, Any]) -> None:
    assert differences(wanted, found) == []


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"score": 0.5}, {"score": 0.500000002}),
        ({"score": 0}, {"score": None}),
        ({"score": None}, {"score": 0}),
        ({"score": 1}, {"score": True}),
        ({"passed": False}, {"passed": None}),
        ({"average_score": "NaN"}, {"average_score": float("nan")}),
        ({"average_score": float("nan")}, {"average_score": float("nan")}),
        ({"verdict": "passed"}, {"verdict": "scored"}),
        ({"verdict": None}, {"verdict": "scored"}),
        ({"verdict": None}, {"error": {"kind": "refused"}}),
        ({"scores": {"a": 1}}, {"scores": {"a": 1, "b": 1}}),
        ({"scores": {"a": 1, "b": 1}}, {"scores": {"a": 1}}),
        ({"calls": ["a"]}, {"calls": ["a", "a"]}),
        ({"calls": ["a", "b"]}, {"calls": ["b", "a"]}),
        ({"gate_results": [{"passed": False}]}, {"gate_results": [{"passed": None}]}),
        ({"bounds": [{"threshold": {"max": 0.5}}]}, {"bounds": [{"threshold": {"min": 0.5}}]}),
        ({"error": {"kind": "scorer_failed"}}, {"error": {"kind": "refused"}}),
        ({"error": {"kind": "no_data"}, "agent_calls": 0}, {"error": {"kind": "refused"}, "agent_calls": 1}),
        ({"error": {"kind": "no_data"}}, {"scores": {}}),
    ],
)
def test_what_differs_is_seen(wanted: dict[str, Any], found: dict[str, Any]) -> None:
    assert differences(wanted, found) != []


def test_a_suggestion_may_name_a_second_good_answer() -> None:
    suggested = {"score": 1, "or": {"not_scorable": True}}
    assert disagreement(suggested, {"score": 1, "is_scorable": True}) == []
    assert disagreement(suggested, {"score": None, "is_scorable": False}) == []
    assert disagreement(suggested, {"score": 0, "is_scorable": True}) != []


def test_a_suggestion_that_nothing_be_scored_is_not_met_by_a_number_or_an_error() -> None:
    suggested = {"not_scorable": True}
    assert disagreement(suggested, {"score": 0, "is_scorable": False}) != []
    assert disagreement(suggested, {"score": None, "is_scorable": True}) != []
    assert disagreement(suggested, {"error": {"kind": "scorer_failed"}, "score": None, "is_scorable": False}) != []


def test_a_suggestion_compares_what_it_names_of_an_element_and_nothing_else() -> None:
    found = {"steps": [{"name": "a", "success": False, "tool_args": {"q": 1}}]}
    assert disagreement({"steps": [{"name": "a", "success": False}]}, found) == []
    assert disagreement({"steps": [{"name": "a", "success": True}]}, found) != []
    assert disagreement({"steps": []}, found) != []
