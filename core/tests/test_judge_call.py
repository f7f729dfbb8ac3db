"""One question to a judge: how it is asked, what is taken for an answer, and what is asked again."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve, frozen

from steelyard import (
    Claim,
    ConfigurationError,
    ExtractClaims,
    Failed,
    JudgeAnswerEmpty,
    JudgeAnswerInvalid,
    JudgeContentFiltered,
    JudgeError,
    JudgeExecution,
    JudgeRefused,
    JudgeReply,
    JudgeRequest,
    JudgeSettings,
    JudgeTruncated,
    Message,
    PromptStep,
    RetryProcessor,
    ScoreResult,
    ScorerRunError,
    ScriptExhausted,
    VerifyClaims,
    create_scorer,
    run_evals,
)
from steelyard.testing import ScriptedJudge

GOOD = {"value": 0.5}
BUSY = JudgeError("busy", retryable=True, status=503)
BAD_KEY = JudgeError("bad key", retryable=False, status=401)


@frozen
class Answer:
    value: float


class Waits:
    """Stands for waiting, and keeps for how long it was."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def scorer_of(**more: Any) -> Any:
    step = PromptStep[Any, Answer](
        output=Answer, prompt=lambda ctx: "How good?", calculate_score=lambda ctx, answer: answer.value, **more
    )
    return create_scorer("s", "d").generate_score(step)


def asked(judge: object, **settings: Any) -> ScoreResult:
    """The result of one question, without waiting between retries."""
    settings.setdefault("error_processors", [RetryProcessor(max_retries=2, delay=0.0)])
    result = scorer_of().with_judge(JudgeSettings(judge=judge, **settings)).run_sync(output="a")  # type: ignore[arg-type]
    assert isinstance(result, ScoreResult)
    return result


def executions(error: ScorerRunError) -> tuple[JudgeExecution, ...]:
    return error.result.judge["generate_score"]


# -- how it is asked ---------------------------------------------------------------------------------------------------


def test_a_request_says_who_asks_what_in_which_attempt_and_in_what_form() -> None:
    judge = ScriptedJudge([GOOD])
    result = asked(judge, instructions="You are strict.")
    [request] = judge.requests
    assert (request.scorer_id, request.step, request.attempt) == ("s", "generate_score", 1)
    assert request.messages == (Message("system", "You are strict."), Message("user", "How good?"))
    assert request.schema is not None
    assert request.schema["required"] == ["value"]
    assert request.settings.instructions == "You are strict."
    assert result.generate_score_prompt == request.prompt == "How good?"


def test_without_instructions_there_is_no_system_message() -> None:
    judge = ScriptedJudge([GOOD])
    asked(judge)
    assert [message.role for message in judge.requests[0].messages] == ["user"]


async def plain_judge(request: JudgeRequest) -> str:
    """Not native: it says where the schema stood."""
    places = [message.role for message in request.messages if '"value"' in message.text]
    return json.dumps({"value": {"user": 0.25, "system": 0.75}[places[0]]} if places else {"value": 1.0})


@pytest.mark.parametrize(
    ("mode", "score"), [(None, 0.25), ("auto", 0.25), ("inline", 0.25), ("system", 0.75), ("native", 1.0)]
)
def test_the_schema_goes_into_prompt_or_system_prompt_or_to_the_provider(mode: Any, score: float) -> None:
    assert asked(plain_judge, structured_output=mode, instructions="Be fair.").score == score
    assert asked(plain_judge, structured_output=mode).score == score


def test_auto_is_native_where_the_model_has_it() -> None:
    judge = ScriptedJudge([GOOD])
    asked(judge, structured_output="auto")
    assert "schema" not in judge.requests[0].prompt
    judge = ScriptedJudge([GOOD])
    asked(judge, structured_output="inline")
    assert '"value"' in judge.requests[0].prompt


def test_text_is_asked_for_without_a_schema() -> None:
    judge = ScriptedJudge(["because"])
    made = create_scorer("s", "d", judge=judge).generate_score(lambda ctx: 1.0)
    result = made.generate_reason(PromptStep(prompt=lambda ctx: "Why?")).run_sync(output="a")
    assert result.reason == "because"
    assert judge.requests[0].schema is None


# -- settings level by level -------------------------------------------------------------------------------------------


def test_a_steps_judge_overrides_field_by_field_and_inherits_what_it_leaves_out() -> None:
    judge = ScriptedJudge([GOOD])
    step = scorer_of(judge=JudgeSettings(structured_output="inline"))
    made = step.with_judge(JudgeSettings(instructions="scorer", structured_output="system", max_processor_retries=3))
    run_evals(
        data=[{"output": "a"}],
        scorers=[made],
        judge=JudgeSettings(judge=judge, instructions="evaluation", max_processor_retries=7),
    )
    settings = judge.requests[0].settings
    assert (settings.instructions, settings.structured_output, settings.max_processor_retries) == (
        "scorer",
        "inline",
        3,
    )
    assert settings.judge is judge


