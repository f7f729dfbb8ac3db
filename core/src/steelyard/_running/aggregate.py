"""Counts and sums of one scorer's outcomes, kept flat however many there are."""

from __future__ import annotations

from math import fsum, sqrt

from attrs import field, frozen

from steelyard._model.outcome import NotScorable, Outcome, Scored
from steelyard._model.scale import Scale

TARGET = "target"
"""The step of a ``Failed`` that stands for a target's failure rather than the scorer's own."""


class ExactSum:
    """A sum of floats without rounding, so that neither order nor grouping changes it (Shewchuk 1997, as in
    ``math.fsum``)."""

    __slots__ = ("partials",)

    def __init__(self) -> None:
        self.partials: list[float] = []

    def add(self, value: float) -> None:
        """Adds one number."""
        partials = self.partials
        kept = 0
        for partial in partials:
            if abs(value) < abs(partial):
                value, partial = partial, value
            total = value + partial
            rest = partial - (total - value)
            if rest:
                partials[kept] = rest
                kept += 1
            value = total
        partials[kept:] = [value]

    def merge(self, other: ExactSum) -> None:
        """Adds what another sum has gathered."""
        for partial in other.partials:
            self.add(partial)

    @property
    def value(self) -> float:
        """The sum, rounded once."""
        return fsum(self.partials)


class _Numbers:
    """How many numbers there were, their sum and the sum of their squares. Ones and zeros, which most checks give, are
    only counted."""

    __slots__ = ("count", "ones", "squares", "sum")

    def __init__(self) -> None:
        self.count = 0
        self.ones = 0
        self.sum = ExactSum()
        self.squares = ExactSum()

    def add(self, value: float) -> None:
        self.count += 1
        if value == 1.0:
            self.ones += 1
        elif value:
            self.sum.add(value)
            self.squares.add(value * value)

    def merge(self, other: _Numbers) -> None:
        self.count += other.count
        self.ones += other.ones
        self.sum.merge(other.sum)
        self.squares.merge(other.squares)

    @property
    def average(self) -> float | None:
        if not self.count:
            return None
        # Rounded once, at the end: the average of equal scores is that score, and none leaves the scale.
        from fractions import Fraction

        return float(sum(map(Fraction, self.sum.partials), Fraction(self.ones)) / self.count)

    @property
    def standard_error(self) -> float | None:
        if self.count < 2:
            return None
        total = fsum([*self.sum.partials, self.ones])
        squares = fsum([*self.squares.partials, self.ones])
        return sqrt(max(0.0, squares - total * total / self.count) / (self.count - 1) / self.count)


