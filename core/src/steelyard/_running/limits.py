"""Limits on time, and threads for plain functions that may not return."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from steelyard._model.errors import TimedOut
from steelyard._scoring.door import is_contained

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future
    from queue import SimpleQueue

T = TypeVar("T")

GRACE = 1.0
"""Seconds that work which was told to stop may take for its clean-up."""


async def bounded(
    work: Coroutine[Any, Any, T],
    seconds: float,
    what: str,
    sleep: Callable[[float], Awaitable[None]],
    fault_of: Callable[[T], BaseException | None] = lambda given: None,
) -> T:
    """What the work gives. Raises ``TimedOut`` after that many seconds; the work is cancelled then, or when this is,
    and awaited for a moment.

    What its clean-up raises, or the fault in what it gives all the same, is the cause of the ``TimedOut``.
    """
    import asyncio

    task = asyncio.ensure_future(_ended(work))
    timer = asyncio.ensure_future(_nap(sleep, seconds))
    try:
        await asyncio.wait({task, timer}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result().given()
        task.cancel()
        await asyncio.wait({task}, timeout=GRACE)
        cause = None
        if task.done() and not task.cancelled():
            ended = task.result()
            cause = ended.error or fault_of(ended.given())
        raise TimedOut(what, seconds) from cause
    except asyncio.CancelledError:
        if not task.done():  # this was cancelled, not the work: what surrounds both must see the work end first
            if not task.cancelling():
                task.cancel()
            await asyncio.wait({task}, timeout=GRACE)
        raise
    finally:
        timer.cancel()
        if not task.done():
            task.cancel()
        task.add_done_callback(_heard)
        timer.add_done_callback(_heard)


class _Ended(Generic[T]):
    """How some work ended, as a value: an exit or Ctrl-C that left a task as an exception would tear down the loop
    around it."""

    __slots__ = ("error", "value")

    def __init__(self, value: T | None, error: BaseException | None) -> None:
        self.value = value
        self.error = error

    def given(self) -> T:
        if self.error is not None:
            raise self.error
        return cast("T", self.value)


async def _ended(work: Coroutine[Any, Any, T]) -> _Ended[T]:
    try:
        return _Ended(await work, None)
    except GeneratorExit:
        raise
    except BaseException as error:
        if not is_contained(error) and not isinstance(error, KeyboardInterrupt):
            raise
        return _Ended(None, error)


async def _nap(sleep: Callable[[float], Awaitable[None]], seconds: float) -> None:
    await sleep(seconds)


def _heard(task: Future[Any]) -> None:
    """Takes note of an exception that nobody will ask for any more."""
    if not task.cancelled():
        task.exception()


class Threads:
    """Threads that call plain functions, so that one which never returns holds up nobody but itself.

    They are daemons: one that was left behind does not keep the interpreter from ending. ``left_behind`` counts those.
    """

    def __init__(self) -> None:
        self.left_behind = 0
        self._idle: list[SimpleQueue[Any]] = []
        self._closed = False

    async def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """What the function gives when called on a thread, in a copy of the caller's context."""
        import asyncio

        loop = asyncio.get_running_loop()
        jobs = self._idle.pop() if self._idle else self._start()
        done: Future[T] = loop.create_future()
        jobs.put((loop, done, copy_context().run, function, arguments, lambda: self._free(jobs)))
        try:
            return await done
        except asyncio.CancelledError:
            self.left_behind += 1
            raise

    def close(self) -> None:
        """Lets the idle threads end, and those that are at work when they are done."""
        self._closed = True
        while self._idle:
            self._idle.pop().put(None)

    def _free(self, jobs: SimpleQueue[Any]) -> None:
        if self._closed:
            jobs.put(None)
        else:
            self._idle.append(jobs)

    def _start(self) -> SimpleQueue[Any]:
        from queue import SimpleQueue
        from threading import Thread

        jobs: SimpleQueue[Any] = SimpleQueue()
        Thread(target=_serve, args=(jobs,), name="steelyard-call", daemon=True).start()
        return jobs


def _serve(jobs: SimpleQueue[Any]) -> None:
    while (job := jobs.get()) is not None:
        loop, done, run, function, arguments, free = job
        value: Any = None
        raised: BaseException | None = None
        try:
            value = run(function, *arguments)
        except StopIteration as error:
            raised = RuntimeError("the function raised StopIteration")
            raised.__cause__ = error
        except BaseException as error:
            raised = error
        if not _tell(loop, done, value, raised, free):
            return
        del job, done, value, raised, run, function, arguments


def _tell(
    loop: AbstractEventLoop, done: Future[Any], value: object, raised: BaseException | None, free: Callable[[], None]
) -> bool:
    """Hands the outcome to the loop; False when the loop is gone."""

    def settle() -> None:
        free()
        if done.done():
            return
        if raised is None:
            done.set_result(value)
        else:
            done.set_exception(raised)

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:
        return False
    return True