def test_lists_of_processors_replace_the_inherited_ones() -> None:
    def shout(request: JudgeRequest) -> JudgeRequest:
        return evolve(request, messages=(*request.messages, Message("user", "LOUD")))

    judge = ScriptedJudge([GOOD, GOOD, GOOD])
    outer = JudgeSettings(judge=judge, input_processors=[shout])
    for inner in (JudgeSettings(), JudgeSettings(input_processors=()), JudgeSettings(input_processors=[shout, shout])):
        scorer_of(judge=inner).with_judge(outer).run_sync(output="a")
    assert [len(request.messages) for request in judge.requests] == [2, 1, 3]


def test_with_judge_keeps_the_settings_that_it_leaves_out() -> None:
    judge = ScriptedJudge([GOOD])
    scorer_of().with_judge(JudgeSettings(instructions="kept")).with_judge(judge).run_sync(output="a")
    assert judge.requests[0].settings.instructions == "kept"


# -- wrong answers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ("I think it is good.", "no answer"),
        ("{}", "value"),
        ({"value": "high"}, "value"),
        ({"value": None}, "value"),
        ({"value": True}, "value"),
        ('{"value": NaN}', "NaN"),
        ('{"value": 0.5', "breaks off"),
        ("", "empty"),
        ("  \n", "empty"),
        (JudgeReply(text=None), "empty"),
    ],
)
def test_a_wrong_answer_is_asked_again_once_with_the_errors_named(wrong: Any, named: str) -> None:
    judge = ScriptedJudge([wrong, GOOD])
    result = asked(judge)
    assert result.score == 0.5
    first, second = judge.requests
    assert (first.attempt, second.attempt) == (1, 2)
    assert second.messages[: len(first.messages)] == first.messages
    assert second.messages[-1].role == "user"
    assert named in second.messages[-1].text
    failed, ok = result.judge["generate_score"]
    assert (failed.status, ok.status) == ("failed", "ok")
    assert (failed.attempt_count, ok.attempt_count) == (1, 1)
    assert ok.prompt == second.messages[-1].text
    assert result.generate_score_prompt == "How good?"


def test_the_second_wrong_answer_is_a_failed_execution_with_the_raw_text_and_never_a_value() -> None:
    judge = ScriptedJudge([{"value": "high"}, {"value": "very high"}])
    with pytest.raises(ScorerRunError) as raised:
        asked(judge)
    assert isinstance(raised.value.__cause__, JudgeAnswerInvalid)
    assert [each.status for each in executions(raised.value)] == ["failed", "failed"]
    assert [each.raw_text for each in executions(raised.value)] == ['{"value": "high"}', '{"value": "very high"}']
    assert raised.value.__cause__.raw_text == '{"value": "very high"}'
    assert raised.value.result.score is None
    assert len(judge.requests) == 2


def test_code_fences_and_text_around_the_json_are_tolerated() -> None:
    assert asked(ScriptedJudge(['Sure:\n```json\n{"value": 0.5}\n```\nAnything else?'])).score == 0.5


@pytest.mark.parametrize(
    ("finish_reason", "kind"),
    [
        ("refusal", JudgeRefused),
        ("length", JudgeTruncated),
        ("max_tokens", JudgeTruncated),
        ("content_filter", JudgeContentFiltered),
    ],
)
@pytest.mark.parametrize("text", ['{"value": 0.5}', "", None])
def test_refusal_truncation_and_content_filter_are_errors_of_their_own_whatever_the_text(
    finish_reason: str, kind: type[JudgeError], text: str | None
) -> None:
    judge = ScriptedJudge([JudgeReply(text=text, finish_reason=finish_reason, model="m", provider="p")])
    with pytest.raises(ScorerRunError) as raised:
        asked(judge)
    cause = raised.value.__cause__
    assert type(cause) is kind
    assert isinstance(cause, JudgeError)
    assert (cause.raw_text, cause.finish_reason, cause.model, cause.provider) == (text, finish_reason, "m", "p")
    assert len(judge.requests) == 1


def test_an_empty_answer_twice_is_an_error_of_its_own() -> None:
    with pytest.raises(ScorerRunError) as raised:
        asked(ScriptedJudge(["", ""]))
    assert isinstance(raised.value.__cause__, JudgeAnswerEmpty)


def test_an_empty_reason_is_asked_again_once() -> None:
    made = create_scorer("s", "d", judge=ScriptedJudge(["", "because"])).generate_score(lambda ctx: 1.0)
    assert made.generate_reason(PromptStep(prompt=lambda ctx: "Why?")).run_sync(output="a").reason == "because"


