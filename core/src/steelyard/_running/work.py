"""One item from its input to its outcomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, cast

from attrs import define, evolve

from steelyard._model.errors import SteelyardError, TimedOut
from steelyard._model.outcome import Failed, NotScorable, Outcome, Scored, attach, describe
from steelyard._model.run import UNKNOWN_EFFORT, Effort, ScorerRun
from steelyard._model.trajectory import StepResult
from steelyard._running.aggregate import TARGET
from steelyard._running.answers import NOTHING_TOLD, Given, Settings, Told, call_target, joined, read, together, told_by
from steelyard._running.compose import Entry, Plan, Scope
from steelyard._running.item import NOT_GIVEN, BadItem, EvalItem, Faulty, first_input
from steelyard._running.keys import EMPTY, ByKey
from steelyard._running.limits import bounded
from steelyard._running.result import ItemResult, Scores, Status, TurnItemResult, groups_of, measured
from steelyard._running.seen import Seen
from steelyard._running.target import TargetResult
from steelyard._scoring.door import is_contained
from steelyard._scoring.pipeline import Trace, checked_scored, make_plain_result, make_result
from steelyard._scoring.protocol import Pending

STEPS_PREFIX = "steps/"


Counted = list[tuple[Scope, list[Outcome]]]
"""Outcomes of one item beside the scopes that they belong to."""


@define(eq=False)
class Done:
    """An item that was evaluated: its result, its outcomes by entry, and what the target gave (None
    where it failed)."""

    result: ItemResult
    counted: Counted
    given: object = None
    n_turns: int = 0
    target_ms: float = 0.0
    bad: bool = False


@define(eq=False)
class Own:
    """What one item adds to what is measured of all, and what is measured of its turns."""

    gates: Sequence[Entry] = ()
    scorers: Sequence[Entry] = ()
    turns: Sequence[tuple[Scope, Scope]] = ()


_NOTHING = Own()

Id = str | Callable[[int], str] | None


async def work_on(
    settings: Settings,
    index: int,
    raw: EvalItem | Faulty,
    run_state: object,
    id_of: Callable[[int], str] | None,
) -> Done:
    """Evaluates one item. A failure of its own, of the target or of a scorer is part of what is found, unless the
    settings say to stop."""
    try:
        if isinstance(raw, Faulty):
            raise raw.fault
        item = raw
        own = _NOTHING if not (item.gates or item.scorers or item.turns) else _own(settings.plan, item)
    except SteelyardError as error:
        if settings.stop_on_error:
            raise
        shown = raw.raw if isinstance(raw, Faulty) else raw
        return _errored(settings, index, shown, _NOTHING, id_of, error, None, bad=True)
    id = id_of if item.id is None else item.id
    if settings.lifecycle.item is None:
        return await _evaluate(settings, index, item, own, id, run_state)
    return await _within_lifecycle(settings, index, item, own, id, run_state)


def _own(plan: Plan, item: EvalItem) -> Own:
    turns = []
    for at, turn in enumerate(item.turns or ()):
        gates, scorers = plan.of_turn(at, turn.gates, turn.scorers)
        turns.append((Scope(str(at), gates), Scope(str(at), scorers)))
    return Own(*plan.of_item(item), turns)


async def _within_lifecycle(
    settings: Settings, index: int, item: EvalItem, own: Own, id: Id, run_state: object
) -> Done:
    make = cast("Callable[..., Any]", settings.lifecycle.item)
    clock = settings.services.judging.clock
    started = clock()
    try:
        manager = make(item, run_state)
        state = await manager.__aenter__()
    except Exception as error:
        if settings.stop_on_error:
            raise
        return _errored(settings, index, item, own, id, error, started)
    try:
        done = await _evaluate(settings, index, item, own, id, state)
    except BaseException as error:
        await manager.__aexit__(type(error), error, error.__traceback__)
        raise
    failure = done.result.error
    try:
        if failure is None:
            await manager.__aexit__(None, None, None)
        else:
            await manager.__aexit__(type(failure), failure, failure.__traceback__)
    except Exception as error:
        if error is not failure:
            if settings.stop_on_error:
                raise
            done.result = evolve(
                done.result, notes=(*done.result.notes, f"taking down the item failed: {describe(error)}")
            )
    return done


async def _evaluate(settings: Settings, index: int, item: EvalItem, own: Own, id: Id, state: object) -> Done:
    """Calls the target and scores what it gave."""
    clock = settings.services.judging.clock
    started = clock()
    try:
        if item.output is not NOT_GIVEN:
            given, results = read(settings.reply, item.output)
            turns_given: Sequence[Given] = ()
            took_ms: float | None = None
            answered = clock()
        else:
            turns_given, answered = await call_target(settings, item, state, started)
            given, results = joined(item, turns_given)
            took_ms = turns_given[0][2] if len(turns_given) == 1 else together(turns_given)
    except BaseException as error:
        if not is_contained(error):
            raise
        if settings.stop_on_error:
            raise
        return _errored(settings, index, item, own, id, error, started)
    plan = settings.plan
    told = told_by(results) if results else NOTHING_TOLD
    seen = Seen(item, first_input(item), given, results, state, _effort(took_ms, told))
    counted: Counted = []
    gates: ByKey[Outcome] = EMPTY
    if plan.gates.entries or own.gates:
        scope = plan.gates.with_own(own.gates)
        outcomes = _quick_outcomes(settings, scope, seen)
        if outcomes is None or seen.pending:
            outcomes = await _outcomes(settings, scope, seen, outcomes)
        gates = _kept(scope, outcomes, counted)
    scores: Scores
    if plan.form == "plain":
        scope = plan.scopes[0].with_own(own.scorers)
        outcomes = _quick_outcomes(settings, scope, seen)
        if outcomes is None or seen.pending:
            outcomes = await _outcomes(settings, scope, seen, outcomes)
        scores = _kept(scope, outcomes, counted)
    else:
        scores = await _grouped_scores(settings, own, seen, results, counted)
    turns: tuple[TurnItemResult, ...] = ()
    if item.turns is not None:
        turns = tuple(
            [await _turn(settings, item, own, at, each, state, counted) for at, each in enumerate(turns_given)]
        )
    result = measured(
        index,
        item,
        given,
        gates,
        scores,
        turns,
        1000 * (clock() - started),
        told,
        id,
    )
    return Done(result, counted, _for_callback(item, given, turns_given), len(turns), 1000 * (answered - started))


def _effort(took_ms: float | None, told: Told) -> Effort:
    return UNKNOWN_EFFORT if took_ms is None and told is NOTHING_TOLD else (took_ms, told[0], told[1])


def _for_callback(item: EvalItem, given: object, turns_given: Sequence[Given]) -> object:
    """What the per-item callback gets: what the target returned, as it is; a tuple of that for several turns."""
    if not turns_given:
        return item.output
    returned = tuple([raw if result is None else result for raw, result, _ in turns_given])
    return returned[0] if item.input is not None else returned


def _quick_outcomes(settings: Settings, scope: Scope, seen: Seen) -> list[Any] | None:
    """Outcomes of scorers that are plain functions all of them, where nothing asks for more than to call them; else
    None, and nothing was done."""
    if scope.plains is None or not settings.quick:
        return None
    run = seen.run_for(scope.type)
    if isinstance(run, Failed):
        return None
    outcomes = [plain(run) for plain in scope.plains]
    seen.pending = seen.pending or run._pending
    return outcomes


async def _outcomes(
    settings: Settings, scope: Scope, seen: Seen, begun: Sequence[Outcome | Pending] | None = None
) -> list[Outcome]:
    """Outcomes of a scope's scorers; ``begun`` are those that the quick way gave and that may still be awaited."""
    plainly = settings.timeout is None
    found: list[Outcome] = []
    for at, entry in enumerate(scope.entries):
        run = seen.run_for(entry.type)
        outcome: Outcome | Pending
        if begun is not None:
            outcome = begun[at]
        elif isinstance(run, Failed):
            outcome = attach(Failed(run.step, run.error), make_plain_result, (entry.id, None))
        elif plainly and entry.plain is not None:
            outcome = entry.plain(run)
        else:
            outcome = await _outcome(settings, entry, run)
        if isinstance(outcome, Pending):
            outcome = await outcome.outcome
        if settings.stop_on_error and isinstance(outcome, Failed):
            raise outcome.error
        found.append(outcome)
    return found


