"""The three doors of an evaluation: sync, async, and item by item."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from inspect import signature
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, Unpack, cast

from steelyard._judging.settings import JudgeLike
from steelyard._model.errors import ConfigurationError
from steelyard._model.outcome import describe
from steelyard._running.compose import AgentScorers, WorkflowScorers
from steelyard._running.evaluation import Evaluation
from steelyard._running.item import EvalItem
from steelyard._running.lifecycle import Lifecycle
from steelyard._running.result import EvalResult, ItemResult
from steelyard._running.runner import Runner
from steelyard._running.sync_door import drive
from steelyard._running.target import Path

if TYPE_CHECKING:
    from asyncio import Queue, Task

Item = EvalItem | Mapping[str, Any]


class EvalOptions(TypedDict, total=False):
    """The arguments of ``run_evals``, ``arun_evals`` and ``stream_evals``."""

    data: Iterable[Item] | AsyncIterable[Item]
    target: object
    scorers: Sequence[object] | AgentScorers | WorkflowScorers
    gates: Sequence[object]
    judge: JudgeLike | None
    target_options: Mapping[str, Any] | None
    concurrency: int | None
    on_item_complete: Callable[[Any, Any, ItemResult], object] | None
    on_error: Literal["record", "raise"]
    timeout: float | None
    keep_items: bool
    runner: Runner | str | None
    observers: Sequence[object]
    clock: Callable[[], float] | None
    sleep: Callable[[float], Awaitable[None]] | None
    reply: Mapping[str, Path] | None
    group_by: Sequence[str]
    lifecycle: Lifecycle | None
    target_factory: Callable[..., object] | None


def _evaluation(options: EvalOptions) -> Evaluation:
    unknown = set(options) - set(EvalOptions.__annotations__)
    if unknown:
        from difflib import get_close_matches

        name = sorted(unknown)[0]
        near = get_close_matches(name, EvalOptions.__annotations__, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(EvalOptions.__annotations__)}."
        raise ConfigurationError(f"An evaluation has no option {name!r}. {hint}")
    if "data" not in options:
        raise ConfigurationError("There is no data: give data=.")
    return Evaluation(**options)


def run_evals(**options: Unpack[EvalOptions]) -> EvalResult:
    """The result of running a target over data and scoring what came out.

    - ``data``: an iterable or async iterable of ``EvalItem``s or mappings with its fields. A list or tuple is checked
      whole before anything is called; in a stream a bad item is a failed item.
    - ``target``: a callable of the input (and, with a second positional parameter without default, of the
      ``TargetCall``), an object with ``generate`` or ``start``; None where the items hold recorded outputs.
      ``target_factory`` makes a fresh one per item.
    - ``scorers``: scorers, ``Threshold``, ``PassRate`` and ``Tracked``; or ``AgentScorers`` or ``WorkflowScorers``.
      ``gates``: scorers that must be at their best on each item, or a ``Gate`` with a rule of its own.
    - ``judge``: for prompt steps that have none of their own. ``target_options`` reach the target through the call.
    - ``concurrency``: how many items are worked on at once (None is 1). ``timeout``: seconds for each call of the
      target and each scorer; plain functions run on threads then, and one left behind is counted.
    - ``reply``: paths or functions that make a ``TargetResult`` of what the target returns. ``group_by``: paths such as
      ``"metadata.lang"`` by whose values the aggregates are sliced. ``lifecycle``: what is set up around the run and
      each item.
    - ``on_item_complete(item, target_result, scorer_results)``, sync or async. ``observers``: objects with
      ``run_started``, ``item_completed``, ``run_finished``, or names of installed ones. ``keep_items=False`` keeps no
      item results, so that memory stays flat.
    - ``on_error="raise"`` raises the first failure of a target or scorer instead of recording it.
    - ``clock`` and ``sleep``: in place of the real ones.

    Works in a private event loop, also where one is running already; clients bound to the caller's loop need ``await
    arun_evals(...)``. Ctrl-C ends the run with the items that were complete (``interrupted``). Raises
    ``ConfigurationError`` before any call for whatever can be refused then.
    """
    evaluation = _evaluation(options)
    drive(evaluation)
    return evaluation.result()


async def arun_evals(**options: Unpack[EvalOptions]) -> EvalResult:
    """As ``run_evals``, in the running event loop. Cancelling it cancels the work under way."""
    evaluation = _evaluation(options)
    await evaluation.run()
    return evaluation.result()


def stream_evals(**options: Unpack[EvalOptions]) -> EvalStream:
    """The results of items as they complete: ``async for item_result in stream_evals(...)``; ``.result()`` tells the
    whole afterwards.

    The arguments are those of ``run_evals``. Raises ``ConfigurationError`` at once for whatever can be refused before a
    call.
    """
    return EvalStream(_evaluation(options))


_END = object()


class EvalStream:
    """Item results in order of completion, each with its index. Leaving it early cancels what is under way.

    Use it as an async iterator, or as an async context manager around one to be sure that nothing goes on after the
    block.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._task: Task[None] | None = None
        self._queue: Queue[object] | None = None
        self._ended = False

    def __aiter__(self) -> AsyncIterator[ItemResult]:
        return self._iterate()

    async def _iterate(self) -> AsyncIterator[ItemResult]:
        try:
            while True:
                try:
                    yield await self.__anext__()
                except StopAsyncIteration:
                    return
        finally:
            await self.aclose()

    async def __anext__(self) -> ItemResult:
        """The next item that completes."""
        if self._ended:
            raise StopAsyncIteration
        if self._task is None:
            self._start()
        item = await cast("Queue[object]", self._queue).get()
        if item is not _END:
            return cast("ItemResult", item)
        self._ended = True
        try:
            await cast("Task[None]", self._task)
        except BaseException as error:
            self._evaluation.interrupt(describe(error))
            raise
        raise StopAsyncIteration

    def _start(self) -> None:
        import asyncio

        queue: Queue[object] = asyncio.Queue(maxsize=16)

        async def work() -> None:
            try:
                await self._evaluation.run(queue.put)
            except asyncio.CancelledError:
                raise  # whoever cancels takes no more items, and the queue may be full
            except BaseException:
                await queue.put(_END)
                raise
            await queue.put(_END)

        self._queue = queue
        self._task = asyncio.ensure_future(work())

    async def aclose(self) -> None:
        """Ends the evaluation where it is; what was complete stays in ``result()``."""
        if self._ended:
            return
        self._ended = True
        if self._task is None:
            self._evaluation.interrupt("the stream was closed before its first item")
            return
        if self._task.done():
            failure = None if self._task.cancelled() else self._task.exception()
            if failure is not None:
                self._evaluation.interrupt(describe(failure))
            return
        import asyncio

        self._evaluation.interrupt("the stream was left before its end")
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def result(self) -> EvalResult:
        """The result over the items that are complete; the whole of it once the iteration has ended.

        Raises ``ConfigurationError`` while items are under way.
        """
        if not self._ended:
            raise ConfigurationError(
                "The evaluation has not ended yet: take its items to the end, or close the stream, before "
                "asking for the result."
            )
        return self._evaluation.result()


def _show_arguments() -> None:
    """Gives the doors the signature of what they take, for help() and editors."""
    taken = signature(Evaluation)
    for door in (run_evals, arun_evals, stream_evals):
        cast("Any", door).__signature__ = taken


_show_arguments()
