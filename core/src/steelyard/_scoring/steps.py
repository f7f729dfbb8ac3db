"""The steps of a scorer: what they see, and the form of those that ask a judge."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeAlias, TypeVar

from attrs import field, frozen

from steelyard._judging.settings import JudgeLike, JudgeSettings, read_settings
from steelyard._model.errors import ConfigurationError
from steelyard._model.outcome import NotScorable, NoValue, Scored
from steelyard._model.run import ScorerRun

InputT = TypeVar("InputT", covariant=True)
OutputT = TypeVar("OutputT", covariant=True)
PreT = TypeVar("PreT", covariant=True)
AnaT = TypeVar("AnaT", covariant=True)
ContextT = TypeVar("ContextT", contravariant=True)
AnswerT = TypeVar("AnswerT")


@frozen
class StepContext(Generic[InputT, OutputT, PreT, AnaT]):
    """What a step sees: the run, and what the steps before it gave (None where there was no such step)."""

    run: ScorerRun[InputT, OutputT]
    preprocess_result: PreT
    analyze_result: AnaT


@frozen
class ReasonContext(StepContext[InputT, OutputT, PreT, AnaT]):
    """What the reason step sees: the same, and the score."""

    score: float


@frozen(kw_only=True)
class PromptStep(Generic[ContextT, AnswerT]):
    """A step that asks the judge.

    ``output`` is the attrs class of the answer (none in ``generate_reason``, which yields text), ``prompt`` makes the
    question, sync or async. ``calculate_score(context, answer)`` turns the answer into the score; ``generate_score``
    needs it. ``task`` gives the same question as data, for judges that are no language models. ``instead`` is looked at
    first: None means ask; ``not_scorable(...)`` or a value stands for the answer (an instance of ``output``; a text in
    ``generate_reason``; a number in ``generate_score``) and the judge is not asked. ``check`` says what is wrong with a
    well-typed answer (a sentence, a list of them, or None); such an answer is asked again once. ``judge`` overrides the
    scorer's field by field.
    """

    description: str = ""
    output: type[AnswerT] | None = None
    prompt: Callable[[ContextT], str | Awaitable[str]]
    calculate_score: Callable[[ContextT, AnswerT], float | Scored | NotScorable] | None = None
    judge: JudgeSettings = field(default=None, converter=read_settings)
    task: Callable[[ContextT], object] | None = None
    instead: Callable[[ContextT], Any] | None = None
    check: Callable[[ContextT, AnswerT], str | list[str] | None] | None = None

    def __attrs_post_init__(self) -> None:
        if not callable(self.prompt):
            raise ConfigurationError(
                f"PromptStep(prompt=): give a function of the context, found {type(self.prompt).__name__}."
            )
        if self.output is not None:
            from steelyard._judging.schema import strict_schema

            strict_schema(self.output)


Given: TypeAlias = "AnswerT | NoValue[AnswerT] | Awaitable[Given[AnswerT]]"
"""What a function step may give where a value of one type is wanted: that, ``not_scorable(...)``, or either of them
later.

It names itself, so that checkers look into what is awaited before they take the coroutine itself for the value.
"""

__all__ = ["Given", "JudgeLike", "PromptStep", "ReasonContext", "StepContext"]
