"""How an answer begins and how it ends."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import steelyard_checks as checks
from checks.tests.answers import LAW, answers, reason, said, score, texts_to_find
from steelyard import ConfigurationError, Message


def test_the_beginning_is_that_of_the_first_message_and_the_end_that_of_the_last() -> None:
    output = said("", "Let me look.", "It is SUNNY.", "")
    assert score(checks.starts_with("let me"), output) == 1.0
    assert score(checks.starts_with("it is"), output) == 0.0
    assert score(checks.ends_with("sunny."), output) == 1.0
    assert score(checks.ends_with("look."), output) == 0.0


def test_white_space_counts_at_both_ends() -> None:
    assert score(checks.starts_with("sun"), said(" sun")) == 0.0
    assert score(checks.ends_with("sun"), said("sun\n")) == 0.0


def test_case_is_folded_and_texts_are_composed() -> None:
    assert score(checks.starts_with("STRASSE"), said("Straße 7")) == 1.0
    assert score(checks.ends_with("e\u0301"), said("caf\u00c9")) == 1.0
    assert score(checks.ends_with("E", ignore_case=False), said("the")) == 0.0


def test_a_letter_is_not_the_beginning_of_the_same_letter_with_an_accent() -> None:
    assert score(checks.starts_with("e"), said("e\u0301clair")) == 0.0
    assert score(checks.ends_with("\u0301"), said("cafe\u0301")) == 0.0


@pytest.mark.parametrize("output", [[], said(""), [Message("user", "sun")]])
@pytest.mark.parametrize("factory", [checks.starts_with, checks.ends_with])
def test_an_answer_without_text_begins_and_ends_with_nothing(factory: Any, output: list[Message]) -> None:
    assert score(factory("sun"), output) == 0.0
    assert reason(factory("sun"), output) == "'sun' is missing: the answer has no text."


def test_the_reason_shows_the_end_that_was_looked_at() -> None:
    long = f"{'so ' * 60}END"
    assert reason(checks.starts_with("sun"), said("Sunny.")) == "The answer starts with 'sun'."
    assert reason(checks.ends_with("ny."), said("Sunny.")) == "The answer ends with 'ny.'."
    assert reason(checks.starts_with("rain"), said("Sunny.")) == "The answer does not start with 'rain': 'Sunny.'."
    assert reason(checks.starts_with("rain"), said(long)).startswith("The answer does not start with 'rain': 'so so")
    assert reason(checks.ends_with("rain"), said(long)).endswith("so END'.")
    assert len(reason(checks.ends_with("rain"), said(long))) < 130


@pytest.mark.parametrize("factory", [checks.starts_with, checks.ends_with])
def test_an_empty_text_and_what_is_no_text_are_refused(factory: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"s_with\(value=\): the text is empty"):
        factory("")
    with pytest.raises(ConfigurationError, match=r"s_with\(value=\): expected a text, found list"):
        factory(["sun"])


@LAW
@given(texts_to_find, answers, st.booleans())
@example("ß", ["SS"], True)
def test_what_starts_or_ends_with_a_text_includes_it(value: str, answer: list[str], ignore_case: bool) -> None:
    included = score(checks.includes(value, ignore_case=ignore_case), said(*answer))
    assert score(checks.starts_with(value, ignore_case=ignore_case), said(*answer)) <= included
    assert score(checks.ends_with(value, ignore_case=ignore_case), said(*answer)) <= included


@LAW
@given(texts_to_find, texts_to_find, st.booleans())
def test_what_equals_a_text_starts_and_ends_with_it(value: str, answer: str, ignore_case: bool) -> None:
    equal = score(checks.equals(value, ignore_case=ignore_case), said(answer))
    assert equal <= score(checks.starts_with(value, ignore_case=ignore_case), said(answer))
    assert equal <= score(checks.ends_with(value, ignore_case=ignore_case), said(answer))
