"""Faults that runners of evaluations had in the field: an error costs its own item or score, and all is counted."""

from __future__ import annotations

import asyncio
from asyncio import Event, Semaphore, Task, all_tasks, current_task, gather, sleep
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import islice
from threading import Event as ThreadEvent
from typing import Any

import pytest
from attrs import evolve, frozen

import steelyard_checks as checks
from steelyard import (
    ConfigurationError,
    EvalItem,
    EvalResult,
    Failed,
    ItemResult,
    JudgeAnswerInvalid,
    JudgeError,
    JudgeRequest,
    Lifecycle,
    NotScorable,
    PassRate,
    PromptStep,
    RunInfo,
    ScorerRun,
    ScriptExhausted,
    ShareOfItems,
    Status,
    Threshold,
    TimedOut,
    Turn,
    Verdict,
    arun_evals,
    create_scorer,
    not_scorable,
    run_evals,
    scorer,
    stream_evals,
)
from steelyard.testing import ScriptedJudge
from tests.field_log import unaccounted
from tests.reference import needs_reference

SOON = 0.03
"""Seconds of every limit here."""


@scorer(id="ok")
def ok(run: ScorerRun[Any, Any]) -> float:
    return 1.0


@scorer(id="half")
def half(run: ScorerRun[Any, Any]) -> float:
    return 0.5


def echo(given: object) -> str:
    return f"echo: {given}"


def items(count: int) -> list[dict[str, object]]:
    return [{"input": at} for at in range(count)]


async def never() -> None:
    await Event().wait()


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error, and what it tells of before it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


# -- doors -------------------------------------------------------------------------------------------------------------


def contained(run: Callable[[], EvalResult]) -> EvalResult:
    """What the run gives; what would end the program fails the test, and does not end all tests."""
    try:
        return run()
    except (KeyboardInterrupt, SystemExit) as error:
        left = repr(error)
    pytest.fail(f"{left} left the run")


def by_run_evals(**options: Any) -> EvalResult:
    return contained(partial(run_evals, **options))


def by_arun_evals(**options: Any) -> EvalResult:
    return contained(lambda: asyncio.run(arun_evals(**options)))


def by_stream(**options: Any) -> EvalResult:
    async def take() -> EvalResult:
        stream = stream_evals(**options)
        async for _ in stream:
            pass
        return stream.result()

    return contained(lambda: asyncio.run(take()))


DOORS = [by_run_evals, by_arun_evals, by_stream]
Door = Callable[..., EvalResult]


# -- failures of scorers and targets -----------------------------------------------------------------------------------


def raising(run: ScorerRun[Any, Any]) -> float:
    raise RuntimeError("the second scorer broke")


async def raising_late(run: ScorerRun[Any, Any]) -> float:
    await sleep(0)
    raise RuntimeError("the second scorer broke")


def no_number(run: ScorerRun[Any, Any]) -> float:
    return float("nan")


def exiting(run: ScorerRun[Any, Any]) -> float:
    raise SystemExit("a scorer that was written as a script")


def leaking_a_cancellation(run: ScorerRun[Any, Any]) -> float:
    raise asyncio.CancelledError


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("broken", [raising, raising_late, no_number, exiting, leaking_a_cancellation])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_each_scorer_has_one_row_per_item_although_one_of_them_raises(
    door: Door, broken: Callable[[Any], Any], place: int
) -> None:
    """B099"""
    entries: list[Any] = [ok, half]
    entries.insert(place, scorer(id="broken")(broken))
    keys = [entry.id for entry in entries]
    result = door(data=items(2), target=echo, scorers=entries, gates=entries, concurrency=2)
    for item in result.items:
        for outcomes in (item.scores, item.gates):
            assert list(outcomes) == keys
            assert [type(outcome) is Failed for outcome in outcomes.values()] == [key == "broken" for key in keys]
    for scope in ("scorers", "gates"):
        counts = {key: (each.n_scored, each.n_failed) for key, each in result.aggregates[scope].items()}
        assert counts == {"ok": (2, 0), "half": (2, 0), "broken": (0, 2)}
    assert result.summary.errors == {"broken": 4}


ERRORS: list[Callable[[], BaseException]] = [
    ValueError,
    TimeoutError,
    ConnectionError,
    RecursionError,
    MemoryError,
    StopIteration,
    StopAsyncIteration,
    lambda: ExceptionGroup("two", [ValueError("a"), ValueError("b")]),
    lambda: SystemExit(3),
    asyncio.CancelledError,
]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("make", ERRORS, ids=lambda make: type(make()).__name__)
@pytest.mark.parametrize(
    ("waits", "concurrency", "timeout"), [(False, 1, None), (True, 5, None), (False, 5, 5), (True, 1, 5)]
)
def test_a_target_that_fails_on_one_item_costs_that_item_alone(
    door: Door, make: Callable[[], BaseException], waits: bool, concurrency: int, timeout: float | None
) -> None:
    """B101"""
    error = make()

    def plain(given: int) -> str:
        if given == 2:
            raise error
        return "fine"

    async def waiting(given: int) -> str:
        await sleep(0)
        return plain(given)

    target = waiting if waits else plain
    result = door(data=items(5), target=target, scorers=[ok], concurrency=concurrency, timeout=timeout)
    assert [item.index for item in result.items] == [0, 1, 2, 3, 4]
    assert [item.error is None for item in result.items] == [True, True, False, True, True]
    assert any(each is error for each in chain(result.items[2].error))
    assert (result.summary.total_items, result.summary.target_errors) == (5, 1)
    assert result.aggregates["scorers"]["ok"].n_scored == 4


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("concurrency", [1, 5])
def test_the_first_failure_ends_the_run_where_that_was_asked_for(door: Door, concurrency: int) -> None:
    """B101"""

    async def target(given: int) -> str:
        await sleep(0)
        if given == 2:
            raise ValueError("item 2 broke")
        return "fine"

    with pytest.raises(ValueError, match="item 2 broke"):
        door(data=items(5), target=target, scorers=[ok], concurrency=concurrency, on_error="raise")


