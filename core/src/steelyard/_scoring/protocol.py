"""What a scorer is, and what it gets from its surroundings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from attrs import field, frozen

from steelyard._judging.call import JudgeServices
from steelyard._judging.settings import NO_SETTINGS, JudgeSettings
from steelyard._model.outcome import Outcome
from steelyard._model.run import ScorerRun
from steelyard._model.scale import Scale

if TYPE_CHECKING:
    from steelyard._scoring.pipeline import Trace

ScorerType: TypeAlias = Literal["agent", "trajectory"] | None
SCORER_TYPES: tuple[ScorerType, ...] = (None, "agent", "trajectory")


@frozen(kw_only=True)
class ScoringServices:
    """What a scorer gets beside the run: the evaluation's judge, time and waiting, and how plain functions are called.

    ``call`` runs a plain function elsewhere (None: here), ``watch`` is told of the work as it begins, ``in_loop`` says
    whether an event loop is running.
    """

    judge: JudgeSettings = NO_SETTINGS
    judging: JudgeServices = field(factory=JudgeServices)
    call: Callable[[Callable[[Any], Any], Any], Awaitable[Any]] | None = None
    watch: Callable[[Trace], None] | None = None
    in_loop: bool = True


class Pending:
    """Stands for the outcome of a plain function that gave an awaitable, until ``outcome`` was awaited."""

    __slots__ = ("outcome",)

    def __init__(self, outcome: Coroutine[Any, Any, Outcome]) -> None:
        self.outcome = outcome


ShortWay: TypeAlias = Callable[[ScorerRun[Any, Any]], Outcome | Pending]
"""The whole work of a scorer that is one plain function."""


class Scorer(Protocol):
    """Anything that turns a run into an outcome; no base class is needed.

    ``type`` says what it receives: ``"agent"`` (``AgentInput`` and ``AgentOutput``), ``"trajectory"`` (a ``Trajectory``
    as output) or None (input and output as they are). ``score`` never raises for a failure of its own work: that is a
    ``Failed`` outcome. Read where they are there: ``description``, ``args`` (what tells two scorers of one id apart),
    ``needs`` (``"ground_truth"``, ``"context"``, ``"metadata.key"``, ``"expected_trajectory"``: what each item must
    bring), ``missing_judges(settings)`` (names of the steps that no judge is there for), ``named_judges(settings)``
    (the judges that are named as ``"provider/model"``).
    """

    @property
    def id(self) -> str:
        """What results are keyed by."""
        ...

    @property
    def scale(self) -> Scale:
        """The range and direction of its scores."""
        ...

    @property
    def type(self) -> ScorerType:
        """What it receives."""
        ...

    async def score(self, run: ScorerRun[Any, Any], services: ScoringServices) -> Outcome:
        """What became of this run."""
        ...


@frozen(init=False)
class Args:
    """The arguments that a scorer was made with, as its key shows them: positional ones in order, then named ones."""

    positional: tuple[object, ...]
    named: dict[str, object] = field(eq=repr)

    def __init__(self, *positional: object, **named: object) -> None:
        object.__setattr__(self, "positional", positional)
        object.__setattr__(self, "named", named)

    def __bool__(self) -> bool:
        return bool(self.positional or self.named)
