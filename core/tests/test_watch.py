"""A watched target answers as before while a share of its runs is scored in the background."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from steelyard import ConfigurationError, ItemResult, ScorerRun, StepResult, TargetResult, WatchStats, scorer, watch


@scorer(type="agent")
def long(run: ScorerRun[Any, Any]) -> float:
    return float(len(run.output.text) > 3)


@scorer
def broken(run: ScorerRun[Any, Any]) -> float:
    raise ValueError("no number")


def echo(question: str) -> str:
    return f"echo {question}"


def test_what_a_watched_function_answers_is_unchanged_and_scored() -> None:
    with watch(echo, scorers=[long]) as watched:
        assert [watched(str(n)) for n in range(20)] == [f"echo {n}" for n in range(20)]
    assert watched.stats == WatchStats(runs=20, eligible=20, sampled=20, scored=20)
    assert watched.result().scores["long"] == 1.0
    assert watched.result().verdict is None


def test_an_async_target_is_awaited_as_before_and_scored() -> None:
    async def agent(question: str) -> str:
        await asyncio.sleep(0)
        return echo(question)

    async def main() -> WatchStats:
        async with watch(agent, scorers=[long], concurrency=3) as watched:
            assert await watched("a") == "echo a"
            assert await asyncio.gather(*(watched(str(n)) for n in range(9))) == [f"echo {n}" for n in range(9)]
        return watched.stats

    assert asyncio.run(main()).scored == 10


class Agent:
    """An agent with a method of its own name and something else to read."""

    model = "m-1"

    def generate(self, question: str, *, run_id: str | None = None) -> str:
        return echo(question)


def test_an_agent_object_is_watched_through_its_method_and_keeps_everything_else() -> None:
    with watch(Agent(), scorers=[long]) as watched:
        assert watched.generate("a", run_id="r1") == "echo a"
        assert watched.model == "m-1"
    assert watched.stats.scored == 1


def test_steps_of_a_workflow_are_scored_each_on_its_own() -> None:
    def workflow(given: str) -> TargetResult:
        steps: dict[str, Any] = {"a": StepResult(input=given, output="long enough"), "b": {"output": "x"}}
        return TargetResult("whole", step_results=steps)

    with watch(workflow, scorers=[long], steps={"a": [long], "b": [long]}) as watched:
        watched("q")
    assert watched.result().scores == {"workflow": {"long": 1.0}, "steps": {"a": {"long": 1.0}, "b": {"long": 0.0}}}


def chosen(ratio: float) -> set[str]:
    picked: list[str] = []
    note: Callable[[ItemResult], None] = lambda result: picked.append(result.id)  # noqa: E731
    with watch(Agent(), scorers=[long], sampling=ratio, on_scored=note) as watched:
        for n in range(200):
            watched.generate("a", run_id=f"run-{n}")
    return set(picked)


def test_the_choice_follows_from_the_run_and_a_larger_share_holds_the_smaller_one() -> None:
    half = chosen(0.5)
    assert 60 < len(half) < 140
    assert chosen(0.5) == half
    assert chosen(0.2) < half
    assert chosen(0.0) == set()
    assert len(chosen(1.0)) == 200


def test_each_scorer_may_have_a_share_of_its_own() -> None:
    with watch(echo, scorers=[long, broken], sampling={"long": 1.0, "broken": 0.0}) as watched:
        watched("a")
    assert watched.result().summary.errors == {}
    assert watched.result().scores["long"] == 1.0


def test_eligibility_is_asked_before_sampling_with_the_request_context() -> None:
    def agent(question: str, *, request_context: dict[str, Any]) -> str:
        return question

    with watch(agent, scorers=[long], eligible=lambda context: context["tier"] == "paid") as watched:
        watched("a", request_context={"tier": "free"})
        watched("b", request_context={"tier": "paid"})
    assert (watched.stats.runs, watched.stats.eligible, watched.stats.scored) == (2, 1, 1)


def test_a_full_queue_drops_and_counts_and_the_target_never_waits() -> None:
    held = threading.Event()

    @scorer
    def slow(run: ScorerRun[Any, Any]) -> float:
        held.wait(30)
        return 1.0

    watched = watch(echo, scorers=[slow], queue_size=2)
    for n in range(10):
        watched(str(n))
    held.set()
    stats = watched.close()
    assert stats.runs == 10
    assert stats.scored + stats.dropped == 10
    assert stats.dropped >= 7
    assert stats.pending == 0


def test_closing_in_time_counts_what_is_left_as_dropped() -> None:
    held = threading.Event()

    @scorer
    def stuck(run: ScorerRun[Any, Any]) -> float:
        held.wait(30)
        return 1.0

    watched = watch(echo, scorers=[stuck])
    watched("a")
    watched("b")
    stats = watched.close(timeout=0.01)
    held.set()
    assert (stats.dropped, stats.pending) == (2, 0)
    assert watched("c") == "echo c"
    assert watched.stats.dropped == 3


def test_whatever_goes_wrong_in_the_watch_never_touches_the_target() -> None:
    def complain(result: ItemResult) -> None:
        raise RuntimeError("nobody listens")

    with watch(echo, scorers=[broken], on_scored=complain, eligible=lambda context: True) as watched:
        assert watched("a") == "echo a"
    assert watched.stats.errors == 1
    assert watched.result().summary.errors == {"broken": 1}
    odd = watch(echo, scorers=[long], eligible=lambda context: context["tier"])
    assert odd("a") == "echo a"
    assert (odd.stats.errors, odd.stats.scored) == (1, 0)


def test_what_the_target_raises_reaches_its_caller_and_is_not_scored() -> None:
    def down(question: str) -> str:
        raise ConnectionError("down")

    with watch(down, scorers=[long]) as watched, pytest.raises(ConnectionError):
        watched("a")
    assert watched.stats == WatchStats()


def test_observers_are_told_of_each_scored_run() -> None:
    seen: list[int] = []

    class Note:
        def item_completed(self, item_result: ItemResult) -> None:
            seen.append(item_result.index)

    with watch(echo, scorers=[long], observers=[Note()]) as watched:
        watched("a")
        watched("b")
    assert seen == [0, 1]


@pytest.mark.parametrize(
    "options",
    [
        {"scorers": []},
        {"scorers": [long], "sampling": 1.5},
        {"scorers": [long], "sampling": {"lnog": 1.0}},
        {"scorers": [long], "queue_size": 0},
        {"scorers": [long], "concurrency": True},
        {"scorers": [long], "timeout": -1},
    ],
)
def test_what_cannot_be_watched_is_refused_at_once(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        watch(echo, **options)
    with pytest.raises(ConfigurationError):
        watch(Agent, scorers=[long])


def test_runs_that_wait_at_the_end_of_the_program_are_scored() -> None:
    program = """
from steelyard import scorer, watch

@scorer
def note(run):
    print("scored", run.output, flush=True)
    return 1.0

watched = watch(str.upper, scorers=[note])
watched("a")
watched("b")
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.split() == ["scored", "A", "scored", "B"]