def half_broken(given: int) -> str:
    if given % 2:
        raise RuntimeError("the target broke")
    return "fine"


def test_a_failed_item_is_in_no_average_and_in_every_count() -> None:
    """B103: the mean is over what was measured, and a bound with an unmeasured item is not met."""
    result = run_evals(data=items(2), target=half_broken, scorers=[Threshold(ok, 0.5), PassRate(ok, 0.5)], gates=[ok])
    found = result.aggregates["scorers"]["ok"]
    assert (found.average, found.n_scored, found.n_failed) == (1.0, 1, 1)
    assert [(each.passed, each.n_scored, each.n_failed) for each in result.threshold_results] == [(False, 1, 1)] * 2
    gate = result.gate_results[0]
    assert (gate.passed, gate.score, gate.n_scored, gate.n_failed) == (False, 1.0, 1, 1)
    assert [item.status for item in result.items] == [Status.PASSED, Status.ERRORED]


@pytest.mark.parametrize(("share", "passed"), [(0.0, True), (0.5, True), (0.51, False), (1.0, False)])
def test_a_share_of_the_items_counts_failed_ones_in_its_denominator(share: float, passed: bool) -> None:
    """B103"""
    result = run_evals(data=items(2), target=half_broken, gates=[ShareOfItems(ok, share)])
    assert result.gate_results[0].passed is passed


@pytest.mark.parametrize(("share", "passed"), [(0.7, True), (0.8, False)])
@pytest.mark.parametrize("listed", [True, False])
def test_the_denominator_of_a_share_is_the_items_of_the_run(share: float, passed: bool, listed: bool) -> None:
    """B104: 3 errors in the 10 items that were taken of 1,000."""

    def target(given: int) -> str:
        if given < 3:
            raise RuntimeError("the target broke")
        return "fine"

    taken = islice(({"input": at} for at in range(1000)), 10)
    result = run_evals(data=list(taken) if listed else taken, target=target, gates=[ShareOfItems(ok, share)])
    gate = result.gate_results[0]
    assert (gate.passed, gate.n_scored, gate.n_failed) == (passed, 7, 3)
    assert result.summary.planned_items == 10


class CleanUpFailed(Exception):
    """What a clean-up raises."""


async def stuck_and_unclean(_: object) -> Any:
    try:
        await never()
    finally:
        raise CleanUpFailed("the lock could not be released")


def timed_out_target() -> BaseException | None:
    result = run_evals(data=items(1), target=stuck_and_unclean, scorers=[ok], timeout=SOON)
    return result.items[0].error


def timed_out_scorer() -> BaseException | None:
    made = scorer(id="stuck")(stuck_and_unclean)
    failed = run_evals(data=[{"output": "x"}], scorers=[made], timeout=SOON).items[0]["stuck"]
    assert isinstance(failed, Failed)
    return failed.error


@pytest.mark.parametrize("error_of", [timed_out_target, timed_out_scorer])
def test_what_a_clean_up_raises_after_a_timeout_is_told_beside_the_timeout(
    error_of: Callable[[], BaseException | None],
) -> None:
    """B104"""
    told = [type(error) for error in chain(error_of())]
    assert TimedOut in told
    assert CleanUpFailed in told


def test_what_taking_down_an_item_raises_does_not_hide_what_the_target_raised() -> None:
    """B104"""

    @asynccontextmanager
    async def around(item: EvalItem, state: object) -> AsyncIterator[None]:
        try:
            yield
        finally:
            raise CleanUpFailed("the lock could not be released")

    def target(given: int) -> str:
        raise ValueError("the target broke")

    item = run_evals(data=items(1), target=target, scorers=[ok], lifecycle=Lifecycle(item=around)).items[0]
    assert isinstance(item.error, ValueError)
    assert "the lock could not be released" in str(item.notes)


# -- scorers and what they keep ----------------------------------------------------------------------------------------


def test_scorers_of_one_kind_with_different_arguments_have_keys_of_their_own() -> None:
    """B106"""
    made = [checks.includes("sun"), checks.includes("moon"), checks.includes("sun", ignore_case=False)]
    result = run_evals(data=[{"output": "the Sun"}], scorers=made, gates=made[1:2])
    assert {key: each.score for key, each in result.items[0].scores.items()} == {
        'check-includes("sun")': 1.0,
        'check-includes("moon")': 0.0,
        'check-includes("sun", ignore_case=false)': 0.0,
    }
    again = run_evals(data=[{"output": "the Sun"}], scorers=made[::-1])
    assert set(again.scores) == set(result.scores)


