"""Whether and when a failed request to a judge is sent again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Protocol, TypeAlias

from attrs import field, frozen

from steelyard._model.errors import ConfigurationError

Delay: TypeAlias = float | Callable[[int], float]
Matcher: TypeAlias = Callable[[BaseException], bool]


class ErrorProcessor(Protocol):
    """Looks at a failed request."""

    def delay(self, error: BaseException, retries: int) -> float | Awaitable[float | None] | None:
        """Seconds to wait before the request is sent again, or None not to; ``retries`` is how often it was sent again
        already."""
        ...


def _default_delay(retries: int) -> float:
    return min(0.5 * 2.0**retries, 8.0)


def _delay(value: Delay) -> Delay:
    if callable(value):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise ConfigurationError(
            f"RetryProcessor(delay={value!r}): give seconds (0 or more) or a function of the retries so far."
        )
    return float(value)


def _count(value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ConfigurationError(f"RetryProcessor(max_retries={value!r}): give a whole number, 0 or more.")
    return value


def _longest(value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise ConfigurationError(f"RetryProcessor(max_retry_after={value!r}): give seconds, 0 or more.")
    return float(value)


def _matchers(value: Iterable[Matcher]) -> tuple[Matcher, ...]:
    matchers = tuple(value)
    for matcher in matchers:
        if not callable(matcher):
            raise ConfigurationError(
                f"RetryProcessor(matchers=): give functions of the error, found {type(matcher).__name__}."
            )
    return matchers


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what caused it, each once."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


@frozen(kw_only=True)
class RetryProcessor:
    """Sends a request again after what is likely to pass.

    Retried is what the error itself calls retryable, what a matcher names (``matchers`` are tried on the error and on
    its causes), and, with ``retry_unknown_errors``, anything that says nothing of itself. At most ``max_retries``
    times. The wait is the longer of ``delay`` (seconds, or a function of the retries so far) and what the server asked
    for (an error's ``retry_after``: seconds or an HTTP date), at most ``max_retry_after`` seconds.
    """

    max_retries: int = field(default=1, converter=_count)
    delay_: Delay = field(default=_default_delay, alias="delay", converter=_delay)
    max_retry_after: float = field(default=30.0, converter=_longest)
    matchers: tuple[Matcher, ...] = field(default=(), converter=_matchers)
    retry_unknown_errors: bool = False
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC), repr=False)

    def delay(self, error: BaseException, retries: int) -> float | None:
        """Seconds to wait before the request is sent again, or None not to."""
        if retries >= self.max_retries or not self._wanted(error):
            return None
        own = self.delay_(retries) if callable(self.delay_) else self.delay_
        return max(own, min(self._asked(error), self.max_retry_after))

    def _wanted(self, error: BaseException) -> bool:
        chain = list(causes(error))
        if any(matcher(each) for matcher in self.matchers for each in chain):
            return True
        for each in chain:
            said = getattr(each, "retryable", None)
            if isinstance(said, bool):
                return said
        return self.retry_unknown_errors

    def _asked(self, error: BaseException) -> float:
        for each in causes(error):
            asked = getattr(each, "retry_after", None)
            if isinstance(asked, int | float) and not isinstance(asked, bool):
                return max(0.0, float(asked))
            if isinstance(asked, str):
                return max(0.0, self._seconds(asked))
        return 0.0

    def _seconds(self, text: str) -> float:
        try:
            return float(text)
        except ValueError:
            pass
        from email.utils import parsedate_to_datetime

        try:
            moment = parsedate_to_datetime(text)
        except ValueError:
            return 0.0
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return (moment - self.now()).total_seconds()
