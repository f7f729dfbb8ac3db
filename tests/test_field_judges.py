"""Faults with judges' replies and with the paths of agents: no score without a usable reply, and no call unseen."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from attrs import frozen

import steelyard_checks as checks
from steelyard import (
    ConfigurationError,
    EvalItem,
    EvalResult,
    ExpectedStep,
    Failed,
    JudgeAnswerEmpty,
    JudgeAnswerInvalid,
    JudgeContentFiltered,
    JudgeError,
    JudgeLike,
    JudgeRefused,
    JudgeReply,
    JudgeRequest,
    JudgeSettings,
    JudgeTruncated,
    Message,
    PromptStep,
    RetryProcessor,
    Scored,
    ScorerRun,
    Status,
    Threshold,
    ToolCall,
    Trajectory,
    TrajectoryExpectation,
    UnreadableOutput,
    check_ids,
    create_scorer,
    extract_tool_calls,
    extract_trajectory,
    messages_from_json,
    run_evals,
    scorer,
)
from steelyard.testing import ScriptedJudge
from tests.field_log import unaccounted
from tests.reference import needs_reference

Replies = Sequence[Mapping[str, object] | str | JudgeReply | BaseException]


@frozen
class Grade:
    reason: str
    grade: Literal["C", "I"]


GOOD: Mapping[str, object] = {"reason": "All of it is right.", "grade": "C"}
TEXT = json.dumps(GOOD)


def grader(judge: JudgeLike, output: type[Any] = Grade, **more: Any) -> Any:
    """A scorer of one question: 1 for the grade C."""
    return create_scorer("graded", "Asks for a grade.", judge=judge).generate_score(
        PromptStep(
            output=output,
            prompt=lambda context: f"Grade this: {context.run.output}",
            calculate_score=lambda _, answer: float(answer.grade == "C"),
            **more,
        )
    )


def graded(replies: Replies, **more: Any) -> tuple[Any, ScriptedJudge]:
    """The outcome of the grader with these replies, and the judge that gave them."""
    judge = ScriptedJudge(replies)
    result = run_evals(data=[{"output": "x"}], scorers=[grader(judge, **more)])
    return result.items[0]["graded"], judge


def assert_no_score(outcome: object, error: type[BaseException]) -> Failed:
    """Asserts that the outcome is a failure of the judge's step and of this kind."""
    assert isinstance(outcome, Failed)
    assert (outcome.step, type(outcome.error), outcome.score) == ("generate_score", error, None)
    return outcome


# -- replies that are no answer ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("finish_reason", ["length", "max_tokens", "max_output_tokens"])
@pytest.mark.parametrize("text", ['{"reason": "All of i', TEXT, "", None])
def test_a_reply_that_was_cut_off_is_told_as_that_and_never_scored(finish_reason: str, text: str | None) -> None:
    """B026: even a whole-looking answer may lack its end."""
    outcome, judge = graded([JudgeReply(text=text, finish_reason=finish_reason)])
    failed = assert_no_score(outcome, JudgeTruncated)
    assert "limit" in failed.reason
    assert len(judge.requests) == 1
    execution = outcome.result.judge["generate_score"][0]
    assert (execution.status, execution.finish_reason, execution.raw_text) == ("failed", finish_reason, text)


def test_a_reply_that_breaks_off_without_saying_so_is_asked_again_and_never_scored() -> None:
    """B026"""
    broken = TEXT[:-8]
    outcome, judge = graded([broken, broken])
    assert "breaks off" in assert_no_score(outcome, JudgeAnswerInvalid).reason
    assert len(judge.requests) == 2
    assert graded([broken, TEXT])[0].score == 1.0


@pytest.mark.parametrize(("reason", "error"), [("refusal", JudgeRefused), ("content_filter", JudgeContentFiltered)])
def test_a_reply_that_was_refused_or_filtered_is_told_as_that(reason: str, error: type[BaseException]) -> None:
    """B032"""
    outcome, judge = graded([JudgeReply(text=TEXT, finish_reason=reason)])
    assert_no_score(outcome, error)
    assert len(judge.requests) == 1


WRAPPED = [
    f"```json\n{TEXT}\n```",
    f"```\n{TEXT}\n```",
    f"```JSON\r\n{TEXT}\r\n```\r\n",
    f"Here is my answer:\n\n```json\n{TEXT}\n```\nI hope this helps.",
    f"  {TEXT}\n",
    f"Sure! {TEXT}",
    json.dumps(GOOD, indent=4),
]


