"""How scorers are made: step by step, or of one function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar, overload

from steelyard._judging.settings import JudgeLike, read_settings
from steelyard._model.conversation import AgentInput, AgentOutput
from steelyard._model.errors import ConfigurationError
from steelyard._model.run import ScorerRun
from steelyard._model.scale import ZERO_TO_ONE, Scale
from steelyard._model.trajectory import Trajectory
from steelyard._scoring.builder import PipelineScorer, PrepareRun, ScoreValue
from steelyard._scoring.protocol import SCORER_TYPES, Args, ScorerType
from steelyard._scoring.short_way import OfRun, is_async
from steelyard._scoring.steps import StepContext

I = TypeVar("I")  # noqa: E741
O = TypeVar("O")  # noqa: E741


def _args(value: object) -> Args:
    if isinstance(value, Args):
        return value
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping):
        return Args(*value)
    raise ConfigurationError(f"args= must be a sequence of arguments or Args(...), found {type(value).__name__}.")


def _checked_id(id: object) -> str:
    if not isinstance(id, str) or not id.strip():
        raise ConfigurationError(f"A scorer needs an id that is a text and not blank, found {id!r}.")
    return id


def _made(
    id: str,
    description: str,
    name: str | None,
    judge: JudgeLike | None,
    type: ScorerType,
    scale: Scale,
    args: Args | Sequence[object],
    prepare_run: PrepareRun | None,
    needs: Iterable[str],
) -> PipelineScorer[Any, Any, Any, Any]:
    if type not in SCORER_TYPES:
        raise ConfigurationError(
            f'Scorer {id!r}: type={type!r}; use "agent", "trajectory" or None (and input=/output= for types '
            "of your own)."
        )
    if not isinstance(scale, Scale):
        raise ConfigurationError(f"Scorer {id!r}: scale= must be a Scale, found {scale!r:.80}.")
    if prepare_run is not None and not callable(prepare_run):
        raise ConfigurationError(
            f"Scorer {id!r}: prepare_run= must be a function of the run, found {prepare_run!r:.80}."
        )
    if isinstance(needs, str):
        raise ConfigurationError(f"Scorer {id!r}: needs={needs!r} must be a list of names.")
    return PipelineScorer(
        id=_checked_id(id),
        description=description,
        name=name or id,
        judge=read_settings(judge),
        type=type,
        scale=scale,
        args=_args(args),
        prepare_run=prepare_run,
        needs=frozenset(needs),
    )


@overload
def create_scorer(
    id: str,
    description: str = "",
    *,
    name: str | None = None,
    judge: JudgeLike | None = None,
    type: Literal["agent"],
    scale: Scale = ...,
    args: Args | Sequence[object] = ...,
    prepare_run: PrepareRun | None = None,
    needs: Iterable[str] = ...,
) -> PipelineScorer[AgentInput, AgentOutput, None, None]: ...
@overload
def create_scorer(
    id: str,
    description: str = "",
    *,
    name: str | None = None,
    judge: JudgeLike | None = None,
    type: Literal["trajectory"],
    scale: Scale = ...,
    args: Args | Sequence[object] = ...,
    prepare_run: PrepareRun | None = None,
    needs: Iterable[str] = ...,
) -> PipelineScorer[Any, Trajectory, None, None]: ...
@overload
def create_scorer(
    id: str,
    description: str = "",
    *,
    name: str | None = None,
    judge: JudgeLike | None = None,
    type: None = None,
    input: type[I],
    output: type[O],
    scale: Scale = ...,
    args: Args | Sequence[object] = ...,
    prepare_run: PrepareRun | None = None,
    needs: Iterable[str] = ...,
) -> PipelineScorer[I, O, None, None]: ...
@overload
def create_scorer(
    id: str,
    description: str = "",
    *,
    name: str | None = None,
    judge: JudgeLike | None = None,
    type: None = None,
    output: type[O],
    scale: Scale = ...,
    args: Args | Sequence[object] = ...,
    prepare_run: PrepareRun | None = None,
    needs: Iterable[str] = ...,
) -> PipelineScorer[Any, O, None, None]: ...
@overload
def create_scorer(
    id: str,
    description: str = "",
    *,
    name: str | None = None,
    judge: JudgeLike | None = None,
    type: None = None,
    input: type[I],
    scale: Scale = ...,
    args: Args | Sequence[object] = ...,
    prepare_run: PrepareRun | None = None,
    needs: Iterable[str] = ...,
) -> PipelineScorer[I, Any, None, None]: ...
@overload
def create_scorer(
    id: str,
    description: str = "",
    *,
    name: str | None = None,
    judge: JudgeLike | None = None,
    type: None = None,
    scale: Scale = ...,
    args: Args | Sequence[object] = ...,
    prepare_run: PrepareRun | None = None,
    needs: Iterable[str] = ...,
) -> PipelineScorer[Any, Any, None, None]: ...
def create_scorer(
    id: str,
    description: str = "",
    *,
    name: str | None = None,
    judge: JudgeLike | None = None,
    type: Any = None,
    input: Any = None,
    output: Any = None,
    scale: Scale = ZERO_TO_ONE,
    args: Args | Sequence[object] = (),
    prepare_run: PrepareRun | None = None,
    needs: Iterable[str] = (),
) -> PipelineScorer[Any, Any, Any, Any]:
    """A scorer without steps, to which ``.preprocess``, ``.analyze``, ``.generate_score`` and ``.generate_reason`` add
    them.

    ``type="agent"`` gives the steps ``AgentInput`` and ``AgentOutput``, ``"trajectory"`` a ``Trajectory`` as output;
    ``input=`` and ``output=`` are classes for type checkers. ``scale`` is the range and direction of the scores,
    ``args`` what tells two scorers of one id apart (``Args(...)`` for named ones), ``prepare_run`` changes the run
    before the first step, ``needs`` names what each item must bring. Raises ``ConfigurationError`` for a blank id and
    unknown types.
    """
    if type is not None and (input is not None or output is not None):
        raise ConfigurationError(f"Scorer {id!r}: give type= or input=/output=, not both.")
    return _made(id, description, name, judge, type, scale, args, prepare_run, needs)


@overload
def scorer(
    function: Callable[[ScorerRun[Any, Any]], ScoreValue | Awaitable[ScoreValue]], /
) -> PipelineScorer[Any, Any, None, None]: ...
@overload
def scorer(
    *,
    id: str | None = None,
    description: str | None = None,
    type: ScorerType = None,
    scale: Scale = ...,
    args: Args | Sequence[object] = (),
    needs: Iterable[str] = (),
) -> Callable[[Callable[[Any], ScoreValue | Awaitable[ScoreValue]]], PipelineScorer[Any, Any, None, None]]: ...
def scorer(
    function: Callable[[Any], Any] | None = None,
    /,
    *,
    id: str | None = None,
    description: str | None = None,
    type: ScorerType = None,
    scale: Scale = ZERO_TO_ONE,
    args: Args | Sequence[object] = (),
    needs: Iterable[str] = (),
) -> Any:
    """Makes a scorer of a function of the run, sync or async; used as ``@scorer`` or ``@scorer(id=..., type=...)``.

    The id is the function's name and the description the first line of its docstring unless given. The function gives a
    number within the scale, ``Scored(...)`` or ``not_scorable(...)``. Raises ``ConfigurationError`` as
    ``create_scorer``.
    """

    def make(function: Callable[[Any], Any]) -> PipelineScorer[Any, Any, Any, Any]:
        if not callable(function):
            raise ConfigurationError(
                f"@scorer takes a function of the run, found {function!r:.80}. Write @scorer or @scorer(id=...)."
            )
        named = getattr(function, "__name__", None)
        said = (getattr(function, "__doc__", None) or "").strip().partition("\n")[0]
        made = _made(
            id if id is not None else (named or ""),
            said if description is None else description,
            None,
            None,
            type,
            scale,
            args,
            None,
            needs,
        )
        step: Any = OfRun(function)
        if is_async(function):

            async def step(context: StepContext[Any, Any, Any, Any]) -> Any:
                return await function(context.run)

        return made.generate_score(step)

    return make if function is None else make(function)
