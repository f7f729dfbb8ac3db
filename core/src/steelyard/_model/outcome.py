"""What became of one scorer on one item: a number, a statement that there is nothing to measure, or a failure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, Literal, Never, TypeAlias, TypeVar

from attrs import field, frozen

from steelyard._model.errors import SteelyardError
from steelyard._model.usage import Usage

StepName = Literal["preprocess", "analyze", "generate_score", "generate_reason"]
STEPS: tuple[StepName, ...] = ("preprocess", "analyze", "generate_score", "generate_reason")

V = TypeVar("V", covariant=True)

NO_PARTS: Mapping[str, float] = {}


def same_error(one: BaseException | None, other: BaseException | None) -> bool:
    """Whether two errors say the same: they are equal, or of one type with one text (exceptions
    compare by identity)."""
    if one is None or other is None:
        return one is other
    return one == other or (type(one) is type(other) and describe(one) == describe(other))


class Told:
    """An error as results compare it."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException | None) -> None:
        self.error = error

    def __eq__(self, other: object) -> bool:
        return same_error(self.error, other.error) if isinstance(other, Told) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


@frozen(kw_only=True)
class JudgeExecution:
    """One question to a judge and what came of it.

    ``attempt_count`` is 1 plus the retries of the request that counted, ``model_call_count`` all requests of this
    execution. ``status`` is ``"ok"`` or ``"failed"``; a failed one has ``error``, and ``raw_text`` and
    ``finish_reason`` where an answer came. ``cost`` is in US dollars where known.
    """

    prompt: str
    model: str | None = None
    provider: str | None = None
    attempt_count: int = 1
    model_call_count: int = 1
    duration_ms: float | None = None
    status: Literal["ok", "failed"] = "ok"
    output: object = None
    usage: Usage | None = None
    cost: float | None = None
    error: BaseException | None = field(default=None, eq=Told)
    raw_text: str | None = None
    finish_reason: str | None = None
    notes: tuple[str, ...] = ()


@frozen(kw_only=True)
class ScoreResult:
    """All that is known of one run of one scorer: the score and the evidence for it.

    ``score`` is None where there is none: ``not_scorable`` then says step and reason, or the run failed. Durations are
    milliseconds; ``judge`` holds, for each prompt step, its executions in order.
    """

    run_id: str
    scorer_id: str
    score: float | None = None
    reason: str | None = None
    reason_not_given: str | None = None
    label: str | None = None
    parts: Mapping[str, float] = field(factory=dict)
    not_scorable: NotScorable | None = None
    preprocess_result: Any = None
    analyze_result: Any = None
    preprocess_prompt: str | None = None
    analyze_prompt: str | None = None
    generate_score_prompt: str | None = None
    generate_reason_prompt: str | None = None
    completed_steps: tuple[StepName, ...] = ()
    duration_ms: float | None = None
    step_durations_ms: Mapping[str, float] = field(factory=dict)
    judge: Mapping[str, tuple[JudgeExecution, ...]] = field(factory=dict)


ResultMaker: TypeAlias = "Callable[[Scored | NotScorable | Failed, Any], ScoreResult]"
"""Makes the result of an outcome from the evidence that was kept for it."""


def _made(outcome: Scored | NotScorable | Failed, evidence: ScoreResult) -> ScoreResult:
    """The result that is there already."""
    return evidence


class _WithResult:
    """The lazily made ``result`` of an outcome, since evidence that nobody reads doubles a check's cost.

    ``_maker`` makes the result from ``_evidence`` and then gives way to ``_made``, with the result as its evidence.
    Where it is None, the outcome belongs to no run.
    """

    __slots__ = ()

    _maker: ResultMaker | None
    _evidence: Any

    @property
    def result(self) -> ScoreResult | None:
        """The evidence, made when first read; None for an outcome that no scorer run has made."""
        maker = self._maker
        if maker is not None and maker is not _made:
            object.__setattr__(self, "_evidence", maker(self, self._evidence))  # type: ignore[arg-type]
            object.__setattr__(self, "_maker", _made)
        return self._evidence  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuilt, (type(self), self._plain(), self.result))

    def _plain(self) -> tuple[object, ...]:
        raise NotImplementedError


def _rebuilt(kind: type[Any], plain: tuple[object, ...], result: ScoreResult | None) -> object:
    return kind(*plain, result=result)


@frozen(init=False, repr=False)
class Scored(_WithResult):
    """A measurement: a finite number within the scorer's scale, with the reason for it.

    ``label`` is a class that the scorer assigned, ``parts`` further numbers by name.
    """

    score: float
    reason: str | None
    _more: tuple[str | None, Mapping[str, float]] | None
    _maker: ResultMaker | None = field(eq=False)
    _evidence: Any = field(eq=False)

    __match_args__ = ("score", "reason")

    def __init__(
        self,
        score: float,
        reason: str | None = None,
        *,
        label: str | None = None,
        parts: Mapping[str, float] = NO_PARTS,
        result: ScoreResult | None = None,
    ) -> None:
        _set_score(self, score)
        _set_reason(self, reason)
        _set_more(self, None if label is None and not parts else (label, parts))
        set_maker(self, None if result is None else _made)
        set_evidence(self, result)

    @property
    def label(self) -> str | None:
        """The class that the scorer assigned."""
        return None if self._more is None else self._more[0]

    @property
    def parts(self) -> Mapping[str, float]:
        """Further numbers by name."""
        return NO_PARTS if self._more is None else self._more[1]

    def __repr__(self) -> str:
        shown = f"Scored({self.score!r}, {self.reason!r}"
        if self.label is not None:
            shown += f", label={self.label!r}"
        if self.parts:
            shown += f", parts={dict(self.parts)!r}"
        return shown + ")"

    def __hash__(self) -> int:
        return hash((self.score, self.reason, self.label))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuilt_score, (self.score, self.reason, self.label, dict(self.parts), self.result))


