"""How a judge is asked, level by level: step, scorer, evaluation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

from attrs import evolve, field, fields, frozen
from attrs.validators import ge, in_, instance_of, optional

from steelyard._judging.protocol import Judge, JudgeFunction, JudgeReply, JudgeRequest
from steelyard._judging.retry import ErrorProcessor
from steelyard._model.errors import ConfigurationError

StructuredOutput = Literal["auto", "native", "inline", "system"]
InputProcessor: TypeAlias = Callable[[JudgeRequest], JudgeRequest | Awaitable[JudgeRequest]]
OutputProcessor: TypeAlias = Callable[[JudgeReply], JudgeReply | Awaitable[JudgeReply]]


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


@frozen(kw_only=True)
class JudgeSettings:
    """Settings of a judge; a field that is None is inherited from the level above.

    ``instructions`` is the system prompt. ``structured_output`` says where the schema of the answer goes: ``"native"`` to the provider, ``"inline"`` into
    the prompt, ``"system"`` into the system prompt, ``"auto"`` (the default) native where the judge has it, else inline. Input processors change
    a request before it is sent, output processors a reply before it is read, error processors say whether a failed request is sent again and when;
    a list of processors replaces the inherited one. ``max_processor_retries`` bounds the retries of all error processors together (10 when there
    are some and nothing is set).
    """

    judge: Judge | JudgeFunction | str | None = None
    instructions: str | None = field(default=None, validator=optional(instance_of(str)))
    structured_output: StructuredOutput | None = field(
        default=None, validator=optional(in_(("auto", "native", "inline", "system")))
    )
    input_processors: tuple[InputProcessor, ...] | None = field(default=None, converter=_tuple)
    output_processors: tuple[OutputProcessor, ...] | None = field(default=None, converter=_tuple)
    error_processors: tuple[ErrorProcessor, ...] | None = field(default=None, converter=_tuple)
    max_processor_retries: int | None = field(default=None, validator=optional(ge(0)))

    def over(self, outer: JudgeSettings) -> JudgeSettings:
        """These settings, with what they leave out taken from ``outer``."""
        inherited = {
            attribute.name: getattr(outer, attribute.name)
            for attribute in fields(JudgeSettings)
            if getattr(self, attribute.name) is None
        }
        return evolve(self, **inherited)


JudgeLike: TypeAlias = Judge | JudgeFunction | JudgeSettings | str
"""What may stand wherever ``judge=`` stands."""

NO_SETTINGS = JudgeSettings()


def read_settings(value: JudgeLike | None) -> JudgeSettings:
    """Settings from what stands at ``judge=``.

    Raises ``ConfigurationError`` for a text without a slash.
    """
    if value is None:
        return NO_SETTINGS
    if isinstance(value, JudgeSettings):
        judge = value.judge
    else:
        judge, value = value, JudgeSettings(judge=value)
    if isinstance(judge, str) and not all(judge.partition("/")):
        raise ConfigurationError(f'judge={judge!r}: write "provider/model", for example "openai/gpt-5".')
    return value