@pytest.mark.parametrize("text", WRAPPED, ids=ascii)
def test_an_answer_in_a_fence_or_in_prose_is_read_at_the_first_try(text: str) -> None:
    """B027"""
    outcome, judge = graded([text])
    assert (outcome.score, len(judge.requests)) == (1.0, 1)
    assert outcome.result.judge["generate_score"][0].raw_text == text


@pytest.mark.parametrize("breaks", ["\n", "\r\n", "\t", "\n\n- "])
def test_line_breaks_within_a_text_are_taken_as_they_are(breaks: str) -> None:
    """B028"""
    outcome, judge = graded([f'{{"reason": "one{breaks}two", "grade": "C"}}'])
    assert len(judge.requests) == 1
    assert outcome.result.judge["generate_score"][0].output == Grade(f"one{breaks}two", "C")


@pytest.mark.parametrize(
    "text",
    [
        '{"reason": "fine", "grade": "C" // surely\n}',
        '{"reason": "fine", /* surely */ "grade": "C"}',
        '{"reason": "fine", "grade": "C",}',
        "{'reason': 'fine', 'grade': 'C'}",
        '{reason: "fine", grade: "C"}',
    ],
)
def test_what_is_not_json_is_asked_again_with_its_fault_named(text: str) -> None:
    """B028"""
    outcome, judge = graded([text, GOOD])
    assert outcome.score == 1.0
    assert len(judge.requests) == 2
    correction = judge.requests[1].messages[-1].text
    assert "JSON" in correction
    assert [execution.status for execution in outcome.result.judge["generate_score"]] == ["failed", "ok"]


OTHER = json.dumps({"reason": "A draft.", "grade": "I"})
REASONED = [
    f"<think>{{maybe}}</think>{TEXT}",
    f"maybe}}</think>{TEXT}",
    f"<think>{OTHER}</think>{TEXT}",
    f"{OTHER}</think>\n{TEXT}",
    f"<thinking>\n{OTHER}\n</thinking>\n```json\n{TEXT}\n```",
    f"{OTHER}\nOn second thoughts:\n{TEXT}",
]


@pytest.mark.parametrize("text", REASONED)
def test_the_answer_after_the_reasoning_counts(text: str) -> None:
    """B030"""
    outcome, judge = graded([text])
    assert (outcome.score, len(judge.requests)) == (1.0, 1)


@pytest.mark.parametrize("literal", ["<think>", "</think>", "<think>{maybe}</think>", "a } b", "{", '\\"{'])
def test_marks_of_reasoning_within_a_text_are_text(literal: str) -> None:
    """B030"""
    answer = {"reason": f"It wrote {literal} there.", "grade": "C"}
    outcome, _ = graded([answer])
    assert outcome.result.judge["generate_score"][0].output == Grade(f"It wrote {literal} there.", "C")


@pytest.mark.parametrize("text", [None, "", " \n\t"])
@pytest.mark.parametrize("output", [Grade, None])
def test_an_empty_reply_is_a_failure_of_the_judge(text: str | None, output: type[Any] | None) -> None:
    """B032"""
    judge = ScriptedJudge([JudgeReply(text=text)] * 2)
    made = grader(judge)
    if output is None:
        made = create_scorer("graded", judge=judge).generate_score(lambda _: 1.0)
        made = made.generate_reason(PromptStep(prompt=lambda _: "Why?"))
    result = run_evals(data=[{"output": "x"}], scorers=[made])
    failed = result.items[0]["graded"]
    assert isinstance(failed.error, JudgeAnswerEmpty)
    assert (failed.score, result.summary.errors, result.scores["graded"]) == (None, {"graded": 1}, None)


def test_the_second_answer_is_read_just_as_the_first_would_be() -> None:
    """B034"""
    for text in (*WRAPPED, *REASONED):
        outcome, _ = graded(["no JSON at all", text])
        assert isinstance(outcome.result.judge["generate_score"][1].output, Grade)
        assert outcome.score == 1.0


