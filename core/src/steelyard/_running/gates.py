"""What must hold or is tracked: gates, thresholds and pass rates, and the verdict that they make."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol, runtime_checkable

from attrs import Attribute, field, frozen

from steelyard._model.errors import ConfigurationError
from steelyard._model.outcome import describe
from steelyard._model.scale import LARGEST, ROUNDING, Scale
from steelyard._running.aggregate import Tally
from steelyard._scoring.protocol import Scorer


class Verdict(StrEnum):
    """What an evaluation comes to: every bound met, a threshold missed, or a gate not passed."""

    PASSED = "passed"
    SCORED = "scored"
    FAILED = "failed"


@runtime_checkable
class Gate(Protocol):
    """A scorer with a rule that says from counts alone whether the gate has passed.

    ``n_best`` is how many of the ``n_scored`` scores are at the best end of the scale. ``passed`` gives None when there
    is nothing to decide on.
    """

    @property
    def scorer(self) -> Scorer:
        """What is measured."""
        ...

    def passed(self, n_best: int, n_scored: int, n_not_scorable: int, n_failed: int) -> bool | None:
        """Whether the gate has passed."""
        ...


@frozen
class EachItem:
    """The rule of a scorer that stands as a gate by itself: every scored item at the best end, none that could not be
    computed."""

    scorer: Scorer

    def passed(self, n_best: int, n_scored: int, n_not_scorable: int, n_failed: int) -> bool | None:
        """Whether every item that could be scored was best, and every other one was not scorable."""
        if n_failed:
            return False
        return n_best == n_scored if n_scored else None


def _share(value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ConfigurationError(f"share={value!r}: give a share of the items, between 0 and 1.")
    return float(value)


@frozen
class ShareOfItems:
    """A gate that passes when at least ``share`` (0 to 1) of the items are at the best end.

    Items that could not be computed count as items that are not; items that were not scorable are left out.
    """

    scorer: Scorer
    share: float = field(converter=_share)

    def passed(self, n_best: int, n_scored: int, n_not_scorable: int, n_failed: int) -> bool | None:
        """Whether the share was reached."""
        measured = n_scored + n_failed
        return n_best >= self.share * measured - ROUNDING * measured if measured else None


def _bound(what: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not -LARGEST <= value <= LARGEST:
        raise ConfigurationError(f"Threshold({what}={value!r:.80}): a bound is a finite number.")


def _slice(of: str, value: object) -> None:
    if value is not None and (not isinstance(value, str) or not all(value.partition("=")[:2])):
        raise ConfigurationError(f'{of}(slice={value!r}): write "path=value", for example "metadata.lang=de".')


@frozen(init=False)
class Threshold:
    """A scorer whose average is to lie between ``min`` and ``max``, both inclusive; a bare number means ``min``.

    ``part`` bounds the average of one part of the score, ``slice`` (``"metadata.lang=de"``, a path of ``group_by`` and
    its value) that of one slice. ``pass_at`` is the score from which on a single item passes, in the scale's direction.
    Refused when built: no bound at all, bounds that are no finite numbers or lie outside the scorer's scale, ``min``
    above ``max``, a bare number on a scorer for which lower is better.
    """

    scorer: Scorer
    min: float | None = field(default=None)
    max: float | None = field(default=None, kw_only=True)
    part: str | None = field(default=None, kw_only=True)
    slice: str | None = field(default=None, kw_only=True)
    pass_at: float | None = field(default=None, kw_only=True)

    def __init__(
        self,
        scorer: Scorer,
        *bare: float,
        min: float | None = None,
        max: float | None = None,
        part: str | None = None,
        slice: str | None = None,
        pass_at: float | None = None,
    ) -> None:
        scale = scale_of(scorer)
        if len(bare) > 1 or (bare and min is not None):
            raise ConfigurationError(
                "Threshold takes the scorer and at most one bare number, which means min=; name the others."
            )
        if bare:
            _bound("min", bare[0])
            if scale.direction == "lower":
                raise ConfigurationError(
                    f"Threshold({scorer.id!r}, {bare[0]!r}): for this scorer lower is better. Say "
                    f"max={bare[0]!r} to bound it from above, or min= if you mean it."
                )
            min = bare[0]
        if min is None and max is None:
            raise ConfigurationError(
                f"Threshold({scorer.id!r}): give min=, max= or both; a scorer without bounds stands by itself."
            )
        _bound("min", min)
        _bound("max", max)
        if part is None:
            for what, bound in (("min", min), ("max", max)):
                if bound is not None and not scale.low <= bound <= scale.high:
                    raise ConfigurationError(
                        f"Threshold({what}={bound!r}): scorer {scorer.id!r} scores from {scale.low:g} to "
                        f"{scale.high:g}."
                    )
        if min is not None and max is not None and min > max:
            raise ConfigurationError(f"Threshold(min={min!r}, max={max!r}): min is above max.")
        _slice("Threshold", slice)
        self.__attrs_init__(scorer, min, max=max, part=part, slice=slice, pass_at=checked_pass_at(scorer, pass_at))


@frozen
class PassRate:
    """A scorer of which at least ``share`` (0 to 1) of the scored items are to pass.

    An item passes when its score reaches ``pass_at`` in the scale's direction; left out, the best end of the scale.
    """

    scorer: Scorer
    share: float = field(converter=_share)
    pass_at: float | None = field(default=None, kw_only=True)
    slice: str | None = field(default=None, kw_only=True)

    @slice.validator
    def _names_one(self, _: Attribute[str | None], value: str | None) -> None:
        _slice("PassRate", value)

    @pass_at.validator
    def _in_scale(self, _: Attribute[float | None], value: float | None) -> None:
        scale_of(self.scorer)
        checked_pass_at(self.scorer, value)


@frozen
class Tracked:
    """A scorer without bounds on its average, with the score from which on a single item passes."""

    scorer: Scorer
    pass_at: float | None = field(default=None, kw_only=True)

    @pass_at.validator
    def _in_scale(self, _: Attribute[float | None], value: float | None) -> None:
        scale_of(self.scorer)
        checked_pass_at(self.scorer, value)


def scale_of(scorer: Scorer) -> Scale:
    """The scorer's scale. Raises ``ConfigurationError`` for what is no scorer."""
    scale = getattr(scorer, "scale", None)
    if not isinstance(scale, Scale) or not isinstance(getattr(scorer, "id", None), str):
        raise ConfigurationError(
            f"Expected a scorer, found {scorer!r:.80}. Make one with create_scorer(...) or @scorer."
        )
    return scale


