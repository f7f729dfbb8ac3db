"""What is set up around a run and around each item reaches target and scorers, and is always taken down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from steelyard import EvalItem, Lifecycle, ScorerRun, TargetCall, arun_evals, run_evals, scorer

Order = list[str]


@scorer
def there(run: ScorerRun[Any, Any]) -> float:
    return 1.0


def lifecycle(order: Order, **faults: Exception) -> Lifecycle:
    """Yields "db" around the run and "db/<input>" around each item, with faults at named places."""

    def fault(place: str) -> None:
        if place in faults:
            raise faults[place]

    @asynccontextmanager
    async def around_run() -> AsyncIterator[str]:
        order.append("run up")
        fault("run_up")
        try:
            yield "db"
        finally:
            order.append("run down")
            fault("run_down")

    @asynccontextmanager
    async def around_item(item: EvalItem, run_state: str) -> AsyncIterator[str]:
        order.append(f"{item.input} up")
        fault("item_up")
        try:
            yield f"{run_state}/{item.input}"
        except ValueError as error:
            order.append(f"{item.input} saw {error}")
            raise
        finally:
            order.append(f"{item.input} down")
            fault("item_down")

    return Lifecycle(run=around_run, item=around_item)


def items(*given: str) -> list[dict[str, str]]:
    return [{"input": each} for each in given]


def test_what_is_yielded_reaches_target_and_scorers_as_state() -> None:
    seen: list[object] = []

    def target(given: str, call: TargetCall) -> str:
        seen.append(call.state)
        return given

    note = scorer(id="note")(lambda run: seen.append(run.state) or 1.0)  # type: ignore[func-returns-value]
    run_evals(data=items("a", "b"), target=target, scorers=[note], gates=[there], lifecycle=lifecycle([]))
    assert seen == ["db/a", "db/a", "db/b", "db/b"]


def test_without_one_around_items_they_see_that_of_the_run() -> None:
    seen: list[object] = []
    note = scorer(id="note")(lambda run: seen.append(run.state) or 1.0)  # type: ignore[func-returns-value]
    only_run = Lifecycle(run=lifecycle([]).run)
    run_evals(data=items("a"), target=str, scorers=[note], lifecycle=only_run)
    run_evals(data=items("a"), target=str, scorers=[note])
    assert seen == ["db", None]


def test_everything_is_set_up_before_and_taken_down_after() -> None:
    order: Order = []
    run_evals(data=items("a", "b"), target=order.append, scorers=[there], lifecycle=lifecycle(order))
    assert order == ["run up", "a up", "a", "a down", "b up", "b", "b down", "run down"]


def test_a_fresh_target_is_made_from_the_state() -> None:
    made: list[object] = []

    def factory(state: object) -> Any:
        made.append(state)
        return lambda given: str(state)

    result = run_evals(data=items("a", "b"), target_factory=factory, scorers=[there], lifecycle=lifecycle([]))
    assert made == ["db/a", "db/b"]
    assert [item.output for item in result.items] == ["db/a", "db/b"]


def test_taking_down_an_item_is_told_the_targets_exception() -> None:
    order: Order = []

    def target(given: str) -> str:
        raise ValueError("boom")

    result = run_evals(data=items("a"), target=target, scorers=[there], lifecycle=lifecycle(order))
    assert order == ["run up", "a up", "a saw boom", "a down", "run down"]
    assert isinstance(result.items[0].error, ValueError)
    assert result.items[0].notes == ()


def test_setting_up_an_item_that_fails_costs_that_item() -> None:
    order: Order = []
    result = run_evals(
        data=items("a"), target=order.append, scorers=[there], lifecycle=lifecycle(order, item_up=OSError("no disk"))
    )
    assert order == ["run up", "a up", "run down"]
    assert isinstance(result.items[0].error, OSError)
    assert (result.summary.target_errors, result.scores["there"]) == (1, None)


def test_taking_down_an_item_that_fails_is_noted_and_costs_nothing() -> None:
    result = run_evals(
        data=items("a"), target=str, scorers=[there], lifecycle=lifecycle([], item_down=OSError("no disk"))
    )
    assert result.scores["there"] == 1.0
    assert "no disk" in result.items[0].notes[0]


def test_setting_up_the_run_that_fails_raises_before_any_call() -> None:
    order: Order = []
    with pytest.raises(OSError, match="no disk"):
        run_evals(
            data=items("a"), target=order.append, scorers=[there], lifecycle=lifecycle(order, run_up=OSError("no disk"))
        )
    assert order == ["run up"]


def test_failures_around_items_are_raised_where_that_is_asked_for_and_the_run_is_taken_down() -> None:
    for place in ("item_up", "item_down"):
        order: Order = []
        with pytest.raises(OSError, match="no disk"):
            run_evals(
                data=items("a"),
                target=str,
                scorers=[there],
                lifecycle=lifecycle(order, **{place: OSError("no disk")}),
                on_error="raise",
            )
        assert order[-1] == "run down"


def test_everything_is_taken_down_when_the_run_is_cancelled() -> None:
    order: Order = []

    both_began = asyncio.Event()

    async def target(given: str) -> str:
        order.append(f"{given} called")
        if given == "b":
            both_began.set()
        await asyncio.sleep(3600)
        return given

    async def run() -> None:
        task = asyncio.ensure_future(
            arun_evals(
                data=items("a", "b", "c"), target=target, scorers=[there], concurrency=2, lifecycle=lifecycle(order)
            )
        )
        await both_began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert order[:5] == ["run up", "a up", "a called", "b up", "b called"]
    assert sorted(order[5:7]) == ["a down", "b down"]
    assert order[7:] == ["run down"]


def test_an_object_with_the_two_methods_is_an_async_context_manager_too() -> None:
    class Around:
        def __init__(self) -> None:
            self.order: Order = []

        async def __aenter__(self) -> str:
            self.order.append("up")
            return "state"

        async def __aexit__(self, *told: object) -> None:
            self.order.append("down")

    around = Around()
    run_evals(data=items("a"), target=str, scorers=[there], lifecycle=Lifecycle(item=lambda item, state: around))
    assert around.order == ["up", "down"]


def test_a_run_that_cannot_be_taken_down_costs_no_result_and_is_noted() -> None:
    around = Lifecycle(run=lifecycle([], run_down=OSError("the disk is full")).run)
    result = run_evals(data=items("a", "b"), target=lambda given: given, gates=[there], lifecycle=around)
    assert result.verdict == "passed"
    assert result.summary.total_items == 2
    assert result.notes == ("taking down the run failed: OSError: the disk is full",)
