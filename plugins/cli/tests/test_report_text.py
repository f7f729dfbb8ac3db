"""Whatever a text holds, showing it does nothing but show it."""

from __future__ import annotations

import html
import json
import unicodedata
from urllib.parse import quote
from xml.sax.saxutils import escape as xml_escape
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from plugins.cli.tests.report_results import LAW
from steelyard_cli._report.text import (
    HIDDEN,
    LONGEST_PIECE,
    SHORTEST_PIECE,
    Hide,
    encodable,
    shortened,
    visible,
    without_controls,
)

anything = st.text(
    alphabet=st.one_of(st.characters(), st.sampled_from("\x1b\x00\n\r\u202e\u2066\u200b\ud800\u0301\u200d:#["))
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\r\n\tand more", "two lines and more"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("bell\x07 back\x08 c1\x9b", r"bell\x07 back\x08 c1\x9b"),
        ("abc\u202edcba\u2066x", r"abc\u202edcba\u2066x"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("half \ud83d", r"half \ud83d"),
        ("tag \U000e0041", r"tag \U000e0041"),
        ("日本語 한국어 मराठी مرحبا", "日本語 한국어 मराठी مرحبا"),
        ("👩‍👩‍👧 می‌خواهم", "👩‍👩‍👧 می‌خواهم"),
        ("a\u3000b", "a\u3000b"),
        ("", ""),
    ],
)
def test_what_is_not_seen_or_steers_a_terminal_is_written_as_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("text", ["::error::boo", "  ::add-mask::x", "see ##[error]x", "##vso[task.complete]x"])
def test_nothing_is_left_that_a_build_service_takes_for_a_command(text: str) -> None:
    shown = visible(text)
    assert not shown.lstrip().startswith("::")
    assert "##[" not in shown
    assert "##vso[" not in shown


def test_colons_within_words_stay() -> None:
    assert visible("std::vector and 12:30") == "std::vector and 12:30"


@LAW
@given(anything)
def test_a_shown_text_is_one_line_without_controls_and_showing_it_again_changes_nothing(text: str) -> None:
    shown = visible(text)
    assert all(unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp") for character in shown)
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\ufeff")
    assert shown == shown.strip(" ")
    assert visible(shown) == shown


@LAW
@given(anything, st.sampled_from(("ascii", "latin-1", "cp1252", "utf-8", "shift_jis", "no-such-encoding")))
def test_a_shown_text_fits_into_any_encoding(text: str, encoding: str) -> None:
    fit = encodable(visible(text), encoding)
    used = "ascii" if encoding == "no-such-encoding" else encoding
    assert len(fit.encode(used).decode(used)) == len(fit)


@LAW
@given(anything, st.integers(4, 20))
def test_a_shortened_text_has_no_more_characters_than_asked_and_says_that_it_is_cut(text: str, limit: int) -> None:
    short = shortened(text, limit)
    assert len(short) <= limit
    assert short == text or short.endswith("...")


def test_a_text_is_not_cut_within_a_character_and_its_marks() -> None:
    assert shortened("abe\u0301xyz123", 6) == "ab..."
    assert shortened("ab👩‍👩‍👧cdefgh", 6) == "ab..."


@LAW
@given(anything)
def test_cells_keep_their_lines_and_lose_their_controls(text: str) -> None:
    kept = without_controls(text)
    kept.encode("utf-8")
    assert not any(unicodedata.category(character) == "Cc" and character not in "\n\t" for character in kept)


def test_a_hidden_value_is_gone_wherever_it_occurs_the_longest_first() -> None:
    hide = Hide(("secret", "secret-key-2"))
    assert hide("a secret-key-2 and secret.") == f"a {HIDDEN} and {HIDDEN}."
    assert hide.data({"secret": ["x secret", {"k": "secret-key-2"}, 5, None]}) == {
        HIDDEN: [f"x {HIDDEN}", {"k": HIDDEN}, 5, None]
    }


def test_values_that_are_no_secrets_stay_and_a_hider_does_not_tell_what_it_hides() -> None:
    hide = Hide(("de", "", "     ", "  secret-of-mine"))
    assert hide("a day in Dresden, de") == "a day in Dresden, de"
    assert "mine" not in repr(hide)


SECRET = "SECRETVALUE-0123456789-abc"


@pytest.mark.parametrize("shown", ["...RETVALUE-012", "SECRETVALUE-012...", "x...VALUE-0123456...", f"a{SECRET}b"])
def test_a_value_that_was_cut_is_hidden(shown: str) -> None:
    hidden = Hide((SECRET,))(shown)
    assert HIDDEN in hidden
    assert not any(SECRET[start : start + 4] in hidden for start in range(len(SECRET) - 3))


KEY = 'first\nline "and" <o\'ther> back\\slash é'


@pytest.mark.parametrize(
    "written",
    [
        repr(KEY),
        ascii(KEY),
        repr(KEY + '"'),
        json.dumps(KEY),
        json.dumps(KEY, ensure_ascii=False),
        json.dumps(json.dumps(KEY)),
        json.dumps(repr(KEY)),
        html.escape(KEY),
        html.escape(KEY, quote=False),
        xml_escape(KEY),
        quoteattr(KEY),
        " ".join(KEY.split()),
        quote(KEY),
    ],
)
def test_a_value_that_was_escaped_is_hidden_also_where_it_was_cut(written: str) -> None:
    for text in (written, written[2:], written[:-3]):
        hidden = Hide((KEY,))(f"it was {text}!")
        assert HIDDEN in hidden
        assert not any(word in hidden for word in ("first", "line", "and", "ther", "back", "slash"))


@LAW
@given(anything, st.text("abcdef012", min_size=8, max_size=60), st.data())
def test_no_piece_of_a_third_of_a_value_stays(around: str, value: str, data: st.DataObject) -> None:
    size = min(LONGEST_PIECE, max(SHORTEST_PIECE, len(value) // 3))
    start = data.draw(st.integers(0, len(value) - size))
    piece = value[start : start + size]
    assume(len(set(piece)) > 2)
    assert piece not in Hide((value,))(f"{around}{piece}{around}")


def test_what_has_no_piece_of_a_value_stays_as_it_is() -> None:
    hide = Hide(("https://api.example.com/v1", "------------x-----"))
    assert hide("see https://other.org: -------- SECRET") == "see https://other.org: -------- SECRET"