# -- retries -----------------------------------------------------------------------------------------------------------


def test_retries_and_the_second_question_have_budgets_of_their_own() -> None:
    judge = ScriptedJudge([BUSY, BUSY, {"value": "high"}, BUSY, BUSY, GOOD])
    result = asked(judge)
    assert result.score == 0.5
    assert [(each.attempt_count, each.model_call_count) for each in result.judge["generate_score"]] == [(3, 3), (3, 3)]
    assert [request.attempt for request in judge.requests] == [1, 1, 1, 2, 2, 2]


def test_a_budget_that_is_spent_raises_the_last_error_with_all_requests_counted() -> None:
    with pytest.raises(ScorerRunError) as raised:
        asked(ScriptedJudge([BUSY] * 9))
    [execution] = executions(raised.value)
    assert (execution.status, execution.attempt_count, execution.error) == ("failed", 3, BUSY)


def test_what_is_not_retryable_fails_at_once() -> None:
    judge = ScriptedJudge([BAD_KEY, GOOD])
    with pytest.raises(ScorerRunError, match="bad key"):
        asked(judge)
    assert len(judge.requests) == 1


def test_without_any_setting_a_judge_gets_a_bounded_default() -> None:
    waits = Waits()
    judge = ScriptedJudge([BUSY] * 9)
    result = run_evals(data=[{"output": "a"}], scorers=[scorer_of()], judge=judge, sleep=waits)
    assert isinstance(result.items[0]["s"], Failed)
    assert len(judge.requests) == 3
    assert waits.seconds == [0.5, 1.0]


def test_max_processor_retries_bounds_all_error_processors_together() -> None:
    judge = ScriptedJudge([BUSY] * 20)
    many = [RetryProcessor(max_retries=99, delay=0.0)]
    with pytest.raises(ScorerRunError):
        asked(judge, error_processors=many, max_processor_retries=4)
    assert len(judge.requests) == 5


def test_error_processors_without_a_bound_get_ten() -> None:
    judge = ScriptedJudge([BUSY] * 20)
    with pytest.raises(ScorerRunError):
        asked(judge, error_processors=[RetryProcessor(max_retries=99, delay=0.0)])
    assert len(judge.requests) == 11


def test_an_empty_list_of_error_processors_means_no_retry() -> None:
    judge = ScriptedJudge([BUSY] * 3)
    with pytest.raises(ScorerRunError):
        asked(judge, error_processors=[])
    assert len(judge.requests) == 1


def test_a_finished_step_never_runs_again() -> None:
    calls: list[object] = []
    judge = ScriptedJudge([BUSY, {"value": "high"}, GOOD])
    made = (
        create_scorer("s", "d", judge=JudgeSettings(judge=judge, error_processors=[RetryProcessor(delay=0.0)]))
        .preprocess(calls.append)
        .generate_score(
            PromptStep(output=Answer, prompt=lambda ctx: "p", calculate_score=lambda ctx, answer: answer.value)
        )
    )
    assert made.run_sync(output="a").score == 0.5
    assert len(calls) == 1


# -- processors --------------------------------------------------------------------------------------------------------


def redact(request: JudgeRequest) -> JudgeRequest:
    return evolve(
        request,
        messages=tuple(evolve(each, content=each.text.replace("good", "****")) for each in request.messages),
    )


async def redact_later(request: JudgeRequest) -> JudgeRequest:
    return redact(request)


@pytest.mark.parametrize("processor", [redact, redact_later])
def test_what_was_sent_is_what_the_evidence_shows(processor: Any) -> None:
    judge = ScriptedJudge(["good?", GOOD])
    result = asked(judge, input_processors=[processor])
    assert all("good" not in message.text for request in judge.requests for message in request.messages)
    assert result.generate_score_prompt == "How ****?"
    assert result.judge["generate_score"][0].prompt == "How ****?"


def test_an_input_processor_that_fails_sends_nothing_and_shows_nothing() -> None:
    def fails(request: JudgeRequest) -> JudgeRequest:
        raise ValueError("cannot redact")

    judge = ScriptedJudge([])
    with pytest.raises(ScorerRunError, match="cannot redact") as raised:
        asked(judge, input_processors=[fails])
    assert judge.requests == []
    assert raised.value.result.generate_score_prompt is None
    assert executions(raised.value)[0].prompt == ""
    assert executions(raised.value)[0].model_call_count == 0