@pytest.mark.parametrize(
    "twins",
    [
        lambda: [checks.includes("sun"), checks.includes("sun")],
        lambda: [checks.no_tool_errors(), checks.no_tool_errors()],
        lambda: [ok, ok],
        lambda: [scorer(id="same")(lambda run: 1.0), scorer(id="same")(lambda run: 0.0)],
        lambda: [Threshold(scorer(id="same")(lambda run: 1.0), 0.5), scorer(id="same")(lambda run: 0.0)],
    ],
)
@pytest.mark.parametrize("where", ["scorers", "gates", "item", "turn"])
def test_scorers_that_could_not_be_told_apart_are_refused_before_any_call(
    twins: Callable[[], list[Any]], where: str
) -> None:
    """B106"""
    calls: list[object] = []
    given = [getattr(each, "scorer", each) if where == "gates" else each for each in twins()]
    options: dict[str, Any] = {"data": items(2), "target": calls.append, "scorers": [half]}
    if where == "item":
        options["data"] = [{"input": 0, "scorers": given}]
    elif where == "turn":
        options["data"] = [{"turns": [Turn(input=0, scorers=given)]}]
    else:
        options[where] = given
    with pytest.raises(ConfigurationError, match=r"Give one of them another id|stands there twice"):
        run_evals(**options)
    assert calls == []


def test_what_one_run_was_given_does_not_stick_to_the_scorers_and_items_of_the_next() -> None:
    """B108"""
    judge = ScriptedJudge(lambda _: "Because.")
    made = (
        create_scorer("asked", "Asks a judge.")
        .generate_score(lambda context: 1.0)
        .generate_reason(PromptStep(prompt=lambda _: "Why?"))
    )
    data = [EvalItem(input=at, metadata={"at": at}) for at in range(10)]
    before = [evolve(item) for item in data]
    suite: dict[str, Any] = {"scorers": [made, ok], "gates": [half]}
    first = run_evals(
        data=data[:1],
        target=lambda given, call: str(call.options),
        target_options={"temperature": 0.5, "thread_id": "t"},
        judge=judge,
        concurrency=3,
        timeout=5,
        group_by=["metadata.at"],
        keep_items=False,
        **suite,
    )
    assert first.summary.total_items == 1
    with pytest.raises(ConfigurationError, match="no judge at any level"):
        run_evals(data=data, target=echo, **suite)
    suite["scorers"] = [ok]
    second = run_evals(data=data, target=lambda given, call: str(dict(call.options)), **suite)
    assert [item.output for item in second.items] == ["{}"] * 10
    assert second.aggregates["scorers"]["ok"].n_scored == 10
    assert second.aggregates["scorers"]["ok"].slices == {}
    assert second.gate_results[0].n_scored == 10
    assert data == before


def by_one_function() -> Any:
    return scorer(id="own")(lambda run: run.output / 50)


def by_an_async_function() -> Any:
    async def own(run: ScorerRun[Any, Any]) -> float:
        for _ in range(50 - run.output):
            await sleep(0)
        return float(run.output / 50)

    return scorer(id="own")(own)


def by_steps_and_a_judge() -> Any:
    @frozen
    class Answer:
        number: int

    async def reply(request: JudgeRequest) -> str:
        number = int(request.prompt)
        for _ in range(50 - number):
            await sleep(0)
        return f'{{"number": {number}}}'

    return (
        create_scorer("own", "Steps.", judge=ScriptedJudge(reply))
        .preprocess(lambda context: context.run.output)
        .analyze(PromptStep(output=Answer, prompt=lambda context: str(context.preprocess_result)))
        .generate_score(lambda context: context.analyze_result.number / 50)
        .generate_reason(lambda context: f"{context.run.output} of 50 is {context.score}")
    )


@pytest.mark.parametrize("make", [by_one_function, by_an_async_function, by_steps_and_a_judge])
@pytest.mark.parametrize("timeout", [None, 30])
@pytest.mark.parametrize("door", DOORS)
def test_one_scorer_on_many_items_at_once_gives_each_its_own_result(
    make: Callable[[], Any], timeout: float | None, door: Door
) -> None:
    """B110"""

    async def target(given: int) -> int:
        await sleep(0)
        return given

    result = door(data=items(50), target=target, scorers=[make()], concurrency=50, timeout=timeout)
    assert [item["own"].score for item in result.items] == [at / 50 for at in range(50)]
    results = [item["own"].result for item in result.items]
    assert [each.score for each in results] == [at / 50 for at in range(50)]
    if results[0].preprocess_result is not None:
        assert [each.preprocess_result for each in results] == list(range(50))
        assert [each.analyze_prompt for each in results] == [str(at) for at in range(50)]
        assert [each.reason for each in results] == [f"{at} of 50 is {at / 50}" for at in range(50)]
    assert len({each.run_id for each in results}) == 50


class Callable_:
    def __call__(self, run: ScorerRun[Any, Any]) -> float:
        return 0.25


