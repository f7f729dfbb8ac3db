"""Whether an answer is JSON, what it says at one place, and where in an output the answer is."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard_checks as checks
from checks.tests.answers import LAW, called, failure, json_values, reason, said, score
from steelyard import AgentOutput, ConfigurationError, Message, TargetResult, UnreadableOutput, from_item, run_evals


@dataclass
class Answer:
    city: str
    when: object = None


# -- what is JSON ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "output", [{"a": 1}, "100", 100, [], {}, "[]", True, 0.5, '"sun"', "null", " {} \n", Answer("x")]
)
def test_structured_outputs_are_json_and_so_are_scalars(output: object) -> None:
    """B156"""
    assert score(checks.is_json(), output) == 1.0


def test_a_schema_leaves_scalars_out() -> None:
    """B156"""
    check = checks.is_json({"type": ["object", "array"]})
    assert [score(check, output) for output in ({"a": 1}, "[]", "100", 100)] == [1.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "sun",
        "{",
        "{'a': 1}",
        '{"a": 1,}',
        "True",
        "NaN",
        "[1, -Infinity]",
        "\ufeff{}",
        "```json\n{}\n```",
        "Here it is: {}",
        "{} {}",
        "[01]",
    ],
)
def test_texts_that_are_almost_json_are_none(text: str) -> None:
    assert score(checks.is_json(), text) == 0.0
    assert reason(checks.is_json(), text).startswith("The answer is not JSON: ")


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ({"a": [1, math.nan]}, "at 'a[1]' nan is no number of JSON"),
        ({"when": date(2026, 1, 1)}, "at 'when' date is no value of JSON"),
        (Answer("Paris", {1, 2}), "at 'when' set is no value of JSON"),
        ({"a": {1: 2}}, "at 'a' the key 1 is no text"),
        ([b"x"], "at '[0]' bytes is no value of JSON"),
    ],
)
def test_an_output_that_holds_what_json_cannot_is_none(output: object, told: str) -> None:
    assert score(checks.is_json(), output) == 0.0
    assert reason(checks.is_json(), output) == f"The answer is not JSON: {told}."


def test_numbers_of_any_length_are_json() -> None:
    assert score(checks.is_json(), "9" * 5000) == 1.0
    assert score(checks.json_path_equals("$", 10**20), str(10**20)) == 1.0


def test_the_reason_tells_what_was_read_and_where_it_broke() -> None:
    assert reason(checks.is_json(), '{"a": 1}') == "The answer is JSON: an object."
    assert reason(checks.is_json(), "[]") == "The answer is JSON: a list."
    assert reason(checks.is_json(), "null") == "The answer is JSON: null."
    assert reason(checks.is_json(), '{"a": }').endswith("at line 1, column 7: '{\"a\": }'.")
    assert reason(checks.is_json(), said("")) == "The answer is not JSON: it has no text."


# -- where the answer is -----------------------------------------------------------------------------------------------

ONE = '{"a": 1}'


@pytest.mark.parametrize(
    "output",
    [
        ONE,
        {"a": 1},
        said("Let me look.", ONE, ""),
        tuple(said(ONE)),
        AgentOutput(said(ONE)),
        Message("assistant", ONE),
        {"role": "assistant", "content": ONE},
        [{"role": "user", "content": "?"}, {"role": "assistant", "content": ONE}],
        ("first turn", ONE),
        ("first turn", {"a": 1}),
        ("first turn", said(ONE)),
        [*called("search"), *said(ONE)],
    ],
)
def test_the_answer_is_the_last_message_with_text_or_the_output_itself(output: object) -> None:
    assert score(checks.is_json(), output) == 1.0
    assert score(checks.json_path_equals("a", 1), output) == 1.0


@pytest.mark.parametrize("output", [(), AgentOutput(), [Message("user", "{}")], [{"role": "user", "content": "{}"}]])
def test_an_output_without_an_answer_is_not_json(output: object) -> None:
    assert score(checks.is_json(), output) == 0.0
    assert score(checks.json_path_equals("a", 1), output) == 0.0


def test_data_that_has_a_role_is_data_unless_it_also_has_content() -> None:
    assert score(checks.json_path_equals("role", "user"), {"role": "user", "name": "Ada"}) == 1.0
    assert score(checks.json_path_equals("role", "admin"), {"role": "admin", "content": "x"}) == 1.0
    assert score(checks.json_path_equals("[0].role", "user"), [{"role": "user"}]) == 1.0


@pytest.mark.parametrize("output", [None, object(), b"{}", {1, 2}, int, lambda: None])
def test_none_and_what_is_no_data_are_failures(output: object) -> None:
    for check in (checks.is_json(), checks.json_path_equals("a", 1)):
        assert isinstance(failure(check, output), UnreadableOutput)


def test_messages_that_cannot_be_read_are_a_failure() -> None:
    broken = [{"role": "assistant", "content": {"a": 1}}]
    assert isinstance(failure(checks.is_json(), broken), UnreadableOutput)


def test_what_is_nested_too_deeply_is_a_failure_and_not_a_crash() -> None:
    assert isinstance(failure(checks.is_json(), "[" * 200_000), RecursionError)


def test_in_an_evaluation_structured_outputs_are_read_as_the_target_gives_them() -> None:
    """B156, B158"""
    outputs: list[object] = [{"city": "Paris"}, Answer("Paris"), '{"city": "Paris"}', TargetResult({"city": "Paris"})]
    check = checks.json_path_equals("city", "Paris")
    live = run_evals(
        data=[{"input": at} for at in range(4)], target=lambda at: outputs[at], gates=[checks.is_json(), check]
    )
    recorded = run_evals(data=[{"output": output} for output in outputs], gates=[checks.is_json(), check])
    assert live.verdict == recorded.verdict == "passed"


def test_of_several_turns_the_last_is_read() -> None:
    result = run_evals(
        data=[{"inputs": ["a", "b"]}],
        target=lambda given: {"said": given},
        scorers=[checks.json_path_equals("said", "b")],
    )
    assert result.scores["check-json-path-equals"] == 1.0


# -- a place in it -----------------------------------------------------------------------------------------------------

SAMPLE = {"a": {"b": [{"c": 1}, {"c": None}]}, "x y-z": True, "é": 2, "0": 3, "": 4}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("$", SAMPLE),
        ("a.b[0].c", 1),
        ("$.a.b[0].c", 1),
        ("a.b[1].c", None),
        ("a.b[-1].c", None),
        ("a.b", [{"c": 1.0}, {"c": None}]),
        ("x y-z", True),
        ("e\u0301", 2),
        ("0", 3),
    ],
)
def test_a_path_is_names_joined_by_dots_and_places_in_brackets(path: str, value: object) -> None:
    assert score(checks.json_path_equals(path, value), json.dumps(SAMPLE)) == 1.0
    assert score(checks.json_path_equals(path, "other"), SAMPLE) == 0.0


def test_a_path_may_begin_with_a_place_or_with_a_dollar() -> None:
    assert score(checks.json_path_equals("[1][0]", 2), "[1, [2]]") == 1.0
    assert score(checks.json_path_equals("$[1][0]", 2), "[1, [2]]") == 1.0
    assert score(checks.json_path_equals("$ref", 2), '{"$ref": 2}') == 1.0


@pytest.mark.parametrize("path", ["z", "a.z", "a.b[2]", "a.b[-3]", "a.b.c", "a[0]", "a.b[0].c.d"])
def test_a_path_that_leads_nowhere_misses_and_null_is_not_nothing(path: str) -> None:
    assert score(checks.json_path_equals(path, None), SAMPLE) == 0.0
    assert reason(checks.json_path_equals(path, None), SAMPLE).startswith(f"Nothing stands at '{path}': ")


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("a.b[0].c", 1, "'a.b[0].c' is 1."),
        ("a.b[0].c", True, "a.b[0].c: expected True, found 1."),
        ("a.b", [{"c": 1}, {"c": 0}], "a.b[1].c: expected 0, found None."),
        ("a.c", 1, "Nothing stands at 'a.c': 'a' is an object with the keys 'b'."),
        ("a.b[2]", 1, "Nothing stands at 'a.b[2]': 'a.b' is a list of 2 elements."),
        ("0[1]", 1, "Nothing stands at '0[1]': '0' is a number."),
        ("[0]", 1, "Nothing stands at '[0]': the answer is an object with the keys 'a', 'x y-z', 'é', '0', ''."),
    ],
)
def test_the_reason_names_the_first_difference_or_what_stands_there(path: str, value: object, told: str) -> None:
    assert reason(checks.json_path_equals(path, value), SAMPLE) == told


def test_an_answer_that_is_no_json_misses_with_the_reason() -> None:
    assert reason(checks.json_path_equals("a", 1), "sun").startswith("The answer is not JSON: ")


@pytest.mark.parametrize(
    "path", ["", ".", "a.", ".a", "a..b", "a[", "a]", "a[]", "a[x]", "a[*]", "a[1]b", "$a[0]x", "a[-]"]
)
def test_a_path_that_cannot_be_read_is_refused(path: str) -> None:
    with pytest.raises(ConfigurationError, match=r"json_path_equals\(path=\): .* is no path"):
        checks.json_path_equals(path, 1)


@pytest.mark.parametrize("value", [math.inf, {1: 2}, {"a": {3}}, object(), date(2026, 1, 1)])
def test_a_value_that_no_json_holds_is_refused(value: object) -> None:
    with pytest.raises(ConfigurationError, match=r"json_path_equals\(value=\): expected a value of JSON"):
        checks.json_path_equals("a", value)


def test_a_place_of_the_item_stands_for_a_whole_argument_alone() -> None:
    with pytest.raises(ConfigurationError, match="whole argument"):
        checks.json_path_equals("a", [from_item("ground_truth")])
    with pytest.raises(ConfigurationError, match="whole argument"):
        checks.is_json({"const": from_item("ground_truth")})


@LAW
@given(json_values)
def test_every_value_is_json_and_equals_itself_as_a_text_and_as_it_is(value: Any) -> None:
    text = json.dumps(value)
    assert score(checks.is_json(), text) == 1.0
    assert score(checks.json_path_equals("$", value), text) == 1.0
    if isinstance(value, dict | list):
        assert score(checks.json_path_equals("$", value), value) == 1.0


@LAW
@given(st.dictionaries(st.sampled_from("abc"), st.lists(json_values, max_size=3), min_size=1), st.data())
def test_a_value_is_found_at_its_path(value: dict[str, Any], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(sorted(value)))
    for at, inner in enumerate(value[key]):
        assert score(checks.json_path_equals(f"{key}[{at}]", inner), value) == 1.0
        assert score(checks.json_path_equals(f"$.{key}[{at - len(value[key])}]", inner), json.dumps(value)) == 1.0


@LAW
@given(json_values, json_values)
def test_another_value_is_not_found(one: Any, other: Any) -> None:
    forth = score(checks.json_path_equals("$.a", one), {"a": other})
    assert forth == score(checks.json_path_equals("$.a", other), {"a": one})
