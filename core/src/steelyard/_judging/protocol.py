"""What a judge is: something that answers a request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from inspect import isclass, iscoroutinefunction
from math import isfinite
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from attrs import Attribute, field, frozen
from attrs.validators import instance_of, optional

from steelyard._model.errors import ConfigurationError
from steelyard._model.messages import Message
from steelyard._model.usage import Usage

if TYPE_CHECKING:
    from steelyard._judging.settings import JudgeSettings


@frozen
class Claim:
    """One statement that is to be verified; ``id`` is its 1-based place in the list that was asked."""

    id: int
    text: str


@frozen
class ExtractClaims:
    """The task of listing the claims that a text makes."""

    text: str


def _claims(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    return tuple(claims)


def _texts(texts: Iterable[str]) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else tuple(texts)


@frozen
class VerifyClaims:
    """The task of holding claims against a context."""

    claims: tuple[Claim, ...] = field(converter=_claims)
    context: tuple[str, ...] = field(converter=_texts)


@frozen(kw_only=True)
class JudgeRequest:
    """One question to a judge.

    ``messages`` is the conversation so far (instructions as a system message, the prompt, and in a second attempt the
    first answer and what was wrong with it), ``schema`` the JSON schema of the answer or None for text, ``task`` the
    same question as data for judges that are no language models, ``attempt`` 1 or 2, ``settings`` the settings in
    force.
    """

    scorer_id: str
    step: str
    attempt: int
    messages: tuple[Message, ...]
    schema: Mapping[str, object] | None
    task: object
    settings: JudgeSettings

    @property
    def prompt(self) -> str:
        """Text of the first user message: the step's prompt."""
        return next((message.text for message in self.messages if message.role == "user"), "")


def _cost(_: object, __: Attribute[float | None], value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise TypeError(f"JudgeReply(cost={value!r:.80}): give US dollars as a finite number, or None where unknown.")


@frozen(kw_only=True)
class JudgeReply:
    """What a judge answered.

    ``finish_reason`` is ``"stop"`` or None for a whole answer, ``"length"``, ``"refusal"`` or ``"content_filter"`` for
    one that is not; any other value counts as whole. ``cost`` is in US dollars.
    """

    text: str | None = field(validator=optional(instance_of(str)))
    usage: Usage | None = field(default=None, validator=optional(instance_of(Usage)))
    model: str | None = None
    provider: str | None = None
    finish_reason: str | None = None
    cost: float | None = field(default=None, validator=_cost)
    request_id: str | None = None


@runtime_checkable
class Judge(Protocol):
    """Anything with this one method.

    A judge whose attribute ``native_structured_output`` is true takes ``request.schema`` as it is; for any other the
    schema is also written into the prompt. It raises a ``JudgeError`` for what went wrong on its side.
    """

    async def answer(self, request: JudgeRequest) -> JudgeReply:
        """The answer to one request."""
        ...


JudgeFunction: TypeAlias = Callable[[JudgeRequest], Awaitable["JudgeReply | str"]]


@frozen
class FunctionJudge:
    """A judge made of an async function that gives a reply or its text."""

    function: JudgeFunction

    async def answer(self, request: JudgeRequest) -> JudgeReply:
        """What the function answers."""
        reply = await self.function(request)
        return JudgeReply(text=reply) if isinstance(reply, str) else reply


def as_judge(value: object) -> Judge:
    """The value as a judge: one already, or an async function of a request.

    Raises ``ConfigurationError`` that says what was found.
    """
    if isclass(value):
        raise ConfigurationError(f"judge= is the class {value.__qualname__}; give an instance of it.")
    if isinstance(value, Judge) and iscoroutinefunction(value.answer):
        return value
    if iscoroutinefunction(value) or iscoroutinefunction(getattr(value, "__call__", None)):  # noqa: B004
        return FunctionJudge(value)  # type: ignore[arg-type]
    raise ConfigurationError(
        f"judge= must be a Judge (async def answer(request)), an async function of a request, a text such as "
        f'"provider/model", or JudgeSettings; found {type(value).__name__}.'
    )
