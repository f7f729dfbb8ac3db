"""What one scorer sees of one item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar, cast

from attrs import NOTHING, Factory, field, fields, frozen

from steelyard._model.trajectory import Trajectory, TrajectoryExpectation
from steelyard._model.usage import Usage

InputT = TypeVar("InputT")
OutputT = TypeVar("OutputT")

_NOT_MADE: Any = object()


def new_id() -> str:
    """A random id of 32 hexadecimal digits."""
    from uuid import uuid4

    return uuid4().hex


@frozen(kw_only=True, eq=False, slots=False)
class ScorerRun(Generic[InputT, OutputT]):
    """One run of a target, as a scorer sees it.

    ``input`` and ``output`` have the form that the scorer's type asks for. ``context`` is the text that the answer
    should rest on (None: none was given), ``metadata`` and ``ground_truth`` are the item's, ``state`` is what the
    evaluation's lifecycle yielded, ``trajectory`` the path of the run where one is known. ``target_duration_ms`` is how
    long the target took for this output, ``usage`` and ``cost`` (US dollars) what it told of itself; None is unknown,
    as for the duration of an output that was recorded or came from a cache. ``run_id`` is made when first read if none
    was given.
    """

    _input: object = None
    output: OutputT
    ground_truth: Any = None
    expected_trajectory: TrajectoryExpectation | None = None
    context: Sequence[str] | None = None
    metadata: Mapping[str, Any] = field(factory=dict)
    request_context: Mapping[str, Any] | None = None
    tracing_context: object = None
    state: Any = None
    trajectory: Trajectory | None = None
    target_duration_ms: float | None = None
    usage: Usage | None = None
    cost: float | None = None
    _run_id: str | None = None
    _read_input: Callable[[object], object] | None = field(default=None, repr=False)
    _pending: bool = field(default=False, init=False, repr=False)
    """Whether a plain scorer of this run gave something that must be awaited."""
    _made_input: object = field(default=_NOT_MADE, init=False, repr=False)

    @property
    def input(self) -> InputT:
        """What the target was given, in the form of the scorer's type.

        Raises ``UnreadableOutput`` for a scorer of agents when it cannot be read as messages.
        """
        if self._read_input is None:
            return cast("InputT", self._input)
        if self._made_input is _NOT_MADE:
            object.__setattr__(self, "_made_input", self._read_input(self._input))
        return cast("InputT", self._made_input)

    @property
    def run_id(self) -> str:
        """The id of this run."""
        if self._run_id is None:
            object.__setattr__(self, "_run_id", new_id())
        return cast("str", self._run_id)


# A run that is made for an item leaves out what has its default: these are found on the class then.
for _attribute in fields(ScorerRun):
    if _attribute.default is not NOTHING and not isinstance(_attribute.default, Factory):  # type: ignore[arg-type]
        setattr(ScorerRun, _attribute.name, _attribute.default)


Effort = tuple[float | None, Usage | None, float | None]
"""What an output took: milliseconds, tokens and US dollars, each None where it is unknown."""

UNKNOWN_EFFORT: Effort = (None, None, None)


def run_of_item(
    item: Any,
    input: object,
    output: object,
    context: Sequence[str] | None,
    state: object,
    read_input: Callable[[object], object] | None,
    effort: Effort,
) -> ScorerRun[Any, Any]:
    """The run of an evaluation's item: what ``ScorerRun(...)`` gives, at half its cost, since every item needs one."""
    run: ScorerRun[Any, Any] = ScorerRun.__new__(ScorerRun)
    known = run.__dict__
    known["_input"] = input
    known["output"] = output
    known["metadata"] = item.metadata
    known["_read_input"] = read_input
    # Most items have few of these, and each that is left out is found on the class.
    if item.ground_truth is not None:
        known["ground_truth"] = item.ground_truth
    if item.expected_trajectory is not None:
        known["expected_trajectory"] = item.expected_trajectory
    if context is not None:
        known["context"] = context
    if item.request_context is not None:
        known["request_context"] = item.request_context
    if item.tracing_context is not None:
        known["tracing_context"] = item.tracing_context
    if state is not None:
        known["state"] = state
    if isinstance(output, Trajectory):
        known["trajectory"] = output
    if effort is not UNKNOWN_EFFORT:
        known["target_duration_ms"], known["usage"], known["cost"] = effort
    return run
