"""What ``matches`` searches for, in what text, and for how long."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import regex
from hypothesis import assume, given
from hypothesis import strategies as st

import steelyard_checks as checks
from checks.tests.answers import LAW, failure, reason, said, score
from steelyard import ConfigurationError, Message, TimedOut, from_item, run_evals, scorer_key
from steelyard_checks._patterns import compiled, flags_of

HOPELESS, HOPELESS_TEXT = "(a|aa)+$", "a" * 40 + "b"


def test_a_pattern_is_searched_for_and_case_counts() -> None:
    assert score(checks.matches(r"\d+ °C"), said("It is 21 °C.")) == 1.0
    assert score(checks.matches("it is"), said("It is 21 °C.")) == 0.0


def test_each_assistant_message_is_searched_by_itself() -> None:
    assert score(checks.matches("foobar"), said("foo", "bar")) == 0.0
    assert score(checks.matches("^bar$"), said("foo", "bar")) == 1.0
    assert score(checks.matches("look"), [Message("user", "look")]) == 0.0


def test_an_answer_without_text_is_one_empty_text() -> None:
    assert score(checks.matches("^$"), []) == 1.0
    assert score(checks.matches(""), said("")) == 1.0
    assert score(checks.matches("."), []) == 0.0
    assert score(checks.matches("", exact=True), []) == 1.0


def test_exact_asks_for_the_whole_answer() -> None:
    assert score(checks.matches("a|b", exact=True), said("axxx")) == 0.0
    assert score(checks.matches("a|b", exact=True), said("b")) == 1.0
    assert score(checks.matches("hello", exact=True, flags=re.M), said("first\nhello\nlast")) == 0.0
    assert score(checks.matches("hello", exact=True), said("hello\n")) == 0.0
    assert score(checks.matches("one\n\ntwo", exact=True), said("one", "", "two")) == 1.0


def test_a_dot_is_one_code_point() -> None:
    assert score(checks.matches("^a.b$"), said("a😀b")) == 1.0


def test_the_text_is_composed_and_the_pattern_is_taken_as_it_stands() -> None:
    assert score(checks.matches("^\u00e9$"), said("e\u0301")) == 1.0
    assert score(checks.matches("^e\u0301$"), said("\u00e9")) == 0.0


def test_a_group_that_captured_nothing_is_no_answer_to_anything() -> None:
    # A pattern with an optional number finds "RESULT=" by itself; whoever wants the number 7 asks for it.
    assert score(checks.matches(r"RESULT=(\d+)?"), said("RESULT=")) == 1.0
    assert score(checks.matches(r"RESULT=7\b"), said("RESULT=")) == 0.0


@pytest.mark.parametrize("flags", [re.I, re.IGNORECASE | re.UNICODE, 2, "i", "iu", regex.I])
def test_flags_are_those_of_re_or_letters(flags: Any) -> None:
    assert score(checks.matches("hello", flags=flags), said("HELLO")) == 1.0


def test_every_flag_has_its_meaning() -> None:
    assert score(checks.matches("^b", flags=re.M), said("a\nb")) == 1.0
    assert score(checks.matches("a.b", flags="s"), said("a\nb")) == 1.0
    assert score(checks.matches("a b # letters", flags=re.X), said("ab")) == 1.0
    assert score(checks.matches(r"^\d$"), said("٣")) == 1.0
    for ascii_only in (re.A, "a", regex.A):
        assert score(checks.matches(r"^\d$", flags=ascii_only), said("٣")) == 0.0


@pytest.mark.parametrize("flags", ["g", "y", "ig", re.DEBUG, re.L, 1 << 20, -1, True, 2.0, None, regex.L, regex.DEBUG])
def test_unknown_flags_are_refused(flags: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"matches\(flags=\): "):
        checks.matches("ok", flags=flags)


def test_the_refusal_of_a_global_flag_says_that_there_is_no_need_for_one() -> None:
    with pytest.raises(ConfigurationError, match=r"unknown flag 'g' in 'gi'.*no global or sticky flag"):
        checks.matches("ok", flags="gi")


@pytest.mark.parametrize("package", [re, regex])
def test_a_compiled_pattern_brings_its_flags(package: Any) -> None:
    assert score(checks.matches(package.compile("hello", package.I)), said("HELLO")) == 1.0
    assert score(checks.matches(package.compile(r"^\d$", package.A)), said("٣")) == 0.0
    assert score(checks.matches(package.compile("hello")), said("HELLO")) == 0.0
    with pytest.raises(ConfigurationError, match="a compiled pattern has its own flags"):
        checks.matches(package.compile("hello"), flags=re.I)
    with pytest.raises(ConfigurationError, match="a compiled pattern has its own flags"):
        checks.matches(package.compile("hello"), flags=from_item("metadata.flags"))


def test_a_pattern_compiled_by_regex_keeps_all_that_regex_knows() -> None:
    fuzzy = regex.compile("(?:harbour){e<=1}", regex.BESTMATCH | regex.V1)
    assert score(checks.matches(fuzzy), said("the harbor")) == 1.0
    assert score(checks.matches(regex.compile(r"\L<words>", words=["sun"])), said("the sun")) == 1.0
    assert score(checks.matches("f{i}", flags=regex.RegexFlag(0)), said("xfx")) == 1.0


def test_braces_of_a_text_are_read_as_re_reads_them() -> None:
    assert score(checks.matches("item {i}"), said("for item 3")) == 0.0
    assert score(checks.matches("item {i}"), said("for item {i}")) == 1.0
    assert score(checks.matches(re.compile("f{e}")), said("f")) == 0.0
    assert score(checks.matches("^a{2}$"), said("aa")) == 1.0


def test_classes_that_re_refuses_and_regex_knows_work() -> None:
    assert score(checks.matches(r"^\p{Lu}\p{Ll}+$"), said("Élan")) == 1.0
    assert score(checks.matches(r"^\p{Lu}\p{Ll}+$"), said("élan")) == 0.0


@pytest.mark.parametrize(
    ("pattern", "words"),
    [("(", "missing )"), ("a**", "multiple repeat"), ("[b-a]", "bad character range"), (r"(?P<x", "missing >")],
)
def test_a_bad_pattern_is_refused_in_the_words_of_the_package(pattern: str, words: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(words)) as caught:
        checks.matches(pattern)
    assert str(caught.value).startswith(f"matches(pattern=): /{pattern}/ cannot be read: ")
    assert isinstance(caught.value.__cause__, regex.error)


@pytest.mark.parametrize(
    ("pattern", "flags"), [("a", re.A | re.U), ("(?V1)a", 0), ("(?L)a", 0), (r"\L<words>", 0), ("(?:" * 9_999, 0)]
)
def test_what_the_package_cannot_use_is_refused(pattern: str, flags: int) -> None:
    with pytest.raises(ConfigurationError, match=r"matches\(pattern=\): "):
        checks.matches(pattern, flags=flags)


@pytest.mark.parametrize("pattern", [None, 3, b"ok", ["ok"], re.compile(b"ok"), regex.compile(b"ok")])
def test_a_pattern_that_is_not_of_text_is_refused(pattern: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"matches\(pattern=\): expected a "):
        checks.matches(pattern)


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), True, "1", None])
def test_a_limit_that_is_no_time_is_refused(timeout: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"matches\(timeout=\): "):
        checks.matches("ok", timeout=timeout)


@pytest.mark.parametrize("exact", [1, None, "yes"])
def test_exact_is_true_or_false(exact: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"matches\(exact=\): "):
        checks.matches("ok", exact=exact)


@pytest.mark.parametrize("exact", [False, True])
def test_a_search_without_end_is_a_failure_and_never_a_0(exact: bool) -> None:
    error = failure(checks.matches(HOPELESS, exact=exact, timeout=0.01), said(HOPELESS_TEXT))
    assert isinstance(error, TimedOut)
    assert str(error).startswith("The search for /(a|aa)+$/ did not finish within 0.01 s.")


def test_the_limit_is_for_the_run_and_not_for_each_message(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = iter(range(100))
    monkeypatch.setattr("steelyard_checks._patterns.monotonic", lambda: float(next(readings)))
    check = checks.matches("never", timeout=2.5)  # each message takes a second on this clock
    assert score(check, said("one", "two")) == 0.0
    assert isinstance(failure(check, said("one", "two", "three")), TimedOut)


def test_an_evaluation_goes_on_when_a_search_ran_out_of_time() -> None:
    result = run_evals(
        data=[{"output": HOPELESS_TEXT}, {"output": "aaa"}], scorers=[checks.matches(HOPELESS, timeout=0.01)]
    )
    assert result.scores["check-matches"] == 1.0
    assert list(result.summary.errors.values()) == [1]


def test_one_check_gives_the_same_answer_every_time_and_to_many_at_once() -> None:
    check = checks.matches("an")
    assert [score(check, said("banana")) for _ in range(4)] == [1.0] * 4
    texts = ["banana", "plum"] * 20
    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(lambda text: score(check, said(text)), texts)) == [1.0, 0.0] * 20


def test_the_reason_tells_what_was_found_and_where() -> None:
    assert reason(checks.matches(r"\d+"), said("Wait.", "It is 21.")) == (
        r"/\d+/ matches '21' at character 7 of assistant message 2 of 2."
    )
    assert reason(checks.matches(r"\d+"), said("No.")) == r"Nothing matches /\d+/: the answer is 'No.'."
    assert reason(checks.matches(r"\d+", exact=True), said("21")) == r"The whole answer matches /\d+/."
    assert reason(checks.matches(r"\d+", exact=True), said("a 21")) == (
        r"The whole answer does not match /\d+/: the answer is 'a 21'."
    )


def test_keys_show_the_text_and_the_flags_however_they_were_given() -> None:
    assert scorer_key(checks.matches("a")) == 'check-matches("a")'
    assert scorer_key(checks.matches("a", flags=re.I)) == 'check-matches("a", flags=2)'
    assert scorer_key(checks.matches(re.compile("a"))) == 'check-matches("a")'
    assert scorer_key(checks.matches(re.compile("a", re.I))) == 'check-matches("a", flags=2)'
    assert scorer_key(checks.matches("a", exact=True, timeout=2.0)) == 'check-matches("a", exact=true, timeout=2.0)'
    by_regex = {scorer_key(checks.matches(regex.compile("a", flags))) for flags in (0, regex.I, regex.V1)}
    assert len(by_regex) == 3


PIECES = [
    *("a", "b", "A", "é", "ß", "1", "(a|b)", "(?:ab)", "[ab]", "[^a]", "[{e}]", "[]a]", "(?=a)", "(?<!b)", "(?i:a)"),
    *("{", "}", "{i}", "{e}", "{2}", "{1,}", "{,2}", "{1,b}", "{}", "{d<=1}", "*", "+", "?", "|", ".", "^", "$", "\n"),
    *(r"\{", r"\\", r"\d", r"\w", r"\s", r"\b"),
]
SAMPLES = ["", "ab", "a{i}b", "{e}", "aab{", "A1 b", "é", "a\nb\n", "a{d<=1}", r"\{e}", "ßa", "aaa", "a{1,b}"]


@LAW
@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join),
    st.sampled_from([0, re.I, re.M, re.S, re.A, re.X]),
)
def test_a_text_finds_what_it_finds_for_the_standard_library(pattern: str, flags: int) -> None:
    try:
        wanted = re.compile(pattern, flags)
    except re.error:
        assume(False)
    found = compiled(pattern, flags_of(flags, ""))
    for text in SAMPLES:
        by_re, by_regex = wanted.search(text), found.search(text)
        assert (by_re and by_re.span()) == (by_regex and by_regex.span())
        assert bool(wanted.fullmatch(text)) == bool(found.fullmatch(text))


@LAW
@given(st.text("ab. ", min_size=1, max_size=4), st.lists(st.text("ab. ", max_size=8), max_size=3))
def test_an_escaped_text_matches_where_it_is_included(value: str, answer: list[str]) -> None:
    assert score(checks.matches(re.escape(value)), said(*answer)) == score(
        checks.includes(value, ignore_case=False), said(*answer)
    )
