"""Scorers made of steps, and scorers made of one function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar, cast, overload

from attrs import evolve, field, frozen

from steelyard._judging.call import JudgeServices
from steelyard._judging.protocol import Judge, as_judge
from steelyard._judging.settings import NO_SETTINGS, JudgeLike, JudgeSettings, read_settings
from steelyard._model.conversation import read_agent_input, read_agent_output
from steelyard._model.errors import ConfigurationError
from steelyard._model.outcome import (
    STEPS,
    Failed,
    NotScorable,
    Outcome,
    Scored,
    ScoreResult,
    ScorerRunError,
    StepName,
    attach,
)
from steelyard._model.run import ScorerRun
from steelyard._model.scale import Scale
from steelyard._model.trajectory import Trajectory, extract_trajectory, read_expectation
from steelyard._scoring.door import run_to_end
from steelyard._scoring.pipeline import make_plain_result, run_steps
from steelyard._scoring.protocol import Args, ScorerType, ScoringServices, ShortWay
from steelyard._scoring.short_way import FromContext, OfRun, is_async, short_way
from steelyard._scoring.steps import Given, PromptStep, ReasonContext, StepContext

I = TypeVar("I")  # noqa: E741
O = TypeVar("O")  # noqa: E741
P = TypeVar("P")
A = TypeVar("A")
T = TypeVar("T")

ScoreValue = float | Scored | NotScorable
PrepareRun = Callable[[ScorerRun[Any, Any]], "ScorerRun[Any, Any] | Awaitable[ScorerRun[Any, Any]]"]


@frozen(kw_only=True, eq=False)
class PipelineScorer(Generic[I, O, P, A]):
    """A scorer made of up to four steps: preprocess, analyze, generate_score (the only one that must be there),
    generate_reason.

    Each step method gives a new scorer. A step is a function of the context, sync or async, that never asks the judge,
    or a ``PromptStep``.
    """

    id: str
    description: str
    name: str
    type: ScorerType = None
    scale: Scale
    judge: JudgeSettings = NO_SETTINGS
    args: Args
    prepare_run: PrepareRun | None = None
    needs: frozenset[str] = frozenset()
    steps: tuple[tuple[StepName, object], ...] = ()
    _plain: ShortWay | None = field(default=None, init=False, repr=False)

    # -- building ------------------------------------------------------------------------------------------------------

    @overload
    def preprocess(self, step: PromptStep[StepContext[I, O, None, None], T]) -> PipelineScorer[I, O, T, A]: ...
    @overload
    def preprocess(
        self, step: Callable[[StepContext[I, O, None, None]], Awaitable[T | NotScorable]]
    ) -> PipelineScorer[I, O, T, A]: ...
    @overload
    def preprocess(self, step: Callable[[StepContext[I, O, None, None]], Given[T]]) -> PipelineScorer[I, O, T, A]: ...
    def preprocess(self, step: Any) -> PipelineScorer[I, O, Any, A]:
        """Adds the step that extracts or transforms data before the analysis.

        Raises ``ConfigurationError`` if it is there already or comes after a later step.
        """
        return self._with("preprocess", step)

    @overload
    def analyze(self, step: PromptStep[StepContext[I, O, P, None], T]) -> PipelineScorer[I, O, P, T]: ...
    @overload
    def analyze(
        self, step: Callable[[StepContext[I, O, P, None]], Awaitable[T | NotScorable]]
    ) -> PipelineScorer[I, O, P, T]: ...
    @overload
    def analyze(self, step: Callable[[StepContext[I, O, P, None]], Given[T]]) -> PipelineScorer[I, O, P, T]: ...
    def analyze(self, step: Any) -> PipelineScorer[I, O, P, Any]:
        """Adds the step that judges the prepared data.

        Raises ``ConfigurationError`` if it is there already or comes after a later step.
        """
        return self._with("analyze", step)

    @overload
    def generate_score(self, step: PromptStep[StepContext[I, O, P, A], Any]) -> PipelineScorer[I, O, P, A]: ...
    @overload
    def generate_score(
        self, step: Callable[[StepContext[I, O, P, A]], ScoreValue | Awaitable[ScoreValue]]
    ) -> PipelineScorer[I, O, P, A]: ...
    def generate_score(self, step: Any) -> PipelineScorer[I, O, P, A]:
        """Adds the step that gives the score: a number within the scale, ``Scored(...)`` or ``not_scorable(...)``.

        Raises ``ConfigurationError`` for a prompt step without ``output`` or ``calculate_score``, and as the other
        steps.
        """
        if isinstance(step, PromptStep) and (step.calculate_score is None or step.output is None):
            raise ConfigurationError(
                f"Scorer {self.id!r}: a prompt step in generate_score needs output= (the class of the answer) "
                "and calculate_score= "
                "(what makes a number of it)."
            )
        return self._with("generate_score", step)

    @overload
    def generate_reason(self, step: PromptStep[ReasonContext[I, O, P, A], Any]) -> PipelineScorer[I, O, P, A]: ...
    @overload
    def generate_reason(
        self,
        step: Callable[[ReasonContext[I, O, P, A]], str | NotScorable | Awaitable[str | NotScorable | None] | None],
    ) -> PipelineScorer[I, O, P, A]: ...
    def generate_reason(self, step: Any) -> PipelineScorer[I, O, P, A]:
        """Adds the step that explains the score in words.

        Raises ``ConfigurationError`` for a prompt step with ``output`` (a reason is text), and as the other steps.
        """
        if isinstance(step, PromptStep) and (step.output is not None or step.calculate_score is not None):
            raise ConfigurationError(
                f"Scorer {self.id!r}: a prompt step in generate_reason yields text; leave out output= and "
                "calculate_score=."
            )
        return self._with("generate_reason", step)

    def _with(self, name: StepName, step: object) -> PipelineScorer[I, O, Any, Any]:
        taken = [known for known, _ in self.steps]
        if name in taken:
            raise ConfigurationError(
                f"Scorer {self.id!r} has a {name} step already. Start from create_scorer() for another one."
            )
        if taken and STEPS.index(taken[-1]) > STEPS.index(name):
            raise ConfigurationError(
                f"Scorer {self.id!r}: {name} must come before {taken[-1]}. Steps run in the order {', '.join(STEPS)}."
            )
        if not isinstance(step, PromptStep) and not callable(step):
            raise ConfigurationError(
                f"Scorer {self.id!r}: {name} takes a function or a PromptStep, found {type(step).__name__}."
            )
        return _compiled(evolve(self, steps=(*self.steps, (name, step))))

    def with_judge(self, judge: JudgeLike) -> PipelineScorer[I, O, P, A]:
        """The same scorer with this judge; settings that are left out stay as they were."""
        return _compiled(evolve(self, judge=read_settings(judge).over(self.judge)))

    # -- readiness -----------------------------------------------------------------------------------------------------

    def missing_judges(self, default: JudgeSettings) -> tuple[str, ...]:
        """Names of the prompt steps for which no level gives a judge, ``default`` being the evaluation's."""
        scorer = self.judge.over(default)
        return tuple(
            name for name, step in self.steps if isinstance(step, PromptStep) and step.judge.over(scorer).judge is None
        )

    def named_judges(self, default: JudgeSettings) -> frozenset[str]:
        """The judges that prompt steps name as ``"provider/model"``, ``default`` being the evaluation's."""
        scorer = self.judge.over(default)
        judges = [step.judge.over(scorer).judge for _, step in self.steps if isinstance(step, PromptStep)]
        return frozenset(judge for judge in judges if isinstance(judge, str))

    def check_complete(self) -> None:
        """Raises ``ConfigurationError`` if there is no generate_score step."""
        if all(name != "generate_score" for name, _ in self.steps):
            raise ConfigurationError(
                f"Scorer {self.id!r} has no generate_score step, so it can give no score. Add .generate_score(...)."
            )

    # -- scoring -------------------------------------------------------------------------------------------------------

    @property
    def plain(self) -> ShortWay | None:
        """The whole work as one plain function of the run, where the scorer is no more than that; what ``score`` gives
        too, without a coroutine."""
        return self._plain

    async def score(self, run: ScorerRun[Any, Any], services: ScoringServices) -> Outcome:
        """What became of this run: a failure of a step is a ``Failed`` outcome, not an exception."""
        return await run_steps(self, run, services)

    async def run(
        self,
        *,
        input: object = None,
        output: object,
        run_id: str | None = None,
        request_context: Mapping[str, Any] | None = None,
        tracing_context: object = None,
        ground_truth: Any = None,
        expected_trajectory: object = None,
        context: Sequence[str] | str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> ScoreResult:
        """The result of scoring this input and output.

        Agent scorers take a text, a ``Message``, messages or neutral dicts; trajectory scorers a ``Trajectory`` or an
        agent's messages. Raises ``ScorerRunError`` when a step fails, ``ConfigurationError`` before any step when the
        scorer is not complete or lacks a judge.
        """
        self._check_ready()
        made = self._make_run(
            input,
            output,
            run_id,
            request_context,
            tracing_context,
            ground_truth,
            expected_trajectory,
            context,
            metadata,
        )
        return self._finished(made if isinstance(made, Failed) else await self.score(made, _services()))

    def run_sync(self, **given: Any) -> ScoreResult:
        """As ``run``, for callers without ``await``; a scorer of plain functions runs without any event loop."""
        self._check_ready()
        if all(not isinstance(step, PromptStep) and not is_async(step) for _, step in self.steps) and not is_async(
            self.prepare_run
        ):
            arguments = {name: given.pop(name, None) for name in _RUN_ARGUMENTS if name != "output"}
            if "output" not in given:
                raise TypeError("run_sync() needs output=")
            output = given.pop("output")
            if given:
                raise TypeError(
                    f"run_sync() has no argument {next(iter(given))!r}; it takes {', '.join(_RUN_ARGUMENTS)}"
                )
            made = self._make_run(output=output, **arguments)
            return self._finished(
                made if isinstance(made, Failed) else _without_loop(self.score(made, _services(in_loop=False)))
            )
        return run_to_end(lambda: self.run(**given))

    def _check_ready(self) -> None:
        self.check_complete()
        missing = self.missing_judges(NO_SETTINGS)
        if missing:
            raise ConfigurationError(no_judge(self.id, missing))
        for judge in sorted(self.named_judges(NO_SETTINGS)):
            find_judge(judge)

    def _make_run(
        self,
        input: object,
        output: object,
        run_id: str | None,
        request_context: Mapping[str, Any] | None,
        tracing_context: object,
        ground_truth: Any,
        expected_trajectory: object,
        context: Sequence[str] | str | None,
        metadata: Mapping[str, Any] | None,
    ) -> ScorerRun[Any, Any] | Failed:
        expectation = read_expectation(expected_trajectory)
        failure: Failed | None = None
        seen: object = output
        try:
            if self.type == "agent":
                seen = read_agent_output(output)
            elif self.type == "trajectory" and not isinstance(output, Trajectory):
                seen = extract_trajectory(output)
        except (ConfigurationError, TypeError) as error:
            failure = Failed("prepare_run", error)
        run: ScorerRun[Any, Any] = ScorerRun(
            input=input,
            output=seen,
            run_id=run_id,
            request_context=request_context,
            tracing_context=tracing_context,
            ground_truth=ground_truth,
            expected_trajectory=expectation,
            context=[context] if isinstance(context, str) else context,
            metadata={} if metadata is None else metadata,
            trajectory=seen if isinstance(seen, Trajectory) else None,
            read_input=read_agent_input if self.type == "agent" else None,
        )
        return run if failure is None else cast("Failed", attach(failure, make_plain_result, (self.id, run_id)))

    def _finished(self, outcome: Outcome) -> ScoreResult:
        result = cast("ScoreResult", outcome.result)
        if isinstance(outcome, Failed):
            raise ScorerRunError(self.id, outcome.step, result.completed_steps, result) from outcome.error
        return result


_RUN_ARGUMENTS = (
    "input",
    "output",
    "run_id",
    "request_context",
    "tracing_context",
    "ground_truth",
    "expected_trajectory",
    "context",
    "metadata",
)


def no_judge(scorer_id: str, steps: Sequence[str]) -> str:
    """The words for a scorer whose prompt steps no level gives a judge for."""
    return (
        f"Scorer {scorer_id!r}, {'step' if len(steps) == 1 else 'steps'} {', '.join(steps)}: no judge at any "
        "level. Give one to the step, to the scorer, "
        "with .with_judge(...), or as run_evals(judge=...)."
    )


def find_judge(spec: str) -> Judge:
    """The judge that an installed provider makes for ``"provider/model"``."""
    from steelyard._plugins.registry import Registry, resolve_judge

    return as_judge(resolve_judge(spec, Registry()))


def _services(in_loop: bool = True) -> ScoringServices:
    return ScoringServices(judging=JudgeServices(find=find_judge), in_loop=in_loop)


def _without_loop(work: Any) -> Outcome:
    """Runs a coroutine that never waits."""
    try:
        work.send(None)
    except StopIteration as done:
        return cast("Outcome", done.value)
    work.close()
    raise ConfigurationError("A step of plain functions waited for an event loop. Make the step async.")


def _compiled(scorer: PipelineScorer[I, O, P, A]) -> PipelineScorer[I, O, P, A]:
    """Gives a scorer that is no more than one plain function its short way."""
    plain: ShortWay | None = None
    if len(scorer.steps) == 1 and scorer.prepare_run is None:
        name, step = scorer.steps[0]
        if name == "generate_score" and not isinstance(step, PromptStep) and not is_async(step):
            function = step.function if isinstance(step, OfRun) else FromContext(cast("Callable[[Any], Any]", step))
            plain = short_way(scorer.id, scorer.scale, function)
    object.__setattr__(scorer, "_plain", plain)
    return scorer
