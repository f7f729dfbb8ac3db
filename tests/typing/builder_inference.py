"""What a type checker knows of each step without a cast, and what it must refuse. This file is checked, never run.

A line that ends in ``# type: ignore[...]`` must stay an error: where the checker has nothing to say against the line
any more, it complains of the comment.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, assert_type

from attrs import frozen

from steelyard import (
    AgentInput,
    AgentOutput,
    Args,
    JudgeReply,
    JudgeRequest,
    JudgeSettings,
    NotScorable,
    PipelineScorer,
    PromptStep,
    ReasonContext,
    Scale,
    Scored,
    ScoreResult,
    ScorerRun,
    StepContext,
    Trajectory,
    create_scorer,
    filter_run,
    not_scorable,
    scorer,
)


@frozen
class Claims:
    claims: list[str]


@frozen
class Verdicts:
    supported: int
    total: int


@frozen
class Ticket:
    number: int


@frozen
class Answer:
    text: str


# -- function steps ----------------------------------------------------------------------------------------------------


def sync_steps() -> None:
    def preprocess(ctx: StepContext[AgentInput, AgentOutput, None, None]) -> list[str]:
        assert_type(ctx.run.input, AgentInput)
        assert_type(ctx.run.output, AgentOutput)
        assert_type(ctx.preprocess_result, None)
        return [ctx.run.output.text]

    def analyze(ctx: StepContext[AgentInput, AgentOutput, list[str], None]) -> int:
        assert_type(ctx.preprocess_result, list[str])
        return len(ctx.preprocess_result)

    def score(ctx: StepContext[AgentInput, AgentOutput, list[str], int]) -> float:
        assert_type(ctx.analyze_result, int)
        return 1.0 / ctx.analyze_result

    def reason(ctx: ReasonContext[AgentInput, AgentOutput, list[str], int]) -> str:
        assert_type(ctx.score, float)
        return f"{ctx.score} for {ctx.preprocess_result}"

    empty = create_scorer("s", "d", type="agent")
    assert_type(empty, PipelineScorer[AgentInput, AgentOutput, None, None])
    first = empty.preprocess(preprocess)
    assert_type(first, PipelineScorer[AgentInput, AgentOutput, list[str], None])
    second = first.analyze(analyze)
    assert_type(second, PipelineScorer[AgentInput, AgentOutput, list[str], int])
    third = second.generate_score(score)
    assert_type(third, PipelineScorer[AgentInput, AgentOutput, list[str], int])
    assert_type(third.generate_reason(reason), PipelineScorer[AgentInput, AgentOutput, list[str], int])


def async_steps() -> None:
    async def preprocess(ctx: StepContext[Any, Any, None, None]) -> list[str]:
        return []

    async def analyze(ctx: StepContext[Any, Any, list[str], None]) -> Verdicts | NotScorable:
        return not_scorable("nothing") if not ctx.preprocess_result else Verdicts(1, 2)

    async def score(ctx: StepContext[Any, Any, list[str], Verdicts]) -> Scored:
        return Scored(ctx.analyze_result.supported / ctx.analyze_result.total)

    first = create_scorer("s", "d").preprocess(preprocess)
    assert_type(first, PipelineScorer[Any, Any, list[str], None])
    second = first.analyze(analyze)
    assert_type(second, PipelineScorer[Any, Any, list[str], Verdicts])
    assert_type(second.generate_score(score), PipelineScorer[Any, Any, list[str], Verdicts])


def results_of_every_shape() -> None:
    def mapping(ctx: StepContext[Any, Any, None, None]) -> dict[str, Any]:
        return {}

    def perhaps(ctx: StepContext[Any, Any, None, None]) -> str | None:
        return None

    async def perhaps_later(ctx: StepContext[Any, Any, None, None]) -> str | NotScorable | None:
        return None

    def handed_on(ctx: StepContext[Any, Any, None, None]) -> Awaitable[int]:
        raise NotImplementedError

    def anything(ctx: StepContext[Any, Any, None, None]) -> Any:
        return None

    class Callable1:
        async def __call__(self, ctx: StepContext[Any, Any, None, None]) -> int:
            return 1

    made = create_scorer("s", "d", type="agent")
    assert_type(made.preprocess(mapping), PipelineScorer[AgentInput, AgentOutput, dict[str, Any], None])
    assert_type(made.preprocess(perhaps), PipelineScorer[AgentInput, AgentOutput, str | None, None])
    assert_type(made.preprocess(perhaps_later), PipelineScorer[AgentInput, AgentOutput, str | None, None])
    assert_type(made.preprocess(handed_on), PipelineScorer[AgentInput, AgentOutput, int, None])
    assert_type(made.preprocess(anything), PipelineScorer[AgentInput, AgentOutput, Any, None])
    assert_type(made.preprocess(Callable1()), PipelineScorer[AgentInput, AgentOutput, int, None])


def lambdas() -> None:
    first = create_scorer("s", "d", type="agent").preprocess(lambda ctx: ctx.run.output.text)
    assert_type(first, PipelineScorer[AgentInput, AgentOutput, str, None])
    second = first.analyze(lambda ctx: len(ctx.preprocess_result))
    assert_type(second, PipelineScorer[AgentInput, AgentOutput, str, int])
    second.generate_score(lambda ctx: ctx.analyze_result / 10).generate_reason(lambda ctx: f"{ctx.score:.2f}")


# -- prompt steps ------------------------------------------------------------------------------------------------------


def prompt_steps() -> None:
    first = create_scorer("s", "d", type="agent").preprocess(
        PromptStep(output=Claims, prompt=lambda ctx: ctx.run.output.text)
    )
    assert_type(first, PipelineScorer[AgentInput, AgentOutput, Claims, None])
    second = first.analyze(
        PromptStep(
            output=Verdicts,
            prompt=lambda ctx: "\n".join(ctx.preprocess_result.claims),
            check=lambda ctx, answer: None if answer.total == len(ctx.preprocess_result.claims) else "count them again",
            instead=lambda ctx: None if ctx.preprocess_result.claims else not_scorable("no claims"),
        )
    )
    assert_type(second, PipelineScorer[AgentInput, AgentOutput, Claims, Verdicts])
    third = second.generate_score(
        PromptStep(
            output=Verdicts,
            prompt=lambda ctx: f"{ctx.preprocess_result.claims} {ctx.analyze_result.total}",
            calculate_score=lambda ctx, answer: answer.supported / ctx.analyze_result.total,
        )
    )
    assert_type(third, PipelineScorer[AgentInput, AgentOutput, Claims, Verdicts])
    third.generate_reason(PromptStep(prompt=lambda ctx: f"{ctx.score} of {ctx.analyze_result.total}"))


def a_mixture() -> None:
    async def score(ctx: StepContext[Any, Any, Claims, int]) -> float:
        return float(ctx.analyze_result == len(ctx.preprocess_result.claims))

    made = (
        create_scorer("s", "d")
        .preprocess(PromptStep(output=Claims, prompt=lambda ctx: "p"))
        .analyze(lambda ctx: len(ctx.preprocess_result.claims))
        .generate_score(score)
    )
    assert_type(made, PipelineScorer[Any, Any, Claims, int])


def a_prompt_that_is_made_later(ctx: object) -> None:
    async def prompt(ctx: StepContext[Any, Any, Any, Any]) -> str:
        return "p"

    made = create_scorer("s", "d").preprocess(PromptStep(output=Claims, prompt=prompt))
    assert_type(made, PipelineScorer[Any, Any, Claims, None])


# -- types of input and output -----------------------------------------------------------------------------------------


def types_of_runs() -> None:
    assert_type(create_scorer("s", "d"), PipelineScorer[Any, Any, None, None])
    assert_type(create_scorer("s", "d", type="trajectory"), PipelineScorer[Any, Trajectory, None, None])
    assert_type(create_scorer("s", "d", input=Ticket, output=Answer), PipelineScorer[Ticket, Answer, None, None])
    assert_type(create_scorer("s", "d", input=Ticket), PipelineScorer[Ticket, Any, None, None])
    assert_type(create_scorer("s", "d", output=Answer), PipelineScorer[Any, Answer, None, None])
    create_scorer("s", "d", type="trajectory").generate_score(lambda ctx: len(ctx.run.output.steps))
    create_scorer("s", "d", input=Ticket, output=Answer).generate_score(
        lambda ctx: ctx.run.input.number == len(ctx.run.output.text)
    )


async def results() -> None:
    made = create_scorer("s", "d", type="agent").generate_score(lambda ctx: True)
    assert_type(await made.run(output="a"), ScoreResult)
    assert_type(made.run_sync(output="a"), ScoreResult)


def functions() -> None:
    @scorer
    def exact(run: ScorerRun[Any, Any]) -> float:
        return float(run.output == run.ground_truth)

    @scorer(id="length", type="agent", scale=Scale(0, 9), args=Args("chars", exact=True))
    async def length(run: ScorerRun[AgentInput, AgentOutput]) -> Scored | NotScorable:
        return Scored(len(run.output.text)) if run.output.text else not_scorable()

    assert_type(exact, PipelineScorer[Any, Any, None, None])
    assert_type(length, PipelineScorer[Any, Any, None, None])


def what_a_score_step_may_give() -> None:
    made = create_scorer("s", "d")
    made.generate_score(lambda ctx: 1)
    made.generate_score(lambda ctx: True)
    made.generate_score(lambda ctx: not_scorable("empty") if ctx.run.output is None else 0.5)
    made.generate_score(lambda ctx: Scored(1.0, "well", label="good", parts={"a": 1.0}))


def judges() -> None:
    async def says(request: JudgeRequest) -> str:
        return "yes"

    async def replies(request: JudgeRequest) -> JudgeReply:
        return JudgeReply(text="yes")

    for judge in (says, replies, "openai/gpt-5", JudgeSettings(judge=says, instructions="Be fair.")):
        create_scorer("s", "d", judge=judge)
    create_scorer("s", "d", prepare_run=filter_run(part_types=["text"], drop_ground_truth=True))


# -- what must stay an error -------------------------------------------------------------------------------------------


def misread_results() -> None:
    def wants_int(ctx: StepContext[Any, Any, int, None]) -> float:
        return ctx.preprocess_result / 2

    def wants_text_analyzed(ctx: StepContext[Any, Any, Any, str]) -> float:
        return float(ctx.analyze_result)

    def gives_text(ctx: StepContext[Any, Any, None, None]) -> str:
        return "text"

    async def gives_text_later(ctx: StepContext[Any, Any, None, None]) -> str:
        return "text"

    create_scorer("s", "d").preprocess(gives_text).generate_score(wants_int)  # type: ignore[arg-type]
    create_scorer("s", "d").preprocess(gives_text_later).generate_score(wants_int)  # type: ignore[arg-type]
    create_scorer("s", "d").preprocess(PromptStep(output=Claims, prompt=lambda ctx: "p")).generate_score(wants_int)  # type: ignore[arg-type]
    create_scorer("s", "d").generate_score(wants_int)  # type: ignore[arg-type]
    create_scorer("s", "d").analyze(lambda ctx: 3).generate_score(wants_text_analyzed)  # type: ignore[arg-type]

    text = create_scorer("s", "d").preprocess(gives_text)
    text.generate_score(lambda ctx: ctx.preprocess_result.claims)  # type: ignore[attr-defined]
    text.generate_score(lambda ctx: ctx.preprocess_result / 2)  # type: ignore[operator]
    claims = create_scorer("s", "d").preprocess(PromptStep(output=Claims, prompt=lambda ctx: "p"))
    claims.generate_score(lambda ctx: len(ctx.preprocess_result))  # type: ignore[arg-type]
    claims.generate_score(lambda ctx: ctx.preprocess_result.verdicts)  # type: ignore[attr-defined]
    claims.generate_reason(lambda ctx: ctx.preprocess_result.claims)  # type: ignore[arg-type, return-value]


def misread_runs() -> None:
    create_scorer("s", "d", type="agent").generate_score(lambda ctx: ctx.run.output.steps)  # type: ignore[attr-defined]
    create_scorer("s", "d", type="trajectory").generate_score(lambda ctx: ctx.run.output.text)  # type: ignore[attr-defined]
    create_scorer("s", "d", output=Answer).generate_score(lambda ctx: ctx.run.output.number)  # type: ignore[attr-defined]
    create_scorer("s", "d", type="agents")  # type: ignore[call-overload]
    create_scorer("s", "d", type="agent", input=Ticket)  # type: ignore[call-overload]


def misread_answers() -> None:
    made = create_scorer("s", "d")
    made.generate_score(
        PromptStep(
            output=Claims,
            prompt=lambda ctx: "p",
            calculate_score=lambda ctx, answer: answer.supported,  # type: ignore[attr-defined]
        )
    )
    made.generate_score(PromptStep(output=Claims, prompt=lambda ctx: 3, calculate_score=lambda ctx, answer: 1.0))  # type: ignore[arg-type, return-value]
    made.preprocess(PromptStep(output=Claims(["a"]), prompt=lambda ctx: "p"))  # type: ignore[arg-type]
    made.preprocess(PromptStep(output=Claims))  # type: ignore[call-arg]


def scores_that_are_none() -> None:
    made = create_scorer("s", "d")
    made.generate_score(lambda ctx: "high")  # type: ignore[arg-type, return-value]
    made.generate_score(lambda ctx: None)  # type: ignore[arg-type, return-value]
    made.generate_reason(lambda ctx: 3)  # type: ignore[arg-type, return-value]
    made.preprocess(lambda ctx: ctx.score)  # type: ignore[attr-defined]
    made.generate_score(lambda ctx: ctx.score)  # type: ignore[attr-defined]


def changes() -> None:
    made = create_scorer("s", "d")
    made.id = "other"  # type: ignore[misc]
    Scored(1.0).score = 2.0  # type: ignore[misc]