async def _outcome(settings: Settings, entry: Entry, run: ScorerRun[Any, Any]) -> Outcome:
    """What a scorer makes of a run: within its limit, and with whatever it does wrong contained."""
    services = settings.services
    try:
        if settings.timeout is None:
            outcome = await entry.scorer.score(run, services)
        else:
            outcome = await _within_limit(settings, entry, run)
        if isinstance(outcome, Scored):
            return checked_scored(outcome, entry.scorer.scale)
        if isinstance(outcome, NotScorable | Failed):
            return outcome
        raise TypeError(
            f"Scorer {entry.id!r} must give Scored, NotScorable or Failed, it gave {type(outcome).__name__}."
        )
    except BaseException as error:
        if not is_contained(error):
            raise
        return attach(Failed("generate_score", error), make_plain_result, (entry.id, run._run_id))


async def _within_limit(settings: Settings, entry: Entry, run: ScorerRun[Any, Any]) -> Outcome:
    traces: list[Trace] = []
    services = evolve(settings.services, call=settings.threads.call, watch=traces.append)
    seconds = cast("float", settings.timeout)
    try:
        return await bounded(
            entry.scorer.score(run, services),
            seconds,
            f"Scorer {entry.key!r}",
            services.judging.sleep,
            lambda late: late.error if isinstance(late, Failed) else None,
        )
    except TimedOut as error:
        if traces:
            return attach(Failed(traces[0].step, error), make_result, traces[0])
        raise


def _kept(scope: Scope, outcomes: list[Outcome], counted: Counted) -> ByKey[Outcome]:
    """The outcomes of a scope by key, noted to be counted."""
    counted.append((scope, outcomes))
    return ByKey(scope.index, outcomes)


