"""Items stream: in from any iterable, out as they complete, with memory that does not grow."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from steelyard import (
    ConfigurationError,
    EvalItem,
    EvalResult,
    ItemResult,
    ScorerRun,
    Threshold,
    arun_evals,
    run_evals,
    scorer,
    stream_evals,
)


@scorer
def there(run: ScorerRun[Any, Any]) -> float:
    return 1.0


def items(*given: object) -> list[dict[str, object]]:
    return [{"input": each} for each in given]


async def later(given: list[Any]) -> AsyncIterator[Any]:
    for each in given:
        await asyncio.sleep(0)
        yield each


async def collected(**options: Any) -> tuple[list[ItemResult], EvalResult]:
    stream = stream_evals(**options)
    seen = [item async for item in stream]
    return seen, stream.result()


# -- out ---------------------------------------------------------------------------------------------------------------


def test_item_results_come_in_order_of_completion_each_with_its_index() -> None:
    async def run() -> list[int]:
        first_may_end = asyncio.Event()

        async def target(given: int) -> str:
            if given == 0:
                await first_may_end.wait()
            return "a"

        indexes = []
        async for item in stream_evals(data=items(0, 1, 2), target=target, scorers=[there], concurrency=2):
            indexes.append(item.index)
            if len(indexes) == 2:
                first_may_end.set()
        return indexes

    assert asyncio.run(run()) == [1, 2, 0]


def test_the_result_at_the_end_is_that_of_run_evals_in_the_order_of_the_data() -> None:
    seen, result = asyncio.run(
        collected(data=items("a", "b", "c"), target=str.upper, scorers=[Threshold(there, 0.5)], concurrency=3)
    )
    assert sorted(item.index for item in seen) == [0, 1, 2]
    assert [item.output for item in result.items] == ["A", "B", "C"]
    assert (result.verdict, result.scores["there"], result.interrupted) == ("passed", 1.0, False)


def test_errors_stream_like_any_item() -> None:
    seen, result = asyncio.run(collected(data=items("a", 3), target=str.upper, scorers=[there]))
    assert [item.error is None for item in seen] == [True, False]
    assert result.summary.target_errors == 1


def test_there_is_no_result_before_the_end() -> None:
    async def run() -> None:
        stream = stream_evals(data=items(*range(100)), target=str, scorers=[there])
        with pytest.raises(ConfigurationError, match="not ended"):
            stream.result()
        await anext(stream)
        with pytest.raises(ConfigurationError, match="not ended"):
            stream.result()
        await stream.aclose()
        result = stream.result()
        assert result.interrupted
        assert result.verdict is None

    asyncio.run(run())


def test_a_stream_that_is_left_keeps_what_was_complete() -> None:
    async def run() -> EvalResult:
        stream = stream_evals(data=items(*range(100)), target=lambda given: "a", scorers=[Threshold(there, 0.5)])
        async with stream:
            async for item in stream:
                if item.index == 2:
                    break
        with pytest.raises(StopAsyncIteration):
            await anext(stream)
        return stream.result()

    result = asyncio.run(run())
    assert result.interrupted
    assert result.interruption
    assert 3 <= result.summary.total_items < 100
    assert len(result.items) == result.summary.total_items
    assert (result.verdict, result.scores["there"]) == (None, 1.0)


def test_an_interrupted_run_whose_gate_has_failed_already_has_failed() -> None:
    never = scorer(id="never")(lambda run: 0.0)

    async def run() -> EvalResult:
        async with stream_evals(data=items(*range(100)), target=str, gates=[never]) as stream:
            await anext(stream)
        return stream.result()

    assert asyncio.run(run()).verdict == "failed"


def test_a_stream_raises_the_first_failure_where_that_is_asked_for_and_keeps_the_rest() -> None:
    async def run() -> tuple[int, EvalResult]:
        stream = stream_evals(data=items("a", 3, "b"), target=str.upper, scorers=[there], on_error="raise")
        first = await anext(stream)
        with pytest.raises(TypeError):
            await anext(stream)
        return first.index, stream.result()

    index, result = asyncio.run(run())
    assert (index, result.summary.total_items) == (0, 1)


def test_a_stream_that_is_left_after_all_was_done_is_whole() -> None:
    async def run() -> EvalResult:
        async with stream_evals(data=items("a", "b"), target=str, scorers=[Threshold(there, 0.5)]) as stream:
            await anext(stream)
            for _ in range(100):
                await asyncio.sleep(0)
        return stream.result()

    result = asyncio.run(run())
    assert (result.interrupted, result.summary.total_items, result.verdict) == (False, 2, "passed")


def test_a_failure_that_nobody_waited_for_is_told_by_the_result() -> None:
    async def run() -> EvalResult:
        options: dict[str, Any] = {"data": items("a", 3), "scorers": [there], "on_error": "raise"}
        async with stream_evals(target=str.upper, **options) as stream:
            await anext(stream)
            for _ in range(100):
                await asyncio.sleep(0)
        return stream.result()

    result = asyncio.run(run())
    gc.collect()
    assert result.interrupted
    assert "TypeError" in (result.interruption or "")


def test_a_stream_that_was_closed_does_not_begin() -> None:
    async def run() -> list[int]:
        stream = stream_evals(data=items("a"), target=str, scorers=[there])
        await stream.aclose()
        assert stream.result().interrupted
        return [item.index async for item in stream]

    assert asyncio.run(run()) == []


def test_a_stream_that_nobody_reads_runs_nothing_and_warns_of_nothing() -> None:
    calls: list[object] = []

    async def run() -> None:
        stream = stream_evals(data=items("a"), target=calls.append, scorers=[there])
        await stream.aclose()
        del stream
        gc.collect()

    asyncio.run(run())
    assert calls == []


def test_an_evaluation_does_not_run_far_ahead_of_who_reads_it() -> None:
    taken: list[int] = []

    def data() -> Iterator[dict[str, int]]:
        for at in range(1000):
            taken.append(at)
            yield {"input": at}

    async def run() -> None:
        async with stream_evals(data=data(), target=lambda given: "a", scorers=[there]) as stream:
            await anext(stream)
            for _ in range(100):
                await asyncio.sleep(0)

    asyncio.run(run())
    assert len(taken) < 100


def test_an_evaluation_runs_once() -> None:
    async def run() -> list[int]:
        stream = stream_evals(data=items("a", "b"), target=str, scorers=[there])
        first = [item.index async for item in stream]
        return first + [item.index async for item in stream]

    assert asyncio.run(run()) == [0, 1]


# -- in ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [list, tuple, iter, later, lambda given: (each for each in given)])
@pytest.mark.parametrize("concurrency", [1, 3])
def test_data_is_any_iterable_or_async_iterable(source: Any, concurrency: int) -> None:
    result = run_evals(
        data=source(items("a", "b", "c", "d")), target=str.upper, scorers=[there], concurrency=concurrency
    )
    assert [item.output for item in result.items] == ["A", "B", "C", "D"]
    assert (result.summary.total_items, result.summary.planned_items) == (4, 4)


def test_a_stream_is_taken_item_by_item() -> None:
    order: list[str] = []

    def data() -> Iterator[dict[str, str]]:
        for each in "ab":
            order.append(f"take {each}")
            yield {"input": each}

    run_evals(data=data(), target=lambda given: order.append(f"call {given}"), scorers=[there])
    assert order == ["take a", "call a", "take b", "call b"]


class Breaks(Exception):
    pass


def breaking(after: int) -> Iterator[dict[str, int]]:
    for at in range(after):
        yield {"input": at}
    raise Breaks("disk gone")


async def breaking_later(after: int) -> AsyncIterator[dict[str, int]]:
    for each in breaking(after):
        yield each


@pytest.mark.parametrize("source", [breaking, breaking_later])
@pytest.mark.parametrize("concurrency", [1, 8])
def test_data_that_breaks_off_ends_the_run_with_what_was_taken(source: Any, concurrency: int) -> None:
    async def target(given: int) -> str:
        await asyncio.sleep(0)
        return "a"

    result = run_evals(data=source(3), target=target, scorers=[Threshold(there, 0.5)], concurrency=concurrency)
    assert (result.summary.total_items, result.summary.planned_items) == (3, None)
    assert result.interrupted
    assert "disk gone" in (result.interruption or "")
    assert (result.scores["there"], result.verdict) == (1.0, None)


@pytest.mark.parametrize("source", [breaking, breaking_later])
def test_data_that_breaks_off_before_its_first_item_is_raised(source: Any) -> None:
    with pytest.raises(Breaks):
        run_evals(data=source(0), target=str, scorers=[there])


def test_data_that_breaks_off_is_raised_where_that_is_asked_for() -> None:
    with pytest.raises(Breaks):
        run_evals(data=breaking(2), target=str, scorers=[there], on_error="raise")


def test_an_async_source_is_closed_when_the_run_ends_early() -> None:
    closed: list[str] = []

    async def data() -> AsyncIterator[dict[str, str]]:
        try:
            while True:
                yield {"input": "a"}
        finally:
            closed.append("closed")

    async def run() -> None:
        with pytest.raises(ZeroDivisionError):
            await arun_evals(data=data(), target=lambda given: 1 / 0, scorers=[there], on_error="raise")
        assert closed == ["closed"]

    asyncio.run(run())


# -- memory ------------------------------------------------------------------------------------------------------------


class Big:
    """Something whose end can be watched."""


def test_without_kept_items_nothing_of_an_item_stays() -> None:
    alive: list[weakref.ref[Big]] = []
    most = 0

    def data() -> Iterator[EvalItem]:
        nonlocal most
        for _ in range(300):
            big = Big()
            alive.append(weakref.ref(big))
            gc.collect(0)
            most = max(most, sum(ref() is not None for ref in alive))
            yield EvalItem(input=big)

    note = scorer(id="note", type="agent")(lambda run: float(run.output.text == "a"))
    result = run_evals(data=data(), target=lambda given: "a", scorers=[there, note], keep_items=False)
    assert result.summary.total_items == 300
    assert result.items == ()
    assert most < 20


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_stream_that_ends_by_an_exception_is_interrupted_and_has_no_verdict(concurrency: int) -> None:
    def target(given: str) -> str:
        if given == "3":
            raise ValueError("down")
        return "a"

    data = [{"input": str(n)} for n in range(10)]
    stream = stream_evals(data=data, target=target, gates=[there], on_error="raise", concurrency=concurrency)

    async def main() -> None:
        async for _ in stream:
            pass

    with pytest.raises(ValueError, match="down"):
        asyncio.run(main())
    result = stream.result()
    assert result.interrupted
    assert result.interruption == "ValueError: down"
    assert result.verdict is None


def test_a_stream_of_which_one_item_was_taken_by_hand_lets_its_loop_end() -> None:
    async def main() -> int:
        stream = stream_evals(data=[{"input": str(n)} for n in range(60)], target=lambda given: "a", gates=[there])
        return (await anext(stream)).index

    assert asyncio.run(asyncio.wait_for(main(), 20)) == 0
