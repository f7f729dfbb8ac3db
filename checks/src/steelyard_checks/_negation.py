"""``not_``: the opposite of any scorer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal, cast

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


def not_(check: Scorer) -> Scorer:
    """The opposite of a check or of any other scorer: its score mirrored on its scale, which stays as it is.

    On a scale from 0 to 1 a score of 0.9 becomes 0.1, and the best score the worst. The reason is that of the check. A run that the check
    could not measure is not measured by its opposite either: a failure stays a failure, not scorable stays not scorable.
    The id is ``check-not``, and its key shows the key of the check. The opposite of an opposite is the check
    itself. Raises ``ConfigurationError`` for anything that is no scorer.
    """
    if isinstance(check, Negation):
        return check.inner
    if isinstance(getattr(check, "scorer", None), Scorer_):
        raise ConfigurationError(f"not_(check=): give the scorer itself, and put {type(check).__name__} around not_(...).")
    if not isinstance(getattr(check, "scale", None), Scale) or not callable(getattr(check, "score", None)):
        raise ConfigurationError(f"not_(check=): expected a check or another scorer, found {check!r:.80}.")
    return Negation(check)
