"""The report says what was found, why the verdict is what it is, and what one should look at."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from plugins.cli.tests.report_results import (
    ERROR,
    LAW,
    NONE,
    completed,
    evaluated,
    item,
    of_scores,
    report_of,
    results,
    scripted,
)
from steelyard import (
    AgentScorers,
    EvalItem,
    EvalResult,
    PassRate,
    Scale,
    Scorer,
    ShareOfItems,
    Summary,
    TargetResult,
    Threshold,
    Tracked,
    Turn,
    Usage,
    Verdict,
    result_from_json,
    result_to_json,
    run_evals,
)
from steelyard_cli._report import Hide, ItemAccount, Report, Row, RowStatus


def only_row(result: EvalResult, **more: Any) -> Row:
    [row] = report_of(result, **more).rows
    return row


def because(result: EvalResult) -> list[str]:
    return [reason.text for reason in report_of(result).words.because]


# -- lines -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "status"),
    [
        ((1.0, 1.0), RowStatus.PASSED),
        ((1.0, 0.0), RowStatus.MISSED),
        ((1.0, 0.0, ERROR), RowStatus.MISSED),
        ((1.0, ERROR), RowStatus.NOT_COMPUTED),
        ((ERROR,), RowStatus.NOT_COMPUTED),
        ((NONE, NONE), RowStatus.NO_SAY),
        ((1.0, NONE), RowStatus.PASSED),
    ],
)
def test_a_gate_that_missed_is_told_from_one_that_failures_left_open(
    scores: tuple[object, ...], status: RowStatus
) -> None:
    assert only_row(of_scores(*scores, gate=True)).status is status


@pytest.mark.parametrize(
    ("scores", "status"),
    [
        ((0.7, 0.7, 0.7), RowStatus.PASSED),
        ((0.6, 0.7), RowStatus.MISSED),
        ((0.6, ERROR), RowStatus.MISSED),
        ((0.7, 0.7, 0.7, ERROR), RowStatus.NOT_COMPUTED),
        ((ERROR, ERROR), RowStatus.NOT_COMPUTED),
        ((NONE,), RowStatus.NO_SAY),
    ],
)
def test_a_bound_that_was_missed_is_told_from_one_that_failures_left_open(
    scores: tuple[object, ...], status: RowStatus
) -> None:
    assert only_row(of_scores(*scores, as_=lambda made: Threshold(made, min=0.7))).status is status


def test_a_scorer_of_which_nothing_is_asked_never_passes() -> None:
    assert only_row(of_scores(1.0)).status is RowStatus.TRACKED
    assert only_row(of_scores(NONE)).status is RowStatus.NOT_MEASURED
    assert only_row(of_scores(ERROR)).passed is None


def test_a_bound_of_zero_is_a_bound() -> None:
    row = only_row(of_scores(0.0, as_=lambda made: Threshold(made, min=0.0)))
    assert (row.status, row.bound) == (RowStatus.PASSED, ">= 0")


@pytest.mark.parametrize(
    ("as_", "bound"),
    [
        (lambda made: Threshold(made, min=0.25), ">= 0.25"),
        (lambda made: Threshold(made, max=1), "<= 1"),
        (lambda made: Threshold(made, min=0.1, max=0.9), "0.1 to 0.9"),
        (lambda made: PassRate(made, 0.5, pass_at=0.5), "pass rate >= 0.5, is 0.500"),
        (lambda made: made, ""),
    ],
)
def test_a_line_says_what_is_asked(as_: Any, bound: str) -> None:
    assert only_row(of_scores(0.0, 1.0, as_=as_)).bound == bound


def test_a_gate_says_of_how_many_items_it_wants_the_best_score() -> None:
    low = Scale(0, 10, "lower")
    assert only_row(of_scores(0.0, gate=True, scale=low)).bound == "gate: each item at 0"
    share = of_scores(1.0, 1.0, 0.0, gate=True, as_=lambda made: ShareOfItems(made, 2 / 3))
    assert only_row(share).bound == "gate: 66.7% of items at 1"


def test_a_bound_on_a_slice_or_a_part_alone_leaves_a_line_for_the_whole() -> None:
    tone = scripted("tone")
    data = [item(1, tone=1.0, lang="de"), item(2, tone=0.5, lang="fr")]
    bounds = [
        Threshold(tone, min=0.9, slice="metadata.lang=de"),
        Threshold(tone, max=0.2, part="half"),
    ]
    rows = report_of(evaluated(data, bounds, group_by=["metadata.lang"])).rows
    assert [(row.name, row.average, row.n_scored, str(row.status)) for row in rows] == [
        ("tone [metadata.lang=de]", 1.0, 1, "passed"),
        ("tone/half", 0.375, 2, "missed"),
        ("tone", 0.75, 2, "tracked"),
    ]


def test_gates_come_first_then_turns_then_scorers() -> None:
    yes = scripted("yes")
    chat = EvalItem(
        turns=[
            Turn(input="a", gates=[yes]),
            Turn(input="b", scorers=[Threshold(scripted("tone"), min=0.5), scripted("more")]),
        ],
        metadata={"yes": 1.0, "tone": 0.4, "more": 1.0, "brief": 0.5},
    )
    result = run_evals(data=[chat], target=lambda asked: "x", gates=[yes], scorers=[scripted("brief")])
    rows = report_of(result).rows
    assert [(row.name, str(row.status)) for row in rows] == [
        ("yes", "passed"),
        ("turn 0: yes", "passed"),
        ("turn 1: tone", "missed"),
        ("turn 1: more", "tracked"),
        ("brief", "tracked"),
    ]
    assert because(result)[0].startswith("The average of turn 1: tone is 0.400 over 1 item, and at least 0.5 was asked")


def test_groups_are_part_of_the_name_of_a_line() -> None:
    groups = AgentScorers(agent=[scripted("tone")], trajectory=[scripted("path")])
    result = run_evals(data=[item(1, tone=1.0, path=0.0)], target=lambda asked: "x", scorers=groups)
    assert [row.name for row in report_of(result).rows] == ["agent: tone", "trajectory: path"]
    assert report_of(result).worst[0].broke == "trajectory: path"


# -- the verdict -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "more", "words"),
    [
        ((1.0, 0.0, 0.0), {"gate": True}, "Gate tone did not hold: 2 items of 3 did not reach 1."),
        (
            (1.0, 0.0, ERROR),
            {"gate": True},
            "Gate tone did not hold: 1 item of 3 did not reach 1; 1 item could not be computed.",
        ),
        (
            (1.0, ERROR),
            {"gate": True},
            "Gate tone could not be decided: 1 item could not be computed; the other 1 reached 1.",
        ),
        (
            (1.0, 0.0, 0.0, 0.0),
            {"gate": True, "as_": lambda made: ShareOfItems(made, 0.75)},
            "Gate tone did not hold: 1 of 4 items (25%) reached 1, and 75% of items at 1 was asked: missed by 2 items.",
        ),
        (
            (0.5, 0.75),
            {"as_": lambda made: Threshold(made, min=0.75)},
            "The average of tone is 0.625 over 2 items, and at least 0.75 was asked: missed by 0.125.",
        ),
        (
            (0.8001,) * 2,
            {"as_": lambda made: Threshold(made, max=0.8)},
            "The average of tone is 0.8001 over 2 items, and at most 0.8 was asked: missed by 1.000e-04.",
        ),
        (
            (0.5, ERROR),
            {"as_": lambda made: Threshold(made, min=0.1, max=0.3)},
            "The average of tone is 0.500 over 1 item, and 0.1 to 0.3 was asked: missed by 0.200; "
            "1 item could not be computed.",
        ),
        (
            (1.0, ERROR),
            {"as_": lambda made: Threshold(made, min=0.5)},
            "The average of tone could not be decided: 1 item could not be computed. "
            "It is 1.000 over 1 item, and at least 0.5 was asked.",
        ),
        (
            (ERROR,),
            {"as_": lambda made: Threshold(made, min=0.5)},
            "The average of tone could not be decided: 1 item could not be computed, and at least 0.5 was asked.",
        ),
        (
            (1.0,),
            {"as_": lambda made: Threshold(made, min=0.5, part="other")},
            "The average of tone/other could not be decided: no score has this part, and at least 0.5 was asked.",
        ),
        (
            (1.0, 0.0),
            {"as_": lambda made: PassRate(made, 0.9)},
            "The pass rate of tone is 0.500 over 2 items, and at least 0.9 was asked: missed by 0.400.",
        ),
        ((NONE, NONE), {"gate": True}, "Gate tone had no say: 2 items were not scorable, and none was scored."),
    ],
)
def test_the_words_say_which_bar_was_missed_and_by_how_much(
    scores: tuple[object, ...], more: dict[str, Any], words: str
) -> None:
    assert because(of_scores(*scores, **more)) == [words]


def test_the_headline_says_what_the_verdict_means() -> None:
    passed = evaluated([item(1, a=1.0, b=1.0)], [Threshold(scripted("b"), min=0.5)], [scripted("a")])
    assert report_of(passed).words.headline == "passed: 1 gate held and 1 threshold was met."
    scored = evaluated([item(1, a=1.0, b=0.0)], [Threshold(scripted("b"), min=0.5)], [scripted("a")])
    assert report_of(scored).words.headline == "scored: every gate held, but 1 of 1 threshold not met."
    failed = evaluated([item(1, a=0.0, b=0.0)], [Threshold(scripted("b"), min=0.5)], [scripted("a")])
    assert report_of(failed).words.headline == "failed: 1 of 1 gate did not hold."
    assert len(report_of(failed).words.because) == 2


def test_the_headline_tells_what_was_missed_from_what_was_left_open() -> None:
    data = [item(1, a=1.0, b=0.0, c=1.0), item(2, a=ERROR, b=1.0, c=1.0)]
    gates = [scripted(name) for name in "abc"]
    assert report_of(evaluated(data, gates=gates)).words.headline == (
        "failed: 1 of 3 gates did not hold and 1 could not be decided."
    )
    assert report_of(evaluated(data, gates=gates[::2])).words.headline == "failed: 1 of 2 gates could not be decided."
    bounds = [Threshold(scripted("b"), min=0.6), Threshold(scripted("a"), min=0.6)]
    assert report_of(evaluated(data, bounds)).words.headline == (
        "scored: 1 of 2 thresholds not met and 1 could not be decided."
    )


def test_an_outage_is_not_told_as_a_bad_target() -> None:
    report = report_of(evaluated([item(1, fails=True), item(2, fails=True)], gates=[scripted("a")]))
    assert report.verdict is Verdict.FAILED
    assert report.words.headline.startswith("failed: nothing could be measured.")


def test_no_verdict_is_explained() -> None:
    assert "no gate and no threshold is set" in report_of(of_scores(1.0)).words.headline
    assert "none had anything to measure" in report_of(of_scores(NONE, gate=True)).words.headline


def test_a_run_that_ended_early_says_how_far_it_came_and_why() -> None:
    found = of_scores(1.0, 1.0, gate=True)
    summary = Summary(total_items=3, planned_items=10)
    cut = EvalResult(
        verdict=None,
        scores={},
        summary=summary,
        gate_results=found.gate_results,
        aggregates=found.aggregates,
        interrupted=True,
        interruption="interrupted from the keyboard",
    )
    report = report_of(cut)
    assert (report.partial, report.stopped) == ("partial 3/10", "interrupted from the keyboard")
    assert report.words.headline == "no verdict: the run ended early (partial 3/10)."
    assert report.statuses is None


def test_a_caller_may_know_better_why_it_stopped_and_how_many_items_there_were() -> None:
    report = report_of(of_scores(1.0), stopped="--fail-fast: item 3 failed", planned=7)
    assert (report.partial, report.stopped) == ("partial 1/7", "--fail-fast: item 3 failed")
    assert report_of(of_scores(1.0), stopped="enough").partial == "partial 1/?"
    gated = report_of(of_scores(1.0, gate=True), stopped="enough", planned=7)
    assert gated.words.headline == "no verdict: the run ended early (partial 1/7)."
    assert (gated.verdict, str(gated.rows[0].status), gated.n_planned) == (None, "held so far", 7)
    assert report_of(of_scores(1.0)).partial is None


# -- items -------------------------------------------------------------------------------------------------------------


def worst(result: EvalResult, **more: Any) -> list[tuple[str, str, str]]:
    return [(each.id, each.status, each.broke) for each in report_of(result, **more).worst]


def test_failed_items_come_first_then_errored_ones_then_the_lowest() -> None:
    entries = [Tracked(scripted("tone"), pass_at=0.5), scripted("brief")]
    data = [
        item(0, tone=1.0, brief=1.0),
        item(1, tone=0.9, brief=1.0),
        item(2, tone=0.6, brief=1.0),
        item(3, tone=1.0, brief=ERROR),
        item(4, fails=True),
        item(5, tone=0.4, brief=1.0),
        item(6, tone=0.1, brief=1.0),
    ]
    assert worst(evaluated(data, entries)) == [
        ("item-6", "failed", "tone"),
        ("item-5", "failed", "tone"),
        ("item-3", "errored", "brief"),
        ("item-4", "errored", "target"),
        ("item-2", "passed", "tone"),
        ("item-1", "passed", "tone"),
    ]


def test_lower_is_better_where_the_scale_says_so() -> None:
    assert worst(of_scores(0.0, 0.2, 0.9, scale=Scale(0, 1, "lower"))) == [
        ("item-2", "informational", "tone"),
        ("item-1", "informational", "tone"),
    ]


def test_an_item_tells_the_first_gate_or_turn_that_broke_with_its_reason() -> None:
    chat = EvalItem(
        turns=[Turn(input="a", gates=[scripted("yes")]), Turn(input="b", gates=[scripted("no")])],
        metadata={"yes": 1.0, "no": 0.0, "tone": 0.0, "reason": "it said maybe"},
        id="chat",
    )
    result = run_evals(
        data=[chat], target=lambda asked: "x", scorers=[Tracked(scripted("tone"), pass_at=1.0)], gates=[scripted("yes")]
    )
    [found] = report_of(result).worst
    assert (found.broke, found.reason, found.score) == ("turn 1: gate no", "it said maybe", 0.0)


def test_a_failure_is_told_in_its_own_words() -> None:
    [found] = report_of(of_scores(ERROR)).worst
    assert found.reason == "could not be computed: RuntimeError: the judge is out"
    [found] = report_of(evaluated([item(1, fails=True)], [scripted("a")])).worst
    assert found.reason == "ConnectionError: no answer to fail question 1"


def test_only_so_many_items_are_kept_and_the_rest_is_counted() -> None:
    report = report_of(of_scores(*[0.0] * 30, gate=True), limit=4)
    assert [each.index for each in report.worst] == [0, 1, 2, 3]
    assert report.n_worst_left_out == 26


def test_an_item_at_its_best_everywhere_is_nothing_to_look_at() -> None:
    assert report_of(of_scores(1.0, 1.0, gate=True)).worst == ()


@LAW
@given(results())
def test_what_is_noted_while_items_complete_in_any_order_is_what_the_result_tells(result: EvalResult) -> None:
    account = ItemAccount()
    for each in completed(result):
        account.item_completed(each)
    assert report_of(result, account=account) == report_of(result)


@LAW
@given(results())
def test_a_result_that_was_written_and_read_gives_the_same_report_but_for_the_rules_of_gates(
    result: EvalResult,
) -> None:
    def told(report: Report) -> object:
        rows = [(row.name, row.average, row.n_scored, row.n_failed, row.status) for row in report.rows]
        return rows, report.worst, report.statuses, report.kinds, report.slices, report.words.headline

    assert told(report_of(result_from_json(result_to_json(result)))) == told(report_of(result))


@LAW
@given(results())
def test_a_verdict_is_passed_only_if_no_line_says_otherwise(result: EvalResult) -> None:
    report = report_of(result)
    said = {row.status for row in report.asked}
    bad = {RowStatus.MISSED, RowStatus.NOT_COMPUTED}
    assert (report.verdict is Verdict.PASSED) == (RowStatus.PASSED in said and not said & bad)
    assert sum((report.statuses or {}).values()) == sum((report.kinds or {}).values()) == report.n_items


# -- the rest ----------------------------------------------------------------------------------------------------------


def test_slices_parts_and_labels_are_there_for_every_scorer() -> None:
    data = [
        item(1, tone=1.0, lang="de", label="warm"),
        item(2, tone=0.0, lang="fr", label="cold"),
        item(3, tone=NONE, lang="fr"),
    ]
    report = report_of(evaluated(data, [scripted("tone")], group_by=["metadata.lang"]))
    assert [(each.slice, each.name, each.average, each.n_scored, each.n_not_scorable) for each in report.slices] == [
        ("metadata.lang=de", "tone", 1.0, 1, 0),
        ("metadata.lang=fr", "tone", 0.0, 1, 1),
    ]
    assert [(each.name, each.part, each.average, each.n) for each in report.parts] == [("tone", "half", 0.25, 2)]
    assert [dict(each.counts) for each in report.labels] == [{"cold": 1, "warm": 1}]


def test_usage_and_cost_that_nobody_told_are_unknown_and_not_zero() -> None:
    report = report_of(of_scores(1.0))
    assert (report.target.usage, report.target.cost, report.judge.usage, report.judge.cost) == (None,) * 4
    assert report.judge.calls == 0
    told = TargetResult("x", usage=Usage(input_tokens=5), cost=0.5)
    report = report_of(run_evals(data=[item(1, tone=1.0)], target=lambda asked: told, scorers=[scripted("tone")]))
    assert (report.target.usage, report.target.cost) == (Usage(input_tokens=5), 0.5)


def test_what_is_to_be_hidden_is_nowhere_in_the_report() -> None:
    secret = "sk-very-secret"

    def leaky(question: str) -> str:
        raise ConnectionError(f"401 for key {secret}")

    scorers: list[Scorer] = [scripted(secret)]
    data = [EvalItem(input="x", id=f"item of {secret}", metadata={"lang": secret})]
    result = run_evals(data=data, target=leaky, scorers=scorers, gates=[scripted("a")], group_by=["metadata.lang"])
    report = report_of(result, name=f"eval {secret}", stopped=f"at {secret}", hide=Hide((secret,)))
    assert secret not in repr(report)
    assert "[hidden]" in report.worst[0].reason  # type: ignore[operator]