@pytest.mark.parametrize("second", ["no JSON either", {"grade": "C"}, {"reason": "fine", "grade": "Z"}, "null", "[]"])
def test_a_second_answer_that_is_wrong_too_is_a_failure(second: Any) -> None:
    """B034"""
    outcome, judge = graded(["no JSON at all", second])
    assert_no_score(outcome, JudgeAnswerInvalid)
    assert len(judge.requests) == 2


# -- lists of verdicts -------------------------------------------------------------------------------------------------


@frozen
class Verdict:
    id: int
    verdict: Literal["yes", "no"]


@frozen
class Verdicts:
    verdicts: list[Verdict]


def assessed(asked: int, replies: Replies) -> tuple[Any, ScriptedJudge]:
    """The share of ``yes`` among as many verdicts as were asked for."""

    def complaint(_: Any, answer: Verdicts) -> str | None:
        return "; ".join(check_ids(range(1, asked + 1), (verdict.id for verdict in answer.verdicts))) or None

    judge = ScriptedJudge(replies)
    made = create_scorer("assessed", judge=judge).generate_score(
        PromptStep(
            output=Verdicts,
            prompt=lambda _: f"Give {asked} verdicts.",
            check=complaint,
            calculate_score=lambda _, answer: sum(each.verdict == "yes" for each in answer.verdicts) / asked,
        )
    )
    return run_evals(data=[{"output": "x"}], scorers=[made]).items[0]["assessed"], judge


def verdicts(*ids: int, verdict: str = "yes") -> Mapping[str, object]:
    return {"verdicts": [{"id": id, "verdict": verdict} for id in ids]}


@pytest.mark.parametrize(
    ("asked", "ids"),
    [
        (3, [1]),
        (3, []),
        (3, [1, 2, 3, 4]),
        (3, [1, 2]),
        (3, [1, 1, 2]),
        (3, [0, 1, 2]),
        (4, [1, 2, 3]),
        (4, [1, 2, 3, 4, 5]),
    ],
)
def test_an_answer_to_less_or_more_than_was_asked_is_asked_again_and_then_a_failure(asked: int, ids: list[int]) -> None:
    """B035, B037, B039: what was not assessed is neither left out of the denominator nor filled in."""
    outcome, judge = assessed(asked, [verdicts(*ids)] * 2)
    failed = assert_no_score(outcome, JudgeAnswerInvalid)
    assert "ids" in failed.reason
    assert len(judge.requests) == 2
    recovered, _ = assessed(asked, [verdicts(*ids), verdicts(*range(1, asked + 1))])
    assert recovered.score == 1.0


@pytest.mark.parametrize("asked", [1, 3, 4])
def test_an_answer_to_exactly_what_was_asked_is_scored_at_the_first_try(asked: int) -> None:
    """B035, B037, B039"""
    outcome, judge = assessed(asked, [verdicts(*range(asked, 0, -1))])
    assert (outcome.score, len(judge.requests)) == (1.0, 1)


@frozen
class YesOrNo:
    grade: Literal["yes", "no"]


@pytest.mark.parametrize("said", [" NO ", "No", "no", "nO\n"])
def test_the_spelling_of_a_known_verdict_does_not_matter(said: str) -> None:
    """B040"""
    outcome, judge = graded([{"grade": said}], output=YesOrNo)
    assert len(judge.requests) == 1
    assert outcome.result.judge["generate_score"][0].output == YesOrNo("no")


@pytest.mark.parametrize(
    "said", ["No, off-topic", "nope", "Nein", "", "yes and no", "yes.", True, None, 1, ["yes"], {}]
)
def test_a_verdict_outside_the_known_ones_is_no_verdict(said: object) -> None:
    """B040"""
    outcome, judge = graded([{"grade": said}] * 2, output=YesOrNo)
    assert_no_score(outcome, JudgeAnswerInvalid)
    assert "yes" in judge.requests[1].messages[-1].text


@frozen
class PassAndScore:
    passed: bool
    score: float

    @property
    def grade(self) -> str:
        return "C" if self.passed else "I"


