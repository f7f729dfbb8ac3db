"""Scoring a share of what a live target answers, in the background."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from inspect import isawaitable, isclass
from threading import Event, Lock, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from attrs import define, frozen

from steelyard._judging.call import JudgeServices
from steelyard._judging.settings import JudgeLike, read_settings
from steelyard._model.errors import ConfigurationError
from steelyard._model.outcome import describe
from steelyard._model.run import new_id
from steelyard._running.answers import Settings
from steelyard._running.compose import Plan, Scope, WorkflowScorers, compose
from steelyard._running.item import EvalItem
from steelyard._running.ledger import Ledger
from steelyard._running.lifecycle import Lifecycle
from steelyard._running.limits import Threads
from steelyard._running.options import Providers, log, open_observers, seconds_or_none
from steelyard._running.result import EvalResult, ItemResult
from steelyard._running.target import Path, TargetCall, TargetResult, caller_of, read_reply_map
from steelyard._running.work import work_on
from steelyard._scoring.door import close_loop
from steelyard._scoring.protocol import ScoringServices

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Queue

EXIT_GRACE = 5.0
"""Seconds that runs which wait for their scores get when the interpreter ends."""


@frozen(kw_only=True)
class WatchStats:
    """What became of a watched target's runs.

    ``runs`` were answered, ``eligible`` of them passed the predicate, ``sampled`` were to be scored; of those
    ``scored`` are done, ``dropped`` found the queue full or the watch closed, ``pending`` wait. ``errors`` are failures
    of the watch's own doing, of which the target knows nothing.
    """

    runs: int = 0
    eligible: int = 0
    sampled: int = 0
    scored: int = 0
    dropped: int = 0
    pending: int = 0
    errors: int = 0


@define(eq=False)
class _Job:
    index: int
    item: EvalItem
    keys: tuple[str, ...]


def fraction(run_id: str) -> float:
    """A number in [0, 1) that follows from the run's id, so that equal ratios pick the same runs everywhere."""
    return int.from_bytes(blake2b(run_id.encode("utf-8", "surrogatepass"), digest_size=7).digest(), "big") / 2**56


