"""The sync door of an evaluation: a private loop, and Ctrl-C that ends the run with what is there."""

from __future__ import annotations

from contextlib import suppress
from contextvars import copy_context
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from steelyard._scoring.door import close_loop, loop_is_running

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task

    from steelyard._running.evaluation import Evaluation


NOTICE = 0.1
"""Seconds after which Ctrl-C is noticed at the latest where a loop around has taken it for itself."""


def drive(evaluation: Evaluation) -> None:
    """Runs the evaluation to its end, in a private loop: here, or on a thread of its own where a loop is running
    already.

    On Ctrl-C the work under way is cancelled and the evaluation ends with the items that were complete.
    """
    evaluation.ends_on_interrupt = True
    if loop_is_running():
        _drive_on_thread(evaluation)
    else:
        _drive_here(evaluation, [])


def _drive_here(evaluation: Evaluation, handle: list[Any]) -> None:
    import asyncio

    loop = asyncio.new_event_loop()
    try:
        main = loop.create_task(evaluation.run())
        handle.extend((loop, main))
        if evaluation.interrupted:  # before there was anything to cancel
            main.cancel()
        try:
            loop.run_until_complete(main)
        except KeyboardInterrupt:
            evaluation.interrupt()
        except asyncio.CancelledError:
            if not evaluation.interrupted:
                raise
        finally:
            _wind_up(loop, main, evaluation)
            if main.done() and not main.cancelled():
                main.exception()
    finally:
        loop.close()


def _wind_up(loop: AbstractEventLoop, main: Task[None], evaluation: Evaluation) -> None:
    """Cancels what is left and waits for it; a first Ctrl-C meanwhile only ends the run, a second one ends the waiting
    too."""
    try:
        _end(loop, main)
    except KeyboardInterrupt:
        if evaluation.interrupted:
            raise
        evaluation.interrupt()
        _end(loop, main)


def _end(loop: AbstractEventLoop, main: Task[None]) -> None:
    """The run first, so that it takes down its own work from the outside in; cancelled all at once, clean-ups would be
    cancelled too."""
    import asyncio

    if not main.done():
        main.cancel()
        loop.run_until_complete(asyncio.wait({main}))
    close_loop(loop)


def _cancel(handle: list[Any]) -> None:
    """Cancels the run of another thread's loop."""
    if handle:
        loop, main = handle
        with suppress(RuntimeError):  # the loop was closed just now, so there is nothing left to cancel
            loop.call_soon_threadsafe(main.cancel)


def _wait_for(ended: Event, task: Task[Any] | None, asked: int) -> None:
    """Waits, and raises ``KeyboardInterrupt`` on Ctrl-C also where the loop around takes it for itself.

    ``asyncio.run`` does: it marks its task as cancelled, which the task learns only when it next lets go of the loop.
    ``asked`` is how often that was before the work began.
    """
    while not ended.wait(NOTICE):
        if task is not None and task.cancelling() > asked:
            raise KeyboardInterrupt


def _drive_on_thread(evaluation: Evaluation) -> None:
    raised: list[BaseException] = []
    handle: list[Any] = []
    # Not Thread.join: on CPython 3.11 one that Ctrl-C has struck takes the thread for ended, and the next one returns
    # at once.
    ended = Event()

    def body() -> None:
        try:
            _drive_here(evaluation, handle)
        except BaseException as error:
            raised.append(error)
        finally:
            ended.set()

    import asyncio

    task = asyncio.current_task()
    asked = 0 if task is None else task.cancelling()
    thread = Thread(target=copy_context().run, args=(body,), name="steelyard-run-evals", daemon=True)
    try:
        thread.start()
        _wait_for(ended, task, asked)
    except KeyboardInterrupt:
        if not thread.is_alive() and not ended.is_set():  # it was struck before it began
            raise
        evaluation.interrupt()
        _cancel(handle)
        ended.wait()
    if raised:
        raise raised[0]
