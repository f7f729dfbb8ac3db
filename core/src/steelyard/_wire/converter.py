"""The one converter: records of Steelyard to JSON objects and back, field by field.

Fields that say no more than their default are left out, but for the records that people look into for their numbers. Keys that a reader does not know are
ignored, so that a later release may write more of them. Fields that users fill take any value; where theirs has not the form that the record has for it,
the value stands as ``{"$type": "given", "value": ...}``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from attrs import NOTHING, Attribute, Factory, fields, has, resolve_types

from steelyard._judging.protocol import Claim, ExtractClaims, JudgeReply, VerifyClaims
from steelyard._model.conversation import AgentInput, AgentOutput, ExtractedToolCall
from steelyard._model.messages import MediaPart, Message, ToolCall
from steelyard._model.outcome import Failed, JudgeExecution, NotScorable, Outcome, Scored, ScoreResult
from steelyard._model.scale import Scale
from steelyard._model.trajectory import ExpectedStep, StepResult, Trajectory, TrajectoryExpectation, TrajectoryStep
from steelyard._model.usage import Usage
from steelyard._running.aggregate import Aggregate, PartAggregate
from steelyard._running.gates import Bound, GateResult, ThresholdResult, Verdict
from steelyard._running.item import EvalItem, Turn
from steelyard._running.keys import ByKey
from steelyard._running.result import EvalResult, ItemResult, ObserverNote, Status, Summary, TurnItemResult, TurnResult
from steelyard._running.target import TargetResult
from steelyard._wire import scalars
from steelyard._wire.failures import read_error, write_error
from steelyard._wire.faults import Misfit, expected
from steelyard._wire.values import read_list, read_mapping, read_value, write_value

if TYPE_CHECKING:
    from cattrs import Converter

_CLASSES: tuple[type, ...] = (
    AgentInput,
    AgentOutput,
    Aggregate,
    Bound,
    Claim,
    EvalItem,
    EvalResult,
    ExpectedStep,
    ExtractClaims,
    ExtractedToolCall,
    Failed,
    GateResult,
    ItemResult,
    JudgeExecution,
    JudgeReply,
    MediaPart,
    Message,
    NotScorable,
    ObserverNote,
    PartAggregate,
    Scale,
    ScoreResult,
    Scored,
    Status,
    StepResult,
    Summary,
    TargetResult,
    ThresholdResult,
    ToolCall,
    Trajectory,
    TrajectoryExpectation,
    TrajectoryStep,
    Turn,
    TurnItemResult,
    TurnResult,
    Usage,
    Verdict,
    VerifyClaims,
)
OURS: dict[type, str] = {kind: kind.__name__ for kind in _CLASSES}
"""The classes whose instances are read back from values, with the tag of each."""

BY_NAME: dict[str, type] = {name: kind for kind, name in OURS.items()}

_WHOLE = frozenset({EvalResult, Summary, Aggregate, GateResult, ThresholdResult})

Write = Callable[[Any], Any]
Read = Callable[[Any], Any]

ABSENT: Any = object()
"""What a writer gives for a field that is to be left out."""


@cache
def converter() -> Converter:
    """The converter, made when first asked for."""
    from cattrs import Converter
    from cattrs.gen import override

    from steelyard._wire import records

    made = Converter()

    def register(fits: Callable[[Any], bool], write: Write, read: Read) -> None:
        made.register_unstructure_hook_func(fits, write)
        made.register_structure_hook_func(fits, lambda data, _: read(data))

    def register_made(fits: Callable[[Any], bool], make: Callable[[Converter, Any], tuple[Write, Read]]) -> None:
        made.register_unstructure_hook_factory(fits, lambda kind: make(made, kind)[0])

        def structure_with(kind: Any) -> Callable[[Any, Any], Any]:
            read = make(made, kind)[1]
            return lambda data, _: read(data)

        made.register_structure_hook_factory(fits, structure_with)

    for kind, write in (
        (str, scalars.write_text),
        (float, scalars.write_number),
        (int, scalars.write_whole),
        (bool, scalars.write_flag),
    ):
        register(_is(kind), write, _scalar_reader(kind))
    register(lambda kind: kind is Any or kind is object or _is_free_mapping(kind), write_value, read_value)
    register(_is(BaseException), write_error, read_error)
    register_made(_is_enum, _choices)
    register_made(lambda kind: get_origin(kind) is tuple, _tuples)
    register_made(lambda kind: get_origin(kind) is Sequence, _sequences)
    register_made(lambda kind: get_origin(kind) in (Mapping, dict) and not _is_free_mapping(kind), _mappings)
    register_made(lambda kind: isinstance(kind, type) and has(kind), _records(records.fields_with(made), override))
    ...
    return made