async def _grouped_scores(
    settings: Settings, own: Own, seen: Seen, results: Sequence[TargetResult], counted: Counted
) -> Scores:
    """Outcomes of the item's scorers, by group."""
    plan = settings.plan
    by_scope: dict[str, Any] = {}
    for common in plan.scopes:
        scope = common.with_own(own.scorers if common.name == plan.own_scope else ())
        if scope.name.startswith(STEPS_PREFIX):
            step = scope.name.removeprefix(STEPS_PREFIX)
            outcomes = await _step_outcomes(settings, step, scope, seen, results)
        else:
            outcomes = await _outcomes(settings, scope, seen)
        _put(by_scope, scope.name, _kept(scope, outcomes, counted))
    return by_scope


def _put(by_scope: dict[str, Any], name: str, value: object) -> None:
    if name.startswith(STEPS_PREFIX):
        by_scope.setdefault("steps", {})[name.removeprefix(STEPS_PREFIX)] = value
    else:
        by_scope[name] = value


async def _step_outcomes(
    settings: Settings, step_id: str, scope: Scope, seen: Seen, results: Sequence[TargetResult]
) -> list[Outcome]:
    """Outcomes of the scorers of one workflow step, on its own input and output."""
    try:
        step = _step(step_id, results)
    except (SteelyardError, TypeError, ValueError) as error:
        if settings.stop_on_error:
            raise
        return [attach(Failed("prepare_run", error), make_plain_result, (entry.id, None)) for entry in scope.entries]
    if step is None:
        return [
            attach(
                NotScorable("prepare_run", f"the workflow did not run step {step_id!r}"),
                make_plain_result,
                (entry.id, None),
            )
            for entry in scope.entries
        ]
    effort = (step.duration_ms, None, None)
    return await _outcomes(settings, scope, Seen(seen.item, step.input, step.output, (), seen.state, effort))


def _step(step_id: str, results: Sequence[TargetResult]) -> StepResult | None:
    for result in reversed(results):
        steps = result.steps()
        if step_id in steps:
            step = steps[step_id]
            if step.status == "failed" and step.output is None:
                raise SteelyardError(
                    f"Step {step_id!r} of the workflow failed{'' if step.error is None else ': ' + step.error}."
                )
            return step
    if any(result.step_results is not None for result in results):
        return None
    raise SteelyardError(
        "The target gave no step results. A workflow returns TargetResult(output, step_results={step id: {...}})."
    )


async def _turn(
    settings: Settings,
    item: EvalItem,
    own: Own,
    at: int,
    given: Given,
    state: object,
    counted: Counted,
) -> TurnItemResult:
    """Outcomes of one turn's own gates and scorers, on its own input and output."""
    gates, scorers = own.turns[at]
    asked = cast("Sequence[Any]", item.turns)[at].input
    output, result, took_ms = given
    told = NOTHING_TOLD if result is None else told_by((result,))
    seen = Seen(item, asked, output, () if result is None else (result,), state, _effort(took_ms, told))
    return TurnItemResult(
        index=at,
        input=asked,
        output=output,
        gates=_kept(gates, await _outcomes(settings, gates, seen), counted),
        scores=_kept(scorers, await _outcomes(settings, scorers, seen), counted),
    )


def _errored(
    settings: Settings,
    index: int,
    item: object,
    own: Own,
    id: Id,
    error: BaseException,
    started: float | None,
    *,
    bad: bool = False,
) -> Done:
    """An item whose target failed, or that could not be taken: every gate and scorer counts it as not computed."""
    plan = settings.plan
    counted = _not_computed(plan, own, error)
    took = None if started is None else 1000 * (settings.services.judging.clock() - started)
    result = ItemResult(index=index, item=item, error=error, duration_ms=took, status=Status.ERRORED, id=id)
    return Done(result, counted, None, len(own.turns), took or 0.0, bad)


def _not_computed(plan: Plan, own: Own, error: BaseException) -> Counted:
    failed = Failed(TARGET, error)
    scopes = [plan.gates.with_own(own.gates)]
    scopes += [scope.with_own(own.scorers if scope.name == plan.own_scope else ()) for scope in plan.scopes]
    for gates, scorers in own.turns:
        scopes += [gates, scorers]
    return [(scope, [failed] * len(scope.entries)) for scope in scopes if scope.entries]


def done_again(plan: Plan, result: ItemResult) -> Done:
    """What was to be counted of an item, out of its result."""
    if result.error is None:
        groups = [result.gates, *groups_of(result.scores)]
        for turn in result.turns:
            groups += [turn.gates, turn.scores]
        counted: Counted = [(Scope("", group.entries), list(group.values())) for group in groups]
        return Done(result, counted, n_turns=len(result.turns))
    own = None
    if isinstance(result.item, EvalItem) and not isinstance(result.error, BadItem):
        with suppress(SteelyardError):  # what it adds was refused, so it was never taken
            own = _own(plan, result.item)
    counted = _not_computed(plan, own or _NOTHING, result.error)
    return Done(result, counted, n_turns=0 if own is None else len(own.turns), bad=own is None)
