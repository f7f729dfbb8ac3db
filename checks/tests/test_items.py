"""Arguments that each item brings: where they are looked up, what a list of them means, what becomes of bad ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import steelyard_checks as checks
from checks.tests.answers import (
    LAW,
    asked,
    called,
    failure,
    names,
    not_scored,
    reason,
    said,
    score,
    texts,
    texts_to_find,
)
from steelyard import ConfigurationError, MissingValue, TimedOut, from_item, run_evals

TRUTH = from_item("ground_truth")


def test_each_item_brings_its_own_text() -> None:
    result = run_evals(
        data=[
            {"output": "Paris, of course", "ground_truth": "paris"},
            {"output": "I do not know", "ground_truth": "Rome"},
        ],
        scorers=[checks.includes(TRUTH)],
    )
    assert [item.scores["check-includes"].score for item in result.items] == [1.0, 0.0]
    assert result.scores['check-includes({"from_item": "ground_truth"})'] == 0.5


def test_a_path_leads_into_what_the_item_brings() -> None:
    check = checks.excludes(from_item("metadata.must.not"))
    assert score(check, said("sun"), metadata={"must": {"not": "sun"}}) == 0.0


@pytest.mark.parametrize(
    ("check", "output", "one", "other"),
    [
        (checks.includes(TRUTH), said("sun"), "sun", "rain"),
        (checks.includes("SUN", ignore_case=TRUTH), said("sun"), True, False),
        (checks.excludes(TRUTH), said("sun"), "rain", "sun"),
        (checks.equals(TRUTH), said("sun"), "Sun", "su"),
        (checks.similarity(TRUTH), said("sun"), "sun", "rai"),
        (checks.similarity("sunny", TRUTH), said("sun"), 0.5, 0.9),
        (checks.matches(TRUTH), said("sun"), "^s.n$", "^s$"),
        (checks.matches(TRUTH), said("sun"), re.compile("SUN", re.I), regex.compile("SUN")),
        (checks.matches("SUN", flags=TRUTH), said("sun"), "i", "m"),
        (checks.matches("s", exact=TRUTH), said("sun"), False, True),
        (checks.matches("s", timeout=TRUTH, exact=from_item("metadata.exact")), said("sun"), 1, 2),
        (checks.called_tool(TRUTH), called("a", "a"), "a", "b"),
        (checks.called_tool("a", TRUTH), called("a", "a"), 2, 3),
        (checks.did_not_call(TRUTH), called("a", "a"), "b", "a"),
        (checks.tool_order(TRUTH), called("a", "b"), ["a", "b"], ["b", "a"]),
        (checks.max_tool_calls(TRUTH), called("a", "b"), 2, 1),
        (checks.contains_all(TRUTH), said("sun"), ["s", "u"], ["s", "x"]),
        (checks.contains_any(TRUTH), said("sun"), ["x", "s"], ["x", "y"]),
        (checks.contains_all(["S"], ignore_case=TRUTH), said("sun"), True, False),
        (checks.contains_any(["S"], ignore_case=TRUTH), said("sun"), True, False),
        (checks.starts_with(TRUTH), said("sun"), "su", "un"),
        (checks.starts_with("S", ignore_case=TRUTH), said("sun"), True, False),
        (checks.ends_with(TRUTH), said("sun"), "un", "su"),
        (checks.ends_with("N", ignore_case=TRUTH), said("sun"), True, False),
        (checks.is_json(TRUTH), said("{}"), {"type": "object"}, {"type": "array"}),
        (checks.json_path_equals(TRUTH, 1), said('{"a": 1, "b": 2}'), "a", "b"),
        (checks.json_path_equals("a", TRUTH), said('{"a": 1, "b": 2}'), 1, 2),
        (checks.max_length(TRUTH), said("sun"), 3, 2),
        (checks.max_length(2, TRUTH), said("sun"), "words", "characters"),
        (checks.min_length(TRUTH), said("sun"), 3, 4),
        (checks.min_length(2, TRUTH), said("sun"), "characters", "words"),
        (checks.max_turns(TRUTH), said("a", "b"), 2, 1),
        (checks.tool_called_with(TRUTH, {}), called("a"), "a", "b"),
        (checks.tool_called_with("a", TRUTH), called("a"), {}, {"x": 1}),
        (checks.tool_called_with("a", {}, match=TRUTH), [asked("a", x=1)], "subset", "exact"),
        (checks.not_(checks.excludes(TRUTH)), said("sun"), "sun", "rain"),
    ],
)
def test_every_argument_can_come_from_the_item(check: Any, output: Any, one: object, other: object) -> None:
    assert score(check, output, ground_truth=one, metadata={"exact": False}) == 1.0
    assert score(check, output, ground_truth=other, metadata={"exact": True}) == 0.0


def test_of_several_accepted_answers_any_will_do() -> None:
    paris = ["Paris", "the city of light"]
    assert score(checks.equals(TRUTH), said("The city of light"), ground_truth=paris) == 1.0
    assert score(checks.includes(TRUTH), said("paris!"), ground_truth=paris) == 1.0
    assert score(checks.includes(TRUTH), said("Rome"), ground_truth=paris) == 0.0
    assert score(checks.called_tool(TRUTH), called("fetch"), ground_truth=("search", "fetch")) == 1.0
    assert score(checks.matches(TRUTH), said("x7"), ground_truth=[r"^\d", r"\d$"]) == 1.0


def test_an_accepted_answer_is_taken_whole_whatever_commas_it_holds() -> None:
    assert score(checks.equals(TRUTH), said("1,000"), ground_truth=["1,000"]) == 1.0
    assert score(checks.equals(TRUTH), said("1"), ground_truth=["1,000"]) == 0.0


def test_the_accepted_answer_most_alike_counts() -> None:
    assert score(checks.similarity(TRUTH), said("nacht"), ground_truth=["wolf", "night", "xx"]) == 0.25
    assert score(checks.similarity(TRUTH), said("nacht"), ground_truth=["night", "nacht"]) == 1.0


def test_none_of_several_forbidden_values_may_occur() -> None:
    assert score(checks.excludes(TRUTH), said("sun"), ground_truth=["rain", "sun"]) == 0.0
    assert score(checks.excludes(TRUTH), said("sun"), ground_truth=["rain", "snow"]) == 1.0
    assert score(checks.did_not_call(TRUTH), called("refund"), ground_truth=["search", "refund"]) == 0.0


def test_a_list_of_names_is_one_order_and_a_list_of_lists_are_several() -> None:
    check = checks.tool_order(TRUTH)
    assert score(check, called("b", "a"), ground_truth=["a", "b"]) == 0.0
    assert score(check, called("b", "a"), ground_truth=[["a", "b"], ["b", "a"]]) == 1.0
    assert score(check, called("c"), ground_truth=[["a", "b"], ["b", "a"]]) == 0.0
    assert score(check, [], ground_truth=[]) == 1.0


def test_a_list_of_texts_is_what_to_look_for_and_a_list_of_lists_are_several() -> None:
    check = checks.contains_all(TRUTH)
    assert score(check, said("sun"), ground_truth=["sun", "rain"]) == 0.0
    assert score(check, said("sun"), ground_truth=[["sun", "rain"], ["sun"]]) == 1.0


def test_an_expected_list_of_json_stands_in_a_list() -> None:
    check = checks.json_path_equals("a", TRUTH)
    assert score(check, {"a": [1, 2]}, ground_truth=[[1, 2]]) == 1.0
    assert score(check, {"a": [1, 2]}, ground_truth=[1, 2]) == 0.0
    assert score(check, {"a": 2}, ground_truth=[1, 2]) == 1.0


def test_accepted_arguments_of_a_call_are_tried_one_by_one() -> None:
    check = checks.tool_called_with("a", TRUTH, match="subset")
    assert score(check, [asked("a", x=1, y=2)], ground_truth=[{"x": 2}, {"y": 2}]) == 1.0
    assert score(check, [asked("a", x=1, y=2)], ground_truth=[{"x": 2}, {"y": 1}]) == 0.0


def test_the_limits_of_time_and_money_come_from_the_item_too() -> None:
    latency, cost = checks.latency_under(TRUTH), checks.cost_under(TRUTH)
    for check, run in ((latency, {"target_duration_ms": 1500.0}), (cost, {"cost": 1.5})):
        assert score(check, "sun", ground_truth=2, **run) == 1.0
        assert score(check, "sun", ground_truth=1, **run) == 0.0
        assert score(check, "sun", ground_truth=[1, 2], **run) == 1.0
        assert not_scored(check, "sun", ground_truth=[1, 2])


def test_an_accepted_value_that_cannot_be_measured_leaves_open_what_no_other_has_met() -> None:
    either = checks.max_length(1, TRUTH)
    assert not_scored(either, said("今天"), ground_truth=["words", "characters"])
    assert score(checks.max_length(2, TRUTH), said("今天"), ground_truth=["words", "characters"]) == 1.0


def test_two_arguments_of_the_item_are_tried_in_every_pairing() -> None:
    check = checks.called_tool(TRUTH, from_item("metadata.times"))
    assert score(check, called("a", "b", "b"), ground_truth=["a", "b"], metadata={"times": [3, 2]}) == 1.0
    assert score(check, called("a", "b", "b"), ground_truth=["a", "b"], metadata={"times": [3, 4]}) == 0.0


def test_the_reason_tells_of_every_value_that_was_tried() -> None:
    assert reason(checks.equals(TRUTH), said("x"), ground_truth=["a", "b"]) == (
        "None of 2 accepted values holds: Expected 'a', found 'x'. Expected 'b', found 'x'."
    )
    assert reason(checks.equals(TRUTH), said("x"), ground_truth=list("abcde")).endswith(" And 2 more.")
    assert reason(checks.equals(TRUTH), said("b"), ground_truth=["a", "b"]) == "The answer equals 'b'."
    assert reason(checks.similarity(TRUTH), said("nacht"), ground_truth=["wolf", "night"]) == (
        "Best of 2 accepted values: 0.25 alike to 'night': the answer is 'nacht'."
    )
    assert reason(checks.excludes(TRUTH), said("x"), ground_truth=["a", "b"]) == (
        "All of 2 hold: The answer does not contain 'a'. The answer does not contain 'b'."
    )


@pytest.mark.parametrize(
    ("check", "value", "words"),
    [
        (checks.includes(TRUTH), "", "includes(value=), from the item's ground_truth: the text is empty"),
        (checks.includes(TRUTH), ["sun", ""], "includes(value=), from the item's ground_truth: the text is empty"),
        (checks.equals(TRUTH), 42, "equals(value=), from the item's ground_truth: expected a text, found int"),
        (checks.equals(TRUTH), [], "equals(value=), from the item's ground_truth: the list is empty"),
        (checks.equals(TRUTH), [["a"]], "equals(value=), from the item's ground_truth: expected a text, found list"),
        (checks.similarity("a", TRUTH), 2, "similarity(threshold=), from the item's ground_truth: must lie between"),
        (checks.called_tool("a", TRUTH), 0, "called_tool(times=), from the item's ground_truth: must be at least 1"),
        (checks.tool_order(TRUTH), "a", "tool_order(order=), from the item's ground_truth: expected a list of texts"),
        (checks.tool_order(TRUTH), [["a"], "b"], "tool_order(order=), from the item's ground_truth: expected a list"),
        (checks.matches(TRUTH), "(", "matches(pattern=): /(/ cannot be read: missing )"),
        (checks.contains_all(TRUTH), "a", "contains_all(values=), from the item's ground_truth: expected a list of"),
        (checks.contains_any(TRUTH), [], "contains_any(values=), from the item's ground_truth: the list is empty"),
        (checks.starts_with(TRUTH), "", "starts_with(value=), from the item's ground_truth: the text is empty"),
        (checks.max_length(1, TRUTH), "lines", "max_length(unit=), from the item's ground_truth: use one of"),
        (checks.max_turns(TRUTH), 0, "max_turns(n=), from the item's ground_truth: must be at least 1"),
        (checks.is_json(TRUTH), {"type": 1}, "is_json(schema=), from the item's ground_truth: no JSON schema"),
        (checks.json_path_equals(TRUTH, 1), "a..b", "json_path_equals(path=), from the item's ground_truth: 'a..b'"),
        (checks.tool_called_with("a", TRUTH), 3, "tool_called_with(args=), from the item's ground_truth: expected a"),
        (checks.tool_called_with("a", {}, match=TRUTH), "predicate", "tool_called_with(args=), with match='predicate'"),
        (checks.latency_under(TRUTH), -1, "latency_under(seconds=), from the item's ground_truth: must be a finite"),
        (checks.cost_under(TRUTH), True, "cost_under(dollars=), from the item's ground_truth: expected a number"),
        (checks.matches("a", flags=TRUTH), "g", "matches(flags=), from the item's ground_truth: unknown flag 'g'"),
    ],
)
def test_a_bad_value_of_an_item_fails_that_run_and_names_the_place(check: Any, value: object, words: str) -> None:
    error = failure(check, said("sun"), ground_truth=value)
    assert isinstance(error, ConfigurationError)
    assert str(error).startswith(words)


def test_a_compiled_pattern_of_an_item_does_not_mix_with_other_flags() -> None:
    check = checks.matches(TRUTH, flags="i")
    for package in (re, regex):
        error = failure(check, said("sun"), ground_truth=package.compile("sun"))
        assert "a compiled pattern has its own flags" in str(error)


def test_a_bad_item_costs_its_own_score_only() -> None:
    result = run_evals(
        data=[{"output": "sun", "ground_truth": ""}, {"output": "sun", "ground_truth": "sun"}],
        scorers=[checks.includes(TRUTH)],
    )
    assert result.scores["check-includes"] == 1.0
    assert list(result.summary.errors.values()) == [1]


def test_an_item_without_the_value_is_a_failure_and_never_a_number() -> None:
    assert isinstance(failure(checks.includes(TRUTH), said("sun")), MissingValue)
    assert isinstance(failure(checks.includes(from_item("metadata.must")), said("sun"), metadata={}), MissingValue)


def test_an_evaluation_is_refused_when_an_item_lacks_what_a_check_needs() -> None:
    with pytest.raises(ConfigurationError, match=r"needs metadata\.must"):
        run_evals(data=[{"output": "sun"}], scorers=[checks.includes(from_item("metadata.must"))])


def test_what_is_known_beforehand_is_refused_beforehand() -> None:
    refused: list[Callable[[], object]] = [
        lambda: checks.similarity(TRUTH, 2.0),
        lambda: checks.called_tool(TRUTH, 0),
        lambda: checks.matches(TRUTH, flags="g"),
        lambda: checks.includes(TRUTH, ignore_case="no"),  # type: ignore[arg-type]
        lambda: checks.matches("(", exact=TRUTH),
    ]
    for make in refused:
        with pytest.raises(ConfigurationError):
            make()


def test_a_hopeless_pattern_of_an_item_runs_out_of_time() -> None:
    check = checks.matches(TRUTH, timeout=0.01)
    assert isinstance(failure(check, said("a" * 40 + "b"), ground_truth="(a|aa)+$"), TimedOut)


def test_the_description_says_where_the_value_comes_from() -> None:
    assert checks.includes(TRUTH).description == "The answer contains the item's ground_truth."
    assert checks.matches(TRUTH).description == "The answer matches the item's ground_truth."


@LAW
@given(texts_to_find, texts, st.booleans())
def test_a_value_of_the_item_is_as_good_as_one_given_at_once(value: str, answer: str, ignore_case: bool) -> None:
    for factory in (checks.includes, checks.excludes, checks.equals, checks.similarity):
        known = score(factory(value, ignore_case=ignore_case), said(answer))
        assert score(factory(TRUTH, ignore_case=ignore_case), said(answer), ground_truth=value) == known
        assert score(factory(TRUTH, ignore_case=ignore_case), said(answer), ground_truth=[value, value]) == known


@LAW
@given(st.lists(texts_to_find, min_size=1, max_size=4), texts)
def test_accepting_one_more_value_never_lowers_the_score_and_forbidding_one_more_never_raises_it(
    values: list[str], answer: str
) -> None:
    fewer = values[:-1] or values
    for factory in (checks.includes, checks.equals, checks.similarity):
        assert score(factory(TRUTH), said(answer), ground_truth=values) >= score(
            factory(TRUTH), said(answer), ground_truth=fewer
        )
    assert score(checks.excludes(TRUTH), said(answer), ground_truth=values) <= score(
        checks.excludes(TRUTH), said(answer), ground_truth=fewer
    )


@LAW
@given(st.lists(names, min_size=1), st.permutations(["search", "fetch"]))
def test_the_order_of_accepted_values_does_not_matter(made: list[str], values: list[str]) -> None:
    for factory in (checks.called_tool, checks.did_not_call):
        assert score(factory(TRUTH), called(*made), ground_truth=values) == score(
            factory(TRUTH), called(*made), ground_truth=values[::-1]
        )