def contradiction(_: object, answer: PassAndScore) -> str | None:
    return (
        None if answer.passed == (answer.score >= 0.5) else f"passed={answer.passed} contradicts score={answer.score}"
    )


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        ({"passed": True, "score": 0}, "contradicts"),
        ({"passed": False, "score": 0.9}, "contradicts"),
        ({"passed": True, "score": None}, "score"),
        ({"passed": True}, "score"),
        ({"passed": "true", "score": 1}, "passed"),
        ({"passed": 1, "score": 1}, "passed"),
        ({"passed": True, "score": "1"}, "score"),
        ({"passed": True, "score": True}, "score"),
        ('{"passed": true, "score": NaN}', "NaN"),
    ],
    ids=str,
)
def test_an_answer_that_contradicts_itself_or_lacks_a_number_is_never_scored(reply: Any, complaint: str) -> None:
    """B042"""
    outcome, judge = graded([reply] * 2, output=PassAndScore, check=contradiction)
    assert complaint in assert_no_score(outcome, JudgeAnswerInvalid).reason
    assert complaint in judge.requests[1].messages[-1].text


@pytest.mark.parametrize("text", ["ANSWER: C", "GRADE: C", "C", '"C"', "The answer is correct.", "[]", "7"])
def test_a_verdict_that_cannot_be_read_is_unmeasured_and_not_incorrect(text: str) -> None:
    """B044"""
    judge = ScriptedJudge(lambda request: text if "odd" in request.prompt else GOOD)
    result = run_evals(data=[{"output": "odd"}, {"output": "fine"}], scorers=[grader(judge)])
    assert [item["graded"].score for item in result.items] == [None, 1.0]
    found = result.aggregates["scorers"]["graded"]
    assert (found.average, found.n_scored, found.n_failed) == (1.0, 1, 1)
    assert "answer" in result.items[0]["graded"].reason
    assert result.items[0]["graded"].error.raw_text == text


@pytest.mark.parametrize("grade", ["P", "p", "partial", "CI", "A"])
def test_a_grade_that_was_not_offered_is_a_failure_of_the_judge(grade: str) -> None:
    """B045"""
    outcome, _ = graded([{"reason": "Half of it is right.", "grade": grade}] * 2)
    assert_no_score(outcome, JudgeAnswerInvalid)


# -- judges that do not answer -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "calls"),
    [
        (lambda: JudgeError("overloaded", status=529, retryable=True), 3),
        (lambda: JudgeError("connection lost", retryable=True), 3),
        (lambda: JudgeError("no such key", status=401, retryable=False), 1),
        (lambda: ConnectionResetError("reset"), 1),
        (lambda: TimeoutError(), 1),
    ],
    ids=["overloaded", "lost", "refused", "unknown", "timeout"],
)
def test_an_outage_of_the_judge_is_no_verdict_on_the_target(error: Callable[[], BaseException], calls: int) -> None:
    """B046"""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    async def judge(request: JudgeRequest) -> str:
        asked.append(request)
        raise error()

    asked: list[JudgeRequest] = []
    made = grader(JudgeSettings(judge=judge, error_processors=[RetryProcessor(max_retries=2, delay=60)]))
    result = run_evals(
        data=[{"output": "x"}], scorers=[Threshold(made, 0.5)], gates=[checks.includes("x")], sleep=sleep
    )
    outcome = result.items[0]["graded"]
    assert_no_score(outcome, type(error()))
    assert (len(asked), waited) == (calls, [60.0] * (calls - 1))
    assert result.items[0].status is Status.ERRORED
    assert (result.summary.errors, result.scores["graded"]) == ({"graded": 1}, None)
    assert result.gate_results[0].passed is True
    assert (result.threshold_results[0].passed, result.threshold_results[0].n_failed) == (False, 1)


@pytest.mark.parametrize("mode", ["native", "inline", "system"])
def test_fields_are_asked_for_in_their_declared_order(mode: Any) -> None:
    """B047: whoever declares the reasoning first gets it first."""

    @frozen
    class Backwards:
        grade: Literal["C", "I"]
        reason: str

    for output, names in ((Grade, ["reason", "grade"]), (Backwards, ["grade", "reason"])):
        judge = ScriptedJudge([GOOD])
        settings = JudgeSettings(judge=judge, structured_output=mode)
        run_evals(data=[{"output": "x"}], scorers=[grader(settings, output)])
        schema: Any = judge.requests[0].schema
        assert list(schema["properties"]) == schema["required"] == names
        if mode != "native":
            text = "".join(message.text for message in judge.requests[0].messages)
            assert text.index(f'"{names[0]}"') < text.index(f'"{names[1]}"')


UNASKED: list[Any] = [
    {"result": True, "why": "It is right."},
    {},
    {"result": []},
    {"Reason": "r", "Grade": "C"},
    [GOOD, GOOD],
]


