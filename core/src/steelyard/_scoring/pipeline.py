"""One run of a scorer through its steps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable, iscoroutine, iscoroutinefunction
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any, cast

from attrs import define, field

from steelyard._judging.call import Question, ask
from steelyard._judging.settings import JudgeSettings
from steelyard._model.errors import ConfigurationError, InvalidScore
from steelyard._model.outcome import (
    Failed,
    JudgeExecution,
    NotScorable,
    Outcome,
    Scored,
    ScoreResult,
    StepName,
    attach,
    settled,
)
from steelyard._model.run import ScorerRun, new_id
from steelyard._model.scale import LARGEST, Scale
from steelyard._scoring.door import is_contained, run_to_end
from steelyard._scoring.protocol import ScoringServices
from steelyard._scoring.steps import PromptStep, ReasonContext, StepContext

if TYPE_CHECKING:
    from steelyard._scoring.builder import PipelineScorer


@define
class Trace:
    """What a run of a scorer has gathered so far."""

    scorer_id: str
    run: ScorerRun[Any, Any]
    judge: JudgeSettings
    services: ScoringServices
    started: float
    step: str = "prepare_run"
    scored: Scored | None = None
    reason_not_given: str | None = None
    results: dict[str, object] = field(factory=dict)
    prompts: dict[str, str] = field(factory=dict)
    executions: dict[str, list[JudgeExecution]] = field(factory=dict)
    durations_ms: dict[str, float] = field(factory=dict)
    completed: list[StepName] = field(factory=list)
    duration_ms: float | None = None

    def end(self, outcome: Outcome) -> Outcome:
        """The outcome, with this as its evidence."""
        self.duration_ms = 1000 * (self.services.judging.clock() - self.started)
        if isinstance(outcome, Scored):
            return settled(outcome, outcome.score, make_result, self)
        return attach(outcome, make_result, self)

    def failed(self, error: BaseException) -> Outcome:
        """The failure of the current step, with this as its evidence."""
        return self.end(Failed(self.step, error))


def make_result(outcome: Outcome, trace: Trace) -> ScoreResult:
    """The result of an outcome out of what its run gathered."""
    scored = outcome if isinstance(outcome, Scored) else trace.scored
    return ScoreResult(
        run_id=trace.run.run_id,
        scorer_id=trace.scorer_id,
        score=None if scored is None else scored.score,
        reason=None if scored is None else scored.reason,
        reason_not_given=trace.reason_not_given,
        label=None if scored is None else scored.label,
        parts={} if scored is None else scored.parts,
        not_scorable=NotScorable(outcome.step, outcome.reason) if isinstance(outcome, NotScorable) else None,
        preprocess_result=trace.results.get("preprocess"),
        analyze_result=trace.results.get("analyze"),
        preprocess_prompt=trace.prompts.get("preprocess"),
        analyze_prompt=trace.prompts.get("analyze"),
        generate_score_prompt=trace.prompts.get("generate_score"),
        generate_reason_prompt=trace.prompts.get("generate_reason"),
        completed_steps=tuple(trace.completed),
        duration_ms=trace.duration_ms,
        step_durations_ms=dict(trace.durations_ms),
        judge={step: tuple(executions) for step, executions in trace.executions.items()},
    )


def make_plain_result(outcome: Outcome, evidence: tuple[str, str | None]) -> ScoreResult:
    """The result of a scorer of which nothing is known but its id and that of the run, which is made now if nobody has
    read it yet."""
    scorer_id, run_id = evidence
    scored = outcome if isinstance(outcome, Scored) else None
    return ScoreResult(
        run_id=run_id or new_id(),
        scorer_id=scorer_id,
        score=None if scored is None else scored.score,
        reason=None if scored is None else scored.reason,
        label=None if scored is None else scored.label,
        parts={} if scored is None else scored.parts,
        not_scorable=NotScorable(outcome.step, outcome.reason) if isinstance(outcome, NotScorable) else None,
        completed_steps=() if isinstance(outcome, Failed) else ("generate_score",),
    )


def checked_score(value: object, scale: Scale) -> float:
    """The value as a score on this scale: a finite real number within it; a bool counts as 1 or 0.

    A value beyond an end by no more than binary rounding is that end. Raises ``InvalidScore``.
    """
    if isinstance(value, bool | Real):
        try:
            score = float(value)
        except OverflowError:
            raise InvalidScore("The score is a number beyond every scale.", value) from None
        if scale.low <= score <= scale.high:
            return score
        if isfinite(score):
            if scale.low - scale.slack <= score <= scale.high + scale.slack:
                return min(max(score, scale.low), scale.high)
            raise InvalidScore(
                f"The score {score!r} lies outside the scorer's scale {scale.low:g} to {scale.high:g}. Declare "
                "scale= or mend the formula.",
                value,
            )
        raise InvalidScore(f"The score is {score!r}, which is no finite number.", value)
    if isawaitable(value):
        if iscoroutine(value):
            value.close()
        raise InvalidScore("The score must be a number, found something to await. Make the function async.")
    hint = " Use float()." if hasattr(value, "__float__") else ""
    raise InvalidScore(f"The score must be a number, found {type(value).__name__}: {value!r:.80}.{hint}", value)


def checked_scored(value: object, scale: Scale) -> Scored | NotScorable:
    """What a score step gave, as an outcome whose numbers are checked. Raises ``InvalidScore``."""
    if isinstance(value, NotScorable):
        return NotScorable("generate_score", value.reason)
    if not isinstance(value, Scored):
        return Scored(checked_score(value, scale))
    for what, text in (("reason", value.reason), ("label", value.label)):
        if text is not None and not isinstance(text, str):
            raise InvalidScore(f"The {what} of the score must be a text or None, found {type(text).__name__}.", text)
    if not isinstance(value.parts, Mapping):
        raise InvalidScore(f"parts= must map names to numbers, found {type(value.parts).__name__}.", value.parts)
    for name, part in value.parts.items():
        if not isinstance(name, str):
            raise InvalidScore(f"The name of a part must be a text, found {name!r:.80}.", name)
        if isinstance(part, bool) or not isinstance(part, Real) or not -LARGEST <= part <= LARGEST:
            raise InvalidScore(f"Part {name!r} of the score must be a finite number, found {part!r:.80}.", part)
    score = checked_score(value.score, scale)
    if score is value.score:
        return value
    return Scored(score, value.reason, label=value.label, parts=value.parts)


async def run_steps(
    scorer: PipelineScorer[Any, Any, Any, Any], run: ScorerRun[Any, Any], services: ScoringServices
) -> Outcome:
    """The outcome of the scorer's steps on this run; a failure is an outcome too."""
    clock = services.judging.clock
    trace = Trace(scorer.id, run, scorer.judge.over(services.judge), services, clock())
    if services.watch is not None:
        services.watch(trace)
    try:
        if scorer.prepare_run is not None:
            prepared = await _call(scorer.prepare_run, run, services)
            if not isinstance(prepared, ScorerRun):
                raise ConfigurationError(f"prepare_run must return a ScorerRun, found {type(prepared).__name__}.")
            trace.run = prepared
        for name, step in scorer.steps:
            trace.step = name
            begun = clock()
            try:
                ended = await _step(name, step, scorer.scale, trace)
            finally:
                trace.durations_ms[name] = 1000 * (clock() - begun)
            if ended is not None:
                return trace.end(ended)
            trace.completed.append(name)
    except BaseException as error:
        if not is_contained(error):
            raise
        return trace.failed(error)
    return trace.end(cast("Scored", trace.scored))


