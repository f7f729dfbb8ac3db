"""The report in Markdown fits into a comment and does nothing there but be read."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from plugins.cli.tests.report_results import LAW, evaluated, item, of_scores, report_of, results, scripted
from steelyard import EvalItem, EvalResult, Threshold
from steelyard_cli._report import markdown_text
from steelyard_cli._report.markdown import code

READER = MarkdownIt("commonmark").enable("table")


def hostile(text: str) -> str:
    data = [EvalItem(input="x", id=text, metadata={text: 0.5, "reason": text, "label": text, "lang": text})]
    result = evaluated(data, [Threshold(scripted(text), min=0.9)], group_by=["metadata.lang"])
    return markdown_text(report_of(result, name=text, stopped=text))


def test_it_says_the_verdict_first_and_has_every_line() -> None:
    text = markdown_text(report_of(of_scores(0.5, "error", "not scorable", as_=lambda made: Threshold(made, min=0.8))))
    assert text.startswith("## ⚠️ `support`\n\n**Verdict: scored: 1 of 1 threshold not met.**\n")
    assert "| `tone` | higher | 0.500 | 1 | 1 | 1 | `>= 0.8` | ❌ missed |" in text
    assert "- The average of `tone` is 0.500 over 1 item, and at least 0.8 was asked: missed by 0.300" in text
    assert "3 items, 1 errored, 1 informational, 1 unmeasured" in text


@pytest.mark.parametrize(
    "text",
    [
        "<img src=x onerror=alert(1)>",
        "</code><script>x</script>",
        "![x](https://example.com/track.png)",
        "[click](javascript:x)",
        "@everyone",
        "#123",
        "a | b \\| c",
        "`tick` ``two``",
        "\\`",
        "line\n\n# Title\n- list",
        "<!-- hidden",
        "https://example.com www.example.com",
        "***bold*** ~~x~~ $x$",
        "|---|",
    ],
)
def test_data_is_shown_as_code_and_does_nothing(text: str) -> None:
    tokens = READER.parse(hostile(text))
    kinds = {child.type for token in tokens for child in token.children or ()}
    assert kinds <= {"text", "code_inline", "html_inline", "softbreak", "strong_open", "strong_close"}
    html = [child.content for token in tokens for child in token.children or () if child.type == "html_inline"]
    assert set(html) <= {"<code>", "</code>"}
    assert not any(token.type == "html_block" for token in tokens)
    free = "".join(_outside_code(token.children or []) for token in tokens)
    for active in ("@", "#", "http", "www", "<", "!["):
        assert active not in free


def _outside_code(children: Sequence[Token]) -> str:
    out, inside = "", False
    for child in children:
        kind, content = child.type, child.content
        if kind == "html_inline":
            inside = content == "<code>"
        elif kind == "text" and not inside:
            out += content
    return out


@pytest.mark.parametrize("text", ["a | b", "a \\| b", "`|`", "\\", "x\\", "||"])
def test_every_row_of_a_table_has_its_cells(text: str) -> None:
    tokens = READER.parse(hostile(text))
    rows, cells = [], 0
    for token in tokens:
        if token.type == "tr_open":
            cells = 0
        elif token.type in ("td_open", "th_open"):
            cells += 1
        elif token.type == "tr_close":
            rows.append(cells)
    assert rows == [8, 8, 8, 3, 3, 7, 7] or rows == [8, 8, 3, 3, 7, 7]


@LAW
@given(st.text())
def test_code_is_one_line_and_reads_back(text: str) -> None:
    from html import unescape

    from steelyard_cli._report.text import shortened, visible

    made = code(text)
    assert "\n" not in made
    assert "|" not in made
    inner = made[1:-1] if made.startswith("`") else unescape(made.removeprefix("<code>").removesuffix("</code>"))
    assert inner == (shortened(visible(text), 150) or "(empty)"[1:-1]) or made == "(empty)"


def test_a_huge_report_still_fits_and_says_what_it_left_out() -> None:
    names = [f"scorer {number} " + "日本|" * 40 for number in range(120)]
    data = [
        item(number, **dict.fromkeys(names, 0.0), reason="x|" * 300, lang=f"{number} " + "é|" * 60)
        for number in range(12)
    ]
    result = evaluated(data, [Threshold(scripted(name), min=0.5) for name in names], group_by=["metadata.lang"])
    text = markdown_text(report_of(result))
    assert len(text) < 60_000
    assert re.search(r"and \d+ more lines", text)
    assert re.search(r"and \d[\d,]* more slices", text)
    assert "scored: 120 of 120 thresholds not met" in text


@LAW
@given(results())
def test_any_report_has_one_row_for_each_line(result: EvalResult) -> None:
    report = report_of(result)
    text = markdown_text(report)
    table = text[text.index("| scorer |") :].split("\n\n")[0].splitlines()
    assert len(table) == 2 + len(report.rows)


def test_what_holds_in_a_run_that_ended_early_is_not_shown_as_passed() -> None:
    text = markdown_text(report_of(of_scores(1.0, gate=True), stopped="enough", planned=3))
    assert "⚪ held so far" in text
    assert "passed |" not in text
    assert "**Verdict: no verdict: the run ended early (partial 1/3)" in text