@pytest.mark.parametrize("reply", UNASKED, ids=str)
def test_an_object_with_other_keys_is_asked_again_once_and_then_kept_as_it_came(reply: Any) -> None:
    """B049, B054"""
    text = json.dumps(reply)
    outcome, judge = graded([text, text])
    failed = assert_no_score(outcome, JudgeAnswerInvalid)
    assert len(judge.requests) == 2
    assert isinstance(failed.error, JudgeError)
    assert failed.error.raw_text == text
    assert [each.raw_text for each in outcome.result.judge["generate_score"]] == [text, text]
    assert graded([text, GOOD])[0].score == 1.0


@pytest.mark.parametrize("reply", [{}, {"result": []}, "", "null"], ids=str)
def test_an_unusable_reply_touches_no_other_scorer_and_no_other_item(reply: Any) -> None:
    """B054"""
    judge = ScriptedJudge(lambda request: reply if "odd" in request.prompt else GOOD)
    made = [grader(judge), checks.includes("e"), checks.excludes("zzz")]
    result = run_evals(data=[{"output": one} for one in ("one", "odd one", "three")], scorers=made, concurrency=3)
    assert [item["graded"].score for item in result.items] == [1.0, None, 1.0]
    assert [item["check-includes"].score for item in result.items] == [1.0, 1.0, 1.0]
    assert [item["check-excludes"].score for item in result.items] == [1.0, 1.0, 1.0]
    assert result.summary.errors == {"graded": 1}


@pytest.mark.parametrize(
    "error",
    [
        lambda: JudgeError("the prompt is too long", status=400, retryable=False),
        lambda: JudgeError("context length exceeded", status=413, retryable=False),
    ],
)
def test_an_input_too_large_for_the_judge_is_told_at_once_and_is_no_score(error: Callable[[], JudgeError]) -> None:
    """B053"""

    def reply(request: JudgeRequest) -> Mapping[str, object] | BaseException:
        return error() if len(request.prompt) > 1_000_000 else GOOD

    judge = ScriptedJudge(reply)
    result = run_evals(data=[{"output": "x" * 2_000_000}, {"output": "x"}], scorers=[grader(judge)])
    assert [item["graded"].score for item in result.items] == [None, 1.0]
    assert result.items[0]["graded"].reason == str(error())
    assert len(judge.requests) == 2


def test_a_judge_without_structured_output_is_asked_once_with_the_schema_in_words() -> None:
    """B055: what a judge can do is declared on it, so no request is made that is bound to fail."""
    asked: list[JudgeRequest] = []

    async def judge(request: JudgeRequest) -> str:
        asked.append(request)
        return TEXT

    result = run_evals(data=[{"output": at} for at in range(3)], scorers=[grader(judge)])
    assert result.scores["graded"] == 1.0
    assert len(asked) == 3
    assert all('"required"' in request.prompt for request in asked)

    native = ScriptedJudge(lambda _: GOOD)
    run_evals(data=[{"output": "x"}], scorers=[grader(native)])
    assert native.requests[0].prompt == "Grade this: x"


# -- calls and their results -------------------------------------------------------------------------------------------

CALL = {"id": "c1", "name": "search", "args": {"q": "x"}}
SHAPES: dict[str, list[dict[str, Any]]] = {
    "on the call": [
        {"role": "assistant", "content": None, "tool_calls": [{**CALL, "result": "found", "state": "result"}]}
    ],
    "on the call without a state": [
        {"role": "assistant", "content": None, "tool_calls": [{**CALL, "result": "found"}]}
    ],
    "in a message": [
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
    ],
    "in a list of parts": [
        {"role": "assistant", "content": [], "tool_calls": [{**CALL, "state": "call"}]},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "found"}]},
    ],
    "after a word of the user": [
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "user", "content": "Are you still there?"},
        {"role": "assistant", "content": "One moment."},
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
    ],
    "after a word of the system": [
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "system", "content": "Be brief."},
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
    ],
}


