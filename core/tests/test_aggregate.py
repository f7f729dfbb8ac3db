"""Averages do not depend on order, only numbers get into them, and tallies of parts merge into the whole."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from statistics import stdev

import pytest

from steelyard import Failed, NotScorable, Outcome, Scale, Scored
from steelyard._running.aggregate import TARGET, ExactSum, Tally


def tally(*outcomes: Outcome, scale: Scale = Scale(), pass_at: float | None = None) -> Tally:  # noqa: B008
    made = Tally(scale, pass_at)
    for outcome in outcomes:
        made.add(outcome)
    return made


def test_only_scores_count_in_the_average_and_everything_else_is_counted_beside() -> None:
    summary = tally(
        Scored(1.0),
        Scored(0.0),
        NotScorable("analyze", "empty"),
        Failed("analyze", ValueError()),
        Failed(TARGET, ValueError()),
    ).summary("k", "i")
    assert (summary.key, summary.id) == ("k", "i")
    assert summary.average == 0.5
    assert (summary.n_scored, summary.n_not_scorable, summary.n_failed) == (2, 1, 2)
    assert (summary.n_best, summary.n_passed, summary.pass_rate) == (1, 1, 0.5)


def test_the_failure_of_a_target_is_not_the_scorers_own() -> None:
    made = tally(Failed("analyze", ValueError()), Failed(TARGET, ValueError()))
    assert (made.n_failed, made.n_own_failures) == (2, 1)


def test_without_a_number_there_is_no_average_and_no_rate() -> None:
    summary = tally(NotScorable(), Failed("analyze", ValueError())).summary("k", "i")
    assert (summary.average, summary.standard_error, summary.pass_rate) == (None, None, None)
    assert tally().summary("k", "i").average is None


def test_the_average_is_exact_whatever_the_order() -> None:
    scale = Scale(-1e16, 1e16)
    values = [1e16, 1.0, -1e16, 0.1, 0.2, -0.3, 1e-9] * 11
    exact = float(sum(map(Fraction, values)) / len(values))
    for seed in range(5):
        Random(seed).shuffle(values)
        assert tally(*map(Scored, values), scale=scale).summary("k", "i").average == pytest.approx(exact, rel=1e-15)
    averages = {
        tally(*map(Scored, order), scale=scale).numbers.average for order in (values, values[::-1], sorted(values))
    }
    assert len(averages) == 1


def test_ten_tenths_are_one() -> None:
    assert tally(*[Scored(0.1)] * 10).summary("k", "i").average == 0.1


def test_the_standard_error_is_the_sample_deviation_by_the_root_of_n() -> None:
    values = [0.0, 1.0, 0.5, 0.25, 1.0]
    summary = tally(*map(Scored, values)).summary("k", "i")
    assert summary.standard_error == pytest.approx(stdev(values) / len(values) ** 0.5)
    assert tally(Scored(0.5)).summary("k", "i").standard_error is None
    assert tally(Scored(0.3), Scored(0.3)).summary("k", "i").standard_error == pytest.approx(0.0, abs=1e-9)


def test_the_largest_scores_of_the_largest_scale_stay_finite() -> None:
    scale = Scale(-1e150, 1e150)
    summary = tally(*[Scored(1e150)] * 1000, *[Scored(-1e150)] * 500, scale=scale).summary("k", "i")
    assert summary.average == pytest.approx(1e150 / 3)
    assert summary.standard_error is not None
    assert summary.standard_error < float("inf")


@pytest.mark.parametrize(
    ("scale", "scores", "n_best"),
    [
        (Scale(), [1.0, 0.0, 0.9999999999999999, 0.5], 2),
        (Scale(direction="lower"), [1.0, 0.0, -0.0, 1e-17, 0.5], 3),
        (Scale(0, 10), [10.0, 1.0, 0.0, 9.5], 1),
        (Scale(-1, 0), [0.0, -1.0, -0.5], 1),
        (Scale(1, 5, "lower"), [1.0, 5.0, 2.0], 1),
        (Scale(-1, 1), [1.0, 0.0, -1.0], 1),
    ],
)
def test_the_best_end_is_counted_in_the_scales_direction_allowing_for_rounding(
    scale: Scale, scores: list[float], n_best: int
) -> None:
    assert tally(*map(Scored, scores), scale=scale).n_best == n_best


def test_with_a_pass_mark_those_that_reach_it_pass() -> None:
    assert tally(Scored(0.7), Scored(0.1 + 0.6), Scored(0.6), pass_at=0.7).summary("k", "i").n_passed == 2
    lower = tally(Scored(0.3), Scored(0.1 + 0.2), Scored(0.4), scale=Scale(direction="lower"), pass_at=0.3)
    assert lower.summary("k", "i").pass_rate == pytest.approx(2 / 3)


def test_labels_are_counted_and_parts_are_averaged_over_the_items_that_have_them() -> None:
    summary = tally(
        Scored(1.0, label="a", parts={"x": 1.0, "y": 4.0}),
        Scored(0.5, label="b", parts={"x": 0.0}),
        Scored(0.0, label="a"),
    ).summary("k", "i")
    assert summary.labels == {"a": 2, "b": 1}
    assert (summary.parts["x"].n, summary.parts["x"].average) == (2, 0.5)
    assert (summary.parts["y"].n, summary.parts["y"].average) == (1, 4.0)


def test_merging_tallies_of_parts_gives_the_tally_of_the_whole() -> None:
    outcomes: list[Outcome] = [
        Scored(0.1, label="a", parts={"x": 0.3}),
        Scored(1.0),
        NotScorable(),
        Failed("analyze", ValueError()),
        Scored(0.7, label="b", parts={"x": 0.1, "y": 1.0}),
        Failed(TARGET, ValueError()),
        Scored(0.0, label="a"),
    ]
    whole = tally(*outcomes, pass_at=0.5)
    whole.slice("lang=de").add(outcomes[0])
    whole.slice("lang=fr").add(outcomes[4])
    left, right = tally(*outcomes[:3], pass_at=0.5), tally(*outcomes[3:], pass_at=0.5)
    left.slice("lang=de").add(outcomes[0])
    right.slice("lang=fr").add(outcomes[4])
    left.merge(right)
    assert left.summary("k", "i") == whole.summary("k", "i")


def test_a_subclass_of_scored_is_a_score() -> None:
    class Mine(Scored):
        pass

    assert tally(Mine(0.5)).summary("k", "i").average == 0.5


def test_an_exact_sum_keeps_what_rounding_would_lose() -> None:
    total = ExactSum()
    for value in (1e100, 1.0, -1e100):
        total.add(value)
    other = ExactSum()
    other.add(1e-30)
    total.merge(other)
    assert total.value == 1.0
    assert ExactSum().value == 0.0
