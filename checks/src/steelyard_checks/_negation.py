"""``not_``: the opposite of any scorer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Generic, Literal, TypeVar, overload

from attrs import evolve, field, frozen

from steelyard import (
    Args,
    ConfigurationError,
    Failed,
    JudgeLike,
    JudgeSettings,
    NotScorable,
    Outcome,
    Scale,
    Scored,
    Scorer,
    ScoreResult,
    ScorerRun,
    ScoringServices,
    scorer,
)

S = TypeVar("S", bound=Scorer)

_ID = "check-not"


@frozen(eq=False)
class Negation(Generic[S]):
    """The opposite of ``inner``; ``not_`` makes it."""

    inner: S
    plain: Callable[[ScorerRun[Any, Any]], Any] | None = field(init=False, repr=False)

    @plain.default
    def _short_way(self) -> Callable[[ScorerRun[Any, Any]], Any] | None:
        inner = getattr(self.inner, "plain", None)
        if not callable(inner):
            return None
        made = scorer(id=_ID, type=self.type, scale=self.scale, args=self.args)
        return made(_opposite(inner, self.scale)).plain

    @property
    def id(self) -> str:
        """What results are keyed by, with the key of the inner scorer."""
        return _ID

    @property
    def name(self) -> str:
        """The same as the id."""
        return _ID

    @property
    def description(self) -> str:
        """What must not be the case."""
        return f"Not: {getattr(self.inner, 'description', '') or self.inner.id}"

    @property
    def args(self) -> Args:
        """The inner scorer."""
        return Args(self.inner)

    @property
    def type(self) -> Literal["agent", "trajectory"] | None:
        """What the inner scorer receives."""
        return self.inner.type

    @property
    def scale(self) -> Scale:
        """The scale of the inner scorer, with its direction."""
        return self.inner.scale

    @property
    def needs(self) -> frozenset[str]:
        """What each item must bring."""
        return frozenset(getattr(self.inner, "needs", ()))

    def check_complete(self) -> None:
        """Raises ``ConfigurationError`` if the inner scorer is not complete."""
        _asked(self.inner, "check_complete")

    def missing_judges(self, default: JudgeSettings) -> tuple[str, ...]:
        """Names of the inner scorer's steps for which no level gives a judge."""
        return _asked(self.inner, "missing_judges", default) or ()

    def named_judges(self, default: JudgeSettings) -> frozenset[str]:
        """The judges that the inner scorer names."""
        return _asked(self.inner, "named_judges", default) or frozenset()

    def with_judge(self, judge: JudgeLike) -> Negation[S]:
        """The opposite of the inner scorer with this judge."""
        inner: Any = self.inner
        return Negation(inner.with_judge(judge))

    async def score(self, run: ScorerRun[Any, Any], services: ScoringServices) -> Outcome:
        """The opposite of what became of this run."""
        outcome = await self.inner.score(run, services)
        result = None if not isinstance(outcome, _OUTCOMES) or outcome.result is None else self._result(outcome.result)
        if isinstance(outcome, Scored):
            turned = mirrored(outcome.score, self.scale)
            return Scored(turned, outcome.reason, label=outcome.label, parts=outcome.parts, result=result)
        if isinstance(outcome, NotScorable):
            return NotScorable(outcome.step, outcome.reason, result=result)
        if isinstance(outcome, Failed):
            return Failed(outcome.step, outcome.error, result=result)
        return outcome

    async def run(self, **given: Any) -> ScoreResult:
        """The inner scorer's ``run`` with the score mirrored; raises what that raises."""
        inner: Any = self.inner
        return self._result(await inner.run(**given))

    def run_sync(self, **given: Any) -> ScoreResult:
        """As ``run``, for callers without ``await``."""
        inner: Any = self.inner
        return self._result(inner.run_sync(**given))

    def _result(self, result: ScoreResult) -> ScoreResult:
        score = None if result.score is None else mirrored(result.score, self.scale)
        return evolve(result, scorer_id=_ID, score=score)


@overload
def not_(check: Negation[S]) -> S: ...  # type: ignore[overload-overlap]
@overload
def not_(check: S) -> Negation[S]: ...
def not_(check: Any) -> Any:
    """The opposite of a check or of any other scorer: its score mirrored on its scale, direction and reason kept.

    On a scale from 0 to 1 a score of 0.9 becomes 0.1, and the best score the worst. What the check could not measure
    its opposite cannot either: a failure stays a failure, not scorable stays not scorable. The id is ``check-not`` and
    the key shows that of the check. The opposite of an opposite is the check itself. Raises ``ConfigurationError`` for
    anything that is no scorer.
    """
    if isinstance(check, Negation):
        return check.inner
    if not isinstance(getattr(check, "scale", None), Scale) or not callable(getattr(check, "score", None)):
        hint = f" Put {type(check).__name__}(...) around not_(...)." if hasattr(check, "scorer") else ""
        raise ConfigurationError(
            f"not_(check=): expected a check or another scorer, found {type(check).__name__}: {check!r:.80}.{hint}"
        )
    return Negation(check)


_OUTCOMES = (Scored, NotScorable, Failed)


def mirrored(score: float, scale: Scale) -> float:
    """The score as far from one end of the scale as it was from the other; the ends change places exactly.

    One outside the scale stays outside, so that it is found out.
    """
    if score == scale.low:
        return scale.high
    if score == scale.high:
        return scale.low
    turned = scale.low + scale.high - score
    return min(max(turned, scale.low), scale.high) if scale.low <= score <= scale.high else turned


def _opposite(
    plain: Callable[[ScorerRun[Any, Any]], Any], scale: Scale
) -> Callable[[ScorerRun[Any, Any]], Scored | NotScorable | Awaitable[Scored | NotScorable]]:
    def turned(outcome: Outcome) -> Scored | NotScorable:
        if isinstance(outcome, Failed):
            raise outcome.error
        if isinstance(outcome, NotScorable):
            return NotScorable(outcome.step, outcome.reason)
        score = mirrored(outcome.score, scale)
        return Scored(score, outcome.reason, label=outcome.label, parts=outcome.parts)

    async def later(outcome: Awaitable[Outcome]) -> Scored | NotScorable:
        return turned(await outcome)

    def decide(run: ScorerRun[Any, Any]) -> Scored | NotScorable | Awaitable[Scored | NotScorable]:
        outcome = plain(run)
        # A plain function may hand back something to await; its outcome comes later then.
        return turned(outcome) if isinstance(outcome, _OUTCOMES) else later(outcome.outcome)

    return decide


def _asked(inner: Scorer, name: str, *arguments: object) -> Any:
    """What an optional method of a scorer gives; None where it has none."""
    method = getattr(inner, name, None)
    return method(*arguments) if callable(method) else None
