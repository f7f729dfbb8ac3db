"""How a judge is asked, level by level: step, scorer, evaluation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Literal, TypeAlias, TypeVar, get_args

from attrs import evolve, field, fields, frozen

from steelyard._judging.protocol import Judge, JudgeFunction, JudgeReply, JudgeRequest, as_judge
from steelyard._judging.retry import ErrorProcessor
from steelyard._model.errors import ConfigurationError

StructuredOutput = Literal["auto", "native", "inline", "system"]
WAYS: tuple[StructuredOutput, ...] = get_args(StructuredOutput)
InputProcessor: TypeAlias = Callable[[JudgeRequest], JudgeRequest | Awaitable[JudgeRequest]]
OutputProcessor: TypeAlias = Callable[[JudgeReply], JudgeReply | Awaitable[JudgeReply]]
F = TypeVar("F")


def _functions(name: str, value: Iterable[F]) -> tuple[F, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ConfigurationError(f"JudgeSettings({name}=): give a list, found {type(value).__name__}.")
    found = tuple(value)
    for each in found:
        if not callable(each):
            raise ConfigurationError(f"JudgeSettings({name}=): give functions, found {type(each).__name__}.")
    return found


def _input_processors(value: Iterable[InputProcessor] | None) -> tuple[InputProcessor, ...] | None:
    return None if value is None else _functions("input_processors", value)


def _output_processors(value: Iterable[OutputProcessor] | None) -> tuple[OutputProcessor, ...] | None:
    return None if value is None else _functions("output_processors", value)


def _error_processors(value: Iterable[ErrorProcessor] | None) -> tuple[ErrorProcessor, ...] | None:
    if value is None:
        return None
    if not isinstance(value, Iterable):
        raise ConfigurationError(f"JudgeSettings(error_processors=): give a list, found {type(value).__name__}.")
    found = tuple(value)
    for each in found:
        if not callable(getattr(each, "delay", None)):
            raise ConfigurationError(
                "JudgeSettings(error_processors=): give objects with delay(error, retries), such as RetryProcessor(), "
                f"found {type(each).__name__}."
            )
    return found


def _instructions(value: str | None) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise ConfigurationError(f"JudgeSettings(instructions=): give a text, found {type(value).__name__}.")


def _structured_output(value: StructuredOutput | None) -> StructuredOutput | None:
    if value is None or value in WAYS:
        return value
    raise ConfigurationError(f"JudgeSettings(structured_output={value!r}): use one of {', '.join(WAYS)}.")


def _retries(value: int | None) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value
    raise ConfigurationError(f"JudgeSettings(max_processor_retries={value!r}): give a whole number, 0 or more.")


@frozen(kw_only=True)
class JudgeSettings:
    """Settings of a judge; a field that is None is inherited from the level above.

    ``instructions`` is the system prompt. ``structured_output`` says where the schema of the answer goes: ``"native"``
    to the provider, ``"inline"`` into the prompt, ``"system"`` into the system prompt, ``"auto"`` (the default) native
    where the judge has it, else inline. Input processors change a request before it is sent, output processors a reply
    before it is read, error processors say whether a failed request is sent again and when; a list of processors
    replaces the inherited one. ``max_processor_retries`` bounds the retries of all error processors together (10 when
    there are some and nothing is set).
    """

    judge: Judge | JudgeFunction | str | None = None
    instructions: str | None = field(default=None, converter=_instructions)
    structured_output: StructuredOutput | None = field(default=None, converter=_structured_output)
    input_processors: tuple[InputProcessor, ...] | None = field(default=None, converter=_input_processors)
    output_processors: tuple[OutputProcessor, ...] | None = field(default=None, converter=_output_processors)
    error_processors: tuple[ErrorProcessor, ...] | None = field(default=None, converter=_error_processors)
    max_processor_retries: int | None = field(default=None, converter=_retries)

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

    Raises ``ConfigurationError`` for a text without a slash and for anything that is no judge.
    """
    if value is None:
        return NO_SETTINGS
    if isinstance(value, JudgeSettings):
        judge = value.judge
    else:
        judge, value = value, JudgeSettings(judge=value)
    if isinstance(judge, str):
        if not all(judge.partition("/")):
            raise ConfigurationError(f'judge={judge!r}: write "provider/model", for example "openai/gpt-5".')
    elif judge is not None:
        as_judge(judge)
    return value
