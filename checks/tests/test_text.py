"""What ``includes``, ``excludes`` and ``equals`` read in an answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import steelyard_checks as checks
from checks.tests.answers import LAW, answers, reason, said, score, texts, texts_to_find
from steelyard import AgentOutput, ConfigurationError, Message, ScorerRunError, ToolCall, UnreadableOutput
from steelyard_checks._text import composed, first_difference, folded
from steelyard_checks._wording import shown_from


def test_a_text_is_found_whatever_its_case() -> None:
    assert score(checks.includes("SUN"), said("Sunny all day.")) == 1.0
    assert score(checks.includes("rain"), said("Sunny all day.")) == 0.0


def test_case_counts_when_it_is_asked_for() -> None:
    assert score(checks.includes("sun", ignore_case=False), said("Sunny")) == 0.0
    assert score(checks.excludes("sun", ignore_case=False), said("Sunny")) == 1.0
    assert score(checks.equals("sunny", ignore_case=False), said("Sunny")) == 0.0


@pytest.mark.parametrize(("value", "answer"), [("strasse", "Straße"), ("οδοσ", "ΟΔΟΣ"), ("fine", "ﬁne")])
def test_case_is_ignored_as_unicode_folds_it_not_by_lower_case(value: str, answer: str) -> None:
    assert score(checks.includes(value), said(answer)) == 1.0
    assert score(checks.excludes(value), said(answer)) == 0.0
    assert score(checks.equals(value), said(answer)) == 1.0


@pytest.mark.parametrize("ignore_case", [True, False])
@pytest.mark.parametrize(("value", "answer"), [("e\u0301clair", "\u00e9clair"), ("\u1112\u1161\u11ab", "\ud55c")])
def test_composed_and_decomposed_text_is_the_same_text(value: str, answer: str, ignore_case: bool) -> None:
    for written, read in ((value, answer), (answer, value)):
        assert score(checks.includes(written, ignore_case=ignore_case), said(read)) == 1.0
        assert score(checks.excludes(written, ignore_case=ignore_case), said(read)) == 0.0
        assert score(checks.equals(written, ignore_case=ignore_case), said(read)) == 1.0


def test_a_hit_never_spans_two_messages() -> None:
    assert score(checks.includes("o b"), said("foo", "bar")) == 0.0
    assert score(checks.excludes("foo bar"), said("foo", "bar")) == 1.0


def test_every_assistant_message_is_searched_and_nobody_else() -> None:
    output = [
        *said("First look."),
        Message("user", "banana"),
        Message("tool", "banana", tool_call_id="1"),
        *said("End."),
    ]
    assert score(checks.includes("look"), output) == 1.0
    assert score(checks.includes("banana"), output) == 0.0


def test_text_before_a_tool_call_is_read_too() -> None:
    output = [Message("assistant", ["A banana? ", "None."], tool_calls=[ToolCall("find", result=[])])]
    assert score(checks.includes("banana"), output) == 1.0
    assert score(checks.excludes("banana"), output) == 0.0


def test_the_whole_answer_is_its_texts_joined_by_a_blank_line() -> None:
    assert score(checks.equals("one\n\ntwo"), said("one", "", "two")) == 1.0
    assert score(checks.equals("onetwo"), said("one", "two")) == 0.0
    assert score(checks.equals("onetwo"), said(["one", "two"])) == 1.0


def test_white_space_order_and_repetition_count_in_equality() -> None:
    assert score(checks.equals("sun"), said("sun ")) == 0.0
    assert score(checks.equals("dog bites man"), said("man bites dog")) == 0.0
    assert score(checks.equals("no"), said("no no")) == 0.0


@pytest.mark.parametrize("output", [[], said(""), said("", ""), [Message("user", "sun")]])
def test_an_answer_without_text_contains_nothing_and_equals_the_empty_text(output: list[Message]) -> None:
    assert score(checks.includes("sun"), output) == 0.0
    assert score(checks.excludes("sun"), output) == 1.0
    assert score(checks.equals(""), output) == 1.0
    assert score(checks.equals("sun"), output) == 0.0
    assert reason(checks.includes("sun"), output) == "'sun' is missing: the answer has no text."


@pytest.mark.parametrize("output", [None, 3, {"answer": "sun"}, [3]])
@pytest.mark.parametrize("check", [checks.includes("sun"), checks.excludes("sun"), checks.equals("")])
def test_an_output_that_is_no_messages_is_a_failure_and_never_an_empty_text(output: object, check: Any) -> None:
    with pytest.raises(ScorerRunError) as caught:
        check.run_sync(output=output)
    assert isinstance(caught.value.__cause__, UnreadableOutput)


def test_the_reason_names_the_missing_text() -> None:
    assert reason(checks.includes("sun"), said("Sunny.")) == "The answer contains 'sun'."
    assert reason(checks.includes("sun"), said("Rain.")) == "'sun' is missing from the answer."


def test_the_reason_shows_where_a_forbidden_text_stands() -> None:
    long = f"{'so ' * 60}SUN{' so' * 60}"
    assert reason(checks.excludes("sun"), said("Rain.")) == "The answer does not contain 'sun'."
    assert reason(checks.excludes("sun"), said("A Sunday.")) == "Forbidden 'sun' stands in the answer: 'A Sunday.'."
    told = reason(checks.excludes("sun"), said("Wait.", long))
    assert told.startswith("Forbidden 'sun' stands in assistant message 2 of 2: '…")
    assert " SUN " in told
    assert len(told) < 160


def test_the_reason_shows_a_forbidden_text_whose_folding_has_another_length() -> None:
    told = reason(checks.excludes("gasse"), said(f"{'ß' * 100} In der Gaße."))
    assert told.endswith("ss in der gasse.'.")


def test_the_reason_of_an_inequality_shows_both_texts_or_where_they_part() -> None:
    assert reason(checks.equals("Sun"), said("Rain")) == "Expected 'Sun', found 'Rain'."
    assert reason(checks.equals("Sun"), said("sun")) == "The answer equals 'Sun'."
    told = reason(checks.equals("x" * 500 + "Y" + "z" * 500), said("x" * 500 + "W" + "z" * 500))
    assert "part after 500 characters" in told
    assert "xyz" in told
    assert "xwz" in told
    assert len(told) < 300


def test_reasons_are_one_line_of_text_that_every_file_can_hold() -> None:
    for check in (
        checks.includes("\ud83d?"),
        checks.excludes("end"),
        checks.equals("a\nb"),
        checks.similarity("\ud83d"),
    ):
        told = reason(check, said("ok \ud83d\nend"))
        assert told.encode("utf-8").decode().splitlines() == [told]


@pytest.mark.parametrize("factory", [checks.includes, checks.excludes])
def test_an_empty_text_to_find_is_refused(factory: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"cludes\(value=\): the text is empty"):
        factory("")


@pytest.mark.parametrize("factory", [checks.includes, checks.excludes, checks.equals, checks.similarity])
@pytest.mark.parametrize("value", [None, 3, b"sun", ["sun"], {"text": "sun"}])
def test_a_value_that_is_no_text_is_refused(factory: Any, value: object) -> None:
    with pytest.raises(ConfigurationError, match=rf"\(value=\): expected a text, found {type(value).__name__}"):
        factory(value)


@pytest.mark.parametrize("factory", [checks.includes, checks.excludes, checks.equals, checks.similarity])
@pytest.mark.parametrize("ignore_case", [None, 1, "no"])
def test_ignore_case_is_true_or_false(factory: Any, ignore_case: object) -> None:
    with pytest.raises(ConfigurationError, match=r"\(ignore_case=\): expected True or False"):
        factory("sun", ignore_case=ignore_case)


def test_an_excerpt_is_as_long_as_it_may_be_wherever_its_point_is() -> None:
    text = "abcdefghij" * 20
    for start in (0, 5, 39, 100, 161, 199):
        shown = shown_from(text, start).strip("'…")
        assert len(shown) == 80
    assert shown_from(text, 0) == f"'{text[:80]}…'"
    assert shown_from(text, 199) == f"'…{text[-80:]}'"
    assert shown_from("short", 4) == "'short'"


@LAW
@given(texts)
@example("\u0390")  # folds to a form that composes again
@example("\u03b1\u0345\u0301")  # folds to something else when it is not composed first
def test_a_value_is_prepared_as_the_core_prepares_answers(text: str) -> None:
    output = AgentOutput(said(text))
    assert output.search_texts == ((composed(text),) if text else ())
    assert output.folded_texts == ((folded(text),) if text else ())


@LAW
@given(texts_to_find, answers, st.booleans())
def test_a_text_is_included_or_excluded_and_never_both(value: str, answer: list[str], ignore_case: bool) -> None:
    included = score(checks.includes(value, ignore_case=ignore_case), said(*answer))
    assert included + score(checks.excludes(value, ignore_case=ignore_case), said(*answer)) == 1.0


@LAW
@given(texts_to_find, texts, st.booleans())
@example(value="ß", answer="SS", ignore_case=True)
def test_an_answer_that_equals_a_text_includes_it(value: str, answer: str, ignore_case: bool) -> None:
    if score(checks.equals(value, ignore_case=ignore_case), said(answer)) == 1.0:
        assert score(checks.includes(value, ignore_case=ignore_case), said(answer)) == 1.0


@LAW
@given(texts, answers)
def test_what_is_equal_with_case_is_equal_without(value: str, answer: list[str]) -> None:
    with_case = score(checks.equals(value, ignore_case=False), said(*answer))
    assert with_case <= score(checks.equals(value), said(*answer))


@LAW
@given(st.text("abcXYZäÖ ", min_size=1, max_size=3), st.lists(st.text("abcXYZäÖ ", max_size=9), max_size=3))
def test_case_ignored_once_is_case_ignored(value: str, answer: list[str]) -> None:
    wanted = score(checks.includes(value), said(*answer))
    for same in (value.upper(), value.lower(), value.swapcase()):
        assert score(checks.includes(same), said(*answer)) == wanted
        assert score(checks.includes(same), said(*[text.swapcase() for text in answer])) == wanted


@LAW
@given(texts_to_find, st.permutations(["first sun", "second", "", "ß last"]))
def test_the_order_of_messages_does_not_matter_to_what_they_contain(value: str, answer: list[str]) -> None:
    assert score(checks.includes(value), said(*answer)) == score(checks.includes(value), said(*sorted(answer)))


@LAW
@given(texts, texts)
def test_the_first_difference_is_the_end_of_the_common_beginning(first: str, second: str) -> None:
    same = first_difference(first, second)
    assert first[:same] == second[:same]
    assert first[same : same + 1] != second[same : same + 1] or first == second