class AsyncCallable:
    async def __call__(self, run: ScorerRun[Any, Any]) -> float:
        await sleep(0)
        return 0.25


async def waiting(run: ScorerRun[Any, Any]) -> float:
    await sleep(0)
    return 0.25


def returning_an_awaitable(run: ScorerRun[Any, Any]) -> Awaitable[float]:
    return waiting(run)


def scaled(factor: float, run: ScorerRun[Any, Any]) -> float:
    return factor


async def scaled_late(factor: float, run: ScorerRun[Any, Any]) -> float:
    await sleep(0)
    return factor


FUNCTIONS: list[Any] = [
    lambda run: 0.25,
    waiting,
    returning_an_awaitable,
    Callable_(),
    AsyncCallable(),
    partial(scaled, 0.25),
    partial(scaled_late, 0.25),
]


def by_run(**options: Any) -> float | None:
    made: Any = options["scorers"][0]
    return asyncio.run(made.run(output="x")).score  # type: ignore[no-any-return]


def by_run_sync(**options: Any) -> float | None:
    made: Any = options["scorers"][0]
    return made.run_sync(output="x").score  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "function", FUNCTIONS, ids=lambda function: str(getattr(function, "__name__", type(function).__name__))
)
@pytest.mark.parametrize("door", [*DOORS, by_run, by_run_sync])
@pytest.mark.parametrize("timeout", [None, 5])
def test_sync_and_async_scorers_work_through_every_door(function: Any, door: Any, timeout: float | None) -> None:
    """B112"""
    for made in (scorer(id="s")(function), create_scorer("s").preprocess(lambda _: 1).generate_score(function)):
        given = door(data=[{"output": "x"}], scorers=[made], timeout=timeout)
        assert (given.scores["s"] if isinstance(given, EvalResult) else given) == 0.25


# -- how many at once, and for how long --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "concurrency", [0, -1, -100, True, False, 0.5, 1.0, float("nan"), float("inf"), "4", [2]], ids=repr
)
@pytest.mark.parametrize("door", DOORS)
def test_a_concurrency_that_allows_no_progress_is_refused_at_once(door: Door, concurrency: object) -> None:
    """B113"""
    calls: list[object] = []
    with pytest.raises(ConfigurationError, match="concurrency="):
        door(data=items(2), target=calls.append, scorers=[ok], concurrency=concurrency)
    assert calls == []


@pytest.mark.parametrize(("given", "at_once"), [({}, 1), ({"concurrency": None}, 1), ({"concurrency": 3}, 3)])
@pytest.mark.parametrize("door", DOORS)
def test_no_concurrency_means_one_item_at_a_time(door: Door, given: dict[str, Any], at_once: int) -> None:
    """B113"""
    running: set[int] = set()
    most = 0

    async def target(at: int) -> str:
        nonlocal most
        running.add(at)
        most = max(most, len(running))
        for _ in range(5):
            await sleep(0)
        running.remove(at)
        return "fine"

    result = door(data=items(7), target=target, scorers=[ok], **given)
    assert (result.summary.total_items, most) == (7, at_once)


class Stuck:
    """A call that never returns, and limits of time of which one runs out: its own, when so many items are done.

    To be made in the loop in which the evaluation runs.
    """

    def __init__(self, done: int) -> None:
        self.ended = False
        self._wanted = done
        self._done = 0
        self._begun = False
        self._over = Semaphore(0)
        self._free = ThreadEvent()
        self._loop = asyncio.get_running_loop()

    async def wait(self) -> None:
        """Never returns."""
        self._begin()
        try:
            await never()
        finally:
            self.ended = True

    def block(self) -> None:
        """Holds up a thread until it is let go."""
        self._loop.call_soon_threadsafe(self._begin)
        self._free.wait()

    def let_go(self) -> None:
        self._free.set()

    async def limit(self, seconds: float) -> None:
        await self._over.acquire()

    def completed(self, *_: object) -> None:
        self._done += 1
        self._look()

    def _begin(self) -> None:
        self._begun = True
        self._look()

    def _look(self) -> None:
        if self._begun and self._done == self._wanted:
            self._over.release()


def hung(where: str, stuck: Stuck) -> dict[str, Any]:
    """Target and scorer of an evaluation in which the call for item 2 never returns."""

    async def target(at: int) -> int:
        if at == 2:
            await stuck.wait()
        return at

    def blocked_target(at: int) -> int:
        if at == 2:
            stuck.block()
        return at

    async def scores(run: ScorerRun[Any, Any]) -> float:
        await target(run.output)
        return 1.0

    def blocked_scorer(run: ScorerRun[Any, Any]) -> float:
        blocked_target(run.output)
        return 1.0

    async def judge(request: JudgeRequest) -> str:
        await target(int(request.prompt))
        return "Because."

    asking = (
        create_scorer("s", judge=judge)
        .generate_score(lambda _: 1.0)
        .generate_reason(PromptStep(prompt=lambda context: str(context.run.output)))
    )
    fine = scorer(id="s")(lambda run: 1.0)
    return {
        "target": {"target": target, "scorers": [fine]},
        "blocked target": {"target": blocked_target, "scorers": [fine]},
        "scorer": {"target": lambda at: at, "scorers": [scorer(id="s")(scores)]},
        "blocked scorer": {"target": lambda at: at, "scorers": [scorer(id="s")(blocked_scorer)]},
        "judge": {"target": lambda at: at, "scorers": [asking]},
    }[where]


