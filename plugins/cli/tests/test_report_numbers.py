"""Rounding for display never says what is not so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.cli.tests.report_results import LAW
from steelyard_cli._report.numbers import NOT_MEASURED, money, number, percent, short, span


@pytest.mark.parametrize(
    ("value", "against", "shown"),
    [
        (0.7, (), "0.700"),
        (0, (), "0.000"),
        (-0.5, (), "-0.500"),
        (5.1666667, (), "5.167"),
        (123456.0, (), "123456.000"),
        (0.0001, (), "1.000e-04"),
        (3e9, (), "3.000e+09"),
        (0.79996, (0.8,), "0.79996"),
        (0.80004, (0.8,), "0.80004"),
        (0.99999, (0.0, 1.0), "0.99999"),
        (0.7 + 0.7 + 0.7 - 1.4, (0.7,), "0.700"),
        (0.8, (None, 0.8), "0.800"),
        (None, (0.8,), NOT_MEASURED),
        (float("nan"), (), NOT_MEASURED),
        (float("inf"), (), NOT_MEASURED),
    ],
)
def test_numbers_are_rounded_but_never_onto_what_they_are_compared_with(
    value: float | None, against: tuple[float | None, ...], shown: str
) -> None:
    assert number(value, against) == shown


@LAW
@given(st.floats(0, 1), st.floats(0, 1))
def test_a_shown_number_lies_on_the_side_of_a_bound_on_which_it_really_lies(value: float, bound: float) -> None:
    shown = float(number(value, (bound,)))
    if abs(value - bound) > 1e-9:
        assert (shown < bound) == (value < bound)
        assert (shown > bound) == (value > bound)


@LAW
@given(st.floats(-1e150, 1e150))
def test_a_bound_is_shown_so_that_it_reads_back(value: float) -> None:
    assert float(short(value)) == value


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0, "0%"), (1, "100%"), (0.5, "50%"), (1 / 3, "33.3%"), (0.9999, "99.99%"), (0.00001, "0.001%")],
)
def test_a_share_is_all_or_nothing_only_if_it_is(share: float, shown: str) -> None:
    assert percent(share) == shown


@pytest.mark.parametrize(
    ("dollars", "shown"),
    [
        (None, NOT_MEASURED),
        (0.0, "$0.00"),
        (12.345, "$12.35"),
        (0.0123, "$0.0123"),
        (0.00123, "$0.0012"),
        (2e-7, "$2.0e-07"),
        (float("nan"), NOT_MEASURED),
    ],
)
def test_small_costs_are_not_rounded_to_nothing(dollars: float | None, shown: str) -> None:
    assert money(dollars) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.0002, "under 1 ms"), (0.31, "0.31 s"), (12.4, "12 s"), (185, "3:05"), (3723, "1:02:03")]
)
def test_times_are_shown_as_people_say_them(seconds: float, shown: str) -> None:
    assert span(seconds) == shown
