"""The tree of steps that a target took, what was expected of it, and how it is read from messages and
workflow results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Literal, TypeVar, cast, get_args

from attrs import Attribute, AttrsInstance, field, fields, frozen

from steelyard._model.conversation import read_agent_output
from steelyard._model.errors import ConfigurationError

StepType = Literal[
    "tool_call",
    "mcp_tool_call",
    "model_generation",
    "agent_run",
    "workflow_run",
    "workflow_step",
    "workflow_conditional",
    "workflow_parallel",
    "workflow_loop",
    "workflow_sleep",
    "workflow_wait_event",
    "processor_run",
]
STEP_TYPES: tuple[StepType, ...] = get_args(StepType)
Ordering = Literal["strict", "relaxed", "unordered"]
ORDERINGS: tuple[Ordering, ...] = get_args(Ordering)
INFINITE = float("inf")

_T = TypeVar("_T")


def _step_type(_: object, attribute: Attribute[object], value: object) -> None:
    if value is not None and value not in STEP_TYPES:
        raise ConfigurationError(f"{attribute.name}={value!r} is no step type. Use one of {', '.join(STEP_TYPES)}.")


_SPELLINGS = {
    "type": "step_type",
    "args": "tool_args",
    "result": "tool_result",
    "input_tokens": "prompt_tokens",
    "output_tokens": "completion_tokens",
}
"""Other words for fields of a step, as records of agents use them."""


def _steps(value: Iterable[TrajectoryStep | Mapping[str, object]] | None) -> tuple[TrajectoryStep, ...]:
    if value is None:
        return ()
    if not isinstance(value, Iterable) or isinstance(value, str | Mapping):
        raise ConfigurationError(f"Steps must be a list, found {type(value).__name__}.")
    return tuple([_step(step) for step in value])


def _step(step: object) -> TrajectoryStep:
    if isinstance(step, TrajectoryStep):
        return step
    if isinstance(step, Mapping):
        return _from_mapping(TrajectoryStep, _spelled(step))
    raise ConfigurationError(f"A step is a TrajectoryStep or a mapping with its fields, found {type(step).__name__}.")


def _spelled(step: Mapping[object, object]) -> dict[str, object]:
    """The fields of a step under our names for them."""
    fields_: dict[str, object] = {}
    for key, value in step.items():
        name = _SPELLINGS.get(str(key), str(key))
        if name in fields_:
            raise ConfigurationError(f"A step gives {name!r} twice, once as {key!r}. Leave one out.")
        fields_[name] = value
    return fields_


def _from_mapping(cls: type[_T], value: Mapping[str, object]) -> _T:
    known = {attribute.name for attribute in fields(cast("type[AttrsInstance]", cls))}
    unknown = sorted(str(key) for key in value if key not in known)
    if unknown:
        near = get_close_matches(unknown[0], known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else f" It has {', '.join(sorted(known))}."
        raise ConfigurationError(f"{cls.__name__} has no field {unknown[0]!r}.{hint}")
    try:
        return cls(**value)
    except TypeError as error:
        raise ConfigurationError(f"{cls.__name__} could not be made of {sorted(value)}: {error}") from error


@frozen(kw_only=True)
class TrajectoryStep:
    """One step of a trajectory, with the steps inside it.

    ``step_type`` says what kind of step it is; fields that its kind does not have, or that the record did not tell, are
    None. ``duration_ms`` is in milliseconds. ``success`` is None where nothing could tell. ``raw`` is the record that
    the step was read from.
    """

    step_type: StepType = field(validator=_step_type)
    name: str
    duration_ms: float | None = None
    metadata: Mapping[str, object] | None = None
    children: tuple[TrajectoryStep, ...] = field(default=(), converter=_steps)
    tool_args: Mapping[str, object] | None = None
    tool_result: object = None
    success: bool | None = None
    error: str | None = None
    call_id: str | None = None
    raw_args: str | None = None
    provider_executed: bool = False
    mcp_server: str | None = None
    model_id: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    finish_reason: str | None = None
    agent_id: str | None = None
    step_id: str | None = None
    status: str | None = None
    output: object = None
    raw: object = field(default=None, eq=False, repr=False)

    def walk(self) -> Iterator[TrajectoryStep]:
        """This step and all inside it, depth first."""
        yield self
        for child in self.children:
            yield from child.walk()


@frozen
class Trajectory:
    """Steps in the order in which they were asked for, and the whole duration in milliseconds (None: unknown).

    Steps may be given as mappings with the fields of ``TrajectoryStep``.
    """

    steps: tuple[TrajectoryStep, ...] = field(default=(), converter=_steps)
    total_duration_ms: float | None = None

    def walk(self) -> Iterator[TrajectoryStep]:
        """All steps, depth first."""
        for step in self.steps:
            yield from step.walk()

    @property
    def tool_calls(self) -> tuple[TrajectoryStep, ...]:
        """The steps at any depth that are tool calls, MCP ones included."""
        return tuple([step for step in self.walk() if step.step_type in ("tool_call", "mcp_tool_call")])


def _expected_steps(
    steps: Iterable[ExpectedStep | Mapping[str, object] | str] | None,
) -> tuple[ExpectedStep, ...] | None:
    if steps is None:
        return None
    if not isinstance(steps, Iterable) or isinstance(steps, str | Mapping):
        raise ConfigurationError(f"Expected steps must be a list, found {type(steps).__name__}.")
    return tuple([_expected_step(step) for step in steps])


def _expected_step(step: object) -> ExpectedStep:
    if isinstance(step, ExpectedStep):
        return step
    if isinstance(step, str):
        return ExpectedStep(name=step)
    if isinstance(step, Mapping):
        return _from_mapping(ExpectedStep, _spelled(step))
    raise ConfigurationError(f"An expected step is a name, a mapping or an ExpectedStep, found {type(step).__name__}.")


def read_expectation(value: object) -> TrajectoryExpectation | None:
    """An expectation from one, from a mapping with its fields, or None.

    Raises ``ConfigurationError`` for unknown fields and for values that cannot be read.
    """
    if value is None or isinstance(value, TrajectoryExpectation):
        return value
    if isinstance(value, Mapping):
        return _from_mapping(TrajectoryExpectation, value)
    raise ConfigurationError(
        f"An expected trajectory is a mapping or a TrajectoryExpectation, found {type(value).__name__}."
    )


def _expectation(value: TrajectoryExpectation | Mapping[str, object] | None) -> TrajectoryExpectation | None:
    return read_expectation(value)


@frozen(kw_only=True)
class ExpectedStep:
    """A step that should occur: matched by ``name``, by ``step_type`` if given, and by each further field that is given
    (not None).

    ``children`` is an expectation of its own for the steps inside.
    """

    name: str
    step_type: StepType | None = field(default=None, validator=_step_type)
    tool_args: Mapping[str, object] | None = None
    tool_result: object = None
    success: bool | None = None
    output: object = None
    status: str | None = None
    step_id: str | None = None
    model_id: str | None = None
    agent_id: str | None = None
    mcp_server: str | None = None
    children: TrajectoryExpectation | None = field(default=None, converter=_expectation)


def _names(what: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise ConfigurationError(f"{what} must be a list of names of tools, found {type(value).__name__}.")
    names = tuple(value)
    for name in names:
        if not isinstance(name, str):
            raise ConfigurationError(f"{what} must hold names of tools, found {type(name).__name__}.")
    return names


def _tools(value: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if value is None else _names("blacklisted_tools", value)


def _sequences(value: Iterable[Iterable[str]] | None) -> tuple[tuple[str, ...], ...] | None:
    if value is None:
        return None
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise ConfigurationError(
            f"blacklisted_sequences must be a list of lists of names of tools, found {type(value).__name__}."
        )
    return tuple([_names("Each of blacklisted_sequences", sequence) for sequence in value])


def _ordering(_: object, attribute: Attribute[object], value: object) -> None:
    if value is not None and value not in ORDERINGS:
        raise ConfigurationError(f"{attribute.name}={value!r}: use one of {', '.join(ORDERINGS)}.")


def _flag(_: object, attribute: Attribute[Any], value: Any) -> None:
    if value is not None and not isinstance(value, bool):
        raise ConfigurationError(f"{attribute.name}={value!r}: use true, false or None.")


def _budget(_: object, attribute: Attribute[Any], value: Any) -> None:
    if value is not None and (
        isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < INFINITE
    ):
        raise ConfigurationError(f"{attribute.name}={value!r}: give a number, 0 or more, or None for no limit.")


@frozen(kw_only=True)
class TrajectoryExpectation:
    """What a trajectory should look like; a field that is None says nothing, and scorers keep their own default for it.

    Steps may be given as names or as mappings. Raises ``ConfigurationError`` for values that a field cannot have.
    """

    steps: tuple[ExpectedStep, ...] | None = field(default=None, converter=_expected_steps)
    ordering: Ordering | None = field(default=None, validator=_ordering)
    allow_repeated_steps: bool | None = field(default=None, validator=_flag)
    max_steps: int | None = field(default=None, validator=_budget)
    max_total_tokens: int | None = field(default=None, validator=_budget)
    max_total_duration_ms: float | None = field(default=None, validator=_budget)
    no_redundant_calls: bool | None = field(default=None, validator=_flag)
    blacklisted_tools: Sequence[str] | None = field(default=None, converter=_tools)
    blacklisted_sequences: Sequence[Sequence[str]] | None = field(default=None, converter=_sequences)
    max_retries_per_tool: int | None = field(default=None, validator=_budget)


def _wrapped(value: object) -> Mapping[str, object] | None:
    return value if value is None or isinstance(value, Mapping) else {"value": value}


def extract_trajectory(value: object) -> Trajectory:
    """The tool calls of an agent's messages as a trajectory; takes what agent scorers take as output.

    Arguments and results that are no mappings are wrapped as ``{"value": ...}``. ``success`` is false for every call
    that did not end well; calls whose arguments were still arriving are no steps. Durations are unknown.
    """
    return Trajectory(
        [
            TrajectoryStep(
                step_type="tool_call",
                name=call.name,
                tool_args=_wrapped(call.args),
                tool_result=_wrapped(call.result),
                success=not call.failed,
                error=call.error,
                call_id=call.call.id,
                raw_args=call.call.raw_args,
                provider_executed=call.call.provider_executed,
                raw=call.call,
            )
            for call in read_agent_output(value).tool_calls
        ]
    )


@frozen(kw_only=True)
class StepResult:
    """What one step of a workflow gave. Times are milliseconds on one clock; None is unknown."""

    status: str = "success"
    input: object = None
    output: object = None
    started_at: float | None = None
    ended_at: float | None = None
    metadata: Mapping[str, object] | None = None
    error: str | None = None

    @property
    def duration_ms(self) -> float | None:
        """Milliseconds from start to end; None where one of them is unknown or they are out of order."""
        return _duration(self.started_at, self.ended_at)


def read_step_results(results: object) -> dict[str, StepResult]:
    """Step results by id, from a mapping of ids to ``StepResult`` or to mappings with its fields.

    Raises ``ConfigurationError`` for anything else.
    """
    if not isinstance(results, Mapping):
        raise ConfigurationError(f"Step results must be a mapping of step ids, found {type(results).__name__}.")
    read: dict[str, StepResult] = {}
    for step_id, result in results.items():
        if isinstance(result, StepResult):
            read[str(step_id)] = result
        elif isinstance(result, Mapping):
            read[str(step_id)] = _from_mapping(StepResult, result)
        else:
            raise ConfigurationError(
                f"The result of step {step_id!r} must be a mapping or a StepResult, found {type(result).__name__}."
            )
    return read


def extract_workflow_trajectory(step_results: object, step_execution_path: Sequence[str] | None = None) -> Trajectory:
    """The steps of a workflow in execution order: those of the path that have a result, or all in the order of the
    results.

    The total is the last end minus the first start. A duration that would be negative, or one of whose ends is unknown,
    is None, and so is the total when any step's ends are out of order or no step has both.
    """
    results = read_step_results(step_results)
    path = list(results) if step_execution_path is None else [step for step in step_execution_path if step in results]
    return Trajectory([_workflow_step(step, results[step]) for step in path], _total([results[step] for step in path]))


def _workflow_step(step_id: str, result: StepResult) -> TrajectoryStep:
    return TrajectoryStep(
        step_type="workflow_step",
        name=step_id,
        step_id=step_id,
        status=result.status,
        output=_wrapped(result.output),
        duration_ms=result.duration_ms,
        metadata=result.metadata,
        success=None if result.status not in ("success", "failed") else result.status == "success",
        error=result.error,
        raw=result,
    )


def _duration(start: float | None, end: float | None) -> float | None:
    return None if start is None or end is None or end < start else end - start


def _total(results: Sequence[StepResult]) -> float | None:
    timed = [result for result in results if result.started_at is not None and result.ended_at is not None]
    if any(result.duration_ms is None for result in timed):
        return None
    starts = [result.started_at for result in results if result.started_at is not None]
    ends = [result.ended_at for result in results if result.ended_at is not None]
    return _duration(min(starts), max(ends)) if starts and ends else None