def checked_pass_at(scorer: Scorer, value: float | None) -> float | None:
    """The score from which on an item passes. Raises ``ConfigurationError`` if it lies outside the scorer's scale."""
    if value is None:
        return None
    scale = scale_of(scorer)
    if isinstance(value, bool) or not isinstance(value, int | float) or not scale.low <= value <= scale.high:
        raise ConfigurationError(
            f"pass_at={value!r}: scorer {scorer.id!r} scores from {scale.low:g} to {scale.high:g}."
        )
    return float(value)


@frozen(kw_only=True)
class Bound:
    """What was asked of an average or, with ``of="pass_rate"``, of the share of items that pass."""

    min: float | None = None
    max: float | None = None
    part: str | None = None
    slice: str | None = None
    of: str = "average"


@frozen(kw_only=True)
class GateResult:
    """What became of one gate. ``score`` is the plain average of the scored items; ``passed`` is None when no item was
    scorable."""

    id: str
    key: str
    scope: str
    passed: bool | None
    score: float | None
    n_best: int
    n_scored: int
    n_not_scorable: int
    n_failed: int


@frozen(kw_only=True)
class ThresholdResult:
    """What became of one bound. ``average_score`` is what was compared, unless the bound is of a pass rate: then
    ``pass_rate`` was.

    ``n_scored`` is the denominator. ``passed`` is None when no item was scorable, and False when any could not be
    computed.
    """

    id: str
    key: str
    scope: str
    passed: bool | None
    average_score: float | None
    threshold: Bound
    pass_rate: float | None = None
    n_scored: int
    n_not_scorable: int
    n_failed: int


def judge_gate(gate: Gate, key: str, scope: str, tally: Tally) -> GateResult:
    """The gate's rule applied to the counts; a rule that raises has not passed."""
    summary = tally.summary(key, gate.scorer.id)
    passed: object
    try:
        passed = gate.passed(summary.n_best, summary.n_scored, summary.n_not_scorable, summary.n_failed)
    except Exception as error:  # a rule that cannot decide must neither cost the results nor let anything pass
        _log_broken(key, error)
        passed = False
    return GateResult(
        id=gate.scorer.id,
        key=key,
        scope=scope,
        passed=None if passed is None else bool(passed),
        score=summary.average,
        n_best=summary.n_best,
        n_scored=summary.n_scored,
        n_not_scorable=summary.n_not_scorable,
        n_failed=summary.n_failed,
    )


def _log_broken(key: str, error: Exception) -> None:
    from steelyard._model.log import logger

    logger().warning("gate.failed", gate=key, error=describe(error))


def judge_bound(bound: Bound, id: str, key: str, scope: str, tally: Tally) -> ThresholdResult:
    """The bound compared with what was measured, allowing for binary rounding."""
    measured_on = tally
    if bound.slice is not None:
        measured_on = tally.slices.get(bound.slice) or Tally(tally.scale, tally.pass_at)
    summary = measured_on.summary(key, id)
    average, n_scored = summary.average, summary.n_scored
    if bound.part is not None:
        part = summary.parts.get(bound.part)
        average, n_scored = (None, 0) if part is None else (part.average, part.n)
    rate = summary.pass_rate if bound.of == "pass_rate" else None
    value = rate if bound.of == "pass_rate" else average
    slack = tally.scale.slack
    if bound.of == "pass_rate":
        slack = ROUNDING
    elif bound.part is not None:  # a part has no scale
        slack = ROUNDING * max(abs(each) for each in (value, bound.min, bound.max) if each is not None)
    passed: bool | None
    if summary.n_failed:
        passed = False
    elif value is None:
        passed = None if summary.n_scored == 0 else False
    else:
        passed = (bound.min is None or value >= bound.min - slack) and (bound.max is None or value <= bound.max + slack)
    return ThresholdResult(
        id=id,
        key=key,
        scope=scope,
        passed=passed,
        average_score=average,
        threshold=bound,
        pass_rate=rate,
        n_scored=n_scored,
        n_not_scorable=summary.n_not_scorable,
        n_failed=summary.n_failed,
    )


def verdict_of(gates: list[GateResult], thresholds: list[ThresholdResult]) -> Verdict | None:
    """``failed`` if a gate has not passed, else ``scored`` if a threshold was missed, else ``passed``; None if nothing
    had a say."""
    if any(gate.passed is False for gate in gates):
        return Verdict.FAILED
    if any(threshold.passed is False for threshold in thresholds):
        return Verdict.SCORED
    if any(gate.passed for gate in gates) or any(threshold.passed for threshold in thresholds):
        return Verdict.PASSED
    return None