async def _step(name: StepName, step: object, scale: Scale, trace: Trace) -> Outcome | None:
    """Takes one step and keeps what it gave; an outcome means that the run ends here."""
    value = await _value(name, step, trace)
    if name == "generate_reason":
        scored = cast("Scored", trace.scored)
        if isinstance(value, NotScorable):
            trace.reason_not_given = value.reason or "the reason step gave none"
            value = None
        if value is not None and not isinstance(value, str):
            raise TypeError(f"generate_reason must give a text, found {type(value).__name__}.")
        trace.scored = Scored(scored.score, value, label=scored.label, parts=scored.parts)
        return None
    if isinstance(value, NotScorable):
        return NotScorable(name, value.reason)
    if name == "generate_score":
        trace.scored = cast("Scored", checked_scored(value, scale))
    else:
        trace.results[name] = value
    return None


async def _value(name: StepName, step: object, trace: Trace) -> object:
    services = trace.services
    context: Any
    if name == "generate_reason":
        context = ReasonContext(
            trace.run, trace.results.get("preprocess"), trace.results.get("analyze"), cast("Scored", trace.scored).score
        )
    else:
        context = StepContext(trace.run, trace.results.get("preprocess"), trace.results.get("analyze"))
    if not isinstance(step, PromptStep):
        return await _call(cast("Callable[[Any], Any]", step), context, services)
    answer = None if step.instead is None else await _call(step.instead, context, services)
    if isinstance(answer, NotScorable):
        return answer
    if answer is None:
        answer = await _ask(name, step, context, trace)
    elif step.output is not None and name != "generate_score" and not isinstance(answer, step.output):
        raise TypeError(
            f"instead= must give {step.output.__name__}, not_scorable(...) or None, it gave {type(answer).__name__}."
        )
    if name != "generate_score" or step.output is None or not isinstance(answer, step.output):
        return answer
    calculate = cast("Callable[[Any, Any], float]", step.calculate_score)
    return await _call(lambda given: calculate(context, given), answer, services)


async def _ask(name: StepName, step: PromptStep[Any, Any], context: object, trace: Trace) -> object:
    services = trace.services
    prompt = await _call(step.prompt, context, services)
    if not isinstance(prompt, str):
        raise TypeError(f"The prompt of step {name} must be a text, found {type(prompt).__name__}.")
    executions = trace.executions.setdefault(name, [])
    check = step.check
    question = Question(
        scorer_id=trace.scorer_id,
        step=name,
        prompt=prompt,
        output=step.output,
        task=None if step.task is None else await _call(step.task, context, services),
        check=None if check is None else lambda answer: check(context, answer),
    )
    try:
        return await ask(question, step.judge.over(trace.judge), services.judging, executions)
    finally:
        if executions and executions[0].model_call_count:
            trace.prompts[name] = executions[0].prompt


async def _call(function: Callable[[Any], Any], argument: object, services: ScoringServices) -> Any:
    """What a function of one argument gives, sync or async."""
    if services.call is None or iscoroutinefunction(function):
        value = function(argument)
    else:
        value = await services.call(function, argument)
    if not isawaitable(value):
        return value
    if services.in_loop:
        return await value
    return run_to_end(lambda: _awaited(value))


async def _awaited(value: Awaitable[object]) -> object:
    return await value