def evaluated_with_one_hung(
    where: str, data: Sequence[Any], concurrency: int
) -> tuple[EvalResult, Stuck, set[Task[Any]]]:
    """The result, what hung, and the tasks that are left in the loop."""

    async def run() -> tuple[EvalResult, Stuck, set[Task[Any]]]:
        beside = len(data) - 1 if concurrency > 1 else next(at for at, item in enumerate(data) if item["input"] == 2)
        stuck = Stuck(beside)
        try:
            result = await arun_evals(
                data=data,
                concurrency=concurrency,
                timeout=SOON,
                sleep=stuck.limit,
                on_item_complete=stuck.completed,
                **hung(where, stuck),
            )
            await sleep(0)  # a cancelled timer needs one turn of the loop
            return result, stuck, all_tasks() - {current_task()}
        finally:
            stuck.let_go()

    return asyncio.run(run())


@pytest.mark.parametrize("where", ["target", "blocked target", "scorer", "blocked scorer", "judge"])
@pytest.mark.parametrize("concurrency", [1, 5])
def test_a_call_that_never_returns_costs_its_own_item_and_leaves_nothing_running(where: str, concurrency: int) -> None:
    """B115"""
    result, stuck, left = evaluated_with_one_hung(where, items(5), concurrency)
    assert left == set()
    assert [item["s"].score for item in result.items if item.index != 2] == [1.0] * 4
    item = result.items[2]
    error = item.error if "target" in where else item["s"].error
    assert isinstance(error, TimedOut)
    assert error.seconds == SOON
    assert item.status is Status.ERRORED
    if "target" in where:
        assert (result.summary.target_errors, result.summary.errors) == (1, {})
    else:
        assert (result.summary.target_errors, result.summary.errors) == (0, {"s": 1})
    assert result.summary.threads_left_behind == ("blocked" in where)
    assert stuck.ended == ("blocked" not in where)


def test_a_scorer_that_timed_out_tells_what_it_had_and_where_it_stood() -> None:
    """B115"""
    failed = evaluated_with_one_hung("judge", [{"input": 2}], 1)[0].items[0]["s"]
    assert (failed.step, failed.result.score, failed.result.generate_reason_prompt) == ("generate_reason", 1.0, "2")
    assert [execution.status for execution in failed.result.judge["generate_reason"]] == ["failed"]


# -- what ends early ---------------------------------------------------------------------------------------------------


ALL_OPEN = 6
"""The run, and the five items that are begun when nothing moves any more."""


class Watched:
    """A lifecycle that notes what it set up and what it was told when it took that down."""

    def __init__(self) -> None:
        self.opened: list[object] = []
        self.closed: dict[object, type[BaseException] | None] = {}
        self.all_open = Event()

    @asynccontextmanager
    async def run(self) -> AsyncIterator[str]:
        async with self._around("run"):
            yield "run"

    @asynccontextmanager
    async def item(self, item: EvalItem, state: object) -> AsyncIterator[str]:
        async with self._around(item.input):
            yield "item"

    @asynccontextmanager
    async def _around(self, name: object) -> AsyncIterator[None]:
        self.opened.append(name)
        if len(self.opened) == ALL_OPEN:
            self.all_open.set()
        try:
            yield
        except BaseException as error:
            self.closed[name] = type(error)
            raise
        else:
            self.closed[name] = None

    @property
    def lifecycle(self) -> Lifecycle:
        return Lifecycle(run=self.run, item=self.item)


async def stuck_after_two(at: int) -> str:
    if at >= 2:
        await never()
    return "fine"


def cancelled(watched: Watched) -> None:
    async def run() -> None:
        work = asyncio.ensure_future(
            arun_evals(data=items(9), target=stuck_after_two, scorers=[ok], lifecycle=watched.lifecycle, concurrency=3)
        )
        await watched.all_open.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(run())


def left_early(watched: Watched) -> None:
    async def run() -> None:
        stream = stream_evals(
            data=items(9), target=stuck_after_two, scorers=[ok], lifecycle=watched.lifecycle, concurrency=3
        )
        async with stream:
            for _ in range(2):
                await stream.__anext__()
            await watched.all_open.wait()

    asyncio.run(run())


def ended_by_an_error(watched: Watched) -> None:
    async def target(at: int) -> str:
        if at == 4:
            await watched.all_open.wait()
            raise ValueError("item 4 broke")
        return await stuck_after_two(at)

    with pytest.raises(ValueError, match="item 4 broke"):
        run_evals(
            data=items(9),
            target=target,
            scorers=[ok],
            lifecycle=watched.lifecycle,
            concurrency=3,
            on_error="raise",
        )


def interrupted(watched: Watched) -> None:
    async def target(at: int) -> str:
        if at == 4:
            await watched.all_open.wait()
            raise KeyboardInterrupt
        return await stuck_after_two(at)

    options: dict[str, Any] = {"data": items(9), "target": target, "scorers": [ok], "concurrency": 3}
    assert contained(partial(run_evals, lifecycle=watched.lifecycle, **options)).interrupted


