"""What is evaluated: how a target is called, and how what it returns is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, isclass, iscoroutinefunction, signature
from math import isfinite
from numbers import Real
from typing import Any, cast

from attrs import Attribute, define, field, fields, frozen

from steelyard._model.errors import ConfigurationError, UnreadableOutput
from steelyard._model.messages import Message
from steelyard._model.run import new_id
from steelyard._model.trajectory import StepResult, Trajectory, extract_workflow_trajectory, read_step_results
from steelyard._model.usage import Usage
from steelyard._scoring.from_item import has_fields


def _texts(value: object) -> tuple[str, ...] | None:
    if value is None:
        return None
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Iterable) and not isinstance(value, Mapping | bytes):
        texts = tuple(value)
        if all(isinstance(text, str) for text in texts):
            return texts
    raise UnreadableOutput(f"TargetResult(context=): expected a list of texts, found {value!r:.80}.")


def _context(value: Sequence[str] | str | None) -> tuple[str, ...] | None:
    return _texts(value)


def _is_a(kind: type[object]) -> Callable[[object, Attribute[Any], object], None]:
    def check(_: object, attribute: Attribute[Any], value: object) -> None:
        if value is not None and not isinstance(value, kind):
            raise UnreadableOutput(
                f"TargetResult({attribute.name}=): expected {kind.__name__} or None, found {type(value).__name__}."
            )

    return check


def _is_cost(_: object, attribute: Attribute[Any], value: object) -> None:
    if value is None or (isinstance(value, Real) and not isinstance(value, bool) and isfinite(float(value))):
        return
    raise UnreadableOutput(f"TargetResult(cost=): expected US dollars as a finite number or None, found {value!r:.80}.")


@frozen
class TargetResult:
    """What a target returns when there is more to say than its output.

    ``messages`` are the run's messages where ``output`` is something else, ``context`` the texts that the answer rests
    on, ``trajectory`` or ``spans`` the path taken, ``cost`` US dollars. ``cached`` says that the output came from a
    cache, so that how long the call took says nothing. A workflow gives ``step_results`` (step id to ``{status, input,
    output, started_at, ended_at, metadata}``, times in milliseconds) and, where they ran otherwise than in that order,
    ``step_execution_path``. Raises ``UnreadableOutput`` for fields of another kind.
    """

    output: Any = None
    messages: Sequence[Message | Mapping[str, Any]] | None = None
    context: Sequence[str] | None = field(default=None, converter=_context)
    trajectory: Trajectory | None = field(default=None, validator=_is_a(Trajectory))
    spans: Sequence[Any] | None = None
    usage: Usage | None = field(default=None, validator=_is_a(Usage))
    cost: float | None = field(default=None, validator=_is_cost)
    metadata: Mapping[str, Any] | None = field(default=None, validator=_is_a(Mapping))
    step_results: Mapping[str, StepResult | Mapping[str, Any]] | None = field(default=None, kw_only=True)
    step_execution_path: Sequence[str] | None = field(default=None, kw_only=True)
    cached: bool = field(default=False, kw_only=True, validator=_is_a(bool))

    def path(self) -> Trajectory | None:
        """The trajectory that was given, or that of the step results; None where neither is there."""
        if self.trajectory is not None:
            return self.trajectory
        if self.step_results is not None:
            return extract_workflow_trajectory(self.step_results, self.step_execution_path)
        return None

    def steps(self) -> dict[str, StepResult]:
        """The step results by id; empty for a target that is no workflow."""
        return {} if self.step_results is None else read_step_results(self.step_results)


_RESULT_FIELDS = tuple(attribute.name for attribute in fields(TargetResult))


@define(slots=False)
class TargetCall:
    """What a target may know of the call beside its input.

    ``thread_id`` and ``resource_id`` are one pair for all turns of an item, made when first read unless
    ``target_options`` name them. ``turn_index`` counts from 0, ``history`` holds the messages of the turns before,
    ``options`` are the target's options with the item's over them, ``state`` is what the evaluation's lifecycle
    yielded.
    """

    turn_index: int = 0
    history: tuple[Message, ...] = ()
    options: Mapping[str, Any] = field(factory=dict)
    request_context: Mapping[str, Any] | None = None
    tracing_context: Any = None
    state: Any = None
    _thread: _Thread = field(factory=lambda: _Thread())

    @property
    def thread_id(self) -> str:
        """The conversation that this call belongs to."""
        return self._thread.id("thread_id", self.options)

    @property
    def resource_id(self) -> str:
        """The owner of the conversation's memory."""
        return self._thread.id("resource_id", self.options)


class _Thread:
    """The ids of one item's conversation, made when first read."""

    __slots__ = ("_ids",)

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}

    def id(self, name: str, options: Mapping[str, Any]) -> str:
        if name not in self._ids:
            given = options.get(name)
            self._ids[name] = str(given) if given is not None else new_id()
        return self._ids[name]


@frozen
class Caller:
    """A target in the form in which it is called: ``call(input, TargetCall)``."""

    call: Callable[[Any, TargetCall], Any]
    is_async: bool
    is_workflow: bool
    takes_options: bool = True


_CALL_FIELDS = (
    "thread_id",
    "resource_id",
    "turn_index",
    "history",
    "options",
    "request_context",
    "tracing_context",
    "state",
)


