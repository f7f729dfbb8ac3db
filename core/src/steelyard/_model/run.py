"""What one scorer sees of one item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar, cast

from attrs import field, frozen

from steelyard._model.trajectory import Trajectory, TrajectoryExpectation

InputT = TypeVar("InputT")
OutputT = TypeVar("OutputT")

_NOT_MADE: Any = object()


def new_id() -> str:
    """A random id of 32 hexadecimal digits."""
    from uuid import uuid4

    return uuid4().hex


@frozen(kw_only=True, eq=False)
class ScorerRun(Generic[InputT, OutputT]):
    """One run of a target, as a scorer sees it.

    ``input`` and ``output`` have the form that the scorer's type asks for. ``context`` is the text that the answer should rest on (None: none
    was given), ``metadata`` and ``ground_truth`` are the item's, ``state`` is what the evaluation's lifecycle yielded, ``trajectory`` the path of the
    run where one is known. ``run_id`` is made when first read if none was given.
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
    _run_id: str | None = None
    _read_input: Callable[[object], object] | None = field(default=None, repr=False)
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


_set_input = ScorerRun._input.__set__  # type: ignore[attr-defined]
_set_output = ScorerRun.output.__set__  # type: ignore[attr-defined]
_set_ground_truth = ScorerRun.ground_truth.__set__
_set_expected = ScorerRun.expected_trajectory.__set__  # type: ignore[union-attr]
_set_context = ScorerRun.context.__set__  # type: ignore[union-attr]
_set_metadata = ScorerRun.metadata.__set__  # type: ignore[attr-defined]
_set_request_context = ScorerRun.request_context.__set__  # type: ignore[union-attr]
_set_tracing_context = ScorerRun.tracing_context.__set__  # type: ignore[attr-defined]
_set_state = ScorerRun.state.__set__
_set_trajectory = ScorerRun.trajectory.__set__  # type: ignore[union-attr]
_set_run_id = ScorerRun._run_id.__set__  # type: ignore[union-attr]
_set_read_input = ScorerRun._read_input.__set__  # type: ignore[union-attr]
_set_made_input = ScorerRun._made_input.__set__  # type: ignore[attr-defined]


def run_of_item(
    item: Any,
    input: object,
    output: object,
    context: Sequence[str] | None,
    state: object,
    read_input: Callable[[object], object] | None,
) -> ScorerRun[Any, Any]:
    """The run of an evaluation's item: what ``ScorerRun(...)`` gives, at half its cost, since every item needs one."""
    run: ScorerRun[Any, Any] = ScorerRun.__new__(ScorerRun)
    _set_input(run, input)
    _set_output(run, output)
    _set_ground_truth(run, item.ground_truth)
    _set_expected(run, item.expected_trajectory)
    _set_context(run, context)
    _set_metadata(run, item.metadata)
    _set_request_context(run, item.request_context)
    _set_tracing_context(run, item.tracing_context)
    _set_state(run, state)
    _set_trajectory(run, output if isinstance(output, Trajectory) else None)
    _set_run_id(run, None)
    _set_read_input(run, read_input)
    _set_made_input(run, _NOT_MADE)
    return run