@pytest.mark.parametrize(
    ("end", "told"),
    [
        (cancelled, asyncio.CancelledError),
        (left_early, asyncio.CancelledError),
        (ended_by_an_error, ValueError),
        (interrupted, KeyboardInterrupt),
    ],
)
def test_what_was_set_up_is_taken_down_however_the_run_ends(
    end: Callable[[Watched], None], told: type[BaseException]
) -> None:
    """B117"""
    watched = Watched()
    end(watched)
    assert watched.opened[0] == "run"
    assert sorted(watched.opened[1:], key=str) == [0, 1, 2, 3, 4]
    assert set(watched.closed) == set(watched.opened)
    assert [watched.closed[at] for at in (0, 1)] == [None, None]
    assert [watched.closed[at] for at in (2, 3)] == [asyncio.CancelledError] * 2
    assert watched.closed[4] is told


@pytest.mark.parametrize("timeout", [None, SOON])
def test_taking_down_an_item_is_told_that_its_target_gave_nothing(timeout: float | None) -> None:
    """B117"""
    watched = Watched()

    async def target(at: int) -> str:
        if at == 1 and timeout is None:
            raise ValueError("the target broke")
        if at == 1:
            await never()
        return "fine"

    run_evals(data=items(2), target=target, scorers=[ok], lifecycle=watched.lifecycle, timeout=timeout)
    assert watched.closed == {0: None, 1: ValueError if timeout is None else TimedOut, "run": None}


def seven_of_ten_never(listed: bool) -> dict[str, Any]:
    """The options of an evaluation that stops after the first three of ten items."""
    data = ({"input": at} for at in range(10))
    return {"data": list(data) if listed else data, "scorers": [Threshold(half, 0.5)], "gates": [ok]}


def after_a_stream_was_left(listed: bool, concurrency: int) -> EvalResult:
    async def target(at: int) -> str:
        if at >= 3:
            await never()
        return "fine"

    async def run() -> EvalResult:
        stream = stream_evals(target=target, concurrency=concurrency, **seven_of_ten_never(listed))
        async with stream:
            for _ in range(3):
                await stream.__anext__()
        return stream.result()

    return asyncio.run(run())


def after_ctrl_c(listed: bool, concurrency: int) -> EvalResult:
    three_are_done = Event()

    async def target(at: int) -> str:
        if at == 3:
            await three_are_done.wait()
            raise KeyboardInterrupt
        if at > 3:
            await never()
        return "fine"

    told: list[object] = []

    def count(item: EvalItem, *_: object) -> None:
        told.append(item)
        if len(told) == 3:
            three_are_done.set()

    return contained(
        partial(run_evals, target=target, concurrency=concurrency, on_item_complete=count, **seven_of_ten_never(listed))
    )


def after_ctrl_c_in_a_notebook(listed: bool, concurrency: int) -> EvalResult:
    async def cell() -> EvalResult:
        return after_ctrl_c(listed, concurrency)

    return asyncio.run(cell())


def after_the_data_broke_off(listed: bool, concurrency: int) -> EvalResult:
    def data() -> Iterator[dict[str, object]]:
        yield from items(3)
        raise OSError("the file ended within a line")

    return run_evals(**{**seven_of_ten_never(listed), "data": data(), "target": echo, "concurrency": 1})


@pytest.mark.parametrize(
    "end", [after_a_stream_was_left, after_ctrl_c, after_ctrl_c_in_a_notebook, after_the_data_broke_off]
)
@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_run_that_ended_early_has_the_aggregates_of_what_was_complete_and_says_so(
    end: Callable[[bool, int], EvalResult], listed: bool, concurrency: int
) -> None:
    """B119"""
    result = end(listed, concurrency)
    assert (result.interrupted, result.summary.total_items) == (True, 3)
    assert result.interruption
    if listed and end is not after_the_data_broke_off:
        assert result.summary.planned_items == 10
    else:
        assert result.summary.planned_items is None
    assert [item.index for item in result.items] == [0, 1, 2]
    assert (result.scores["half"], result.aggregates["scorers"]["half"].n_scored) == (0.5, 3)
    assert (result.gate_results[0].n_scored, result.threshold_results[0].n_scored) == (3, 3)
    assert result.verdict is None


def test_a_gate_that_has_failed_already_decides_a_run_that_ended_early() -> None:
    """B119"""

    def data() -> Iterator[dict[str, object]]:
        yield from items(3)
        raise OSError("the file ended within a line")

    result = run_evals(data=data(), target=echo, gates=[half])
    assert (result.interrupted, result.verdict) == (True, Verdict.FAILED)


