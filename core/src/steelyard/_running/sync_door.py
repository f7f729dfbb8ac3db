"""The sync door of an evaluation: a private loop, and Ctrl-C that ends the run with what is there."""

from __future__ import annotations

from contextvars import copy_context
from threading import Thread
from typing import TYPE_CHECKING, Any

from steelyard._scoring.door import close_loop, loop_is_running

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from steelyard._running.evaluation import Evaluation


def drive(evaluation: Evaluation) -> None:
    """Runs the evaluation to its end, in a private loop: here, or on a thread of its own where a loop is running already.

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
        try:
            loop.run_until_complete(main)
        except KeyboardInterrupt:
            evaluation.interrupt()
        except asyncio.CancelledError:
            if not evaluation.interrupted:
                raise
        finally:
            _wind_up(loop, evaluation)
            if main.done() and not main.cancelled():
                main.exception()
    finally:
        loop.close()


def _wind_up(loop: AbstractEventLoop, evaluation: Evaluation) -> None:
    """Cancels what is left and waits for it; a first Ctrl-C meanwhile only ends the run, a second one ends the waiting too."""
    try:
        close_loop(loop)
    except KeyboardInterrupt:
        if evaluation.interrupted:
            raise
        evaluation.interrupt()
        close_loop(loop)


def _drive_on_thread(evaluation: Evaluation) -> None:
    raised: list[BaseException] = []
    handle: list[Any] = []

    def body() -> None:
        try:
            _drive_here(evaluation, handle)
        except BaseException as error:
            raised.append(error)

    thread = Thread(target=copy_context().run, args=(body,), name="steelyard-run-evals", daemon=True)
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:
        evaluation.interrupt()
        if handle:
            loop, main = handle
            loop.call_soon_threadsafe(main.cancel)
        thread.join()
    if raised:
        raise raised[0]
