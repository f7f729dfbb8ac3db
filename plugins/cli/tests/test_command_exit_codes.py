"""Which exit code a result comes to: bad, not measured and interrupted are told apart, and what was not measured never
passes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from steelyard import EvalItem, EvalResult, Scored, ScorerRun, Threshold, Turn, not_scorable, run_evals, scorer
from steelyard_cli.exit_codes import MEANING, ExitCode, of_result

ROOT = Path(__file__).parents[3]


@scorer
def given_score(run: ScorerRun[Any, Any]) -> Any:
    """The output itself: a number, None for not scorable, a text for a failure."""
    if run.output is None:
        return not_scorable("nothing")
    return Scored(run.output)


@scorer
def other(run: ScorerRun[Any, Any]) -> float:
    return 1.0


@scorer
def silent(run: ScorerRun[Any, Any]) -> Any:
    return not_scorable("never")


def target(value: object) -> object:
    if value == "down":
        raise RuntimeError("the backend is down")
    return None if value == "n/a" else value


def over(*values: object, **options: Any) -> EvalResult:
    return run_evals(data=[EvalItem(input=value) for value in values], target=target, **options)


GATED: dict[str, Any] = {"gates": [given_score]}
BOUND: dict[str, Any] = {"scorers": [Threshold(given_score, 0.5)]}
TRACKED: dict[str, Any] = {"scorers": [given_score]}


@pytest.mark.parametrize(
    ("values", "options", "code"),
    [
        ((1.0,), GATED, 0),
        ((1.0, "n/a"), GATED, 0),
        ((1.0, 0.0), GATED, 1),
        ((1.0, "down"), GATED, 1),
        (("down",), GATED, 3),
        (("down", "down"), GATED, 3),
        (("n/a",), GATED, 3),
        (("broken",), GATED, 3),
        ((0.5,), BOUND, 0),
        ((0.4,), BOUND, 1),
        ((1.0, "down"), BOUND, 1),
        (("down",), BOUND, 3),
        ((0.0,), {"scorers": [Threshold(given_score, 0)]}, 0),
        ((0.0,), TRACKED, 0),
        ((0.0, "down"), TRACKED, 0),
        (("down",), TRACKED, 3),
        (("n/a",), TRACKED, 3),
        ((1.0,), {"gates": [silent], "scorers": [other]}, 3),
        ((1.0,), {"gates": [silent, given_score]}, 0),
        ((1.0,), {"gates": [other], "scorers": [Threshold(silent, 0.5)]}, 0),
        ((0.4,), {**BOUND, "gates": [other]}, 1),
    ],
)
def test_a_result_comes_to_its_code(values: tuple[object, ...], options: dict[str, Any], code: int) -> None:
    assert of_result(over(*values, **options)) == code


@pytest.mark.parametrize(("value", "code"), [(0.4, 0), (0.5, 0), ("down", 3), ("n/a", 3)])
def test_a_missed_threshold_may_be_allowed_and_nothing_else(value: object, code: int) -> None:
    assert of_result(over(value, **BOUND), allow_scored=True) == code
    assert of_result(over(0.0, 0.4, gates=[given_score], **BOUND), allow_scored=True) == 1


@pytest.mark.parametrize(("score", "code"), [(1.0, 0), (0.0, 1)])
def test_gates_of_turns_count(score: float, code: int) -> None:
    result = run_evals(data=[EvalItem(turns=[Turn(input=score, gates=[given_score])])], target=lambda value: value)
    assert of_result(result) == code


class Undecided:
    """A gate with a rule that never decides."""

    scorer = given_score

    def passed(self, n_best: int, n_scored: int, n_not_scorable: int, n_failed: int) -> bool | None:
        return None


def test_a_gate_that_decides_nothing_does_not_pass() -> None:
    assert of_result(over(1.0, gates=[Undecided()])) == 3


def test_an_interrupted_run_says_so_whatever_it_found() -> None:
    for value in (1.0, 0.0, "down"):
        assert of_result(evolve(over(value, **GATED), interrupted=True)) == 130


def test_a_run_that_was_stopped_at_a_failure_never_passes() -> None:
    assert of_result(over(1.0, **GATED), stopped=True) == 1
    assert of_result(over("down", **GATED), stopped=True) == 3


@pytest.mark.parametrize(("value", "code"), [(1.0, 3), (0.0, 1), ("down", 3)])
def test_data_that_broke_off_never_pass(value: object, code: int) -> None:
    result = evolve(over(value, **GATED), interrupted=True)
    assert of_result(evolve(result, verdict=None) if code == 3 else result, broken_off=True) == code


@given(st.lists(st.sampled_from([1.0, 0.0, 0.5, "down", "n/a", "broken"]), min_size=1, max_size=5))
def test_an_item_that_could_not_be_measured_never_makes_a_run_pass(values: list[object]) -> None:
    code = of_result(over(*values, **GATED, **BOUND))
    if any(value in ("down", "broken") for value in values):
        assert code != 0
    if not any(isinstance(value, float) for value in values):
        assert code == 3


def test_the_page_holds_the_table() -> None:
    text = (ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8")
    rows = [f"| {int(code)} | {MEANING[code]} |" for code in ExitCode]
    assert "\n".join(rows) in text
    assert [int(code) for code in ExitCode] == [0, 1, 2, 3, 70, 130]