# -- nothing to score --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("keep_items", [True, False])
@pytest.mark.parametrize(("skipped", "counts"), [(not_scorable("no refund"), (3, 2, 0)), (None, (3, 0, 2))])
def test_a_scorer_that_gives_nothing_on_some_items_is_counted_and_breaks_no_summary(
    door: Door, keep_items: bool, skipped: NotScorable | None, counts: tuple[int, int, int]
) -> None:
    """B122: ``not_scorable`` is how a scorer skips; None is no number, and so a failure."""
    made = scorer(id="some")(lambda run: skipped if run.output % 2 else 1.0)  # type: ignore[arg-type, return-value]
    result = door(data=items(5), target=lambda at: at, scorers=[made], keep_items=keep_items)
    found = result.aggregates["scorers"]["some"]
    assert (found.n_scored, found.n_not_scorable, found.n_failed) == counts
    assert found.average == 1.0
    assert dict(result.summary.not_scorable) == ({} if skipped is None else {"some": 2})
    assert dict(result.summary.errors) == ({"some": 2} if skipped is None else {})


@frozen
class Verdicts:
    verdicts: list[bool]


def hanging(stuck: Stuck) -> Any:
    async def judge(request: JudgeRequest) -> str:
        await stuck.wait()
        return "Because."

    return judge


def with_replies(*replies: Any) -> Callable[[Stuck], ScriptedJudge]:
    return lambda _: ScriptedJudge(replies)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (hanging, TimedOut),
        (with_replies(JudgeError("the provider is down", retryable=False)), JudgeError),
        (with_replies(TimeoutError("too slow")), TimeoutError),
        (with_replies("null", "null"), JudgeAnswerInvalid),
        (with_replies(*[{"verdicts": [True, None]}] * 2), JudgeAnswerInvalid),
        (with_replies(), ScriptExhausted),
    ],
    ids=["hangs", "raises", "times out", "null", "a null among them", "no reply"],
)
def test_a_failed_judge_call_names_its_step_and_later_steps_never_see_a_hole(
    make: Callable[[Stuck], Any], error: type[BaseException]
) -> None:
    """B124"""
    reached: list[str] = []

    def score(context: Any) -> float:
        reached.append("score")
        return float(all(context.analyze_result.verdicts))

    async def run() -> EvalResult:
        stuck = Stuck(0)
        made = (
            create_scorer("judged", judge=make(stuck))
            .preprocess(lambda _: "ready")
            .analyze(PromptStep(output=Verdicts, prompt=lambda _: "Which hold?"))
            .generate_score(score)
        )
        return await arun_evals(data=[{"output": "x"}], scorers=[made], timeout=SOON, sleep=stuck.limit)

    failed = asyncio.run(run()).items[0]["judged"]
    assert isinstance(failed, Failed)
    assert (failed.step, type(failed.error)) == ("analyze", error)
    assert failed.result is not None
    assert failed.result.completed_steps == ("preprocess",)
    assert reached == []


def failing_target(at: int) -> str:
    if at >= 10:
        raise ConnectionError("rate limited")
    return "fine"


def failing_scorer(run: ScorerRun[Any, Any]) -> float:
    failing_target(run.input)
    return 1.0


@pytest.mark.parametrize("broken", ["target", "scorer"])
def test_ten_perfect_items_of_a_hundred_are_no_pass(broken: str) -> None:
    """B125"""
    made = ok if broken == "target" else scorer(id="ok")(failing_scorer)
    result = run_evals(
        data=items(100),
        target=failing_target if broken == "target" else echo,
        scorers=[Threshold(made, 0.9), PassRate(made, 0.9)],
        gates=[made],
        concurrency=10,
    )
    found = result.aggregates["scorers"]["ok"]
    assert (found.average, found.n_scored, found.n_failed) == (1.0, 10, 90)
    assert [each.passed for each in result.gate_results] == [False]
    assert [each.passed for each in result.threshold_results] == [False, False]
    assert [(each.n_scored, each.n_failed) for each in result.threshold_results] == [(10, 90)] * 2
    assert result.verdict is Verdict.FAILED
    assert [item.status for item in result.items].count(Status.ERRORED) == 90


@pytest.mark.parametrize(("share", "verdict"), [(0.1, Verdict.PASSED), (0.11, Verdict.FAILED)])
def test_how_many_items_may_fail_is_a_gate_of_its_own(share: float, verdict: Verdict) -> None:
    """B125"""
    result = run_evals(data=items(100), target=failing_target, gates=[ShareOfItems(ok, share)])
    assert result.verdict is verdict