class Watched:
    """A target that answers as before while a share of its runs is scored in the background. ``watch`` makes it."""

    def __init__(
        self,
        target: object,
        *,
        plan: Plan,
        settings: Settings,
        ratios: Mapping[str, float],
        eligible: Callable[[Any], bool] | None,
        on_scored: Callable[[ItemResult], object] | None,
        observers: Any,
        queue_size: int,
        concurrency: int,
        run_id: Callable[[Any], str | None] | None,
    ) -> None:
        caller_of(target)
        self._target = target
        self._plan = plan
        self._settings = settings
        self._ratios = ratios
        self._eligible = eligible
        self._on_scored = on_scored
        self._observers = observers
        self._queue_size = queue_size
        self._concurrency = concurrency
        self._run_id = run_id
        self._ledger = Ledger(plan, ())
        self._lock = Lock()
        self._counts = dict.fromkeys(("runs", "eligible", "sampled", "scored", "dropped", "pending", "errors"), 0)
        self._closed = False
        self._loop: AbstractEventLoop | None = None
        self._jobs: Queue[_Job | None] | None = None
        self._ended = Event()

    # -- answering -----------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **named: Any) -> Any:
        """What the target answers."""
        return self._answer(self._target, args, named)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        if name in ("generate", "start") and callable(value):
            return lambda *args, **named: self._answer(value, args, named)
        return value

    def _answer(self, function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        answer = function(*args, **named)
        if isawaitable(answer):
            return self._awaited(answer, args, named)
        self._offer(args, named, answer)
        return answer

    async def _awaited(self, answer: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        value = await answer
        self._offer(args, named, value)
        return value

    # -- choosing ------------------------------------------------------------------------------------------------------

    def _offer(self, args: tuple[Any, ...], named: dict[str, Any], answer: object) -> None:
        """Queues a run for scoring if it was chosen; never disturbs the target, never waits."""
        try:
            self._count("runs")
            call = next((each for each in args[1:] if isinstance(each, TargetCall)), None)
            context = named.get("request_context", None if call is None else call.request_context)
            if self._eligible is not None and not self._eligible(context):
                return
            self._count("eligible")
            id = (
                named.get("run_id") or named.get("trace_id") or (None if self._run_id is None else self._run_id(answer))
            )
            id = str(id) if id else new_id()
            chosen = fraction(id)
            keys = tuple(key for key, ratio in self._ratios.items() if chosen < ratio)
            if not keys:
                return
            self._count("sampled")
            given = args[0] if args else named.get("input")
            output = TargetResult(None) if answer is None else answer
            self._queue(EvalItem(input=given, output=output, request_context=context, id=id), keys)
        except Exception as error:
            self._failed(error)

    def _queue(self, item: EvalItem, keys: tuple[str, ...]) -> None:
        with self._lock:
            if self._closed or self._counts["pending"] >= self._queue_size:
                self._counts["dropped"] += 1
                return
            self._counts["pending"] += 1
            job = _Job(self._counts["sampled"] - 1, item, keys)
            if self._loop is None:
                self._start()
            loop, jobs = self._loop, self._jobs
        loop.call_soon_threadsafe(jobs.put_nowait, job)  # type: ignore[union-attr]

    def _count(self, name: str, by: int = 1) -> None:
        with self._lock:
            self._counts[name] += by

    def _failed(self, error: BaseException) -> None:
        self._count("errors")
        log("watch.failed", error=describe(error))

    # -- scoring -------------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        import asyncio

        self._loop = asyncio.new_event_loop()
        self._jobs = asyncio.Queue()
        Thread(target=self._serve, name="steelyard-watch", daemon=True).start()
        atexit.register(self.close, EXIT_GRACE)

    def _serve(self) -> None:
        loop: Any = self._loop
        try:
            loop.run_until_complete(self._all())
        except Exception as error:
            self._failed(error)
        finally:
            try:
                close_loop(loop)
                loop.close()
            finally:
                self._settings.threads.close()
                self._ended.set()

    async def _all(self) -> None:
        import asyncio

        await asyncio.gather(*(self._work() for _ in range(self._concurrency)))

    async def _work(self) -> None:
        jobs: Any = self._jobs
        while (job := await jobs.get()) is not None:
            try:
                await self._score(job)
            except Exception as error:
                self._failed(error)
            finally:
                self._count("pending", -1)

    async def _score(self, job: _Job) -> None:
        from attrs import evolve

        settings = evolve(self._settings, plan=self._chosen(job.keys))
        done = await work_on(settings, job.index, job.item, None, None)
        with self._lock:
            self._ledger.count(done)
            self._counts["scored"] += 1
        if self._on_scored is not None:
            try:
                told = self._on_scored(done.result)
                if isawaitable(told):
                    await told
            except Exception as error:
                self._failed(error)
        if self._observers is not None and self._observers.wants_items:
            self._observers.item_completed(done.result)

    def _chosen(self, keys: tuple[str, ...]) -> Plan:
        """The plan with those entries alone that were chosen for a run; tallies are shared."""
        scopes = tuple(
            Scope(scope.name, [entry for entry in scope.entries if entry.key in keys]) for scope in self._plan.scopes
        )
        return Plan(self._plan.gates, scopes, self._plan.form, self._plan.judge)

    # -- the account ---------------------------------------------------------------------------------------------------

    @property
    def stats(self) -> WatchStats:
        """What became of the runs so far."""
        with self._lock:
            return WatchStats(**self._counts)

    def result(self) -> EvalResult:
        """Averages and counts over what was scored so far; without items and without a verdict, since nothing is
        bounded."""
        with self._lock:
            return self._ledger.result(items=(), planned=None, interruption=None, observers=())

    def close(self, timeout: float | None = None) -> WatchStats:
        """Takes no more runs, waits for those that are queued (at most ``timeout`` seconds), and counts the rest as
        dropped."""
        with self._lock:
            first, self._closed = not self._closed, True
            loop, jobs = self._loop, self._jobs
        if loop is not None and not self._ended.is_set():
            if first:
                for _ in range(self._concurrency):
                    loop.call_soon_threadsafe(jobs.put_nowait, None)  # type: ignore[union-attr]
            self._ended.wait(timeout)
        atexit.unregister(self.close)
        with self._lock:
            left = self._counts["pending"]
            self._counts["dropped"] += left
            self._counts["pending"] -= left
        if left:
            log("watch.dropped", runs=left)
        return self.stats

    async def aclose(self, timeout: float | None = None) -> WatchStats:  # noqa: ASYNC109
        """As ``close``, without holding up the running event loop."""
        import asyncio

        return await asyncio.get_running_loop().run_in_executor(None, self.close, timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def watch(
    target: object,
    *,
    scorers: Sequence[object] = (),
    steps: Mapping[str, Sequence[object]] | None = None,
    sampling: float | Mapping[str, float] = 1.0,
    eligible: Callable[[Any], bool] | None = None,
    judge: JudgeLike | None = None,
    reply: Mapping[str, Path] | None = None,
    timeout: float | None = None,
    on_scored: Callable[[ItemResult], object] | None = None,
    observers: Sequence[object] = (),
    queue_size: int = 1000,
    concurrency: int = 1,
    run_id: Callable[[Any], str | None] | None = None,
) -> Watched:
    """The target, answering as before and without waiting, while a share of its runs is scored in the background.

    ``target`` is a callable, or an object with ``generate`` or ``start``; ``scorers`` see its input and output,
    ``steps`` those of a workflow's steps. ``sampling`` is the share (0 to 1) of runs to score, for all or by key or id;
    whether a run is chosen follows from its id (``run_id=`` or ``trace_id=`` of the call, ``run_id(answer)``, else a
    random one), so that equal shares pick the same runs. ``eligible(request_context)`` is asked before. At most
    ``queue_size`` runs wait; further ones are dropped and counted (``stats``). Results go to ``on_scored`` (sync or
    async) and to observers, item by item. A failing scorer never touches the target. ``close()``, a ``with`` block, or
    the end of the interpreter finish what is queued. Raises ``ConfigurationError`` as ``run_evals``.
    """
    if isclass(target):
        raise ConfigurationError("watch() takes a target, not a class; make one first.")
    settings = read_settings(judge)
    form: object = scorers if steps is None else WorkflowScorers(workflow=scorers, steps=steps)
    providers = Providers()
    plan = compose((), form, settings, providers.find)
    if not plan.common:
        raise ConfigurationError("There is nothing to measure: give scorers= or steps=.")
    for what, value in (("queue_size", queue_size), ("concurrency", concurrency)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ConfigurationError(f"{what}={value!r}: give a whole number of 1 or more.")
    seconds = seconds_or_none(timeout)
    return Watched(
        target,
        plan=plan,
        settings=Settings(
            plan=plan,
            caller=None,
            make_target=None,
            reply=read_reply_map(reply),
            options={},
            services=ScoringServices(judge=settings, judging=JudgeServices(find=providers.find)),
            timeout=seconds,
            threaded_target=False,
            lifecycle=Lifecycle(),
            stop_on_error=False,
            threads=Threads(),
            quick=seconds is None,
        ),
        ratios=dict(_ratios(plan, sampling)),
        eligible=eligible,
        on_scored=on_scored,
        observers=open_observers(observers),
        queue_size=queue_size,
        concurrency=concurrency,
        run_id=run_id,
    )


def _ratios(plan: Plan, sampling: float | Mapping[str, float]) -> Iterator[tuple[str, float]]:
    known = {name for entry in plan.common for name in (entry.key, entry.id)}
    if isinstance(sampling, Mapping):
        unknown = sorted(set(sampling) - known)
        if unknown:
            raise ConfigurationError(f"sampling= names {unknown[0]!r}; there are {', '.join(sorted(known))}.")
    for entry in plan.common:
        ratio = sampling.get(entry.key, sampling.get(entry.id, 1.0)) if isinstance(sampling, Mapping) else sampling
        if isinstance(ratio, bool) or not isinstance(ratio, int | float) or not 0 <= ratio <= 1:
            raise ConfigurationError(f"sampling={ratio!r}: give a share between 0 and 1.")
        yield entry.key, float(ratio)
