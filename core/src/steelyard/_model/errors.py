"""The errors of Steelyard: one root, and a tree by what the caller can do about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard._model.usage import Usage


class SteelyardError(Exception):
    """Root of every error that Steelyard raises on purpose."""


class ConfigurationError(SteelyardError, ValueError):
    """Something was refused before any target, scorer or judge was called; nothing was spent."""


class TimedOut(SteelyardError, TimeoutError):
    """A target, a scorer or a judge call took longer than the limit that was set for it.

    ``what`` names the work, ``seconds`` is the limit.
    """

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(what, seconds)
        self.what = what
        self.seconds = seconds

    def __str__(self) -> str:
        return f"{self.what} did not finish within {self.seconds:g} s. Raise timeout= if it needs longer."


class InvalidScore(SteelyardError, ValueError):
    """A scorer gave something that is no finite number within its scale.

    ``value`` is what it gave, kept so that nothing is lost.
    """

    def __init__(self, message: str, value: object = None) -> None:
        super().__init__(message, value)
        self.message = message
        self.value = value

    def __str__(self) -> str:
        return self.message


class UnreadableOutput(SteelyardError, TypeError):
    """A value could not be read as messages, or a path of a reply map matched nothing."""


class JudgeError(SteelyardError):
    """A judge did not give a usable answer.

    Every detail that is known is on the object: ``provider``, ``model``, ``request_id``, ``status`` (HTTP),
    ``raw_text`` (what came back), ``usage``, ``finish_reason``; unknown ones are None. ``retryable`` says what the
    provider thinks of a second try (None: it does not say), ``retry_after`` is the wait in seconds that the server
    asked for. Instances pickle.
    """

    def __init__(
        self,
        message: str = "",
        *,
        provider: str | None = None,
        model: str | None = None,
        request_id: str | None = None,
        status: int | None = None,
        raw_text: str | None = None,
        usage: Usage | None = None,
        finish_reason: str | None = None,
        retryable: bool | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.provider = provider
        self.model = model
        self.request_id = request_id
        self.status = status
        self.raw_text = raw_text
        self.usage = usage
        self.finish_reason = finish_reason
        self.retryable = retryable
        self.retry_after = retry_after

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild_judge_error, (type(self), self.message, dict(self.__dict__)))


def _rebuild_judge_error(kind: type[JudgeError], message: str, state: dict[str, object]) -> JudgeError:
    error = kind.__new__(kind)
    Exception.__init__(error, message)
    error.__dict__.update(state)
    return error


class JudgeAnswerInvalid(JudgeError):
    """The judge answered, and the answer is not what was asked for (not JSON, missing or ill-typed field, wrong ids),
    twice.

    ``problems`` are what is wrong with it, each a sentence.
    """

    def __init__(self, message: str = "", *, problems: Sequence[str] = (), **about: Any) -> None:
        super().__init__(message, **about)
        self.problems = tuple(problems)


class JudgeAnswerEmpty(JudgeAnswerInvalid):
    """The judge answered with no text at all."""


class JudgeRefused(JudgeError):
    """The judge declined to answer."""


class JudgeTruncated(JudgeError):
    """The judge's answer was cut off by its token limit."""


class JudgeContentFiltered(JudgeError):
    """The judge's answer was withheld by the provider's content filter."""


class ScriptExhausted(JudgeError):
    """A scripted judge was asked more often than it has replies."""