class Listener:
    """An observer that notes what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def run_started(self, run_info: RunInfo) -> None:
        self.told.append(run_info.planned_items)

    def item_completed(self, item_result: ItemResult) -> None:
        self.told.append(item_result.item.input)


def test_two_runs_in_one_process_score_and_tell_their_own_items_alone() -> None:
    """B127"""
    scored: list[object] = []

    @scorer(id="shared")
    async def shared(run: ScorerRun[Any, Any]) -> float:
        await sleep(0)
        scored.append(run.output)
        return 1.0

    listeners = [Listener(), Listener()]

    async def both() -> list[EvalResult]:
        runs = [
            arun_evals(
                data=[{"output": f"{name}{at}", "input": f"{name}{at}"} for at in range(3)],
                scorers=[shared],
                observers=[listener],
                concurrency=3,
            )
            for name, listener in zip("ab", listeners, strict=True)
        ]
        return await gather(*runs)

    results = asyncio.run(both())
    assert sorted(map(str, scored)) == ["a0", "a1", "a2", "b0", "b1", "b2"]
    assert [result.aggregates["scorers"]["shared"].n_scored for result in results] == [3, 3]
    for name, listener in zip("ab", listeners, strict=True):
        assert listener.told[0] == 3
        assert sorted(map(str, listener.told[1:])) == [f"{name}0", f"{name}1", f"{name}2"]


def by_a_function_step(judge: ScriptedJudge) -> Any:
    return (
        create_scorer("refund", judge=judge)
        .preprocess(lambda context: not_scorable("no refund") if "refund" not in context.run.output else "refund")
        .analyze(PromptStep(output=Verdicts, prompt=lambda _: "Was it handled well?"))
        .generate_score(lambda context: all(context.analyze_result.verdicts))
    )


def by_looking_first(judge: ScriptedJudge) -> Any:
    return (
        create_scorer("refund", judge=judge)
        .analyze(
            PromptStep(
                output=Verdicts,
                prompt=lambda _: "Was it handled well?",
                instead=lambda context: None if "refund" in context.run.output else not_scorable("no refund"),
            )
        )
        .generate_score(lambda context: all(context.analyze_result.verdicts))
    )


@pytest.mark.parametrize("make", [by_a_function_step, by_looking_first])
def test_a_scorer_that_does_not_apply_costs_no_call_and_has_no_say(make: Callable[[ScriptedJudge], Any]) -> None:
    """B128"""
    judge = ScriptedJudge(lambda _: {"verdicts": [True]})
    outputs = ["a refund", "a greeting", "the weather", "another refund"]
    made = make(judge)
    result = run_evals(data=[{"output": output} for output in outputs], scorers=[Threshold(made, 1.0)], gates=[made])
    assert [item["refund"].score for item in result.items] == [1.0, None, None, 1.0]
    assert result.items[1]["refund"].reason == "no refund"
    assert len(judge.requests) == 4  # twice for the gate, twice for the scorer
    assert result.verdict is Verdict.PASSED
    for found in (result.gate_results[0], result.threshold_results[0]):
        assert (found.passed, found.n_scored, found.n_not_scorable) == (True, 2, 2)
    assert result.summary.not_scorable == {"refund": 4}
    assert [item.status for item in result.items][1] is Status.UNMEASURED


@pytest.mark.parametrize("make", [by_a_function_step, by_looking_first])
def test_where_no_item_applies_gate_and_threshold_have_no_number_and_there_is_no_verdict(
    make: Callable[[ScriptedJudge], Any],
) -> None:
    """B128"""
    made = make(ScriptedJudge([]))
    result = run_evals(data=[{"output": "a greeting"}] * 2, scorers=[Threshold(made, 1.0)], gates=[made])
    assert (result.gate_results[0].passed, result.gate_results[0].score) == (None, None)
    assert (result.threshold_results[0].passed, result.threshold_results[0].average_score) == (None, None)
    assert (result.verdict, result.scores["refund"]) == (None, None)


def asked_by(door: Callable[[Any], object]) -> list[Mapping[str, object]]:
    """What is asked of one judge through this door, told without the judge itself."""
    judge = ScriptedJudge([{"verdicts": "no list"}, {"verdicts": [True]}, "Because."])

    async def prompt(context: Any) -> str:
        return f"Which hold of {context.run.output.text}, asked: {context.run.input.text}?"

    made = (
        create_scorer("asked", type="agent", judge=judge)
        .analyze(PromptStep(output=Verdicts, prompt=prompt, task=lambda context: context.run.output.text))
        .generate_score(lambda context: 1.0)
        .generate_reason(PromptStep(prompt=lambda context: f"Why {context.score}?"))
    )
    door(made)
    return [
        {
            "step": request.step,
            "attempt": request.attempt,
            "messages": request.messages,
            "schema": request.schema,
            "task": request.task,
            "settings": evolve(request.settings, judge=None),
        }
        for request in judge.requests
    ]


ITEM = {"input": "Hello?", "output": "Hello."}


@pytest.mark.parametrize(
    "door",
    [
        lambda made: made.run_sync(**ITEM),
        lambda made: by_run_evals(data=[ITEM], scorers=[made]),
        lambda made: by_run_evals(data=[ITEM], scorers=[made], timeout=5, concurrency=3),
        lambda made: by_arun_evals(data=[ITEM], scorers=[made]),
        lambda made: by_stream(data=iter([ITEM]), scorers=[made]),
    ],
    ids=["run_sync", "run_evals", "run_evals with a limit", "arun_evals", "stream_evals"],
)
def test_a_judge_is_asked_the_same_through_every_door(door: Callable[[Any], object]) -> None:
    """B129"""
    wanted = asked_by(lambda made: asyncio.run(made.run(**ITEM)))
    assert [request["attempt"] for request in wanted] == [1, 2, 1]
    assert asked_by(door) == wanted


NOTHING_TO_TEST = (
    ("B121", "A run cannot be resumed yet: that comes with the stores, and with it totals over all parts."),
    ("B130", "Nothing compares two contestants yet: a scorer sees one run."),
)
"""Entries that cannot occur, or that are of what is still to come."""


@needs_reference
def test_every_entry_of_the_section_has_tests_or_a_sentence() -> None:
    assert unaccounted(["Runner"], globals(), NOTHING_TO_TEST) == []
