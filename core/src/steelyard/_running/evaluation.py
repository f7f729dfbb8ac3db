"""One evaluation from its arguments to its result: what is refused, what is counted, what is told to whom."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from inspect import isawaitable
from time import perf_counter
from typing import Any, cast

from attrs import evolve, frozen

from steelyard._judging.call import JudgeServices
from steelyard._judging.settings import JudgeLike, read_settings
from steelyard._model.errors import ConfigurationError
from steelyard._model.outcome import describe
from steelyard._running.answers import Settings
from steelyard._running.compose import Entry, Plan, compose
from steelyard._running.ids import Ids
from steelyard._running.item import NOT_GIVEN, BadItem, EvalItem, Faulty, take_item
from steelyard._running.ledger import Ledger
from steelyard._running.lifecycle import Lifecycle, read_lifecycle
from steelyard._running.limits import Threads
from steelyard._running.options import (
    Providers,
    check_options_reach,
    checked_concurrency,
    checked_groups,
    found_runner,
    log,
    made_targets,
    needs_of,
    open_observers,
    seconds_or_none,
    slices_of,
)
from steelyard._running.result import EvalResult, ItemResult, ObserverNote
from steelyard._running.runner import Interrupted, Runner
from steelyard._running.slices import slice_names
from steelyard._running.target import Path, TargetResult, caller_of, read_reply_map
from steelyard._running.work import Done, work_on
from steelyard._scoring.door import is_contained
from steelyard._scoring.from_item import MissingValue, look_up
from steelyard._scoring.protocol import ScoringServices

INTERRUPTED = "interrupted from the keyboard"

Emit = Callable[[ItemResult], Awaitable[None]]


@frozen
class RunInfo:
    """What observers are told when a run starts: how many items there are (None: a stream), how many at once, and the
    keys of gates and scorers."""

    planned_items: int | None
    concurrency: int
    keys: tuple[str, ...]


class Evaluation:
    """An evaluation that was checked and can be run once. The arguments are those of ``run_evals``, where they are
    told."""

    def __init__(
        self,
        *,
        data: Iterable[object] | AsyncIterable[object],
        target: object = None,
        scorers: object = (),
        gates: object = (),
        judge: JudgeLike | None = None,
        target_options: Mapping[str, Any] | None = None,
        concurrency: int | None = 1,
        on_item_complete: Callable[[Any, Any, ItemResult], object] | None = None,
        on_error: str = "record",
        timeout: float | None = None,
        keep_items: bool = True,
        runner: Runner | str | None = None,
        observers: Sequence[object] = (),
        clock: Callable[[], float] | None = None,
        sleep: Callable[[float], Awaitable[None]] | None = None,
        reply: Mapping[str, Path] | None = None,
        group_by: Sequence[str] = (),
        lifecycle: Lifecycle | None = None,
        target_factory: Callable[..., object] | None = None,
    ) -> None:
        self._concurrency = checked_concurrency(concurrency)
        if on_error not in ("record", "raise"):
            raise ConfigurationError(
                f'on_error={on_error!r}: use "record" (a failure costs its own item or score) or "raise" (it ends '
                "the run)."
            )
        if target_options is not None and not isinstance(target_options, Mapping):
            raise ConfigurationError(f"target_options= must be a mapping, found {type(target_options).__name__}.")
        if on_item_complete is not None and not callable(on_item_complete):
            raise ConfigurationError(f"on_item_complete= must be a function, found {type(on_item_complete).__name__}.")
        seconds = seconds_or_none(timeout)
        self._groups = checked_groups(group_by)
        settings = read_settings(judge)
        providers = Providers()
        plan = compose(gates, scorers, settings, providers.find, self._groups)
        if target is not None and target_factory is not None:
            raise ConfigurationError("Give target= or target_factory=, not both.")
        caller = None if target is None else caller_of(target)
        check_options_reach(caller, target_options)
        self._has_target = caller is not None or target_factory is not None
        self._is_workflow = plan.form == "workflow" or (caller is not None and caller.is_workflow)
        self._threads = Threads()
        self._clock = perf_counter if clock is None else clock
        judging = JudgeServices(clock=self._clock, find=providers.find)
        if sleep is not None:
            judging = evolve(judging, sleep=sleep)
        self._needs = needs_of(plan.common)
        self._settings = Settings(
            plan=plan,
            caller=caller,
            make_target=None if target_factory is None else made_targets(target_factory),
            reply=read_reply_map(reply),
            options={} if target_options is None else target_options,
            services=ScoringServices(judge=settings, judging=judging),
            timeout=seconds,
            threaded_target=self._concurrency > 1 or seconds is not None,
            lifecycle=read_lifecycle(lifecycle),
            stop_on_error=on_error == "raise",
            threads=self._threads,
            quick=seconds is None and on_error != "raise",
        )
        self._callback = on_item_complete
        self._runner = found_runner(runner)
        self._keep_items = keep_items
        self._observers = open_observers(observers)
        self._results: list[ItemResult] = []
        self._ledger = Ledger(plan, self._groups)
        self._kept: list[object] | None = None
        self._streamed = not isinstance(data, list | tuple)
        self._data: Any = self._checked(data)
        self._ids: Ids | None = None
        self._started: float | None = None
        self._interruption: str | None = None
        self._notes: tuple[str, ...] = ()
        self._told_the_end = False
        self.ends_on_interrupt = False
        """Whether Ctrl-C ends the run with what is there; set by the door whose loop it is."""

    # -- before anything is called -------------------------------------------------------------------------------------

    @property
    def _plan(self) -> Plan:
        return self._settings.plan

    def _checked(self, data: object) -> object:
        """The data: a list with every item taken, or a stream as it is."""
        if isinstance(data, str | bytes | Mapping) or not isinstance(data, Iterable | AsyncIterable):
            raise ConfigurationError(f"data= must be an iterable of items, found {type(data).__name__}.")
        if not isinstance(data, list | tuple):
            return data
        if not data:
            raise ConfigurationError("There is no data: data= is empty.")
        taken = [take_item(raw, index) for index, raw in enumerate(data)]
        ids = Ids(taken, counting=False)
        measured = bool(self._plan.common)
        slices = slices_of(self._plan.common)
        for index, item in enumerate(taken):
            self._check_item(index, item)
            if item.id is not None:
                ids.take(index, item)
            own: list[Entry] = []
            if item.gates or item.scorers or item.turns is not None:
                own = self._own_entries(index, item)
                measured = measured or bool(own)
                slices |= slices_of(own)
            if self._needs or own:
                self._check_needs(index, item, own)
        if not measured:
            raise ConfigurationError("There is nothing to measure: give scorers=, gates= or both.")
        if slices:
            self._check_slices(slices, taken)
        return taken

    def _check_slices(self, wanted: set[str], taken: Sequence[EvalItem]) -> None:
        """Raises ``ConfigurationError`` for a bound on a slice that no item belongs to, which could never be missed."""
        there = {name for item in taken for name in slice_names(item, self._groups)}
        for name in sorted(wanted - there):
            raise ConfigurationError(
                f"A bound names the slice {name!r}, to which no item belongs. There are "
                f"{', '.join(sorted(there)[:20])}."
            )

    def _own_entries(self, index: int, item: EvalItem) -> list[Entry]:
        """What the item and its turns add. Raises ``ConfigurationError`` that names the item."""
        try:
            gates, scorers = self._plan.of_item(item)
            turns = [self._plan.of_turn(at, turn.gates, turn.scorers) for at, turn in enumerate(item.turns or ())]
        except ConfigurationError as error:
            raise ConfigurationError(f"Item {index}: {error}") from error
        return [*gates, *scorers, *(entry for pair in turns for entries in pair for entry in entries)]

    def _check_item(self, index: int, item: EvalItem) -> None:
        """Raises ``BadItem`` for an item that does not go with this evaluation."""
        if item.output is NOT_GIVEN:
            if not self._has_target:
                raise BadItem(
                    index, "there is no target and the item has no recorded output. Give target= or the item's output."
                )
        elif self._has_target:
            raise BadItem(
                index,
                "it has a recorded output, and a target is given too. Leave out one, so that it is clear which "
                "is measured.",
            )
        if self._is_workflow and (item.inputs is not None or item.turns is not None):
            raise BadItem(index, "inputs and turns are for agents; a workflow takes input.")

    def _check_needs(self, index: int, item: EvalItem, own: Sequence[Entry]) -> None:
        """Raises ``BadItem`` for an item that lacks what a scorer needs of it. What a target may bring is left for the
        run."""
        reply = self._settings.reply
        brings_context = (
            item.output is NOT_GIVEN
            or isinstance(item.output, TargetResult)
            or (reply is not None and "context" in reply.paths)
        )
        for key, need in (*self._needs, *needs_of(own)):
            if brings_context and need.partition(".")[0] == "context":
                continue
            try:
                look_up(item, need)
            except MissingValue as error:
                raise BadItem(index, f"scorer {key!r} needs {need}. {error}") from error

    # -- the run -------------------------------------------------------------------------------------------------------

    async def run(self, emit: Emit | None = None) -> None:
        """Takes all items through target and scorers. Raises what ends a run: cancellation, and with
        ``on_error="raise"`` the first failure."""
        if self._started is not None:
            raise ConfigurationError("An evaluation runs once. Make another one.")
        self._started = self._clock()
        kept: list[object] | None = None
        if not self._streamed:
            kept = cast("list[object]", self._data)
        elif self._keep_items:
            kept = self._kept = []
        self._ids = Ids(kept, counting=emit is not None or self._callback is not None or self._observers is not None)
        id_of = self._ids.of if kept is not None or emit is not None or self._callback or self._observers else None
        settings, ledger = self._settings, self._ledger
        if self._observers is not None and self._observers.wants_start:
            self._observers.run_started(
                RunInfo(self.planned_items, self._concurrency, tuple(entry.key for entry in self._plan.common))
            )
        try:
            async with self._around_run() as state:

                async def work(index: int, raw: Any) -> None:
                    done = await work_on(settings, index, self._arrived(index, raw), state, id_of)
                    ledger.count(done)
                    if self._keep_items:
                        self._results.append(done.result)
                    if self._callback is not None or self._observers is not None:
                        await self._tell(done)
                    if emit is not None:
                        await emit(done.result)
                    if self._streamed and self._ids is not None:
                        self._ids.forget(index)

                await self._runner.run(self._source(), work, self._concurrency)
        except Interrupted:
            if not self.ends_on_interrupt:
                raise KeyboardInterrupt from None
            self.interrupt()
        finally:
            self._threads.close()
            ledger.ended(self._clock() - self._started, self._threads.left_behind)
        if self._streamed and not ledger.total_items and not self.interrupted:
            raise ConfigurationError("There is no data: the stream gave no item.")

    @asynccontextmanager
    async def _around_run(self) -> AsyncIterator[Any]:
        """What the lifecycle sets up for the run. A failure to take it down is noted, and costs no result."""
        make = self._settings.lifecycle.run
        if make is None:
            yield None
            return
        manager = make()
        state = await manager.__aenter__()
        try:
            yield state
        except BaseException as error:
            await manager.__aexit__(type(error), error, error.__traceback__)
            raise
        try:
            await manager.__aexit__(None, None, None)
        except Exception as error:
            self._notes = (f"taking down the run failed: {describe(error)}",)
            log("lifecycle.failed", error=describe(error))

    @property
    def planned_items(self) -> int | None:
        """How many items there are; None for a stream."""
        return None if self._streamed else len(self._data)

    def _source(self) -> Any:
        if not self._streamed:
            return self._data
        return self._watched_async(self._data) if isinstance(self._data, AsyncIterable) else self._watched(self._data)

    def _watched(self, data: Iterable[object]) -> Iterator[object]:
        """The items of a stream; one that breaks off ends the run with what is there."""
        taken = 0
        try:
            for item in data:
                taken += 1
                yield item
        except BaseException as error:
            if not is_contained(error):
                raise
            self._broke_off(error, taken)

    async def _watched_async(self, data: AsyncIterable[object]) -> AsyncIterator[object]:
        """As ``_watched``; the source is closed with the run, and not when it happens to be collected."""
        taken = 0
        source = aiter(data)
        try:
            async for item in source:
                taken += 1
                yield item
        except BaseException as error:
            if not is_contained(error):
                raise
            self._broke_off(error, taken)
        finally:
            close = getattr(source, "aclose", None)
            if close is not None:
                await close()

    def _broke_off(self, error: BaseException, taken: int) -> None:
        if not taken or self._settings.stop_on_error:
            raise error
        self._interruption = f"the data broke off: {describe(error)}"

    def _arrived(self, index: int, raw: Any) -> EvalItem | Faulty:
        """The item of a stream, checked as far as a list is checked before the run; a fault stands in its place."""
        if not self._streamed:
            return cast("EvalItem", raw)
        item: EvalItem | Faulty
        try:
            item = taken = take_item(raw, index)
            self._check_item(index, taken)
            cast("Ids", self._ids).take(index, taken)
        except BadItem as fault:
            item = Faulty(raw, fault)
        if self._kept is not None:
            self._kept.append(item)
        return item

    async def _tell(self, done: Done) -> None:
        if self._callback is not None:
            try:
                told = self._callback(done.result.item, done.given, done.result)
                if isawaitable(told):
                    await told
            except BaseException as error:
                if not is_contained(error):
                    raise
                self._ledger.callback_errors += 1
                log("callback.failed", error=describe(error), index=done.result.index)
        if self._observers is not None and self._observers.wants_items:
            self._observers.item_completed(done.result)

    # -- the result ----------------------------------------------------------------------------------------------------

    @property
    def interrupted(self) -> bool:
        """Whether the run ended before its data did."""
        return self._interruption is not None

    def interrupt(self, why: str = INTERRUPTED) -> None:
        """Says that the run ended before its data did."""
        self._interruption = self._interruption or why

    def result(self) -> EvalResult:
        """What was found so far."""
        self._results.sort(key=lambda result: result.index)
        if self.interrupted:
            self._settle_half_counted()
        result = self._ledger.result(
            items=tuple(self._results),
            planned=self.planned_items
            if self._streamed is False
            else (None if self._interruption else self._ledger.total_items),
            interruption=self._interruption,
            observers=self._observer_notes(),
        )
        if self._observers is not None:
            if self._observers.wants_finish and not self._told_the_end:
                self._told_the_end = True
                self._observers.run_finished(result)
            result = evolve(result, summary=evolve(result.summary, observer_errors=self._observers.error_count))
        return evolve(result, notes=self._notes) if self._notes else result

    def _settle_half_counted(self) -> None:
        """Mends the account where Ctrl-C struck while an item was being counted."""
        if self._keep_items and self._ledger.total_items != len(self._results):
            self._ledger.recount(self._results)
        elif self._ledger.half_counted:
            self._notes = (
                *self._notes,
                "the item that was being counted when the run was interrupted may count in part",
            )

    def _observer_notes(self) -> tuple[ObserverNote, ...]:
        if self._observers is None:
            return ()
        return tuple(
            ObserverNote(name=each.name, version=each.version, distribution=each.distribution)
            for each in self._observers.names
        )
