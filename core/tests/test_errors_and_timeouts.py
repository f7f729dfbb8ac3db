"""Errors lose nothing: what raises or takes too long costs its own item or score, and never becomes a number."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from attrs import frozen

from steelyard import (
    ConfigurationError,
    EvalResult,
    Failed,
    JudgeRequest,
    Lifecycle,
    PipelineScorer,
    PromptStep,
    Scale,
    Scored,
    ScorerRun,
    Threshold,
    TimedOut,
    arun_evals,
    create_scorer,
    run_evals,
    scorer,
    stream_evals,
)
from steelyard.testing import ScriptedJudge

SCALE = Scale()
TICK = 0.02
"""Seconds after which work counts as too long here; everything else is done at once."""


@scorer
def there(run: ScorerRun[Any, Any]) -> float:
    return 1.0


def step_of(function: Callable[[Any], Any], id: str = "s", **more: Any) -> PipelineScorer[Any, Any, Any, Any]:
    return create_scorer(id, "d", **more).generate_score(function)


def raising(error: BaseException) -> Callable[[Any], Any]:
    def function(given: Any) -> Any:
        raise error

    return function


def raising_later(error: BaseException) -> Callable[[Any], Any]:
    async def function(given: Any) -> Any:
        await asyncio.sleep(0)
        raise error

    return function


async def forever(given: Any) -> Any:
    await asyncio.sleep(3600)


def items(*given: object) -> list[dict[str, object]]:
    return [{"input": each} for each in given]


# -- targets that raise ------------------------------------------------------------------------------------------------

OWN_FAULTS = [
    ValueError("no"),
    KeyError("k"),
    SystemExit(3),
    asyncio.CancelledError(),
    StopIteration(1),
    TimeoutError(),
]


@pytest.mark.parametrize("kind", [raising, raising_later])
@pytest.mark.parametrize("error", OWN_FAULTS, ids=repr)
@pytest.mark.parametrize("given", [{}, {"concurrency": 3}, {"timeout": 5.0}], ids=str)
def test_a_target_that_raises_costs_its_own_item_and_nothing_else(
    kind: Any, error: BaseException, given: dict[str, Any]
) -> None:
    fails = kind(error)
    result = run_evals(
        data=items("fine", "boom", "fine"),
        target=lambda asked: fails(asked) if asked == "boom" else "a",
        scorers=[Threshold(there, 0.5)],
        gates=[there],
        **given,
    )
    assert (result.summary.total_items, result.summary.target_errors) == (3, 1)
    broken = result.items[1]
    assert broken.error is not None
    assert (len(broken.scores), len(broken.gates), broken.status) == (0, 0, "errored")
    assert [item["there"].score for item in (result.items[0], result.items[2])] == [1.0, 1.0]
    assert result.scores["there"] == 1.0
    assert (result.gate_results[0].passed, result.gate_results[0].score, result.gate_results[0].n_failed) == (
        False,
        1.0,
        1,
    )
    assert (result.threshold_results[0].passed, result.verdict) == (False, "failed")
    assert result.summary.errors == {}


@pytest.mark.parametrize("kind", [raising, raising_later])
@pytest.mark.parametrize("error", OWN_FAULTS, ids=repr)
@pytest.mark.parametrize("given", [{}, {"concurrency": 3}, {"timeout": 5.0}], ids=str)
def test_a_scorer_that_raises_costs_its_own_score_and_nothing_else(
    kind: Any, error: BaseException, given: dict[str, Any]
) -> None:
    result = run_evals(
        data=[{"output": "a"}] * 2,
        scorers=[Threshold(step_of(kind(error)), 0.0), there],
        gates=[step_of(kind(error), "gate")],
        **given,
    )
    assert (result.scores["s"], result.scores["there"]) == (None, 1.0)
    assert result.summary.errors == {"gate": 2, "s": 2}
    outcome = result.items[0]["s"]
    assert isinstance(outcome, Failed)
    assert outcome.step == "generate_score"
    assert (result.gate_results[0].passed, result.threshold_results[0].passed) == (False, False)


def test_the_error_of_a_scorer_is_the_exception_that_was_raised_in_the_step_that_is_named() -> None:
    error = ValueError("no")
    made = create_scorer("s", "d").preprocess(raising(error)).generate_score(lambda ctx: 1.0)
    result = run_evals(data=[{"output": "a"}], scorers=[made])
    outcome = result.items[0]["s"]
    assert (outcome.step, outcome.error) == ("preprocess", error)
    assert outcome.result.completed_steps == ()


def test_an_error_is_never_treated_as_a_zero() -> None:
    made = step_of(lambda ctx: 1.0 if ctx.run.output == "good" else 1 / 0)
    result = run_evals(data=[{"output": "good"}, {"output": "bad"}], scorers=[made])
    assert result.scores["s"] == 1.0
    aggregate = result.aggregates["scorers"]["s"]
    assert (aggregate.n_scored, aggregate.n_failed) == (1, 1)


def test_a_scorer_of_a_strangers_make_is_contained_whatever_it_gives() -> None:
    @frozen
    class Stranger:
        id: str
        gives: Any
        scale: Scale = SCALE
        type: None = None

        async def score(self, run: object, services: object) -> Any:
            if isinstance(self.gives, BaseException):
                raise self.gives
            return self.gives

    gifts: dict[str, Any] = {
        "number": 1.0,
        "none": None,
        "text": "high",
        "nan": Scored(float("nan")),
        "outside": Scored(2.0),
        "odd": Scored("1"),  # type: ignore[arg-type]
        "label": Scored(1.0, label=["a"]),  # type: ignore[arg-type]
        "parts": Scored(1.0, parts={"a": "b"}),  # type: ignore[dict-item]
        "raises": ValueError("no"),
    }
    result = run_evals(data=[{"output": "a"}], scorers=[*(Stranger(id, gift) for id, gift in gifts.items()), there])
    assert {key: score for key, score in result.scores.items() if score is not None} == {"there": 1.0}
    assert result.summary.errors == dict.fromkeys(gifts, 1)
    assert run_evals(data=[{"output": "a"}], scorers=[Stranger("fine", Scored(0.5))]).scores["fine"] == 0.5


def test_a_scorer_of_unknown_type_is_refused() -> None:
    @frozen
    class Odd:
        id: str = "odd"
        scale: Scale = SCALE
        type: str = "agents"

        async def score(self, run: object, services: object) -> Any:
            return Scored(1.0)

    with pytest.raises(ConfigurationError, match=r"'odd'.*agents"):
        run_evals(data=[{"output": "a"}], scorers=[Odd()])


# -- raise instead of record -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"target": raising(ValueError("first")), "scorers": [there]},
        {"target": raising_later(ValueError("first")), "scorers": [there]},
        {"target": lambda given: "a", "scorers": [step_of(raising(ValueError("first")))]},
        {"target": lambda given: "a", "gates": [step_of(raising_later(ValueError("first")))]},
        {"target": lambda given: None, "scorers": [step_of(lambda ctx: 1.0, type="agent")]},
        {"target": raising(ValueError("first")), "scorers": [there], "concurrency": 3},
        {"target": raising(ValueError("first")), "scorers": [there], "timeout": 5.0},
    ],
)
def test_on_error_raise_raises_the_first_exception(options: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError), match=r"first|None"):
        run_evals(data=items("a", "b"), on_error="raise", **options)
    with pytest.raises((ValueError, TypeError), match=r"first|None"):
        asyncio.run(arun_evals(data=items("a", "b"), on_error="raise", **options))


def test_on_error_raise_raises_for_a_bad_item_of_a_stream() -> None:
    stream: list[dict[str, object]] = [{"input": "a"}, {"x": 1}]
    with pytest.raises(ConfigurationError, match="Item 1"):
        run_evals(data=iter(stream), target=str, scorers=[there], on_error="raise")


def test_when_one_item_raises_the_others_are_cancelled_and_awaited() -> None:
    ended: list[str] = []

    async def target(given: str) -> str:
        if given == "boom":
            await asyncio.sleep(0)
            raise ValueError("boom")
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0)
            ended.append(given)
        return given

    async def run() -> set[Any]:
        with pytest.raises(ValueError, match="boom"):
            await arun_evals(
                data=items("a", "b", "boom"), target=target, scorers=[there], concurrency=3, on_error="raise"
            )
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert asyncio.run(run()) == set()
    assert sorted(ended) == ["a", "b"]


# -- timeouts ----------------------------------------------------------------------------------------------------------


def timed(**options: Any) -> EvalResult:
    options.setdefault("timeout", TICK)
    return run_evals(**{"data": items("a"), "target": lambda given: "a", "scorers": [there], **options})


def test_a_target_past_its_timeout_fails_its_item() -> None:
    result = timed(target=forever)
    error = result.items[0].error
    assert isinstance(error, TimedOut)
    assert isinstance(error, TimeoutError)
    assert (error.what, error.seconds) == ("The target", TICK)
    assert (result.summary.target_errors, result.scores["there"], result.summary.threads_left_behind) == (1, None, 0)


def test_an_async_scorer_past_its_timeout_fails_in_the_step_that_took_too_long() -> None:
    made = create_scorer("s", "d").preprocess(lambda ctx: "seen").generate_score(forever)
    result = timed(scorers=[made, there])
    outcome = result.items[0]["s"]
    assert isinstance(outcome.error, TimedOut)
    assert (outcome.step, outcome.result.preprocess_result) == ("generate_score", "seen")
    assert outcome.result.completed_steps == ("preprocess",)
    assert (result.scores["s"], result.scores["there"]) == (None, 1.0)
    assert result.summary.threads_left_behind == 0


@pytest.mark.parametrize("what", ["target", "scorer", "prepare_run", "preprocess"])
def test_sync_work_past_its_timeout_fails_on_time_and_the_thread_left_behind_is_counted(what: str) -> None:
    let_go = threading.Event()

    def blocks(given: Any) -> Any:
        let_go.wait(30)
        return given

    try:
        kinds: dict[str, dict[str, Any]] = {
            "target": {"target": blocks},
            "scorer": {"scorers": [step_of(blocks)]},
            "prepare_run": {"scorers": [step_of(lambda ctx: 1.0, prepare_run=blocks)]},
            "preprocess": {"scorers": [create_scorer("s", "d").preprocess(blocks).generate_score(lambda ctx: 1.0)]},
        }
        result = timed(**kinds[what])
    finally:
        let_go.set()
    assert result.summary.threads_left_behind == 1
    error = result.items[0].error if what == "target" else result.items[0]["s"].error
    assert isinstance(error, TimedOut)
    if what != "target":
        assert result.items[0]["s"].step == ("generate_score" if what == "scorer" else what)


def test_a_thread_that_comes_back_late_ends() -> None:
    let_go = threading.Event()
    threads: list[threading.Thread] = []

    def blocks(given: Any) -> Any:
        threads.append(threading.current_thread())
        let_go.wait(30)
        return given

    async def run() -> None:
        await arun_evals(data=items("a"), target=blocks, scorers=[there], timeout=TICK)
        let_go.set()
        await asyncio.to_thread(threads[0].join, 30)
        assert not threads[0].is_alive()

    asyncio.run(run())


def test_a_judge_past_the_timeout_leaves_its_question_as_evidence() -> None:
    @frozen
    class Answer:
        good: bool

    asked: list[JudgeRequest] = []

    async def slow(request: JudgeRequest) -> str:
        asked.append(request)
        await asyncio.sleep(3600)
        return ""

    step = PromptStep[Any, Answer](output=Answer, prompt=lambda ctx: "p", calculate_score=lambda ctx, a: a.good)
    result = timed(scorers=[create_scorer("s", "d", judge=slow).generate_score(step)])
    outcome = result.items[0]["s"]
    assert isinstance(outcome.error, TimedOut)
    [execution] = outcome.result.judge["generate_score"]
    assert (execution.status, execution.model_call_count) == ("failed", 1)
    assert result.summary.judge_calls == 1


def test_what_is_done_in_time_is_not_touched_by_the_limit() -> None:
    async def quick(given: Any) -> str:
        await asyncio.sleep(0)
        return "a"

    result = timed(target=quick, timeout=30, scorers=[there, step_of(lambda ctx: 0.5)])
    assert (result.scores["there"], result.scores["s"]) == (1.0, 0.5)


def test_work_that_is_told_to_stop_may_clean_up() -> None:
    cleaned: list[str] = []

    async def target(given: Any) -> Any:
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0)
            cleaned.append("up")

    assert isinstance(timed(target=target).items[0].error, TimedOut)
    assert cleaned == ["up"]


def test_work_that_swallows_the_stop_and_gives_something_late_has_timed_out_all_the_same() -> None:
    async def target(given: Any) -> Any:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            return "late"

    assert isinstance(timed(target=target).items[0].error, TimedOut)


def test_the_limit_can_be_told_by_another_clock() -> None:
    waited: list[float] = []

    async def at_once(seconds: float) -> None:
        waited.append(seconds)

    result = timed(target=forever, timeout=3600, sleep=at_once)
    assert isinstance(result.items[0].error, TimedOut)
    assert waited[0] == 3600


def test_context_variables_reach_sync_work_on_threads() -> None:
    from contextvars import ContextVar

    user: ContextVar[str] = ContextVar("user", default="nobody")
    user.set("somebody")
    assert timed(target=lambda given: user.get(), timeout=30).items[0].output == "somebody"
    assert timed(target=lambda given: user.get(), timeout=None, concurrency=2).items[0].output == "somebody"


def test_sync_targets_run_side_by_side_when_several_items_are_worked_on() -> None:
    both = threading.Barrier(2, timeout=30)

    def target(given: Any) -> str:
        both.wait()
        return "a"

    result = run_evals(data=items("a", "b"), target=target, scorers=[there], concurrency=2)
    assert result.summary.target_errors == 0


# -- cancellation ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("timeout", [None, 3600.0])
@pytest.mark.parametrize("concurrency", [1, 3])
def test_cancelling_an_evaluation_cancels_the_work_under_way_and_waits_for_it(
    timeout: float | None, concurrency: int
) -> None:
    order: list[str] = []
    began = asyncio.Event()

    async def target(given: Any) -> Any:
        order.append("started")
        began.set()
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0)
            order.append("ended")

    @asynccontextmanager
    async def around(item: Any, state: Any) -> Any:
        try:
            yield
        finally:
            order.append("taken down")

    async def run() -> set[Any]:
        task = asyncio.ensure_future(
            arun_evals(
                data=items("a"),
                target=target,
                scorers=[there],
                timeout=timeout,
                concurrency=concurrency,
                lifecycle=Lifecycle(item=around),
            )
        )
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert order == ["started", "ended", "taken down"]
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert asyncio.run(run()) == set()


def test_leaving_a_stream_cancels_the_work_under_way_and_waits_for_it() -> None:
    order: list[str] = []

    async def target(given: str) -> str:
        if given == "quick":
            return given
        order.append("started")
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0)
            order.append("ended")
        return given

    async def run() -> None:
        stream = stream_evals(data=items("slow", "quick"), target=target, scorers=[there], concurrency=2, timeout=3600)
        async with stream:
            async for item in stream:
                assert item.index == 1
                break
        assert order == ["started", "ended"]
        assert stream.result().interrupted

    asyncio.run(run())


# -- judges ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reply", ["", "no idea", '{"good": "maybe"}', ValueError("down"), KeyError("x")])
def test_no_refusal_exception_or_empty_answer_of_a_judge_becomes_a_number(reply: Any) -> None:
    @frozen
    class Answer:
        good: bool

    step = PromptStep[Any, Answer](output=Answer, prompt=lambda ctx: "p", calculate_score=lambda ctx, a: a.good)
    judge = ScriptedJudge([reply, reply])
    result = run_evals(data=[{"output": "a"}], scorers=[create_scorer("s", "d").generate_score(step)], judge=judge)
    assert result.scores["s"] is None
    assert result.summary.errors == {"s": 1}
