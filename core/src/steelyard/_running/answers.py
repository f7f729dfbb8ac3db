"""What the target gives for one item, turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import isawaitable
from typing import Any, cast

from attrs import evolve, frozen

from steelyard._model.conversation import read_agent_input, read_agent_output
from steelyard._model.errors import SteelyardError
from steelyard._model.messages import Message
from steelyard._model.usage import Usage
from steelyard._running.compose import Plan
from steelyard._running.item import EvalItem
from steelyard._running.lifecycle import Lifecycle
from steelyard._running.limits import Threads, bounded
from steelyard._running.seen import messages_of
from steelyard._running.target import Caller, ReplyMap, TargetCall, TargetResult
from steelyard._scoring.protocol import ScoringServices


@frozen(kw_only=True)
class Settings:
    """What one evaluation does with each item."""

    plan: Plan
    caller: Caller | None
    make_target: Callable[[Any], Caller] | None
    reply: ReplyMap | None
    options: Mapping[str, Any]
    services: ScoringServices
    timeout: float | None
    threaded_target: bool
    lifecycle: Lifecycle
    stop_on_error: bool
    threads: Threads
    quick: bool


Told = tuple[Usage | None, float | None, Mapping[str, Any] | None]
"""Usage, cost and metadata that the target told."""

NOTHING_TOLD: Told = (None, None, None)

Given = tuple[object, TargetResult | None, float | None]
"""What the target gave for one turn: output, the result that says more of it, and the milliseconds (None: cached)."""


def read(reply: ReplyMap | None, raw: object) -> tuple[object, tuple[TargetResult, ...]]:
    """The output, and the result that says more of it where there is one."""
    if isinstance(raw, TargetResult):
        return raw.output, (raw,)
    if reply is None:
        return raw, ()
    result = reply.read(raw)
    return result.output, (result,)


async def call_target(settings: Settings, item: EvalItem, state: object, started: float) -> tuple[list[Given], float]:
    """What the target gives for each turn, and when it gave the last; a turn begins where the one before ended."""
    clock = settings.services.judging.clock
    if settings.make_target is None:
        caller, begun = cast("Caller", settings.caller), started
    else:
        caller, begun = settings.make_target(state), clock()
    if item.inputs is not None:
        inputs = list(item.inputs)
    elif item.turns is not None:
        inputs = [turn.input for turn in item.turns]
    else:
        inputs = [item.input]
    options = settings.options if item.start_options is None else {**settings.options, **item.start_options}
    call = TargetCall(
        options=options, request_context=item.request_context, tracing_context=item.tracing_context, state=state
    )
    given: list[Given] = []
    for at, one in enumerate(inputs):
        if at:
            call = evolve(call, turn_index=at, history=(*call.history, *_said(inputs[at - 1], given[-1])))
        raw = await _one_call(settings, caller, one, call)
        ended = clock()
        output, results = read(settings.reply, raw)
        if type(output) is list:
            output = _own_part(output, call.history)
        if not results:
            given.append((output, None, 1000 * (ended - begun)))
        else:
            given.append((output, results[0], None if results[0].cached else 1000 * (ended - begun)))
        begun = ended
    return given, begun


def _own_part(output: list[Any], history: tuple[Message, ...]) -> list[Any]:
    """A copy of what the target returned, since it may go on adding to its list; without the earlier turns, where it
    returned the whole conversation."""
    if history and len(output) >= len(history):
        try:
            if tuple(read_agent_output(output[: len(history)])) == history:
                return output[len(history) :]
        except (SteelyardError, TypeError, ValueError):
            pass
    return list(output)


def _said(asked: object, answer: Given) -> tuple[Message, ...]:
    """The messages of one turn, as far as they can be read."""
    output, result, _ = answer
    said: tuple[Message, ...] = ()
    try:
        said = read_agent_input(asked).input_messages
        answered = messages_of(TargetResult(output) if result is None else result)
        said = tuple(answered) if tuple(answered[: len(said)]) == said else (*said, *answered)
    except (SteelyardError, TypeError, ValueError):
        pass
    return said


async def _one_call(settings: Settings, caller: Caller, given: object, call: TargetCall) -> object:
    if settings.timeout is None:
        return await _answer(settings, caller, given, call)
    return await bounded(
        _answer(settings, caller, given, call), settings.timeout, "The target", settings.services.judging.sleep
    )


async def _answer(settings: Settings, caller: Caller, given: object, call: TargetCall) -> object:
    if caller.is_async or not settings.threaded_target:
        value = caller.call(given, call)
    else:
        value = await settings.threads.call(caller.call, given, call)
    return await value if isawaitable(value) else value


def joined(item: EvalItem, turns: Sequence[Given]) -> tuple[object, tuple[TargetResult, ...]]:
    """The output of the whole item, a tuple of all turns' where it has turns, and the results that say more of it."""
    if item.input is not None:
        output, result, _ = turns[0]
        return output, () if result is None else (result,)
    results = tuple([TargetResult(output) if result is None else result for output, result, _ in turns])
    return tuple([output for output, _, _ in turns]), results


def together(turns: Sequence[Given]) -> float | None:
    """The milliseconds of all turns; None where one is not known."""
    durations = [took_ms for _, _, took_ms in turns if took_ms is not None]
    return sum(durations) if len(durations) == len(turns) else None


def told_by(results: Sequence[TargetResult]) -> Told:
    """Usage, cost and metadata that the target told, over all turns; unknown where one turn did not tell."""
    usage, cost, metadata = results[0].usage, results[0].cost, results[0].metadata
    for result in results[1:]:
        usage = None if usage is None or result.usage is None else usage + result.usage
        cost = None if cost is None or result.cost is None else cost + result.cost
        metadata = metadata if result.metadata is None else {**(metadata or {}), **result.metadata}
    return usage, cost, metadata