def test_an_output_processor_changes_a_reply_or_rejects_it_and_the_raw_text_is_kept() -> None:
    def halve(reply: JudgeReply) -> JudgeReply:
        return evolve(reply, text=json.dumps({"value": 0.25}))

    assert asked(ScriptedJudge([GOOD]), output_processors=[halve]).score == 0.25

    def reject(reply: JudgeReply) -> JudgeReply:
        raise JudgeContentFiltered("not for us", retryable=False)

    with pytest.raises(ScorerRunError, match="not for us") as raised:
        asked(ScriptedJudge([GOOD]), output_processors=[reject])
    assert executions(raised.value)[0].raw_text == json.dumps(GOOD)


@pytest.mark.parametrize("kind", ["input_processors", "output_processors"])
def test_a_processor_that_gives_nothing_back_is_a_failure_in_words(kind: str) -> None:
    with pytest.raises(ScorerRunError, match="processor must give"):
        asked(ScriptedJudge([GOOD]), **{kind: [lambda each: None]})


# -- judges that misbehave ---------------------------------------------------------------------------------------------


def misbehaving(value: object) -> Callable[[JudgeRequest], Any]:
    async def judge(request: JudgeRequest) -> Any:
        return value

    return judge


@pytest.mark.parametrize("value", [None, 3, {"value": 1}, b"{}", ["a"]])
def test_a_judge_that_gives_no_reply_is_a_failure_and_never_a_number(value: object) -> None:
    with pytest.raises(ScorerRunError) as raised:
        asked(misbehaving(value))
    [execution] = executions(raised.value)
    assert execution.status == "failed"
    assert execution.error is raised.value.__cause__


def test_whatever_a_judge_raises_is_the_cause_and_is_kept() -> None:
    error = ZeroDivisionError("oops")
    with pytest.raises(ScorerRunError) as raised:
        asked(ScriptedJudge([error]))
    assert raised.value.__cause__ is error
    assert executions(raised.value)[0].error is error


def test_a_question_that_is_cancelled_is_kept_as_evidence_and_passes() -> None:
    async def cancelled() -> None:
        async def forever(request: JudgeRequest) -> str:
            await asyncio.sleep(3600)
            return ""

        task = asyncio.ensure_future(scorer_of().with_judge(forever).run(output="a"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())


def test_a_check_that_raises_is_a_failure_with_the_answer_kept() -> None:
    def check(ctx: object, answer: Answer) -> str | None:
        raise KeyError("bug")

    with pytest.raises(ScorerRunError, match="bug") as raised:
        scorer_of(check=check).with_judge(ScriptedJudge([GOOD])).run_sync(output="a")
    [execution] = executions(raised.value)
    assert (execution.status, execution.raw_text) == ("failed", json.dumps(GOOD))


# -- errors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [JudgeError, JudgeRefused, JudgeAnswerInvalid, ScriptExhausted])
def test_judge_errors_pickle_with_all_their_details(kind: type[JudgeError]) -> None:
    error = kind("no", provider="p", model="m", status=503, raw_text="x", retryable=True, retry_after=3.0)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert (str(copy), copy.provider, copy.status, copy.retry_after) == ("no", "p", 503, 3.0)
    assert isinstance(error, JudgeError)


# -- tasks -------------------------------------------------------------------------------------------------------------


def test_tasks_keep_what_they_were_given_as_tuples() -> None:
    assert ExtractClaims("text").text == "text"
    task = VerifyClaims([Claim(1, "a")], ["doc"])
    assert (task.claims, task.context) == ((Claim(1, "a"),), ("doc",))
    assert VerifyClaims((), "doc").context == ("doc",)


# -- the scripted judge ------------------------------------------------------------------------------------------------


def test_a_script_that_runs_out_names_step_and_number_of_the_call() -> None:
    with pytest.raises(ScorerRunError, match=r"1 replies; call 2.*'s', step generate_score, attempt 2") as raised:
        asked(ScriptedJudge([{"value": "high"}]))
    assert isinstance(raised.value.__cause__, ScriptExhausted)


@pytest.mark.parametrize("is_async", [False, True])
def test_a_script_may_be_a_function_of_the_request(is_async: bool) -> None:
    def reply(request: JudgeRequest) -> dict[str, object]:
        return {"value": 0.5 if request.step == "generate_score" else 1.0}

    async def reply_later(request: JudgeRequest) -> dict[str, object]:
        return reply(request)

    assert asked(ScriptedJudge(reply_later if is_async else reply)).score == 0.5


def test_a_script_never_waits_unless_told_to() -> None:
    waits = Waits()
    asked(ScriptedJudge([GOOD], delay=0.0, sleep=waits))
    assert waits.seconds == []
    asked(ScriptedJudge([GOOD], delay=5.0, sleep=waits))
    assert waits.seconds == [5.0]


@pytest.mark.parametrize("replies", ["text", {"value": 1}])
def test_a_script_that_is_one_reply_rather_than_a_list_is_refused(replies: Any) -> None:
    with pytest.raises(ConfigurationError, match="list"):
        ScriptedJudge(replies)