@pytest.mark.parametrize("messages", SHAPES.values(), ids=SHAPES)
def test_a_result_is_found_wherever_a_record_holds_it(messages: list[dict[str, Any]]) -> None:
    """B072, B080"""
    for given in (messages, messages_from_json(messages)):
        (call,) = extract_tool_calls(given)
        assert (call.name, call.args, call.result, call.state, call.failed) == (
            "search",
            {"q": "x"},
            "found",
            "result",
            False,
        )
        (step,) = extract_trajectory(given).steps
        assert (step.tool_result, step.success) == ({"value": "found"}, True)
    result = run_evals(data=[{"output": messages}], scorers=[checks.called_tool("search"), checks.no_tool_errors()])
    assert [outcome.score for outcome in result.items[0].scores.values()] == [1.0, 1.0]


def test_a_record_in_a_providers_own_form_is_refused_rather_than_read_as_one_without_calls() -> None:
    """B072"""
    record = [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "function": {"name": "search", "arguments": "{}"}}],
        }
    ]
    failed = run_evals(data=[{"output": record}], scorers=[checks.used_no_tools()]).items[0]["check-used-no-tools"]
    assert isinstance(failed.error, UnreadableOutput)
    assert "extractor" in failed.reason


@frozen
class Custom:
    text: str = "hi"


@dataclass
class Data:
    text: str = "hi"


@pytest.mark.parametrize(
    "made", [checks.includes("hi"), checks.no_tool_errors(), scorer(id="own", type="agent")(lambda run: 1.0)]
)
def test_scorers_of_agents_take_a_text_and_say_of_what_else_they_cannot_read_how_to_map_it(made: Any) -> None:
    """B074"""
    assert made.run_sync(output="hi").score == 1.0
    assert made.run_sync(input="hello", output=Message("assistant", "hi")).score == 1.0
    assert made.run_sync(output={"role": "assistant", "content": "hi"}).score == 1.0
    for output in ({"text": "hi"}, Custom(), Data(), 7, None, b"hi", [1], [{"text": "hi"}]):
        failed = run_evals(data=[{"output": output}], scorers=[made]).items[0][made.id]
        assert isinstance(failed, Failed)
        assert isinstance(failed.error, UnreadableOutput)
        assert type(output).__name__ in failed.reason or str(output) in failed.reason
    mapped = run_evals(data=[{"output": {"text": "hi"}}], scorers=[made], reply={"output": "text"})
    assert mapped.scores[made.id] == 1.0


EXPECTED = TrajectoryExpectation(steps=["look", "book"])


def follows() -> Any:
    """1 for a path of exactly the expected names."""

    def score(run: ScorerRun[Any, Trajectory]) -> float:
        expected = run.expected_trajectory
        assert expected is not None
        assert expected.steps is not None
        return float([step.name for step in run.output.steps] == [step.name for step in expected.steps])

    return scorer(id="follows", type="trajectory", needs=["expected_trajectory"])(score)


def calls(*names: str) -> list[Message]:
    return [
        Message(
            "assistant", None, tool_calls=[ToolCall(name, {}, f"c{at}", result="done") for at, name in enumerate(names)]
        )
    ]


@pytest.mark.parametrize(
    "expected",
    [
        EXPECTED,
        {"steps": ["look", "book"]},
        {"steps": [{"name": "look"}, ExpectedStep(name="book", step_type="tool_call")]},
    ],
)
@pytest.mark.parametrize("recorded", [True, False])
def test_what_an_item_expects_of_the_path_reaches_the_scorer(expected: Any, recorded: bool) -> None:
    """B076"""
    for names, score in ((("look", "book"), 1.0), (("book", "look"), 0.0)):
        item: dict[str, Any] = {"input": "Book a seat.", "expected_trajectory": expected}
        target = None
        if recorded:
            item["output"] = calls(*names)
        else:
            target = lambda _, names=names: calls(*names)  # noqa: E731
        assert run_evals(data=[item], target=target, scorers=[follows()]).items[0]["follows"].score == score
        assert follows().run_sync(output=calls(*names), expected_trajectory=expected).score == score


def test_an_item_without_the_expectation_that_a_scorer_needs_is_an_error_and_not_a_0() -> None:
    """B076"""
    called: list[object] = []
    data = [EvalItem(input=1, expected_trajectory=EXPECTED), EvalItem(input=2)]
    with pytest.raises(ConfigurationError, match="expected_trajectory"):
        run_evals(data=data, target=called.append, scorers=[follows()])
    assert called == []
    result = run_evals(data=iter(data), target=lambda _: calls("look", "book"), scorers=[follows()])
    assert [item["follows"].score for item in result.items] == [1.0, None]
    assert result.aggregates["scorers"]["follows"].n_failed == 1


