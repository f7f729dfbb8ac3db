"""The opposite of any scorer: its number mirrored, its failures and its reason kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from attrs import field, frozen
from hypothesis import given
from hypothesis import strategies as st

import steelyard_checks as checks
from checks.tests.answers import LAW, answers, called, outcome, reason, said, score
from steelyard import (
    AgentScorers,
    ConfigurationError,
    Failed,
    MissingValue,
    NotScorable,
    Outcome,
    PromptStep,
    Scale,
    Scored,
    ScorerRun,
    ScorerRunError,
    Threshold,
    create_scorer,
    from_item,
    not_scorable,
    run_evals,
    scorer,
    scorer_key,
)
from steelyard.testing import ScriptedJudge
from steelyard_checks._negation import mirrored

TEN = Scale(0, 10, direction="lower")


def giving(value: Any, scale: Scale = Scale()) -> Any:  # noqa: B008
    """A scorer of one plain function that gives this."""
    return scorer(id="given", scale=scale)(lambda run: value)


def raising(error: Exception) -> Callable[[object], float]:
    def step(run: object) -> float:
        raise error

    return step


@frozen
class Foreign:
    """A scorer from elsewhere, with no more than the protocol asks for."""

    found: Any
    id: str = "foreign"
    scale: Scale = field(factory=Scale)
    type: None = None

    async def score(self, run: ScorerRun[Any, Any], services: object) -> Outcome:
        return self.found  # type: ignore[no-any-return]


@frozen
class Grade:
    points: float


def judged(*replies: Any) -> Any:
    """A scorer that asks a scripted judge."""
    return create_scorer("judged", "Points by a judge.", judge=ScriptedJudge(list(replies))).generate_score(
        PromptStep(output=Grade, prompt=lambda context: "?", calculate_score=lambda context, answer: answer.points)
    )


# -- scores ------------------------------------------------------------------------------------------------------------

MET = [
    (checks.called_tool("search"), called("search")),
    (checks.contains_all(["s", "u"]), said("sun")),
    (checks.contains_any(["x", "u"]), said("sun")),
    (checks.cost_under(1), "sun"),
    (checks.did_not_call("search"), []),
    (checks.ends_with("n"), said("sun")),
    (checks.equals("sun"), said("sun")),
    (checks.excludes("rain"), said("sun")),
    (checks.includes("sun"), said("sun")),
    (checks.is_json(), "{}"),
    (checks.json_path_equals("a", 1), {"a": 1}),
    (checks.latency_under(1), "sun"),
    (checks.matches("s.n"), said("sun")),
    (checks.max_length(3), said("sun")),
    (checks.max_tool_calls(1), called("search")),
    (checks.max_turns(1), said("sun")),
    (checks.min_length(3), said("sun")),
    (checks.no_tool_errors(), called("search")),
    (checks.similarity("sun"), said("sun")),
    (checks.similarity("sun", 0.5), said("sun")),
    (checks.starts_with("s"), said("sun")),
    (checks.tool_called_with("search", {}), called("search")),
    (checks.tool_order(["search"]), called("search")),
    (checks.used_no_tools(), []),
]


@pytest.mark.parametrize(("check", "output"), MET)
def test_every_check_that_holds_is_missed_by_its_opposite(check: Any, output: Any) -> None:
    """B133"""
    run = {"cost": 0.5, "target_duration_ms": 1.0}
    assert score(check, output, **run) == 1.0
    assert score(checks.not_(check), output, **run) == 0.0
    assert reason(checks.not_(check), output, **run) == reason(check, output, **run)


def test_the_opposite_of_every_check_was_tried() -> None:
    tried = {check.id for check, _ in MET} | {"check-refused", "check-not"}
    assert tried == {f"check-{name.strip('_').replace('_', '-')}" for name in checks.__all__}


def test_a_graded_score_is_mirrored_and_counts_as_such_in_the_average() -> None:
    """B135"""
    result = run_evals(data=[{"output": "x"}], scorers=[Threshold(checks.not_(giving(0.9)), min=0.5)])
    assert result.scores["check-not"] == pytest.approx(0.1)
    assert (result.threshold_results[0].passed, result.verdict) == (False, "scored")


def test_the_mirror_keeps_the_scale_and_its_direction() -> None:
    low = checks.not_(giving(2.5, TEN))
    assert low.scale == TEN
    assert score(low, "x") == 7.5
    assert run_evals(data=[{"output": "x"}], gates=[giving(0, TEN)]).verdict == "passed"
    assert run_evals(data=[{"output": "x"}], gates=[checks.not_(giving(0, TEN))]).verdict == "failed"
    assert run_evals(data=[{"output": "x"}], gates=[checks.not_(giving(10, TEN))]).verdict == "passed"


def test_label_and_parts_stay() -> None:
    found = outcome(checks.not_(giving(Scored(0.25, "why", label="odd", parts={"tone": 2.0}))), "x")
    assert found == Scored(0.75, "why", label="odd", parts={"tone": 2.0})


def test_the_opposite_of_an_opposite_is_the_check_itself() -> None:
    for check in (checks.includes("sun"), judged(), Foreign(Scored(1.0))):
        assert checks.not_(checks.not_(check)) is check


@LAW
@given(st.floats(-1e6, 1e6), st.floats(0.001, 1e6), st.floats(0, 1))
def test_the_mirror_stays_within_the_scale_and_changes_its_ends_exactly(low: float, width: float, at: float) -> None:
    scale = Scale(low, low + width)
    value = min(max(low + at * width, scale.low), scale.high)
    assert scale.low <= mirrored(value, scale) <= scale.high
    assert mirrored(mirrored(value, scale), scale) == pytest.approx(value, abs=1e-9 * max(1.0, abs(low) + width))
    assert (mirrored(scale.best, scale), mirrored(scale.worst, scale)) == (scale.worst, scale.best)


@LAW
@given(answers)
def test_a_check_and_its_opposite_share_out_the_scale(answer: list[str]) -> None:
    for check in (checks.includes("a"), checks.similarity("ab"), checks.matches("b")):
        together = score(check, said(*answer)) + score(checks.not_(check), said(*answer))
        assert together == pytest.approx(1.0)
    assert score(checks.not_(checks.includes("a")), said(*answer)) == score(checks.excludes("a"), said(*answer))


# -- what could not be measured ----------------------------------------------------------------------------------------


def test_an_error_stays_an_error() -> None:
    error = RuntimeError("gone")
    for inner in (scorer(id="bad")(raising(error)), Foreign(Failed("analyze", error))):
        result = run_evals(data=[{"output": "x"}], gates=[checks.not_(inner)])
        found = result.items[0].gates["check-not"]
        assert isinstance(found, Failed)
        assert found.error is error
        assert (result.gate_results[0].passed, result.verdict) == (False, "failed")


def test_not_scorable_stays_not_scorable() -> None:
    for inner in (giving(not_scorable("nothing")), Foreign(NotScorable("analyze", "nothing"))):
        result = run_evals(data=[{"output": "x"}], gates=[checks.not_(inner)])
        found = result.items[0].gates["check-not"]
        assert isinstance(found, NotScorable)
        assert found.reason == "nothing"
        assert result.verdict is None


@pytest.mark.parametrize("value", [2.0, float("nan"), "high", None])
def test_a_score_that_is_none_is_not_made_one(value: Any) -> None:
    result = run_evals(data=[{"output": "x"}], scorers=[checks.not_(giving(value))])
    assert isinstance(result.items[0]["check-not"], Failed)


@pytest.mark.parametrize("found", [Scored(1.5), Scored(-0.5), Scored(float("nan")), 0.5, None])
def test_a_foreign_scorer_that_breaks_its_scale_or_its_protocol_is_found_out(found: Any) -> None:
    result = run_evals(data=[{"output": "x"}], scorers=[checks.not_(Foreign(found))])
    assert isinstance(result.items[0]["check-not"], Failed)


def test_an_output_that_no_check_can_read_fails_its_opposite_too() -> None:
    result = run_evals(data=[{"output": {"a": 1}}], gates=[checks.not_(checks.includes("sun"))])
    assert isinstance(result.items[0].gates["check-not"], Failed)


def test_an_item_that_lacks_a_value_fails_the_opposite_and_never_passes_it() -> None:
    check = checks.not_(checks.includes(from_item("ground_truth")))
    assert check.needs == {"ground_truth"}
    with pytest.raises(ConfigurationError, match="needs ground_truth"):
        run_evals(data=[{"output": "x"}], gates=[check])
    result = run_evals(data=iter([{"output": "x"}]), gates=[check])
    found = result.items[0].gates["check-not"]
    assert isinstance(found, Failed)
    assert isinstance(found.error, MissingValue)


# -- all kinds of scorers ----------------------------------------------------------------------------------------------


def test_a_scorer_that_asks_a_judge_is_turned_with_its_evidence() -> None:
    check = checks.not_(judged({"points": 0.75}))
    result = run_evals(data=[{"output": "x"}], scorers=[check])
    found = result.items[0]["check-not"]
    assert found.score == 0.25
    assert (found.result.scorer_id, found.result.score) == ("check-not", 0.25)
    assert len(found.result.judge["generate_score"]) == result.summary.judge_calls == 1
    assert result.scores["check-not"] == 0.25


def test_a_missing_judge_is_refused_before_the_run_and_one_can_be_given() -> None:
    bare = create_scorer("judged").generate_score(
        PromptStep(output=Grade, prompt=lambda context: "?", calculate_score=lambda context, answer: answer.points)
    )
    check = checks.not_(bare)
    with pytest.raises(ConfigurationError, match="no judge at any level"):
        run_evals(data=[{"output": "x"}], scorers=[check])
    judge = ScriptedJudge([{"points": 1.0}, {"points": 1.0}])
    assert run_evals(data=[{"output": "x"}], scorers=[check], judge=judge).scores["check-not"] == 0.0
    assert check.with_judge(judge).run_sync(output="x").score == 0.0


def test_an_incomplete_scorer_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no generate_score step"):
        run_evals(data=[{"output": "x"}], scorers=[checks.not_(create_scorer("empty"))])


def test_async_functions_and_plain_ones_that_hand_back_something_to_await_are_turned() -> None:
    async def later(run: object) -> float:
        return 0.25

    async def broken(run: object) -> float:
        raise RuntimeError("gone")

    for function in (later, lambda run: later(run)):
        check = checks.not_(scorer(id="later")(function))
        assert run_evals(data=[{"output": "x"}], scorers=[check]).scores["check-not"] == 0.75
        assert check.run_sync(output="x").score == 0.75
    for function in (broken, lambda run: broken(run)):
        result = run_evals(data=[{"output": "x"}], scorers=[checks.not_(scorer(id="later")(function))])
        assert isinstance(result.items[0]["check-not"], Failed)


def test_a_scorer_with_steps_and_a_reason_is_turned_after_them() -> None:
    inner = (
        create_scorer("steps", "d")
        .preprocess(lambda context: 0.25)
        .generate_score(lambda context: context.preprocess_result)
        .generate_reason(lambda context: f"it is {context.score}")
    )
    found = checks.not_(inner).run_sync(output="x")
    assert (found.score, found.reason, found.preprocess_result) == (0.75, "it is 0.25", 0.25)


def test_a_score_that_was_computed_before_a_failing_reason_is_kept_mirrored() -> None:
    inner = create_scorer("steps").generate_score(lambda context: 0.25).generate_reason(raising(KeyError("x")))  # type: ignore[arg-type]
    result = run_evals(data=[{"output": "x"}], scorers=[checks.not_(inner)])
    found = result.items[0]["check-not"]
    assert isinstance(found, Failed)
    assert found.result is not None
    assert (found.step, found.result.score, found.result.scorer_id) == ("generate_reason", 0.75, "check-not")
    with pytest.raises(ScorerRunError):
        checks.not_(inner).run_sync(output="x")


def test_a_foreign_scorer_is_turned_and_stands_in_every_group() -> None:
    check = checks.not_(Foreign(Scored(0.25, "so")))
    assert check.description == "Not: foreign"
    result = run_evals(data=[{"output": "x"}], scorers=AgentScorers(agent=[check]))
    assert result.items[0].scores["agent"]["check-not"] == Scored(0.75, "so")


def test_two_opposites_stand_in_one_scope_since_their_keys_show_the_checks() -> None:
    gates = [checks.not_(checks.includes("a")), checks.not_(checks.includes("b"))]
    result = run_evals(data=[{"output": "c"}], gates=gates)
    assert [gate.key for gate in result.gate_results] == [
        'check-not(check-includes("a"))',
        'check-not(check-includes("b"))',
    ]
    assert scorer_key(checks.not_(Foreign(None))) == "check-not(foreign)"
    long = [scorer_key(checks.not_(checks.includes("x" * 100 + end))) for end in "ab"]
    assert len(set(long)) == 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (True, "found bool: True"),
        ("includes", "found str: 'includes'"),
        (checks.includes, "found function"),
        (None, "found NoneType"),
        (Threshold(checks.includes("a"), 0.5), r"Put Threshold\(...\) around not_\(...\)"),
    ],
)
def test_what_is_no_scorer_is_refused(given: Any, words: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"not_\(check=\): expected a check or another scorer.*{words}"):
        checks.not_(given)