def caller_of(target: object) -> Caller:
    """How this target is called.

    A callable of one positional argument gets the input; with a second one without default it also gets the
    ``TargetCall``. An object with ``generate`` (an agent) or ``start`` (a workflow) gets the input, and by name those
    fields of the call and those target options that its signature names; a ``**`` parameter gets all the target
    options. Raises ``ConfigurationError`` for anything else.
    """
    for name, is_workflow in (("generate", False), ("start", True)):
        method = getattr(target, name, None)
        if not isclass(target) and callable(method) and not (callable(target) and not hasattr(type(target), name)):
            return Caller(_by_name(method), iscoroutinefunction(method), is_workflow)
    if callable(target):
        is_async = iscoroutinefunction(target) or iscoroutinefunction(getattr(target, "__call__", None))  # noqa: B004
        if _takes_nothing(target):
            raise ConfigurationError("target= takes no argument; it must take the input.")
        if _takes_call(target):
            return Caller(target, is_async, False)
        return Caller(lambda given, call: target(given), is_async, False, takes_options=False)
    raise ConfigurationError(
        "target= must be a callable, an object with generate (agents) or start (workflows), found "
        f"{type(target).__name__}."
    )


def _parameters(function: Callable[..., Any]) -> Mapping[str, Parameter]:
    try:
        return signature(function).parameters
    except (TypeError, ValueError):
        return {}


def _takes_nothing(target: Callable[..., Any]) -> bool:
    try:
        kinds = [parameter.kind for parameter in signature(target).parameters.values()]
    except (TypeError, ValueError):
        return False
    takes = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL)
    return not any(kind in takes for kind in kinds)


def _takes_call(target: Callable[..., Any]) -> bool:
    positional = [
        parameter
        for parameter in _parameters(target).values()
        if parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    ]
    return len(positional) > 1 and positional[1].default is Parameter.empty


def _by_name(method: Callable[..., Any]) -> Callable[[Any, TargetCall], Any]:
    parameters = list(_parameters(method).values())
    takes_more = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters)
    by_name = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    options = {parameter.name for parameter in parameters[1:] if parameter.kind in by_name}
    names = [name for name in (*_CALL_FIELDS, "call") if name in options]

    def call(given: Any, call: TargetCall) -> Any:
        named = {name: value for name, value in call.options.items() if takes_more or name in options}
        named.update({name: call if name == "call" else getattr(call, name) for name in names})
        return method(given, **named)

    return call


Path = str | Callable[[Any], Any]


@frozen
class ReplyMap:
    """How the object that a target returns becomes a ``TargetResult``: a path or a function for each field of it."""

    paths: Mapping[str, Path]

    def read(self, value: object) -> TargetResult:
        """The result out of the object. Raises ``UnreadableOutput`` when a path matches nothing."""
        found = {
            name: path(value) if callable(path) else follow(value, path, f"reply[{name!r}]")
            for name, path in self.paths.items()
        }
        return TargetResult(**found)


def read_reply_map(reply: Mapping[str, Path] | None) -> ReplyMap | None:
    """The reply map as given to ``run_evals``. Raises ``ConfigurationError`` for unknown fields and for values that are
    no path."""
    if reply is None:
        return None
    if not isinstance(reply, Mapping):
        raise ConfigurationError(f"reply= must map fields of TargetResult to paths, found {type(reply).__name__}.")
    for name, path in reply.items():
        if name not in _RESULT_FIELDS:
            raise ConfigurationError(f"reply= names {name!r}; a target result has {', '.join(_RESULT_FIELDS)}.")
        if not callable(path) and (not isinstance(path, str) or not path):
            raise ConfigurationError(
                f"reply[{name!r}] must be a path such as 'docs[].text' or a function, found {path!r}."
            )
    return ReplyMap(dict(reply))


def follow(value: object, path: str, what: str) -> Any:
    """What a path leads to: names of keys or attributes joined by dots, ``[3]`` for a place of a list, ``[]`` for each
    of its elements.

    Raises ``UnreadableOutput`` where it leads nowhere.
    """
    found: object = value
    names = path.replace("[", ".[").split(".")
    for at, name in enumerate(names):
        if not name:
            continue
        if name == "[]":
            if not isinstance(found, list | tuple):
                raise UnreadableOutput(f"{what}: {path!r} wants a list before [], found {type(found).__name__}.")
            rest = ".".join(names[at + 1 :]).replace(".[", "[")
            return [follow(each, rest, what) for each in found] if rest else list(found)
        found = _one(found, name, path, what)
    return found


def _one(value: object, name: str, path: str, what: str) -> object:
    if name.startswith("[") and name.endswith("]"):
        place = name[1:-1]
        if isinstance(value, list | tuple) and place.lstrip("-").isdigit() and -len(value) <= int(place) < len(value):
            return cast("Sequence[object]", value)[int(place)]
    elif isinstance(value, Mapping):
        if name in value:
            return value[name]
    elif has_fields(value) and hasattr(value, name):
        return getattr(value, name)
    keys = f" with {', '.join(map(repr, list(value)[:8]))}" if isinstance(value, Mapping) else ""
    raise UnreadableOutput(f"{what}: {path!r} matches nothing at {name!r}; there is {type(value).__name__}{keys}.")
