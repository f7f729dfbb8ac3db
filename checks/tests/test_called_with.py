"""What a tool was called with."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard_checks as checks
from checks.tests.answers import LAW, asked, called, failure, json_values, reason, score
from steelyard import ConfigurationError, Message, ToolCall, from_item

PARIS = [asked("search", city="Paris", days=3, tags=["a", "b"], near={"km": 5, "unit": "km"})]
arguments = st.dictionaries(st.sampled_from("abc"), json_values, max_size=3)


def calling(*calls: ToolCall) -> list[Message]:
    """One assistant message with these calls."""
    return [Message("assistant", None, tool_calls=calls)]


def test_exact_arguments_are_all_of_them_in_whatever_order() -> None:
    whole = {"near": {"unit": "km", "km": 5.0}, "tags": ["a", "b"], "days": 3, "city": "Paris"}
    assert score(checks.tool_called_with("search", whole), PARIS) == 1.0
    assert score(checks.tool_called_with("search", {"city": "Paris"}), PARIS) == 0.0
    assert score(checks.tool_called_with("search", {**whole, "tags": ["b", "a"]}), PARIS) == 0.0
    assert score(checks.tool_called_with("fetch", whole), PARIS) == 0.0


def test_a_subset_may_leave_out_arguments_at_any_depth() -> None:
    for part, found in (
        ({"city": "Paris"}, 1.0),
        ({"near": {"km": 5}}, 1.0),
        ({}, 1.0),
        ({"near": {"km": 6}}, 0.0),
        ({"tags": ["a"]}, 0.0),
        ({"land": None}, 0.0),
    ):
        assert score(checks.tool_called_with("search", part, match="subset"), PARIS) == found


def test_a_predicate_says_of_the_arguments_whether_they_will_do() -> None:
    check = checks.tool_called_with("search", lambda args: args["days"] > 2, match="predicate")
    assert score(check, PARIS) == 1.0
    assert score(check, [asked("search", days=1)]) == 0.0


def test_values_are_compared_as_in_json_and_true_is_not_1() -> None:
    assert score(checks.tool_called_with("t", {"n": True}), [asked("t", n=1)]) == 0.0
    assert score(checks.tool_called_with("t", {"n": 1}), [asked("t", n=1.0)]) == 1.0
    assert score(checks.tool_called_with("t", {"n": "e\u0301"}), [asked("t", n="\u00e9")]) == 1.0
    assert score(checks.tool_called_with("t", {"n": "Sun"}), [asked("t", n="sun")]) == 0.0


def test_one_call_of_several_is_enough_and_it_must_be_the_same() -> None:
    output = [asked("t", a=1, b=2), asked("u", a=9), asked("t", a=3)]
    assert score(checks.tool_called_with("t", {"a": 3}), output) == 1.0
    assert score(checks.tool_called_with("t", {"a": 9}), output) == 0.0
    assert score(checks.tool_called_with("t", {"a": 3, "b": 2}, match="subset"), output) == 0.0


@pytest.mark.parametrize("state", ["call", "result", "output-error"])
def test_the_outcome_of_the_call_does_not_matter(state: Any) -> None:
    output = calling(ToolCall("t", {"a": 1}, state=state))
    assert score(checks.tool_called_with("t", {"a": 1}), output) == 1.0


def test_a_call_whose_arguments_were_still_arriving_is_no_call() -> None:
    output = calling(ToolCall("t", {"a": 1}, state="partial-call"))
    assert score(checks.tool_called_with("t", {"a": 1}), output) == 0.0


@pytest.mark.parametrize("match", ["exact", "subset", "predicate"])
def test_arguments_that_cannot_be_read_are_none_that_were_asked_for(match: Any) -> None:
    given: Any = {} if match != "predicate" else lambda args: True
    check = checks.tool_called_with("t", given, match=match)
    broken = calling(ToolCall("t", None, raw_args='{"a": '))
    assert score(check, broken) == 0.0
    assert "its arguments could not be read: '{\"a\": '" in reason(check, broken)
    assert score(check, calling(ToolCall("t", ["a"]))) == 0.0
    assert "its arguments are no mapping: ['a']" in reason(check, calling(ToolCall("t", ["a"])))


def test_the_reason_names_argument_expected_and_actual() -> None:
    check = checks.tool_called_with("search", {"city": "Paris"})
    assert reason(check, [asked("search", city="Paris")]) == "'search' was called with {'city': 'Paris'}."
    assert reason(check, [asked("search", city="Rome")]) == (
        "'search' was called, and not with {'city': 'Paris'}: city: expected 'Paris', found 'Rome'."
    )
    assert reason(check, [asked("search", city="Paris", days=3)]) == (
        "'search' was called, and not with {'city': 'Paris'}: days: expected nothing, found 3."
    )
    assert reason(check, [asked("search"), asked("search", city="Oslo")]) == (
        "'search' was called 2 times, and never with {'city': 'Paris'}: call 1: city: expected 'Paris', found nothing; "
        "call 2: city: expected 'Paris', found 'Oslo'."
    )
    assert reason(check, [asked("search") for _ in range(9)]).endswith("; and 6 more.")
    assert reason(check, called("fetch")) == "'search' was never called. Calls: 'fetch'."
    assert reason(check, []) == "'search' was never called. No tool was called."


def test_the_reason_of_a_predicate_shows_what_it_did_not_accept() -> None:
    check = checks.tool_called_with("search", lambda args: False, match="predicate")
    assert reason(check, [asked("search", city="Rome")]) == (
        "'search' was called, and not with arguments that its function accepts: {'city': 'Rome'} was not accepted."
    )


def test_what_a_predicate_raises_is_a_failure() -> None:
    check = checks.tool_called_with("t", lambda args: args["gone"] > 1, match="predicate")
    assert isinstance(failure(check, [asked("t", a=1)]), KeyError)


@pytest.mark.parametrize("held", [None, 1, "yes"])
def test_a_predicate_that_gives_no_truth_value_is_a_failure(held: Any) -> None:
    check = checks.tool_called_with("t", lambda args: held, match="predicate")
    assert "must give True or False" in str(failure(check, [asked("t", a=1)]))


def test_a_predicate_that_hands_back_a_coroutine_is_a_failure() -> None:
    async def later(args: Any) -> bool:
        return True

    check = checks.tool_called_with("t", lambda args: later(args), match="predicate")  # type: ignore[arg-type, return-value]
    assert "it gave coroutine" in str(failure(check, [asked("t", a=1)]))
    with pytest.raises(ConfigurationError, match="a plain function"):
        checks.tool_called_with("t", later, match="predicate")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("args", "match", "words"),
    [
        ("a", "exact", r"\(args=\): expected a mapping of arguments or a plain function of them, found str"),
        ([("a", 1)], "subset", r"\(args=\): expected a mapping of arguments or a plain function of them, found list"),
        (None, "exact", r"\(args=\): expected a mapping of arguments or a plain function of them, found NoneType"),
        ({"a": 1}, "predicate", r"\(args=\), with match='predicate': expected a function of the arguments, found dict"),
        (callable, "exact", r"\(args=\): a function of the arguments goes with match='predicate', found match='exact'"),
        ({}, "superset", r"\(match=\): use one of 'exact', 'subset', 'predicate', found 'superset'"),
        ({"a": [from_item("ground_truth")]}, "exact", r"\(args=\): from_item\(...\) stands for a whole argument"),
    ],
)
def test_arguments_that_do_not_go_with_the_match_are_refused(args: Any, match: Any, words: str) -> None:
    with pytest.raises(ConfigurationError, match=f"tool_called_with{words}"):
        checks.tool_called_with("search", args, match=match)


@LAW
@given(arguments, arguments)
def test_exact_is_harder_than_subset_and_subset_than_any_call(args: dict[str, Any], found: dict[str, Any]) -> None:
    output = [asked("t", **found)]
    exact = score(checks.tool_called_with("t", args), output)
    subset = score(checks.tool_called_with("t", args, match="subset"), output)
    assert exact <= subset <= score(checks.called_tool("t"), output)


@LAW
@given(arguments, arguments)
def test_a_predicate_of_equality_is_the_exact_match_of_plain_values(
    args: dict[str, Any], found: dict[str, Any]
) -> None:
    output = [asked("t", **found)]
    assert score(checks.tool_called_with("t", found), output) == 1.0
    exact = score(checks.tool_called_with("t", args), output)
    assert exact == score(checks.json_path_equals("$", args), found)
