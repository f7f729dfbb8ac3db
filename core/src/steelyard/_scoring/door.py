"""The sync door: a coroutine run to its end in a loop of its own, wherever the caller stands."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextvars import copy_context
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")


def loop_is_running() -> bool:
    """Whether this thread is inside a running event loop; never loads asyncio for the answer."""
    import sys

    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None


def is_contained(error: BaseException) -> bool:
    """Whether an error is its raiser's own failure, which costs one item or score, rather than a wish to end the whole.

    That is anything but Ctrl-C, the end of a generator, and a cancellation that somebody has asked the running task
    for: ``SystemExit`` (an agent's command line that ends) and exceptions that frameworks derive from ``BaseException``
    are failures like others.
    """
    if isinstance(error, Exception):
        return True
    if isinstance(error, KeyboardInterrupt | GeneratorExit):
        return False
    import sys

    asyncio = sys.modules.get("asyncio")
    if asyncio is None or not isinstance(error, asyncio.CancelledError):
        return True
    task = asyncio.current_task() if loop_is_running() else None
    return task is None or task.cancelling() == 0


def run_to_end(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of the coroutine that ``work`` makes, run in a private loop: here, or on a thread of its own where a
    loop is running already.

    Objects that are bound to the caller's loop (an HTTP client, say) do not work inside; ``await`` the async form
    there.
    """
    if not loop_is_running():
        return _run_here(work)
    result: list[T] = []
    raised: list[BaseException] = []

    def body() -> None:
        try:
            result.append(_run_here(work))
        except BaseException as error:
            raised.append(error)

    thread = Thread(target=copy_context().run, args=(body,), name="steelyard-sync-door", daemon=True)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return result[0]


def _run_here(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    # asyncio.run would install a signal handler and, on 3.11 and 3.12, format the whole result with repr.
    import asyncio

    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(work())
    finally:
        try:
            close_loop(loop)
        finally:
            loop.close()


def close_loop(loop: Any) -> None:
    """Cancels what is left on a private loop and waits for it."""
    import asyncio

    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_asyncgens())