def _rebuilt_score(
    score: float, reason: str | None, label: str | None, parts: dict[str, float], result: ScoreResult | None
) -> Scored:
    return Scored(score, reason, label=label, parts=parts, result=result)


class NoValue(Generic[V]):
    """Stands where a value of that type is expected, and holds none: by it type checkers see what a step gives else."""

    __slots__ = ()


@frozen(init=False, repr=False)
class NotScorable(_WithResult, NoValue[Never]):
    """There is nothing here that the scorer could measure; ``step`` found that, ``reason`` says why."""

    step: str | None
    reason: str | None
    _maker: ResultMaker | None = field(eq=False)
    _evidence: Any = field(eq=False)

    __match_args__ = ("step", "reason")

    def __init__(
        self, step: str | None = None, reason: str | None = None, *, result: ScoreResult | None = None
    ) -> None:
        object.__setattr__(self, "step", step)
        object.__setattr__(self, "reason", reason)
        object.__setattr__(self, "_maker", None if result is None else _made)
        object.__setattr__(self, "_evidence", result)

    @property
    def score(self) -> None:
        """None: there is no number."""
        return None

    def __repr__(self) -> str:
        return f"NotScorable({self.step!r}, {self.reason!r})"

    def _plain(self) -> tuple[object, ...]:
        return (self.step, self.reason)


@frozen(init=False, repr=False, eq=False)
class Failed(_WithResult):
    """The scorer could not measure; ``error`` is what was raised in ``step`` (a step's name or ``"prepare_run"``)."""

    step: str
    error: BaseException
    _maker: ResultMaker | None
    _evidence: Any

    __match_args__ = ("step", "error")

    def __init__(self, step: str, error: BaseException, *, result: ScoreResult | None = None) -> None:
        object.__setattr__(self, "step", step)
        object.__setattr__(self, "error", error)
        object.__setattr__(self, "_maker", None if result is None else _made)
        object.__setattr__(self, "_evidence", result)

    @property
    def score(self) -> None:
        """None: there is no number."""
        return None

    @property
    def reason(self) -> str:
        """What went wrong, in words."""
        return describe(self.error)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Failed):
            return NotImplemented
        return self.step == other.step and same_error(self.error, other.error)

    def __hash__(self) -> int:
        return hash((self.step, self.reason))

    def __repr__(self) -> str:
        return f"Failed({self.step!r}, {self.error!r})"

    def _plain(self) -> tuple[object, ...]:
        return (self.step, self.error)


Outcome: TypeAlias = Scored | NotScorable | Failed
"""What became of one scorer on one item. Only ``Scored`` carries a number."""

_set_score = Scored.score.__set__  # type: ignore[attr-defined]
_set_reason = Scored.reason.__set__  # type: ignore[union-attr]
_set_more = Scored._more.__set__  # type: ignore[union-attr]
set_maker = Scored._maker.__set__  # type: ignore[union-attr]
set_evidence = Scored._evidence.__set__


def settled(scored: Scored, score: float, maker: ResultMaker, evidence: object) -> Scored:
    """The outcome with this score and with what its result can be made from.

    A fresh one is completed in place, which is what keeps a check cheap; one that already belongs to a run, or whose
    number changes, is copied.
    """
    if scored._maker is not None or score is not scored.score:
        scored = Scored(score, scored.reason, label=scored.label, parts=scored.parts)
    set_evidence(scored, evidence)
    set_maker(scored, maker)
    return scored


def attach(outcome: Outcome, maker: ResultMaker, evidence: object) -> Outcome:
    """Gives an outcome that was just made what its result can be made from."""
    object.__setattr__(outcome, "_evidence", evidence)
    object.__setattr__(outcome, "_maker", maker)
    return outcome


def not_scorable(reason: str | None = None) -> NotScorable:
    """To be returned by a step: this run has nothing to measure. The judge is not asked, and averages leave the run
    out."""
    return NotScorable(None, reason)


def describe(error: BaseException) -> str:
    """An error in words: its text, led by its type unless it is one of our own, which speak for themselves."""
    try:
        text = str(error)
    except Exception:  # an error that cannot tell of itself must not cost what it is told of
        text = ""
    if isinstance(error, SteelyardError) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class ScorerRunError(SteelyardError):
    """A step of a scorer failed.

    ``failed_step`` names it, ``completed_steps`` are those before it, and ``result`` is what was measured until then: a
    score that was already computed is kept. The cause is chained.
    """

    def __init__(
        self, scorer_id: str, failed_step: str, completed_steps: tuple[StepName, ...], result: ScoreResult
    ) -> None:
        super().__init__(scorer_id, failed_step, completed_steps, result)
        self.scorer_id = scorer_id
        self.failed_step = failed_step
        self.completed_steps = completed_steps
        self.result = result

    def __str__(self) -> str:
        cause = "" if self.__cause__ is None else f": {describe(self.__cause__)}"
        return f"Scorer {self.scorer_id!r} failed at {self.failed_step}{cause}"
