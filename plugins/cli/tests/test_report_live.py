"""How far a run is, shown on a terminal, in a pipe, or not at all."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from hypothesis import given

from plugins.cli.tests.report_results import ERROR, LAW, NONE, Terminal, evaluated, item, report_of, results, scripted
from steelyard import EvalResult
from steelyard_cli._report import LiveView

TERM = {"TERM": "xterm-256color"}


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def four() -> EvalResult:
    data = [item(1, a=1.0, b=1.0), item(2, a=1.0, b=ERROR), item(3, a=NONE, b=NONE), item(4, fails=True)]
    return evaluated(data, [scripted("a"), scripted("b")])


def test_a_pipe_gets_a_line_now_and_then(clock: Clock) -> None:
    stream = StringIO()
    with LiveView.on(stream, planned=8, clock=clock, every=5, environment={}) as view:
        for each in four().items:
            clock.now += 2
            view.item_completed(each)
        assert stream.getvalue() == "3/8 items, 1 scored, 1 not scorable, 1 failed, 30.0/min, 10 s left\n"
    assert stream.getvalue().splitlines()[1:] == ["4/8 items, 1 scored, 1 not scorable, 2 failed, 30.0/min, 8 s left"]


def test_a_run_that_is_soon_over_says_nothing_in_a_pipe(clock: Clock) -> None:
    stream = StringIO()
    with LiveView.on(stream, planned=4, clock=clock, environment={}) as view:
        for each in four().items:
            view.item_completed(each)
    assert stream.getvalue() == ""


def test_a_fast_run_does_not_flood_a_pipe(clock: Clock) -> None:
    stream = StringIO()
    with LiveView.on(stream, clock=clock, every=5, environment={}) as view:
        for _ in range(1000):
            clock.now += 0.02
            view.item_completed(four_first)
    assert 3 <= len(stream.getvalue().splitlines()) <= 5


four_first = four().items[0]


def test_without_a_plan_there_is_a_rate_and_no_time_left(clock: Clock) -> None:
    view = LiveView.on(StringIO(), clock=clock, quiet=True)
    with view:
        clock.now += 2
        for each in four().items:
            view.item_completed(each)
        assert [text for text, _ in view.pieces] == ["4 items", "1 scored", "1 not scorable", "2 failed", "2.0/s"]


def test_no_rate_is_made_up_before_anything_is_known(clock: Clock) -> None:
    view = LiveView.on(StringIO(), clock=clock, quiet=True, planned=10)
    assert [text for text, _ in view.pieces] == ["0/10 items", "0 scored", "0 not scorable", "0 failed"]


def test_quiet_shows_nothing_anywhere(clock: Clock) -> None:
    for stream in (StringIO(), Terminal()):
        with LiveView.on(stream, quiet=True, clock=clock, every=0, environment=TERM) as view:
            clock.now += 60
            view.item_completed(four_first)
        assert stream.getvalue() == ""


def test_a_terminal_gets_a_line_that_is_gone_at_the_end(clock: Clock) -> None:
    stream = Terminal()
    with LiveView.on(stream, planned=8, clock=clock, environment={**TERM, "COLUMNS": "120"}) as view:
        for each in four().items:
            clock.now += 1
            view.item_completed(each)
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", stream.getvalue())
    assert "4/8 items  1 scored  1 not scorable  2 failed  1.0/s  4 s left" in plain
    assert stream.getvalue().endswith("\x1b[1A\x1b[2K")


def test_on_a_narrow_terminal_the_line_goes_on_in_the_next_and_loses_nothing(clock: Clock) -> None:
    stream = Terminal()
    with LiveView.on(stream, planned=8, clock=clock, environment={**TERM, "COLUMNS": "40", "NO_COLOR": "1"}) as view:
        for each in four().items:
            clock.now += 1
            view.item_completed(each)
    lines = stream.getvalue().replace("\r", "").split("\n")
    assert any("4/8 items  1 scored  1 not scorable" in line for line in lines)
    assert any("2 failed  1.0/s  4 s left" in line for line in lines)


def test_a_terminal_without_colours_still_has_its_line(clock: Clock) -> None:
    stream = Terminal()
    with LiveView.on(stream, clock=clock, environment={**TERM, "NO_COLOR": "1"}) as view:
        view.item_completed(four_first)
    assert "1 item  1 scored" in stream.getvalue()
    assert "m1 item" not in stream.getvalue()


def test_a_dumb_terminal_gets_plain_lines(clock: Clock) -> None:
    stream = Terminal()
    with LiveView.on(stream, clock=clock, every=5, environment={"TERM": "dumb"}) as view:
        clock.now += 5
        view.item_completed(four_first)
    assert stream.getvalue() == "1 item, 1 scored, 0 not scorable, 0 failed, 12.0/min\n"


def test_the_line_is_gone_also_when_the_run_breaks_off(clock: Clock) -> None:
    stream = Terminal()
    with pytest.raises(KeyboardInterrupt), LiveView.on(stream, clock=clock, environment=TERM):
        raise KeyboardInterrupt
    assert "\x1b[?25h" in stream.getvalue()


@LAW
@given(results())
def test_what_is_counted_live_is_what_the_report_counts(result: EvalResult) -> None:
    view = LiveView.on(StringIO(), quiet=True)
    for each in result.items:
        view.item_completed(each)
    kinds = report_of(result).kinds
    assert kinds is not None
    assert {kind: n for kind, n in kinds.items() if n} == dict(view.kinds)
