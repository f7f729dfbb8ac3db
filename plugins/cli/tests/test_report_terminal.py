"""The report is right on every terminal and in every pipe."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from plugins.cli.tests.report_results import (
    ERROR,
    LAW,
    NAMES,
    NONE,
    drawn,
    evaluated,
    item,
    of_scores,
    printed,
    report_of,
    results,
    scripted,
)
from steelyard import EvalItem, EvalResult, Summary, TargetResult, Threshold, Usage, run_evals

WIDTHS = (40, 60, 80, 120, 200)


def rich_result() -> EvalResult:
    names = [
        "tone",
        "日本語の採点者は名前が長い",
        "مرحبا بالعالم",
        'check-includes("a rather long argument", ignore_case=false)',
    ]
    told: dict[str, Any] = dict.fromkeys(names, 0.123456)
    data = [item(number, **told, lang=lang, reason="because") for number, lang in enumerate(("de", "日本", "de"))]
    data += [item(8, **{**told, "tone": ERROR}), item(9, fails=True), item(10, **{**told, "tone": NONE})]
    entries = [Threshold(scripted(name), min=0.5) for name in names[1:]]
    return evaluated(data, entries, [scripted("tone")], group_by=["metadata.lang"])


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_no_line_is_wider_than_the_terminal_and_none_ends_in_spaces(width: int, encoding: str) -> None:
    for line in printed(report_of(rich_result()), width, encoding).splitlines():
        assert cell_len(line) <= width
        assert line == line.rstrip()


@pytest.mark.parametrize("width", WIDTHS)
def test_every_number_and_every_status_is_there_at_every_width(width: int) -> None:
    text = printed(report_of(rich_result()), width)
    lines = text[: text.index("Parts of scores")]
    assert lines.count("0.123") == 4
    assert lines.count("missed") == 4
    assert lines.count(">= 0.5") == 3
    counts = re.findall(r"scored (\d+)\s+not scorable (\d+)\s+failed (\d+)", lines)
    counts += re.findall(r"\b(\d+)/(\d+)/(\d+)\b", lines)
    counts += re.findall(r"0\.123 +(\d+) +(\d+) +(\d+)", lines)
    assert counts == [("3", "1", "2")] + [("5", "0", "1")] * 3


@LAW
@given(results(), st.integers(24, 140))
def test_any_report_fits_any_width(result: EvalResult, width: int) -> None:
    text = printed(report_of(result), width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    assert "\x1b" not in text


def test_at_eighty_columns_it_reads_like_this() -> None:
    data = [
        item(1, brief=1.0, tone=0.9),
        item(2, brief=1.0, tone=0.4, reason="curt"),
        item(3, brief=0.0, tone=0.8, reason="too long by 12 words"),
        item(4, fails=True),
    ]
    report = report_of(evaluated(data, [Threshold(scripted("tone"), min=0.75)], [scripted("brief")]))
    text = printed(report, 80)
    start, end = text.index("Parts of scores"), text.index("Items to look at")
    assert re.sub(r"Time: .*", "Time: (some)", text[:start] + text[end:]) == (
        "support: 4 items\n"
        "  2 passed, 1 failed, 1 errored\n"
        "\n"
        "                                                not\n"
        "  scorer  result  better  average  scored  scorable  failed  bound\n"
        "  brief   missed  higher    0.667       3         0       1  gate: each item at\n"
        "                                                             1\n"
        "  tone    missed  higher    0.700       3         0       1  >= 0.75\n"
        "\n"
        "Items to look at\n"
        "  item-3 (failed)  gate brief  0.000\n"
        "    too long by 12 words\n"
        "  item-4 (errored)  target\n"
        "    ConnectionError: no answer to fail question 4\n"
        "  item-2 (passed)  tone  0.400\n"
        "    curt\n"
        "  item-1 (passed)  tone  0.900\n"
        "\n"
        "  Time: (some)\n"
        "  Target: tokens not measured, cost not measured\n"
        "  Judge: not asked\n"
        "  1 item on which the target failed\n"
        "\n"
        "Verdict: failed: 1 of 1 gate did not hold.\n"
        "  - Gate brief did not hold: 1 item of 4 did not reach 1; 1 item could not be\n"
        "    computed.\n"
        "  - The average of tone is 0.700 over 3 items, and at least 0.75 was asked:\n"
        "    missed by 0.050; 1 item could not be computed.\n"
    )


def test_where_a_table_has_no_room_each_line_stands_by_itself() -> None:
    text = printed(report_of(of_scores(0.5, 1.0, NONE, as_=lambda made: Threshold(made, min=0.8))), 40)
    assert (
        "  tone\n"
        "    result missed  better when higher\n"
        "    average 0.750  scored 2\n"
        "    not scorable 1  failed 0\n"
        "    bound >= 0.8\n"
    ) in text


def test_what_was_not_measured_is_shown_as_such() -> None:
    text = printed(report_of(of_scores(NONE, ERROR)))
    assert "not measured" in text[: text.index("Items to look at")]
    assert "0.000" not in text
    assert "nan" not in text.lower()
    assert "None" not in text


def test_usage_and_cost_are_shown_with_what_is_unknown_of_them() -> None:
    def told(**more: Any) -> str:
        answer = TargetResult("x", **more)
        result = run_evals(data=[item(1, tone=1.0)], target=lambda asked: answer, scorers=[scripted("tone")])
        return next(line.strip() for line in printed(report_of(result)).splitlines() if "Target:" in line)

    whole = Usage(input_tokens=1200, cached_input_tokens=0, cache_creation_tokens=0, output_tokens=34)
    assert told(usage=whole, cost=0.0125) == (
        "Target: tokens 1,234 (1,200 in, 0 cached, 0 written to cache, 34 out), cost $0.0125"
    )
    assert told(usage=Usage(input_tokens=5)) == "Target: tokens 5 in (others not measured), cost not measured"


def test_what_went_wrong_beside_the_scores_is_counted() -> None:
    summary = Summary(
        total_items=0,
        bad_items=2,
        callback_errors=1,
        threads_left_behind=1,
        observer_errors=3,
        judge_calls=4,
        judge_cost=0.5,
        judge_calls_without_cost=1,
    )
    text = printed(report_of(EvalResult(verdict=None, scores={}, summary=summary), skipped=5))
    for words in (
        "2 items that could not be taken",
        "5 lines of the data skipped as unreadable",
        "1 error in a callback",
        "3 errors in observers",
        "1 thread left behind, still running",
        "Judge: 4 calls, tokens not measured, cost $0.5000 (1 call told none)",
    ):
        assert words in text


def test_a_run_that_ended_early_says_so_at_the_top() -> None:
    text = printed(report_of(of_scores(1.0), stopped="--fail-fast", planned=9))
    assert text.startswith("support: 1 item, partial 1/9\n  stopped: --fail-fast\n")


# -- colours and encodings ---------------------------------------------------------------------------------------------


def test_a_terminal_gets_colours_and_a_pipe_gets_the_same_text_without() -> None:
    report = report_of(rich_result())
    coloured = drawn(report, 100)
    assert "\x1b[" in coloured
    lines = [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", coloured).splitlines()]
    assert lines == printed(report, 100).splitlines()


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}])
def test_there_are_no_codes_where_none_are_wanted(environment: dict[str, str]) -> None:
    assert "\x1b" not in drawn(report_of(rich_result()), environment=environment)


def test_an_empty_no_color_is_none_and_force_color_colours_a_pipe() -> None:
    assert "\x1b" in drawn(report_of(rich_result()), environment={"NO_COLOR": ""})
    assert "\x1b" in printed(report_of(rich_result()), environment={"FORCE_COLOR": "1", "TERM": "xterm"})


def test_the_width_of_a_pipe_is_that_of_columns() -> None:
    from io import StringIO

    from steelyard_cli._report import print_report

    stream = StringIO()
    print_report(report_of(rich_result()), stream, environment={"COLUMNS": "60"})
    assert max(map(cell_len, stream.getvalue().splitlines())) <= 60


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "shift_jis", "utf-16"])
def test_an_encoding_that_lacks_characters_gets_escapes_for_them(encoding: str) -> None:
    text = printed(report_of(rich_result()), 200, encoding)
    assert ("日本" in text) == (encoding in ("shift_jis", "utf-16"))
    assert r"\u0645\u0631\u062d\u0628\u0627" in text or encoding == "utf-16"
    assert "0.123" in text


# -- hostile data ------------------------------------------------------------------------------------------------------


def hostile(text: str) -> str:
    data = [EvalItem(input="x", id=text, metadata={text: 0.5, "reason": text, "label": text, "lang": text})]
    result = evaluated(data, [Threshold(scripted(text), min=0.9)], group_by=["metadata.lang"])
    return drawn(report_of(result, name=text, stopped=text), 200, {"NO_COLOR": "1"})


@pytest.mark.parametrize(
    "text",
    ["\x1b[2J\x1b[1;1H", "\x1b]0;owned\x07", "\r\x1b[K", "a\u202eb", "x\x9b31m", "ding\x07", "nul\x00", "h\ud83d"],
)
def test_nothing_that_data_holds_steers_the_terminal(text: str) -> None:
    shown = hostile(text)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown)


@pytest.mark.parametrize("text", ["[bold red]x[/bold red]", "[/]", "[link=file:///x]y[/link]", ":smile:", "[[", "\\["])
def test_data_that_looks_like_markup_is_shown_as_it_is(text: str) -> None:
    assert hostile(text).count(text) >= 5


def test_many_lines_are_cut_and_counted() -> None:
    data = [EvalItem(input="x", metadata={"tone": 1.0, "lang": str(number)}) for number in range(70)]
    text = printed(report_of(evaluated(data, [scripted("tone")], group_by=["metadata.lang"])))
    assert "and 10 more slices" in text


def test_a_very_long_text_does_not_fill_the_screen() -> None:
    result = evaluated([item(1, tone=0.5, reason="word " * 5000)], [scripted("tone")])
    assert len(printed(report_of(result)).splitlines()) < 25


def test_all_names_of_the_tests_are_shown_whole() -> None:
    data = [item(1, **dict.fromkeys(NAMES, 1.0))]
    text = printed(report_of(evaluated(data, [scripted(name) for name in NAMES])), 200)
    assert all(f"  {name} " in text for name in NAMES)


def test_what_holds_in_a_run_that_ended_early_held_so_far() -> None:
    text = printed(report_of(of_scores(1.0, gate=True), stopped="enough", planned=3))
    assert "held so far" in text
    assert "Verdict: no verdict: the run ended early (partial 1/3)" in text