@pytest.mark.parametrize("names", [("a", "b", "c"), ("a", "a", "a"), ("b", "a", "b")])
@pytest.mark.parametrize("with_ids", [True, False])
def test_all_calls_of_one_message_are_kept_in_order(names: tuple[str, ...], with_ids: bool) -> None:
    """B078"""
    made = [ToolCall(name, {"at": at}, f"c{at}" if with_ids else None, result=at) for at, name in enumerate(names)]
    output = [Message("assistant", "Three at once.", tool_calls=made)]
    found = extract_tool_calls(output)
    assert [(call.name, call.result, call.call_index) for call in found] == [
        (each, at, at) for at, each in enumerate(names)
    ]
    assert [step.name for step in extract_trajectory(output).steps] == list(names)
    assert checks.tool_order(names).run_sync(output=output).score == 1.0
    assert checks.max_tool_calls(2).run_sync(output=output).score == 0.0


@pytest.mark.parametrize(
    ("content", "result"),
    [
        (["one", "two"], "one\ntwo"),
        (["one", {"type": "text", "text": "two"}, "three"], "one\ntwo\nthree"),
        (
            ["one", {"type": "json", "json": {"price": 7}}, "three"],
            ["one", {"type": "file", "json": {"price": 7}}, "three"],
        ),
        (
            [{"type": "image_url", "image_url": "https://example.com/a.png"}, "one"],
            [{"type": "image", "image_url": "https://example.com/a.png"}, "one"],
        ),
    ],
)
def test_all_blocks_of_a_result_are_kept_in_order(content: list[Any], result: Any) -> None:
    """B081"""
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": content},
    ]
    (call,) = extract_tool_calls(messages)
    assert told(call.result) == told(result)


def told(result: Any) -> Any:
    """A result without the words for the kinds of its blocks, which records spell in many ways."""
    if not isinstance(result, list):
        return result
    return [{key: one[key] for key in one if key != "type"} if isinstance(one, dict) else one for one in result]


FAILURES: dict[str, list[dict[str, Any]]] = {
    "flagged message": [
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "no such city", "is_error": True},
    ],
    "error beside a result": [
        {"role": "assistant", "content": None, "tool_calls": [{**CALL, "result": "x", "error": "no such city"}]}
    ],
    "error alone": [{"role": "assistant", "content": None, "tool_calls": [{**CALL, "error": "no such city"}]}],
    "raised": [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{**CALL, "error": "no such city", "state": "output-error"}],
        }
    ],
    "error in the result": [
        {"role": "assistant", "content": None, "tool_calls": [{**CALL, "result": {"error": "no such city"}}]}
    ],
}


@pytest.mark.parametrize("messages", FAILURES.values(), ids=FAILURES)
def test_a_call_that_failed_stays_a_failed_one(messages: list[dict[str, Any]]) -> None:
    """B083"""
    (call,) = extract_tool_calls(messages)
    (step,) = extract_trajectory(messages).steps
    assert (call.failed, step.success) == (True, False)
    assert "no such city" in f"{call.error} {call.result}"
    checked = checks.no_tool_errors().run_sync(output=messages)
    assert checked.score == 0.0
    assert checked.reason is not None
    assert "no such city" in checked.reason


def test_a_scorer_of_the_path_sees_every_step_with_its_arguments_and_result() -> None:
    """B084: what the second call uses is there to be seen in the result of the first."""

    @scorer(type="trajectory")
    def grounded(run: ScorerRun[Any, Trajectory]) -> float:
        first, second = run.output.steps
        assert second.tool_args is not None
        return float(first.tool_result == {"id": second.tool_args["id"]})

    first = Message("assistant", None, tool_calls=[ToolCall("find", {}, "a", result={"id": 42})])
    second = Message("assistant", None, tool_calls=[ToolCall("open", {"id": 42}, "b", result="ok")])
    assert run_evals(data=[{"output": [first, second]}], scorers=[grounded]).scores["grounded"] == 1.0


@dataclass
class Unhashable:
    """A value that can be compared and not hashed."""

    value: object


NESTED = [{"filter": {"tags": ["a", "b"]}}, {"a": [{"b": {}}]}, {"x": {1, 2}}, [["a"]], Unhashable({"a": [1]})]


