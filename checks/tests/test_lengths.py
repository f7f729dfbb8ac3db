"""How long an answer is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard_checks as checks
from checks.tests.answers import LAW, answers, not_scored, reason, said, score
from steelyard import ConfigurationError


def test_characters_are_code_points_of_the_composed_text() -> None:
    assert score(checks.max_length(1), said("e\u0301")) == 1.0
    assert score(checks.max_length(1), said("🚀")) == 1.0
    assert score(checks.min_length(2), said("한")) == 0.0
    assert score(checks.min_length(3, unit="characters"), said("sun")) == 1.0


def test_the_whole_answer_counts_with_the_blank_lines_between_its_messages() -> None:
    assert score(checks.max_length(8), said("sun", "", "sky")) == 1.0
    assert score(checks.max_length(7), said("sun", "", "sky")) == 0.0
    assert score(checks.max_length(2, "words"), said("sun", "sky")) == 1.0


def test_words_are_what_white_space_parts() -> None:
    output = said(" well-known,\tit's\n3.14 한국어 문장\u00a0. ")
    assert score(checks.max_length(6, "words"), output) == 1.0
    assert score(checks.max_length(5, "words"), output) == 0.0
    assert score(checks.min_length(6, "words"), output) == 1.0


def test_an_answer_without_text_has_no_length() -> None:
    for output in ([], said("")):
        assert score(checks.max_length(0), output) == 1.0
        assert score(checks.max_length(0, "words"), output) == 1.0
        assert score(checks.min_length(1), output) == 0.0


@pytest.mark.parametrize("text", ["今天天气很好", "これはペンです", "สวัสดีครับ", "ខ្ញុំស្រលាញ់", "one 天 two"])
def test_words_of_a_script_without_spaces_are_not_counted_as_few(text: str) -> None:
    assert "has none between them" in not_scored(checks.max_length(5, "words"), said(text))
    assert "has none between them" in not_scored(checks.min_length(5, "words"), said(text))
    assert score(checks.max_length(5, "characters"), said(text)) == 0.0


def test_what_white_space_parts_decides_where_it_is_enough() -> None:
    output = said("the word 天 means sky")
    assert score(checks.min_length(5, "words"), output) == 1.0
    assert score(checks.max_length(4, "words"), output) == 0.0


@pytest.mark.parametrize("text", ["Straße über Øl", "🚀 ok", "한국어 문장", "Γειά σου", "नमस्ते दुनिया", "שלום עולם"])
def test_words_of_other_scripts_are_counted(text: str) -> None:
    assert score(checks.max_length(3, "words"), said(text)) == 1.0
    assert score(checks.min_length(4, "words"), said(text)) == 0.0


def test_the_reason_tells_the_length_and_the_limit() -> None:
    assert reason(checks.max_length(9), said("sun")) == "3 characters, at most 9 allowed."
    assert reason(checks.max_length(2), said("sun")) == "3 characters, at most 2 allowed: the answer is 'sun'."
    assert reason(checks.min_length(1, "words"), said("sun")) == "1 word, at least 1 asked."
    assert reason(checks.min_length(2, "words"), said("sun")) == "1 word, at least 2 asked: the answer is 'sun'."
    assert checks.max_length(9, "words").description == "The answer has at most 9 words."


@pytest.mark.parametrize(
    ("factory", "arguments", "words"),
    [
        (checks.max_length, [-1], r"max_length\(n=\): must be at least 0, found -1"),
        (checks.min_length, [0], r"min_length\(n=\): must be at least 1, found 0"),
        (checks.max_length, [True], r"max_length\(n=\): expected a whole number, found bool"),
        (checks.max_length, [1.5], r"max_length\(n=\): expected a whole number, found float"),
        (checks.max_length, [1, "lines"], r"max_length\(unit=\): use one of 'characters', 'words', found 'lines'"),
        (checks.min_length, [1, None], r"min_length\(unit=\): use one of 'characters', 'words', found None"),
    ],
)
def test_limits_that_are_none_and_unknown_units_are_refused(factory: Any, arguments: list[Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        factory(*arguments)


@LAW
@given(answers, st.integers(0, 20), st.sampled_from(("characters", "words")))
def test_an_answer_is_at_most_that_long_or_longer(answer: list[str], n: int, unit: Any) -> None:
    at_most, longer = checks.max_length(n, unit), checks.min_length(n + 1, unit)
    assert score(at_most, said(*answer)) + score(longer, said(*answer)) == 1.0
    assert score(at_most, said(*answer)) <= score(checks.max_length(n + 1, unit), said(*answer))
