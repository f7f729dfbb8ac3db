"""The range in which a scorer's numbers lie, and which end of it is good."""

from __future__ import annotations

from typing import Literal

from attrs import Attribute, field, frozen

from steelyard._model.errors import ConfigurationError

Direction = Literal["higher", "lower"]

ROUNDING = 1e-12
"""Share of a scale's range within which two numbers count as equal: far above what binary rounding does to a sum, far
below any meaning."""

LARGEST = 1e150
"""The largest number that is taken for a score or a bound, so that sums of squares stay finite."""


def _real(end: str, value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST:
        return float(value)
    raise ConfigurationError(f"Scale({end}=) must be a finite number (at most {LARGEST:g}), got {value!r:.80}.")


def _low(value: float) -> float:
    return _real("low", value)


def _high(value: float) -> float:
    return _real("high", value)


@frozen
class Scale:
    """A closed range of scores with a direction.

    ``direction="higher"`` means that ``high`` is the best score, ``"lower"`` that ``low`` is. Refused: ends that are
    not finite numbers, ``low`` not below ``high``, any other direction.
    """

    low: float = field(default=0.0, converter=_low)
    high: float = field(default=1.0, converter=_high)
    direction: Direction = field(default="higher")

    @direction.validator
    def _check(self, _: Attribute[Direction], value: Direction) -> None:
        if not self.low < self.high:
            raise ConfigurationError(f"Scale(low={self.low:g}, high={self.high:g}): low must be below high.")
        if value not in ("higher", "lower"):
            raise ConfigurationError(f'Scale(direction={value!r}): use "higher" or "lower".')

    @property
    def best(self) -> float:
        """The score at the good end."""
        return self.high if self.direction == "higher" else self.low

    @property
    def worst(self) -> float:
        """The score at the bad end."""
        return self.low if self.direction == "higher" else self.high

    @property
    def slack(self) -> float:
        """How far two numbers on this scale may lie apart by binary rounding alone."""
        return ROUNDING * max(self.high - self.low, abs(self.low), abs(self.high))

    def reached(self, score: float, bound: float) -> bool:
        """Whether ``score`` is at least as good as ``bound``, allowing for binary rounding."""
        if self.direction == "higher":
            return score >= bound - self.slack
        return score <= bound + self.slack

    def goodness(self, score: float) -> float:
        """``score`` mapped to 0 (worst) .. 1 (best), whatever the direction."""
        share = (score - self.low) / (self.high - self.low)
        return share if self.direction == "higher" else 1.0 - share


ZERO_TO_ONE = Scale()
"""The scale of a scorer that says nothing else: 0 to 1, higher is better."""
