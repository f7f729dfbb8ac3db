"""Gates must hold, thresholds bound averages, and one verdict follows from both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from attrs import frozen

from steelyard import (
    ConfigurationError,
    EachItem,
    EvalResult,
    Gate,
    GateResult,
    PassRate,
    PipelineScorer,
    Scale,
    Scored,
    Scorer,
    ShareOfItems,
    Status,
    Threshold,
    ThresholdResult,
    Tracked,
    Verdict,
    create_scorer,
    not_scorable,
    run_evals,
)

OWN: dict[str, Any] = {"none": not_scorable("nothing there"), "fails": ValueError("no")}
"""Words that stand for what is no number."""


def made(id: str = "s", scale: Scale = Scale()) -> PipelineScorer[Any, Any, Any, Any]:  # noqa: B008
    """A scorer that gives what it sees."""

    def step(ctx: Any) -> Any:
        value = OWN.get(ctx.run.output, ctx.run.output) if isinstance(ctx.run.output, str) else ctx.run.output
        if isinstance(value, Exception):
            raise value
        return value

    return create_scorer(id, "d", scale=scale).generate_score(step)


LOWER = Scale(direction="lower")
TEN = Scale(0, 10)


def evaluated(*outputs: object, **more: Any) -> EvalResult:
    return run_evals(data=[{"output": output} for output in outputs], **more)


def gate(*outputs: object, scale: Scale = Scale()) -> GateResult:  # noqa: B008
    return evaluated(*outputs, gates=[made(scale=scale)]).gate_results[0]


def bound(entry: Callable[[Scorer], Any], *outputs: object, scale: Scale = Scale()) -> ThresholdResult:  # noqa: B008
    return evaluated(*outputs, scorers=[entry(made(scale=scale))]).threshold_results[0]


# -- gates -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outputs", "scale", "passed", "score"),
    [
        ((1.0, 1, True), Scale(), True, 1.0),
        ((1.0, 0.999), Scale(), False, 0.9995),
        ((1.0, 0.0), Scale(), False, 0.5),
        ((0.0, 0.0), LOWER, True, 0.0),
        ((0.0, 1.0), LOWER, False, 0.5),
        ((10, 10), TEN, True, 10.0),
        ((10, 1), TEN, False, 5.5),
        ((1.0, "none"), Scale(), True, 1.0),
        ((1.0, "fails"), Scale(), False, 1.0),
        (("fails",), Scale(), False, None),
        (("none", "none"), Scale(), None, None),
        (("none", "fails"), Scale(), False, None),
        ((0.9999999999999999,), Scale(), True, 0.9999999999999999),
    ],
)
def test_a_gate_passes_when_each_scored_item_is_at_the_best_end_and_none_is_uncomputed(
    outputs: tuple[object, ...], scale: Scale, passed: bool | None, score: float | None
) -> None:
    result = gate(*outputs, scale=scale)
    assert result.passed is passed
    assert result.score == (None if score is None else pytest.approx(score))


def test_a_gate_result_tells_scorer_scope_and_counts() -> None:
    result = gate(1.0, 0.0, "none", "fails")
    assert (result.id, result.key, result.scope) == ("s", "s", "gates")
    assert (result.n_best, result.n_scored, result.n_not_scorable, result.n_failed) == (1, 2, 1, 1)


def test_gates_run_before_the_other_scorers_on_each_item() -> None:
    order: list[tuple[str, object]] = []

    def noting(id: str) -> PipelineScorer[Any, Any, Any, Any]:
        return create_scorer(id, "d").generate_score(lambda ctx: order.append((id, ctx.run.output)) or 1.0)  # type: ignore[func-returns-value]

    evaluated("a", "b", scorers=[noting("scorer")], gates=[noting("gate")])
    assert order == [("gate", "a"), ("scorer", "a"), ("gate", "b"), ("scorer", "b")]


def test_a_failing_gate_does_not_keep_the_scorers_from_running() -> None:
    result = evaluated(0.5, gates=[made("gate")], scorers=[made()])
    assert (result.verdict, result.scores["s"]) == (Verdict.FAILED, 0.5)


# -- gates with a rule of their own ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "outputs", "passed"),
    [
        (0.5, (1.0, 0.0), True),
        (0.75, (1.0, 0.0), False),
        (1.0, (1.0, 1.0), True),
        (0.7, (1.0,) * 7 + (0.0,) * 3, True),
        (0.5, (1.0, "fails"), True),
        (0.6, (1.0, "fails"), False),
        (1.0, (1.0, "none"), True),
        (0.5, ("none",), None),
        (0.5, ("fails",), False),
        (0.0, (0.0,), True),
    ],
)
def test_a_gate_may_ask_for_a_share_of_the_items(
    share: float, outputs: tuple[object, ...], passed: bool | None
) -> None:
    [result] = evaluated(*outputs, gates=[ShareOfItems(made(), share)]).gate_results
    assert result.passed is passed


@frozen
class Rule:
    """A gate of a stranger: any object of the right shape."""

    scorer: Scorer
    says: Callable[[int, int, int, int], Any]

    def passed(self, n_best: int, n_scored: int, n_not_scorable: int, n_failed: int) -> bool | None:
        return self.says(n_best, n_scored, n_not_scorable, n_failed)  # type: ignore[no-any-return]


def test_any_object_of_the_right_shape_is_a_gate_and_sees_counts_only() -> None:
    seen: list[tuple[int, ...]] = []

    def says(*counts: int) -> bool:
        seen.append(counts)
        return True

    rule = Rule(made(), says)
    assert isinstance(rule, Gate)
    result = evaluated(1.0, 0.5, "none", "fails", gates=[rule])
    assert seen[0] == (1, 2, 1, 1)
    assert (result.gate_results[0].passed, result.verdict) == (True, "passed")


class Falsy:
    def __bool__(self) -> bool:
        return False


@pytest.mark.parametrize(
    ("said", "passed", "verdict"),
    [
        (True, True, "passed"),
        (1, True, "passed"),
        (False, False, "failed"),
        (0, False, "failed"),
        ("", False, "failed"),
        (Falsy(), False, "failed"),
        (None, None, None),
    ],
)
def test_whatever_is_not_true_and_not_none_has_not_passed(said: object, passed: Any, verdict: str | None) -> None:
    result = evaluated(1.0, gates=[Rule(made(), lambda *counts: said)])
    assert (result.gate_results[0].passed, result.verdict) == (passed, verdict)


def test_a_rule_that_raises_has_not_passed_and_costs_no_result() -> None:
    def broken(*counts: int) -> bool:
        raise ZeroDivisionError

    result = evaluated(1.0, gates=[Rule(made(), broken)], scorers=[made("other")])
    assert (result.gate_results[0].passed, result.verdict, result.scores["other"]) == (False, "failed", 1.0)


def test_each_item_is_the_rule_of_a_scorer_that_stands_by_itself() -> None:
    assert EachItem(made()).passed(2, 2, 5, 0) is True
    assert EachItem(made()).passed(2, 2, 0, 1) is False
    assert EachItem(made()).passed(0, 0, 5, 0) is None


@pytest.mark.parametrize("entry", [Threshold(made(), 0.5), PassRate(made(), 0.5), Tracked(made()), 3, "s", None, made])
def test_what_is_no_gate_is_refused_among_the_gates(entry: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"gates|Expected a scorer"):
        evaluated(1.0, gates=[entry])


def test_a_gate_is_refused_among_the_scorers() -> None:
    with pytest.raises(ConfigurationError, match="among the gates"):
        evaluated(1.0, scorers=[ShareOfItems(made(), 0.5)])


# -- thresholds --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bounds", "outputs", "passed"),
    [
        ({"min": 0.5}, (0.5,), True),
        ({"min": 0.5}, (0.4, 0.6), True),
        ({"min": 0.5}, (0.4999,), False),
        ({"max": 0.5}, (0.5,), True),
        ({"max": 0.5}, (0.5001,), False),
        ({"min": 0.2, "max": 0.4}, (0.3,), True),
        ({"min": 0.2, "max": 0.4}, (0.5,), False),
        ({"min": 0.7}, (0.7, 0.7, 0.7), True),
        ({"max": 0.1}, (0.1,) * 10, True),
        ({"min": 0.3}, (0.1 + 0.2,), True),
        ({"max": 0.3}, (0.1 + 0.2,), True),
        ({"min": 0.5}, (1.0, "none"), True),
        ({"min": 0.5}, (1.0, "fails"), False),
        ({"min": 0.0}, ("fails",), False),
        ({"min": 0.5}, ("none",), None),
    ],
)
def test_a_threshold_bounds_the_average_with_both_ends_inclusive(
    bounds: dict[str, Any], outputs: tuple[object, ...], passed: bool | None
) -> None:
    assert bound(lambda scorer: Threshold(scorer, **bounds), *outputs).passed is passed


@pytest.mark.parametrize(
    ("scale", "bounds", "output", "passed"),
    [
        (Scale(0, 1e9), {"min": 9e8}, 9e8 - 1, False),
        (Scale(0, 1e-12), {"min": 9e-13}, 1e-13, False),
        (Scale(1e9, 1e9 + 1), {"min": 1e9 + 0.5}, 1e9 + 0.4, False),
        (LOWER, {"max": 0.3}, 0.1 + 0.2, True),
        (TEN, {"min": 7}, 7.0, True),
    ],
)
def test_the_allowance_for_rounding_follows_the_scale(
    scale: Scale, bounds: dict[str, Any], output: float, passed: bool
) -> None:
    assert bound(lambda scorer: Threshold(scorer, **bounds), output, scale=scale).passed is passed


def test_a_threshold_result_tells_what_was_asked_and_what_was_found() -> None:
    result = bound(lambda scorer: Threshold(scorer, 0.4, max=0.9), 0.4, 0.6, "none")
    assert (result.id, result.key, result.scope) == ("s", "s", "scorers")
    assert (result.threshold.min, result.threshold.max, result.average_score) == (0.4, 0.9, 0.5)
    assert (result.n_scored, result.n_not_scorable, result.n_failed, result.pass_rate) == (2, 1, 0, None)


def test_a_bare_number_means_min_and_is_refused_with_a_hint_where_lower_is_better() -> None:
    assert Threshold(made(), 0.5).min == 0.5
    assert Threshold(made(), 0.5).max is None
    with pytest.raises(ConfigurationError, match=r"max=0\.5"):
        Threshold(made(scale=LOWER), 0.5)
    assert Threshold(made(scale=LOWER), max=0.5).max == 0.5
    assert Threshold(made(scale=LOWER), min=0.5).min == 0.5


@pytest.mark.parametrize(
    ("bare", "named"),
    [
        ((), {}),
        ((None,), {}),
        ((0.1, 0.9), {}),
        ((0.1,), {"min": 0.2}),
        ((), {"min": 0.6, "max": 0.5}),
        ((), {"min": -0.1}),
        ((), {"max": 1.1}),
        ((), {"min": float("nan")}),
        ((), {"max": float("inf")}),
        ((), {"min": "0.5"}),
        ((), {"min": True}),
        ((), {"min": 10**400}),
        ((0.5,), {"pass_at": 1.5}),
        ((0.5,), {"pass_at": float("nan")}),
        ((0.5,), {"pass_at": "high"}),
        ((0.5,), {"slice": "metadata.lang"}),
        ((0.5,), {"slice": "=de"}),
        ((0.5,), {"slice": 3}),
    ],
)
def test_bounds_that_mean_nothing_are_refused_when_they_are_made(bare: tuple[Any, ...], named: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        Threshold(made(), *bare, **named)


@pytest.mark.parametrize("what", [3, "s", None, made])
def test_a_bound_on_what_is_no_scorer_is_refused(what: Any) -> None:
    for entry in (lambda: Threshold(what, 0.5), lambda: PassRate(what, 0.5), lambda: Tracked(what)):
        with pytest.raises(ConfigurationError, match="Expected a scorer"):
            entry()


# -- pass rates --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "pass_at", "scale", "outputs", "passed", "rate"),
    [
        (0.5, None, Scale(), (1.0, 0.9), True, 0.5),
        (0.6, None, Scale(), (1.0, 0.9), False, 0.5),
        (1.0, 0.7, Scale(), (0.7, 0.9), True, 1.0),
        (0.9, None, Scale(), (1.0,) * 9 + (0.0,), True, 0.9),
        (1.0, 0.3, LOWER, (0.1 + 0.2, 0.0), True, 1.0),
        (1.0, None, LOWER, (0.0, 0.1), False, 0.5),
        (0.9, 8, TEN, (8, 9, 7), False, 2 / 3),
        (1.0, None, Scale(), (1.0, "none"), True, 1.0),
        (0.5, None, Scale(), (1.0, "fails"), False, 1.0),
        (0.5, None, Scale(), ("none",), None, None),
        (0.9, None, Scale(0, 1e9), (1e9,) * 8995 + (0,) * 1005, False, 0.8995),
    ],
)
def test_a_pass_rate_bounds_the_share_of_items_that_pass(
    share: float, pass_at: float | None, scale: Scale, outputs: tuple[Any, ...], passed: Any, rate: float | None
) -> None:
    result = bound(lambda scorer: PassRate(scorer, share=share, pass_at=pass_at), *outputs, scale=scale)
    assert result.passed is passed
    assert result.pass_rate == (None if rate is None else pytest.approx(rate))
    assert (result.threshold.of, result.threshold.min) == ("pass_rate", share)


def test_a_pass_rate_states_its_denominator() -> None:
    assert bound(lambda scorer: PassRate(scorer, share=0.5), 1.0, 0.0, "none").n_scored == 2


@pytest.mark.parametrize(
    "named",
    [
        {"share": 1.1},
        {"share": -0.1},
        {"share": float("nan")},
        {"share": True},
        {"share": 0.5, "pass_at": 2.0},
        {"share": 0.5, "slice": "lang"},
    ],
)
def test_pass_rates_that_mean_nothing_are_refused_when_they_are_made(named: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        PassRate(made(), **named)


# -- the verdict -------------------------------------------------------------------------------------------------------

MET, MISSED = Threshold(made(), min=0.1), Threshold(made(), min=0.9)


@pytest.mark.parametrize(
    ("gates", "scorers", "output", "verdict"),
    [
        ([made()], [], 1.0, "passed"),
        ([made()], [], 0.5, "failed"),
        ([], [MET], 0.5, "passed"),
        ([], [MISSED], 0.5, "scored"),
        ([made()], [MISSED], 0.5, "failed"),
        ([made("one")], [Threshold(made(), max=0.5)], 1.0, "scored"),
        ([], [made()], 0.5, None),
        ([], [Tracked(made(), pass_at=0.1)], 0.5, None),
        ([made()], [], "none", None),
        ([], [MET], "none", None),
        ([made()], [MET], "none", None),
        ([made()], [], "fails", "failed"),
        ([], [MET], "fails", "scored"),
        ([], [made()], "fails", None),
    ],
)
def test_the_verdict_is_failed_for_a_gate_scored_for_a_threshold_and_none_where_nothing_has_a_say(
    gates: list[Any], scorers: list[Any], output: object, verdict: str | None
) -> None:
    assert evaluated(output, gates=gates, scorers=scorers).verdict == verdict


def test_one_that_was_not_scorable_on_every_item_has_no_say_beside_one_that_was() -> None:
    silent = create_scorer("silent", "d").generate_score(lambda ctx: not_scorable())
    assert evaluated(1.0, gates=[silent, made()]).verdict == "passed"
    assert evaluated(0.5, gates=[silent], scorers=[Threshold(made(), 0.9)]).verdict == "scored"
    assert evaluated(1.0, scorers=[Threshold(silent, 0.9), Threshold(made(), 0.9)]).verdict == "passed"


def test_a_verdict_is_a_text() -> None:
    verdict = evaluated(1.0, gates=[made()]).verdict
    assert isinstance(verdict, str)
    assert f"{verdict}" == "passed"


# -- the status of an item ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "given", "status"),
    [
        (1.0, {"gates": [made()]}, "passed"),
        (0.5, {"gates": [made()]}, "failed"),
        ("fails", {"gates": [made()]}, "errored"),
        ("none", {"gates": [made()]}, "unmeasured"),
        (0.5, {"scorers": [made()]}, "informational"),
        (0.5, {"scorers": [Threshold(made(), 0.9)]}, "informational"),
        (0.5, {"scorers": [Threshold(made(), 0.9, pass_at=0.4)]}, "passed"),
        (0.5, {"scorers": [Threshold(made(), 0.1, pass_at=0.6)]}, "failed"),
        (0.5, {"scorers": [Tracked(made(), pass_at=0.5)]}, "passed"),
        (0.5, {"scorers": [Tracked(made(scale=LOWER), pass_at=0.4)]}, "failed"),
        (0.5, {"scorers": [PassRate(made(), share=0.1)]}, "failed"),
        ("none", {"scorers": [Tracked(made(), pass_at=0.5)]}, "unmeasured"),
        (0.5, {"scorers": [made()], "gates": [create_scorer("x", "d").generate_score(lambda ctx: 1 / 0)]}, "errored"),
        (0.5, {"scorers": [create_scorer("x", "d").generate_score(lambda ctx: 1 / 0)], "gates": [made()]}, "failed"),
        (1.0, {"scorers": [create_scorer("x", "d").generate_score(lambda ctx: 1 / 0)], "gates": [made()]}, "errored"),
    ],
)
def test_the_status_of_an_item_is_the_first_that_fits(output: object, given: dict[str, Any], status: str) -> None:
    assert evaluated(output, **given).items[0].status == Status(status)


# -- parts and slices --------------------------------------------------------------------------------------------------


def parted(*values: float | None, label: str | None = None) -> Any:
    def step(ctx: Any) -> Scored:
        value = ctx.run.output
        return Scored(1.0, parts={} if value is None else {"size": value}, label=label)

    return create_scorer("p", "d").generate_score(step), values


@pytest.mark.parametrize(
    ("values", "bounds", "passed", "average"),
    [
        ((10.0, 20.0), {"min": 15}, True, 15.0),
        ((10.0, 20.0), {"max": 14}, False, 15.0),
        ((10.0, None), {"min": 10}, True, 10.0),
        ((None, None), {"min": 10}, False, None),
        ((1e15, 1e15), {"min": 1e15 + 1}, True, 1e15),
        ((1e6, 1e6), {"min": 1e6 + 1}, False, 1e6),
    ],
)
def test_a_part_of_a_score_can_be_bounded_on_the_items_that_have_it(
    values: tuple[float | None, ...], bounds: dict[str, Any], passed: bool, average: float | None
) -> None:
    scorer, outputs = parted(*values)
    result = evaluated(*outputs, scorers=[Threshold(scorer, part="size", **bounds)])
    [threshold] = result.threshold_results
    assert (threshold.passed, threshold.average_score) == (passed, average)
    assert result.scores.get("p/size") == average
    assert list(result.scores) == ["p"]


def test_a_slice_can_be_bounded() -> None:
    data = [{"output": value, "metadata": {"lang": lang}} for value, lang in ((1.0, "de"), (0.0, "de"), (1.0, "fr"))]
    one = made()
    result = run_evals(
        data=data,
        group_by=["metadata.lang"],
        scorers=[
            Threshold(one, 0.9, slice="metadata.lang=fr"),
            Threshold(one, 0.9, slice="metadata.lang=de"),
            PassRate(one, share=0.5, slice="metadata.lang=de"),
        ],
    )
    assert [(each.passed, each.average_score, each.n_scored) for each in result.threshold_results] == [
        (True, 1.0, 1),
        (False, 0.5, 2),
        (True, 0.5, 2),
    ]


def test_a_slice_that_is_not_grouped_by_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"group_by does not hold 'metadata\.lang'"):
        evaluated(1.0, scorers=[Threshold(made(), 0.9, slice="metadata.lang=de")])
    with pytest.raises(ConfigurationError, match=r"group_by does not hold 'metadata\.lang'"):
        run_evals(data=[{"output": 1.0, "scorers": [Threshold(made(), 0.9, slice="metadata.lang=de")]}])


def test_a_slice_to_which_no_item_of_a_list_belongs_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ConfigurationError, match=r"metadata\.lang=dee.*metadata\.lang=de"):
        run_evals(
            data=[{"output": 1.0, "metadata": {"lang": "de"}}],
            group_by=["metadata.lang"],
            scorers=[Threshold(made(), 0.9, slice="metadata.lang=dee")],
        )