class Tally:
    """The outcomes of one scorer, counted and summed. Tallies of parts of the data merge into the
    tally of the whole."""

    __slots__ = (
        "best_others",
        "labels",
        "n_failed",
        "n_not_scorable",
        "n_own_failures",
        "n_passed",
        "numbers",
        "others",
        "parts",
        "pass_at",
        "scale",
        "slices",
    )

    def __init__(self, scale: Scale, pass_at: float | None = None) -> None:
        self.scale = scale
        self.pass_at = pass_at
        self.clear()

    def clear(self) -> None:
        """Begins anew."""
        self.numbers = _Numbers()
        self.others = 0
        self.best_others = 0
        self.n_not_scorable = 0
        self.n_failed = 0
        self.n_own_failures = 0
        self.n_passed = 0
        self.labels: dict[str, int] = {}
        self.parts: dict[str, _Numbers] = {}
        self.slices: dict[str, Tally] = {}

    def add(self, outcome: Outcome) -> None:
        """Counts one outcome."""
        if type(outcome) is not Scored and not isinstance(outcome, Scored):
            if isinstance(outcome, NotScorable):
                self.n_not_scorable += 1
            else:
                self.n_failed += 1
                if outcome.step != TARGET:
                    self.n_own_failures += 1
            return
        numbers = self.numbers
        score = outcome.score
        numbers.count += 1
        if score == 1.0:
            numbers.ones += 1
        elif score:
            self._add_other(score)
        if self.pass_at is not None and self.scale.reached(score, self.pass_at):
            self.n_passed += 1
        if outcome._more is not None:
            self._add_more(outcome)

    def _add_more(self, outcome: Scored) -> None:
        if outcome.label is not None:
            self.labels[outcome.label] = self.labels.get(outcome.label, 0) + 1
        for name, value in outcome.parts.items():
            self.parts.setdefault(name, _Numbers()).add(float(value))

    def _add_other(self, score: float) -> None:
        self.others += 1
        self.numbers.sum.add(score)
        self.numbers.squares.add(score * score)
        if self.scale.reached(score, self.scale.best):
            self.best_others += 1

    def merge(self, other: Tally) -> None:
        """Adds what another tally of the same scorer has gathered."""
        self.numbers.merge(other.numbers)
        self.others += other.others
        self.best_others += other.best_others
        self.n_not_scorable += other.n_not_scorable
        self.n_failed += other.n_failed
        self.n_own_failures += other.n_own_failures
        self.n_passed += other.n_passed
        for label, count in other.labels.items():
            self.labels[label] = self.labels.get(label, 0) + count
        for name, part in other.parts.items():
            self.parts.setdefault(name, _Numbers()).merge(part)
        for name, slice_ in other.slices.items():
            self.slice(name).merge(slice_)

    def slice(self, name: str) -> Tally:
        """The tally of one slice of the items."""
        if name not in self.slices:
            self.slices[name] = Tally(self.scale, self.pass_at)
        return self.slices[name]

    @property
    def n_scored(self) -> int:
        """How many outcomes carry a number."""
        return self.numbers.count

    @property
    def n_best(self) -> int:
        """How many scores are at the best end of the scale, allowing for binary rounding."""
        best = self.best_others
        if self.scale.reached(1.0, self.scale.best):
            best += self.numbers.ones
        if self.scale.reached(0.0, self.scale.best):
            best += self.numbers.count - self.numbers.ones - self.others
        return best

    def summary(self, key: str, id: str) -> Aggregate:
        """What the tally says, as a value."""
        passed = self.n_best if self.pass_at is None else self.n_passed
        return Aggregate(
            key=key,
            id=id,
            scale=self.scale,
            n_scored=self.n_scored,
            n_not_scorable=self.n_not_scorable,
            n_failed=self.n_failed,
            n_best=self.n_best,
            n_passed=passed,
            pass_at=self.pass_at,
            average=self.numbers.average,
            standard_error=self.numbers.standard_error,
            labels=dict(sorted(self.labels.items())),
            parts={
                name: PartAggregate(n=part.count, average=part.average) for name, part in sorted(self.parts.items())
            },
            slices={name: slice_.summary(key, id) for name, slice_ in sorted(self.slices.items())},
        )


@frozen(kw_only=True)
class PartAggregate:
    """One part of a score over all items that have it."""

    n: int
    average: float | None


@frozen(kw_only=True)
class Aggregate:
    """One scorer over all items.

    ``average`` is the plain mean of the ``n_scored`` numbers (None without any); ``n_not_scorable`` and ``n_failed``
    (its own failures and the target's) are not in it. ``n_best`` is how many scores are at the best end of the scale,
    ``n_passed`` how many reach ``pass_at`` (the best end where that is None). ``standard_error`` is the sample standard
    deviation divided by the root of n (None below two numbers). ``slices`` are keyed by ``"path=value"``.
    """

    key: str
    id: str
    scale: Scale
    n_scored: int
    n_not_scorable: int
    n_failed: int
    n_best: int
    n_passed: int
    pass_at: float | None
    average: float | None
    standard_error: float | None
    labels: dict[str, int] = field(factory=dict)
    parts: dict[str, PartAggregate] = field(factory=dict)
    slices: dict[str, Aggregate] = field(factory=dict)

    @property
    def pass_rate(self) -> float | None:
        """Share of the scored items that pass; None without any."""
        return self.n_passed / self.n_scored if self.n_scored else None
