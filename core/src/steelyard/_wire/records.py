"""What the converter cannot tell from the types of a record's fields, and the types that are no plain records."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from steelyard._model.conversation import AgentOutput
from steelyard._model.messages import MediaPart, Message
from steelyard._model.outcome import Failed, NotScorable, Outcome, Scored
from steelyard._model.trajectory import TrajectoryExpectation, TrajectoryStep
from steelyard._running.aggregate import Aggregate
from steelyard._running.item import NOT_GIVEN, EvalItem, Turn
from steelyard._running.keys import ByKey, scorer_key
from steelyard._running.result import EvalResult, ItemResult, Status
from steelyard._running.target import TargetResult
from steelyard._wire.failures import read_error, write_error
from steelyard._wire.foreign import words_for
from steelyard._wire.hooks import MAPPING, VALUE, Hooks, given, optional
from steelyard._wire.outcomes import average_hooks, by_key, one_outcome, outcome_hooks, scores_hooks
from steelyard._wire.scalars import read_number, read_text, write_number, write_text
from steelyard._wire.values import read_list, read_value, write_value

if TYPE_CHECKING:
    from cattrs import Converter

_ABSENT: Any = object()
"""Stands for a key that is to be left out; no value of JSON equals it."""


def hooks_of_fields(made: Converter) -> dict[type, dict[str, Hooks | None]]:
    """By class and field, the hooks of fields whose type does not tell them; None for a field that is not written."""
    item, expectation = _record(made, EvalItem), _record(made, TrajectoryExpectation)
    results, turns = _list_of(_record(made, ItemResult)), _list_of(_record(made, Turn))
    own = {"gates": _SCORERS, "scorers": _SCORERS}
    return {
        EvalItem: {
            **own,
            "inputs": VALUE,
            "turns": optional(given(_is_made_of(list, Turn), turns.write, turns.read)),
            "output": Hooks(lambda value: _ABSENT if value is NOT_GIVEN else write_value(value), read_value),
            "expected_trajectory": optional(given(_is(TrajectoryExpectation), expectation.write, expectation.read)),
            "context": optional(given(_is_made_of(tuple, str), list, lambda data: tuple(read_list(data, read_text)))),
            "id": optional(given(_is(str), write_text, read_text)),
        },
        Turn: {**own},
        TrajectoryExpectation: dict.fromkeys(("max_steps", "max_total_tokens", "max_retries_per_tool"), _LIMIT),
        ItemResult: {
            "item": given(_is(EvalItem), item.write, item.read),
            "scores": scores_hooks(outcome_hooks(made)),
            "_status": Hooks(str, lambda data: made.structure(data, Status)),
            "_id": Hooks(write_text, read_text),
        },
        EvalResult: {
            "scores": scores_hooks(average_hooks()),
            "items": Hooks(results.write, lambda data: tuple(results.read(data))),
        },
        Message: {"content": _content(_record(made, MediaPart))},
        TargetResult: {
            **dict.fromkeys(("messages", "spans", "step_execution_path"), VALUE),
            "step_results": MAPPING,
        },
        # The record that a step was read from is no part of what it says: equality leaves it out too.
        TrajectoryStep: {"raw": None},
    }


def hooks_of_classes(made: Converter) -> list[tuple[Callable[[Any], bool], Hooks]]:
    """The hooks of types that are no plain records, each with the test for the type."""
    outcome, messages = outcome_hooks(made), _list_of(_record(made, Message))
    return [
        (lambda kind: kind is BaseException, Hooks(write_error, read_error)),
        (lambda kind: kind is AgentOutput, Hooks(messages.write, lambda data: AgentOutput(messages.read(data)))),
        (lambda kind: kind == Outcome, outcome),
        (lambda kind: kind is Scored, one_outcome(outcome, Scored)),
        (lambda kind: kind is NotScorable, one_outcome(outcome, NotScorable)),
        (lambda kind: kind is Failed, one_outcome(outcome, Failed)),
        (lambda kind: kind == ByKey[Outcome], by_key(outcome)),
        (lambda kind: kind == ByKey[float | None], by_key(average_hooks())),
        (lambda kind: kind == ByKey[Aggregate], by_key(_record(made, Aggregate))),
    ]


def settle(record: object) -> None:
    """Makes what a record makes of itself only when read."""
    if isinstance(record, ItemResult):
        _ = record.status, record.id


def _record(made: Converter, kind: type) -> Hooks:
    return Hooks(lambda value: made.unstructure(value, unstructure_as=kind), lambda data: made.structure(data, kind))


def _list_of(hooks: Hooks) -> Hooks:
    return Hooks(lambda value: [hooks.write(each) for each in value], lambda data: read_list(data, hooks.read))


def _is(kind: type) -> Callable[[Any], bool]:
    return lambda value: type(value) is kind


def _is_made_of(kind: type[list[Any]] | type[tuple[Any, ...]], inner: type) -> Callable[[Any], bool]:
    return lambda value: type(value) is kind and all(type(each) is inner for each in value)


def _write_scorers(value: Any) -> list[str]:
    """Scorers are no data: their keys stand for them. Keys that were read stay as they are."""
    return [_key(each) for each in value] if isinstance(value, list | tuple) else [words_for(value)]


def _key(entry: Any) -> str:
    if isinstance(entry, str):
        return str.__str__(entry)
    try:
        return scorer_key(getattr(entry, "scorer", entry))
    except Exception:
        return words_for(entry)


# Limits are declared as whole numbers, and taken as any.
_LIMIT = optional(Hooks(write_number, read_number))
_SCORERS = Hooks(_write_scorers, lambda data: tuple(read_list(data, read_text)))


def _content(media: Hooks) -> Hooks:
    """The parts of a message: null for none, a text for one that is all text, else a list of texts and media."""

    def write(parts: tuple[Any, ...]) -> Any:
        texts = [write_text(part) if isinstance(part, str) else media.write(part) for part in parts]
        if not texts:
            return None
        return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else texts

    def read_part(data: Any) -> Any:
        return data if isinstance(data, str) else media.read(data)

    def read(data: Any) -> tuple[Any, ...]:
        if data is None:
            return ()
        return (data,) if isinstance(data, str) else tuple(read_list(data, read_part))

    return Hooks(write, read)