@pytest.mark.parametrize("value", NESTED, ids=lambda value: type(value).__name__)
def test_arguments_and_results_that_cannot_be_hashed_are_like_any_other(value: Any) -> None:
    """B086, B087"""
    call = ToolCall("search", value, "c1", result=value)
    again = ToolCall("search", value, "c1", result=value)
    output = [Message("assistant", "Done.", tool_calls=[call, again, ToolCall("look", value, "c2", result=value)])]
    assert call == again
    assert [found.name for found in extract_tool_calls(output)] == ["search", "look"]
    scorers = [
        checks.called_tool("search"),
        checks.did_not_call("open"),
        checks.tool_order(["search", "look"]),
        checks.max_tool_calls(2),
        checks.no_tool_errors(),
    ]
    for options in ({"recorded": True}, {"recorded": False}):
        item = {"output": output} if options["recorded"] else {"input": {"query": value}}
        target = None if options["recorded"] else lambda _: output
        result = run_evals(data=[item], target=target, scorers=scorers)
        assert [outcome.score for outcome in result.items[0].scores.values()] == [1.0] * 5
        assert len(result.items[0].id) > 0


@pytest.mark.parametrize(
    ("order", "called", "score"),
    [
        (["lookup", "lookup"], ["lookup", "lookup"], 1.0),
        (["lookup", "lookup"], ["lookup"], 0.0),
        (["lookup", "lookup"], ["lookup", "open", "lookup"], 1.0),
        (["lookup", "open", "lookup"], ["lookup", "open"], 0.0),
        (["lookup", "lookup", "open"], ["lookup", "open", "lookup"], 0.0),
    ],
)
def test_each_call_answers_one_expectation_at_most(order: list[str], called: list[str], score: float) -> None:
    """B089"""
    assert checks.tool_order(order).run_sync(output=calls(*called)).score == score
    times = checks.called_tool("lookup", times=order.count("lookup")).run_sync(output=calls(*called))
    assert times.score == float(called.count("lookup") >= order.count("lookup"))


def test_a_turn_of_several_steps_is_scored_once() -> None:
    """B098"""
    seen: list[object] = []

    @scorer(type="agent")
    def counted(run: ScorerRun[Any, Any]) -> Scored:
        seen.append(run.output)
        return Scored(1.0)

    output: list[Message] = [
        *(
            Message("assistant", f"Step {at}.", tool_calls=[ToolCall("look", {}, f"c{at}", result=at)])
            for at in range(3)
        ),
        Message("assistant", "Done."),
    ]
    completed: list[object] = []
    result: EvalResult = run_evals(
        data=[{"input": "Look three times."}],
        target=lambda _: output,
        scorers=[counted, checks.includes("done")],
        on_item_complete=lambda item, given, scored: completed.append(scored),
    )
    assert (len(seen), len(completed)) == (1, 1)
    assert [outcome.score for outcome in result.items[0].scores.values()] == [1.0, 1.0]
    assert [found.n_scored for found in result.aggregates["scorers"].values()] == [1, 1]


NOT_YET_OF_JUDGES = (
    ("B050", "Nothing weighs a score by the probability of its tokens: a score is the field that the judge wrote."),
    ("B051", "A judge is asked for one reply: several samples of one question come with answer relevancy."),
    (
        "B056",
        "A prompt is what a function of the context gives: no template has variables of other names.",
    ),
)
NOT_YET_OF_TRAJECTORIES = (
    (
        "B091",
        "Trajectories are read from messages and from results of workflows: trace spans come with their extractors.",
    ),
    (
        "B093",
        "Arguments arrive parsed, or as the text that did not parse: extractors, which read that text, come later.",
    ),
    ("B095", "Nothing compares lists of structures yet: the scorers of trajectories come with their own package."),
    (
        "B096",
        "Nothing compares a path with the expected one yet: the reasons for what differs come with the same scorers.",
    ),
)
"""Entries that cannot occur, or that are of what is still to come."""


@needs_reference
def test_every_entry_of_both_sections_has_tests_or_a_sentence() -> None:
    sentences = (*NOT_YET_OF_JUDGES, *NOT_YET_OF_TRAJECTORIES)
    assert unaccounted(["Judge reply", "Trajectory"], globals(), sentences) == []
