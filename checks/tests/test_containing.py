"""Several texts looked for in one answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard_checks as checks
from checks.tests.answers import LAW, answers, reason, said, score, texts_to_find
from steelyard import ConfigurationError

several = st.lists(texts_to_find, min_size=1, max_size=4)


def test_all_of_the_texts_or_any_of_them() -> None:
    output = said("Rain in Oslo, sun in Rome.")
    assert score(checks.contains_all(["sun", "OSLO"]), output) == 1.0
    assert score(checks.contains_all(["sun", "Paris"]), output) == 0.0
    assert score(checks.contains_any(["Paris", "sun"]), output) == 1.0
    assert score(checks.contains_any(["Paris", "snow"]), output) == 0.0


def test_each_text_may_stand_in_another_message_and_none_spans_two() -> None:
    assert score(checks.contains_all(["sun", "rain"]), said("sun", "rain")) == 1.0
    assert score(checks.contains_all(["sun", "n\n\nr"]), said("sun", "rain")) == 0.0
    assert score(checks.contains_any(["n\n\nr"]), said("sun", "rain")) == 0.0


def test_case_and_composition_are_read_as_by_includes() -> None:
    assert score(checks.contains_all(["STRASSE", "e\u0301"]), said("Straße, \u00c9clair")) == 1.0
    assert score(checks.contains_all(["STRASSE"], ignore_case=False), said("Straße")) == 0.0
    assert score(checks.contains_any(["E\u0301"], ignore_case=False), said("\u00c9")) == 1.0


def test_a_text_is_taken_whole_whatever_commas_it_holds() -> None:
    assert score(checks.contains_all(["1,000"]), said("1, 000")) == 0.0
    assert score(checks.contains_any(["a, b"]), said("a or b")) == 0.0


def test_the_reason_names_what_is_missing_and_what_was_found() -> None:
    assert reason(checks.contains_all(["a", "b"]), said("a b")) == "The answer contains 'a', 'b'."
    assert reason(checks.contains_all(["a", "b", "c"]), said("b")) == (
        "2 of 3 texts missing from the answer: 'a', 'c'."
    )
    assert reason(checks.contains_any(["x", "b"]), said("b")) == "The answer contains 'b'."
    assert reason(checks.contains_any(["x", "y"]), said("b")) == "None of 'x', 'y' stands in the answer."
    assert reason(checks.contains_all(list("ABCDEFGHIJKL")), said("?")).endswith("'I', 'J' and 2 more.")


@pytest.mark.parametrize("factory", [checks.contains_all, checks.contains_any])
@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([], "the list is empty"),
        (["sun", ""], "the text is empty"),
        ("sun", "expected a list of texts, found str"),
        (["sun", 3], "expected a list of texts, found int"),
        ({"sun"}, "expected a list of texts, found set"),
        (None, "expected a list of texts, found NoneType"),
    ],
)
def test_what_every_answer_would_meet_or_miss_is_refused(factory: Any, values: object, words: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"{factory.__name__}\(values=\): {words}"):
        factory(values)


@LAW
@given(several, answers, st.booleans())
def test_an_answer_that_contains_all_contains_any(values: list[str], answer: list[str], ignore_case: bool) -> None:
    every = score(checks.contains_all(values, ignore_case=ignore_case), said(*answer))
    assert every <= score(checks.contains_any(values, ignore_case=ignore_case), said(*answer))


@LAW
@given(several, answers, st.booleans())
def test_all_and_any_are_what_includes_says_of_each(values: list[str], answer: list[str], ignore_case: bool) -> None:
    each = [score(checks.includes(value, ignore_case=ignore_case), said(*answer)) for value in values]
    assert score(checks.contains_all(values, ignore_case=ignore_case), said(*answer)) == min(each)
    assert score(checks.contains_any(values, ignore_case=ignore_case), said(*answer)) == max(each)


@LAW
@given(several, texts_to_find, answers)
def test_one_text_more_never_helps_all_and_never_hurts_any(values: list[str], more: str, answer: list[str]) -> None:
    output = said(*answer)
    assert score(checks.contains_all([*values, more]), output) <= score(checks.contains_all(values), output)
    assert score(checks.contains_any([*values, more]), output) >= score(checks.contains_any(values), output)
