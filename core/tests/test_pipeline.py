"""A scorer runs its steps in order; what comes of it is a number, a statement that there is none, or a failure."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import pytest
from attrs import evolve, frozen

from steelyard import (
    AgentInput,
    AgentOutput,
    ConfigurationError,
    Failed,
    InvalidScore,
    JudgeReply,
    NotScorable,
    Outcome,
    PromptStep,
    ReasonContext,
    Scale,
    Scored,
    ScoreResult,
    ScorerRun,
    ScorerRunError,
    SteelyardError,
    StepContext,
    ToolCall,
    Trajectory,
    UnreadableOutput,
    Usage,
    create_scorer,
    not_scorable,
    scorer,
)
from steelyard._model.outcome import describe
from steelyard.testing import ScriptedJudge, agent_output

Context = StepContext[Any, Any, Any, Any]


@frozen
class Answer:
    value: float


def give(value: object) -> Callable[[object], Any]:
    return lambda _: value


def raising(error: BaseException) -> Callable[[object], Any]:
    def step(_: object) -> Any:
        raise error

    return step


def judging(prompt: Callable[[Any], Any], **more: Any) -> PromptStep[Any, Answer]:
    return PromptStep(output=Answer, prompt=prompt, calculate_score=lambda ctx, answer: answer.value, **more)


def scored_by(value: object, scale: Scale = Scale()) -> ScoreResult:  # noqa: B008
    return create_scorer("s", "d", scale=scale).generate_score(give(value)).run_sync(output="a")


# -- the four steps ----------------------------------------------------------------------------------------------------


def test_steps_run_in_order_and_each_sees_what_came_before() -> None:
    seen: list[tuple[str, object, object]] = []

    def note(name: str, result: Any) -> Callable[[Context], Any]:
        def step(ctx: Context) -> Any:
            seen.append((name, ctx.preprocess_result, ctx.analyze_result))
            return result

        return step

    def reason(ctx: ReasonContext[Any, Any, Any, Any]) -> str:
        seen.append(("generate_reason", ctx.preprocess_result, ctx.analyze_result))
        return f"because of {ctx.score}"

    made = (
        create_scorer("s", "d")
        .preprocess(note("preprocess", "pre"))
        .analyze(note("analyze", "ana"))
        .generate_score(note("generate_score", 0.5))
        .generate_reason(reason)
    )
    result = made.run_sync(output="a")
    assert seen == [
        ("preprocess", None, None),
        ("analyze", "pre", None),
        ("generate_score", "pre", "ana"),
        ("generate_reason", "pre", "ana"),
    ]
    assert (result.score, result.reason) == (0.5, "because of 0.5")
    assert (result.preprocess_result, result.analyze_result) == ("pre", "ana")
    assert result.completed_steps == ("preprocess", "analyze", "generate_score", "generate_reason")


def test_steps_may_be_sync_or_async_in_any_mixture() -> None:
    async def later(ctx: Context) -> str:
        await asyncio.sleep(0)
        return "later"

    made = create_scorer("s", "d").preprocess(later).generate_score(lambda ctx: float(ctx.preprocess_result == "later"))
    assert asyncio.run(made.run(output="a")).score == 1.0


def test_a_function_step_never_calls_the_judge() -> None:
    judge = ScriptedJudge([])
    made = create_scorer("s", "d", judge=judge).preprocess(give(1)).generate_score(give(1.0))
    assert made.run_sync(output="a").judge == {}
    assert judge.requests == []


def test_the_result_tells_run_scorer_prompts_and_durations() -> None:
    judge = ScriptedJudge([{"value": 0.5}, "because"])
    made = (
        create_scorer("s", "d", judge=judge)
        .generate_score(PromptStep(output=Answer, prompt=give("how good?"), calculate_score=lambda ctx, a: a.value))
        .generate_reason(PromptStep(prompt=give("why?")))
    )
    result = made.run_sync(output="a", run_id="r1")
    assert (result.run_id, result.scorer_id, result.score, result.reason) == ("r1", "s", 0.5, "because")
    assert (result.preprocess_prompt, result.analyze_prompt) == (None, None)
    assert (result.generate_score_prompt, result.generate_reason_prompt) == ("how good?", "why?")
    assert set(result.step_durations_ms) == {"generate_score", "generate_reason"}
    assert result.duration_ms is not None
    assert result.duration_ms >= max(result.step_durations_ms.values())


def test_a_run_id_is_made_when_none_is_given() -> None:
    first, second = scored_by(1.0), scored_by(1.0)
    assert len(first.run_id) == 32
    assert first.run_id != second.run_id


def test_a_run_carries_all_that_was_given() -> None:
    seen: list[ScorerRun[Any, Any]] = []
    made = create_scorer("s", "d").generate_score(lambda ctx: seen.append(ctx.run) or 1.0)  # type: ignore[func-returns-value]
    asyncio.run(
        made.run(
            input="q",
            output="a",
            run_id="r",
            request_context={"user": "u"},
            tracing_context="trace",
            ground_truth="truth",
            expected_trajectory={"steps": ["find"]},
            context=["one", "two"],
            metadata={"lang": "de"},
        )
    )
    [run] = seen
    assert (run.input, run.output, run.run_id, run.ground_truth) == ("q", "a", "r", "truth")
    assert (run.request_context, run.tracing_context, run.metadata) == ({"user": "u"}, "trace", {"lang": "de"})
    assert run.context == ["one", "two"]
    assert run.expected_trajectory is not None
    assert run.expected_trajectory.steps is not None


def test_a_single_text_as_context_is_one_text_and_not_its_letters() -> None:
    made = create_scorer("s", "d", scale=Scale(0, 9)).generate_score(lambda ctx: len(ctx.run.context or ()))
    assert made.run_sync(output="a", context="abc").score == 1


# -- scores ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "score"), [(1, 1.0), (0, 0.0), (True, 1.0), (False, 0.0), (0.25, 0.25), (Fraction(1, 4), 0.25)]
)
def test_numbers_within_the_scale_are_scores_and_a_bool_counts_as_one_or_zero(value: object, score: float) -> None:
    result = scored_by(value)
    assert result.score == score
    assert type(result.score) is float


@pytest.mark.parametrize(
    "value",
    [
        None,
        "0.7",
        "",
        [],
        {},
        1.1,
        -0.1,
        float("nan"),
        float("inf"),
        float("-inf"),
        10**400,
        1 + 0j,
        {"score": 1.0},
        Scored(cast("Any", None)),
        Scored(cast("Any", "1")),
        Scored(2.0),
        Scored(float("nan")),
        Answer(1.0),
        Failed("generate_score", ValueError()),
    ],
)
def test_what_is_no_finite_number_within_the_scale_is_a_failure_and_never_a_number(value: object) -> None:
    with pytest.raises(ScorerRunError) as raised:
        scored_by(value)
    error = raised.value
    assert (error.failed_step, error.completed_steps, error.result.score) == ("generate_score", (), None)
    assert isinstance(error.__cause__, InvalidScore)
    found = value.score if isinstance(value, Scored) else value
    assert error.__cause__.value is found or error.__cause__.value == found


def test_a_score_beyond_an_end_by_binary_rounding_alone_is_that_end() -> None:
    assert scored_by(1.0000000000000002).score == 1.0
    assert scored_by(-1e-17).score == 0.0
    assert scored_by(0.1 + 0.2, Scale(0, 0.3)).score == 0.3


def test_the_scale_of_the_scorer_is_the_measure() -> None:
    assert scored_by(7, Scale(0, 10)).score == 7.0
    with pytest.raises(ScorerRunError, match="scale 0 to 10"):
        scored_by(11, Scale(0, 10))


def test_a_score_may_come_with_reason_label_and_parts() -> None:
    result = scored_by(Scored(0.5, "half of it", label="mixed", parts={"precision": 0.25, "recall": 1}))
    assert (result.score, result.reason, result.label) == (0.5, "half of it", "mixed")
    assert result.parts == {"precision": 0.25, "recall": 1}


@pytest.mark.parametrize(
    "scored",
    [
        Scored(1.0, parts={"a": float("nan")}),
        Scored(1.0, parts={"a": float("inf")}),
        Scored(1.0, parts={"a": True}),
        Scored(1.0, parts={"a": cast("Any", None)}),
        Scored(1.0, parts={"a": 10**400}),
        Scored(1.0, parts=cast("Any", {3: 1.0})),
        Scored(1.0, parts=cast("Any", [1.0])),
        Scored(1.0, label=cast("Any", 3)),
        Scored(1.0, label=cast("Any", ["a"])),
        Scored(1.0, cast("Any", {"why": "x"}), label="a"),
    ],
)
def test_parts_labels_and_reasons_that_are_none_are_failures(scored: Scored) -> None:
    with pytest.raises(ScorerRunError) as raised:
        scored_by(scored)
    assert isinstance(raised.value.__cause__, InvalidScore)


# -- not scorable ------------------------------------------------------------------------------------------------------


STEPS = ("preprocess", "analyze", "generate_score", "generate_reason")


@pytest.mark.parametrize("at", [0, 1, 2])
def test_not_scorable_skips_the_later_steps_and_the_judge_and_says_step_and_reason(at: int) -> None:
    judge = ScriptedJudge([])
    made: Any = create_scorer("s", "d", judge=judge)
    for place, name in enumerate(STEPS):
        if place < at:
            made = getattr(made, name)(give(1))
        elif place == at:
            made = getattr(made, name)(give(not_scorable("no claims")))
        elif name == "generate_reason":
            made = made.generate_reason(PromptStep(prompt=raising(AssertionError())))
        else:
            made = getattr(made, name)(judging(raising(AssertionError())))
    result = made.run_sync(output="a")
    assert (result.score, result.completed_steps) == (None, STEPS[:at])
    assert (result.not_scorable.step, result.not_scorable.reason) == (STEPS[at], "no claims")
    assert judge.requests == []


def test_not_scorable_in_the_reason_keeps_the_score_and_says_why_there_is_no_reason() -> None:
    made = create_scorer("s", "d").generate_score(give(0.5)).generate_reason(give(not_scorable("too short")))
    result = made.run_sync(output="a")
    assert (result.score, result.reason, result.reason_not_given) == (0.5, None, "too short")
    assert result.not_scorable is None


# -- failures ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "completed", "score"),
    [
        ("preprocess", (), None),
        ("analyze", ("preprocess",), None),
        ("generate_score", ("preprocess", "analyze"), None),
        ("generate_reason", ("preprocess", "analyze", "generate_score"), 0.5),
    ],
)
def test_a_failing_step_raises_with_step_completed_steps_and_the_partial_result(
    at: str, completed: tuple[str, ...], score: float | None
) -> None:
    cause = KeyError("gone")
    made: Any = create_scorer("s", "d")
    for name, value in (("preprocess", "pre"), ("analyze", "ana"), ("generate_score", 0.5), ("generate_reason", "why")):
        made = getattr(made, name)(raising(cause) if name == at else give(value))
    with pytest.raises(ScorerRunError, match=f"'s' failed at {at}.*gone") as raised:
        made.run_sync(output="a", run_id="r")
    error = raised.value
    assert (error.scorer_id, error.failed_step, error.completed_steps) == ("s", at, completed)
    assert error.__cause__ is cause
    assert (error.result.run_id, error.result.score) == ("r", score)
    assert error.result.preprocess_result == ("pre" if "preprocess" in completed else None)


def test_a_reason_that_is_no_text_is_a_failure_that_keeps_the_score() -> None:
    made = create_scorer("s", "d").generate_score(give(0.5)).generate_reason(give(3))
    with pytest.raises(ScorerRunError, match=r"generate_reason.*int") as raised:
        made.run_sync(output="a")
    assert raised.value.result.score == 0.5


def test_a_reason_step_may_give_none() -> None:
    made = create_scorer("s", "d").generate_score(give(0.5)).generate_reason(give(None))
    assert made.run_sync(output="a").reason is None


def test_an_error_that_cannot_tell_of_itself_is_still_named() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    assert describe(Mute()) == "Mute"
    assert Failed("generate_score", Mute()).reason == "Mute"
    assert Failed("generate_score", Mute()) == Failed("generate_score", Mute())


def test_ctrl_c_passes_through_a_scorer() -> None:
    made = create_scorer("s", "d").generate_score(raising(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        made.run_sync(output="a")


@pytest.mark.parametrize("error", [SystemExit(3), asyncio.CancelledError()])
def test_an_exit_and_a_cancellation_that_nobody_asked_for_are_the_scorers_own_failure(error: BaseException) -> None:
    made = create_scorer("s", "d").generate_score(raising(error))
    with pytest.raises(ScorerRunError) as caught:
        made.run_sync(output="a")
    assert caught.value.__cause__ is error


# -- what a scorer sees ------------------------------------------------------------------------------------------------


def test_an_agent_scorer_receives_agent_types_whatever_was_given() -> None:
    seen: list[ScorerRun[AgentInput, AgentOutput]] = []
    made = create_scorer("s", "d", type="agent").generate_score(lambda ctx: seen.append(ctx.run) or 1.0)  # type: ignore[func-returns-value]
    made.run_sync(input="q", output="a")
    made.run_sync(input=[{"role": "user", "content": "q"}], output=[{"role": "assistant", "content": "a"}])
    made.run_sync(output=agent_output("a"))
    assert [run.input.text for run in seen] == ["q", "q", ""]
    assert [run.output.text for run in seen] == ["a", "a", "a"]


@pytest.mark.parametrize("output", [None, 3, ["a"], {"answer": "a"}])
def test_an_agent_scorer_fails_on_what_is_no_message_before_any_step(output: object) -> None:
    made = create_scorer("s", "d", type="agent").preprocess(raising(AssertionError())).generate_score(give(1.0))
    with pytest.raises(ScorerRunError) as raised:
        made.run_sync(output=output)
    assert (raised.value.failed_step, raised.value.completed_steps) == ("prepare_run", ())
    assert isinstance(raised.value.__cause__, UnreadableOutput)
    assert ("None" if output is None else type(output).__name__) in str(raised.value)


def test_an_agent_scorer_that_never_reads_the_input_does_not_mind_what_it_is() -> None:
    made = create_scorer("s", "d", type="agent").generate_score(give(1.0))
    assert made.run_sync(input=object(), output="a").score == 1.0
    reads = create_scorer("s", "d", type="agent").generate_score(lambda ctx: float(bool(ctx.run.input.text)))
    with pytest.raises(ScorerRunError, match="input"):
        reads.run_sync(input=object(), output="a")


def test_an_untyped_scorer_receives_input_and_output_as_they_are() -> None:
    given, answer = object(), object()
    made = create_scorer("s", "d").generate_score(lambda ctx: ctx.run.input is given and ctx.run.output is answer)
    assert made.run_sync(input=given, output=answer).score == 1.0
    assert create_scorer("s", "d").generate_score(lambda ctx: ctx.run.output is None).run_sync(output=None).score == 1.0


def test_a_trajectory_scorer_receives_a_trajectory() -> None:
    made = create_scorer("s", "d", type="trajectory", scale=Scale(0, 9)).generate_score(
        lambda ctx: len(ctx.run.output.steps)
    )
    assert made.run_sync(output=agent_output(ToolCall("a"), ToolCall("b"))).score == 2
    assert made.run_sync(output=Trajectory()).score == 0
    with pytest.raises(ScorerRunError, match="prepare_run"):
        made.run_sync(output=None)


@pytest.mark.parametrize("is_async", [False, True])
def test_prepare_run_changes_the_run_before_the_first_step(is_async: bool) -> None:
    def prepare(run: ScorerRun[Any, Any]) -> ScorerRun[Any, Any]:
        return evolve(run, output="prepared")

    async def prepare_later(run: ScorerRun[Any, Any]) -> ScorerRun[Any, Any]:
        return prepare(run)

    made = create_scorer("s", "d", prepare_run=prepare_later if is_async else prepare)
    assert made.generate_score(lambda ctx: ctx.run.output == "prepared").run_sync(output="a").score == 1.0


def test_prepare_run_that_fails_or_gives_something_else_is_a_failure_of_prepare_run() -> None:
    for prepare in (raising(ValueError("no")), give("a run")):
        made = create_scorer("s", "d", prepare_run=prepare).generate_score(give(1.0))
        with pytest.raises(ScorerRunError) as raised:
            made.run_sync(output="a")
        assert raised.value.failed_step == "prepare_run"


def test_an_expected_trajectory_that_cannot_be_read_is_refused_before_any_step() -> None:
    made = create_scorer("s", "d").generate_score(raising(AssertionError()))
    with pytest.raises(ConfigurationError, match="stepz"):
        made.run_sync(output="a", expected_trajectory={"stepz": []})


# -- prompt steps ------------------------------------------------------------------------------------------------------


def judged(judge: object, **more: Any) -> Any:
    return create_scorer("s", "d", judge=cast("Any", judge)).generate_score(judging(give("p"), **more))


def test_a_prompt_step_yields_a_validated_instance_to_the_steps_after_it() -> None:
    judge = ScriptedJudge([{"value": 1, "more": "ignored"}])
    made = (
        create_scorer("s", "d", judge=judge)
        .preprocess(PromptStep(output=Answer, prompt=give("p")))
        .generate_score(lambda ctx: ctx.preprocess_result.value)
    )
    result = made.run_sync(output="a")
    assert (result.score, result.preprocess_result) == (1.0, Answer(1.0))


def test_the_prompt_may_be_made_sync_or_async_of_the_context() -> None:
    async def later(ctx: Context) -> str:
        return f"later {ctx.run.output}"

    judge = ScriptedJudge([{"value": 1}, {"value": 1}])
    create_scorer("s", "d", judge=judge).generate_score(judging(later)).run_sync(output="x")
    judged(judge).run_sync(output="x")
    assert [request.prompt for request in judge.requests] == ["later x", "p"]


def test_a_prompt_that_is_no_text_is_a_failure_before_the_judge_is_asked() -> None:
    judge = ScriptedJudge([])
    with pytest.raises(ScorerRunError, match="prompt of step generate_score"):
        create_scorer("s", "d", judge=judge).generate_score(judging(give(3))).run_sync(output="a")
    assert judge.requests == []


def test_the_task_is_the_same_question_as_data() -> None:
    judge = ScriptedJudge([{"value": 1}])
    judged(judge, task=lambda ctx: ("verify", ctx.run.output)).run_sync(output="a")
    assert judge.requests[0].task == ("verify", "a")


def test_instead_is_looked_at_before_asking() -> None:
    judge = ScriptedJudge([{"value": 0.25}])
    assert judged(judge, instead=give(None)).run_sync(output="a").score == 0.25
    silent = ScriptedJudge([])
    assert judged(silent, instead=give(0)).run_sync(output="a").score == 0.0
    assert judged(silent, instead=give(Answer(0.75))).run_sync(output="a").score == 0.75
    assert judged(silent, instead=give(not_scorable("empty"))).run_sync(output="a").not_scorable.reason == "empty"
    assert silent.requests == []


def test_instead_stands_for_the_answer_of_every_step() -> None:
    judge = ScriptedJudge([])
    made = (
        create_scorer("s", "d", judge=judge)
        .preprocess(PromptStep(output=Answer, prompt=give("p"), instead=give(Answer(0.5))))
        .generate_score(lambda ctx: ctx.preprocess_result.value)
        .generate_reason(PromptStep(prompt=give("p"), instead=give("fixed words")))
    )
    result = made.run_sync(output="a")
    assert (result.score, result.reason, judge.requests) == (0.5, "fixed words", [])


def test_instead_that_gives_something_else_is_a_failure() -> None:
    judge = ScriptedJudge([])
    made = (
        create_scorer("s", "d", judge=judge)
        .preprocess(PromptStep(output=Answer, prompt=give("p"), instead=give({"value": 1})))
        .generate_score(give(1.0))
    )
    with pytest.raises(ScorerRunError, match="instead= must give Answer"):
        made.run_sync(output="a")
    with pytest.raises(ScorerRunError, match="must be a number"):
        judged(judge, instead=give("high")).run_sync(output="a")


def test_check_says_what_is_wrong_with_a_well_typed_answer_and_it_is_asked_again_once() -> None:
    judge = ScriptedJudge([{"value": 9}, {"value": 0.5}])
    made = judged(judge, check=lambda ctx, a: "value must not exceed 1" if a.value > 1 else None)
    result = made.run_sync(output="a")
    assert result.score == 0.5
    assert "value must not exceed 1" in judge.requests[1].messages[-1].text
    assert [execution.status for execution in result.judge["generate_score"]] == ["failed", "ok"]


@pytest.mark.parametrize(("said", "asked"), [(None, 1), ("", 1), ([], 1), ("wrong", 2), (["wrong", "very wrong"], 2)])
def test_check_may_give_nothing_a_sentence_or_a_list_of_sentences(said: Any, asked: int) -> None:
    judge = ScriptedJudge([{"value": 1}, {"value": 1}])
    made = judged(judge, check=lambda ctx, a: said if len(judge.requests) == 1 else None)
    assert made.run_sync(output="a").score == 1.0
    assert len(judge.requests) == asked


@pytest.mark.parametrize("said", [3, [3], True, object()])
def test_check_that_gives_no_words_is_a_failure_with_the_answer_kept(said: object) -> None:
    judge = ScriptedJudge([{"value": 1}])
    with pytest.raises(ScorerRunError, match="check=") as raised:
        judged(judge, check=lambda ctx, a: said).run_sync(output="a")
    [execution] = raised.value.result.judge["generate_score"]
    assert (execution.status, execution.raw_text) == ("failed", '{"value": 1}')


def test_calculate_score_may_give_whatever_a_score_step_may_give() -> None:
    step = PromptStep[Any, Answer](
        output=Answer, prompt=give("p"), calculate_score=lambda ctx, a: Scored(a.value, label="good")
    )
    result = create_scorer("s", "d", judge=ScriptedJudge([{"value": 1}])).generate_score(step).run_sync(output="a")
    assert (result.score, result.label) == (1.0, "good")


# -- evidence ----------------------------------------------------------------------------------------------------------


def test_every_question_to_the_judge_is_kept_as_evidence() -> None:
    usage = Usage(input_tokens=5, output_tokens=2)
    reply = JudgeReply(
        text='{"value": 1}', usage=usage, model="m-1", provider="p", finish_reason="stop", cost=0.25, request_id="r"
    )
    result = judged(ScriptedJudge([reply])).run_sync(output="a")
    [execution] = result.judge["generate_score"]
    assert (execution.prompt, execution.model, execution.provider) == ("p", "m-1", "p")
    assert (execution.attempt_count, execution.model_call_count, execution.status) == (1, 1, "ok")
    assert (execution.output, execution.usage, execution.cost) == (Answer(1.0), usage, 0.25)
    assert (execution.error, execution.raw_text, execution.finish_reason) == (None, '{"value": 1}', "stop")
    assert execution.duration_ms is not None


def test_a_failed_question_keeps_error_raw_text_and_finish_reason() -> None:
    cut = JudgeReply(text='{"value": ', finish_reason="length", model="m")
    with pytest.raises(ScorerRunError) as raised:
        judged(ScriptedJudge([cut])).run_sync(output="a")
    [execution] = raised.value.result.judge["generate_score"]
    assert (execution.status, execution.raw_text, execution.finish_reason) == ("failed", '{"value": ', "length")
    assert execution.error is raised.value.__cause__
    assert execution.output is None


# -- outcomes ----------------------------------------------------------------------------------------------------------


def test_every_outcome_has_a_score_and_a_reason_and_only_scored_has_a_number() -> None:
    assert (Scored(0.5, "why").score, Scored(0.5, "why").reason) == (0.5, "why")
    assert (NotScorable("analyze", "empty").score, NotScorable("analyze", "empty").reason) == (None, "empty")
    failed = Failed("analyze", ValueError("no"))
    assert (failed.score, failed.reason, failed.step) == (None, "ValueError: no", "analyze")
    assert isinstance(failed.error, ValueError)
    assert Failed("analyze", SteelyardError("in our words")).reason == "in our words"


def test_outcomes_match_by_their_fields() -> None:
    def said(outcome: Outcome) -> str:
        match outcome:
            case Scored(score=score, reason=reason):
                return f"{score} {reason}"
            case NotScorable(step=step):
                return f"not at {step}"
            case Failed(error=error):
                return type(error).__name__

    assert said(Scored(1.0, "yes")) == "1.0 yes"
    assert said(NotScorable("analyze")) == "not at analyze"
    assert said(Failed("analyze", KeyError())) == "KeyError"


def test_outcomes_errors_and_results_pickle_with_their_evidence() -> None:
    @scorer
    def partly(run: ScorerRun[Any, Any]) -> Scored:
        return Scored(0.5, "why", label="mixed", parts={"a": 1.0})

    result = partly.run_sync(output="a")
    assert pickle.loads(pickle.dumps(result)) == result
    for outcome in (
        Scored(0.5, "why", label="mixed", parts={"a": 1.0}, result=result),
        NotScorable("analyze", "empty", result=result),
        Failed("analyze", ValueError("no"), result=result),
    ):
        copy = pickle.loads(pickle.dumps(outcome))
        assert copy == outcome
        assert copy.result == result
    error = ScorerRunError("s", "analyze", ("preprocess",), result)
    assert pickle.loads(pickle.dumps(error)).result == result
    invalid = pickle.loads(pickle.dumps(InvalidScore("too much", 3)))
    assert (str(invalid), invalid.value) == ("too much", 3)
