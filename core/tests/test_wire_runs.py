"""Results of real evaluations of every shape are saved and loaded again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from attrs import evolve, frozen
from jsonschema import Draft202012Validator

from steelyard import (
    AgentScorers,
    EvalItem,
    EvalResult,
    Failed,
    JudgeAnswerInvalid,
    JudgeReply,
    Message,
    NotScorable,
    PassRate,
    PromptStep,
    Scale,
    Scored,
    ShareOfItems,
    TargetResult,
    Threshold,
    ToolCall,
    Turn,
    Usage,
    Verdict,
    WorkflowScorers,
    create_scorer,
    not_scorable,
    run_evals,
    scorer,
)
from steelyard._model.outcome import describe
from steelyard._wire.failures import RecordedError
from steelyard._wire.foreign import Foreign
from steelyard._wire.results import result_from_json, result_schema, result_to_json
from steelyard._wire.text import dumps, loads
from steelyard.testing import ScriptedJudge

SCHEMA = Draft202012Validator(result_schema())


def reloaded(result: EvalResult) -> EvalResult:
    """The result after it was saved and loaded; what was saved is valid, encodes, and is saved again alike."""
    data = result_to_json(result)
    assert [f"{fault.json_path}: {fault.message:.200}" for fault in SCHEMA.iter_errors(data)] == []
    read = result_from_json(loads(dumps(data).encode("utf-8").decode("utf-8")))
    assert result_to_json(read) == data
    assert [(item.id, item.status) for item in read.items] == [(item.id, item.status) for item in result.items]
    assert evolve(read, items=()) == evolve(result, items=())
    return read


@scorer(id="length", scale=Scale(0, 10, "lower"))
def length(run: Any) -> float:
    return min(10, len(str(run.output)))


@scorer(id="polite")
def polite(run: Any) -> Scored:
    kind = "warm" if "please" in str(run.output) else "cold"
    return Scored(kind == "warm", f"it is {kind}", label=kind, parts={"tone": 1 / 3})


@scorer(id="named", type="agent")
def named(run: Any) -> float | NotScorable:
    return 1.0 if run.output.text else not_scorable("there is no text")


@scorer(id="broken")
def broken(run: Any) -> float:
    raise KeyError("nothing")


def test_a_plain_result_comes_back_equal() -> None:
    result = run_evals(
        data=[
            {"input": "a", "metadata": {"lang": "de"}, "id": "one"},
            {"input": ["b", "please"], "metadata": {"lang": "fr"}, "ground_truth": {"x": [1.5, None]}},
            EvalItem(input="c, please", context=["c"], expected_trajectory={"steps": ["a"]}),  # type: ignore[arg-type]
        ],
        target=lambda given: f"{given}!",
        scorers=[Threshold(polite, 0.1, pass_at=0.5), Threshold(polite, part="tone", max=0.5), PassRate(length, 0.9)],
        gates=[named, ShareOfItems(polite, 0.2)],
        group_by=["metadata.lang"],
    )
    read = reloaded(result)
    assert read == result
    assert read.scores["polite/tone"] == result.scores["polite/tone"]
    assert read.aggregates["scorers"]["polite"].slices["metadata.lang=de"].labels == {"cold": 1}
    assert read.items[0]["polite"].result == result.items[0]["polite"].result


def test_recorded_outputs_come_back_equal_and_null_is_one() -> None:
    data: list[dict[str, Any]] = [
        {"output": "a, please"},
        {"input": "b", "output": None},
        {"inputs": ["c", "d"], "output": [Message("user", "e")]},
    ]
    result = run_evals(data=data, scorers=[polite])
    read = reloaded(result)
    assert read == result
    assert [item.item.output for item in read.items] == [given["output"] for given in data]


def test_an_agents_result_comes_back_equal_by_group() -> None:
    call = ToolCall("find", {"q": "x"}, "1", result=[1, 2])
    result = run_evals(
        data=[{"input": "a"}, {"inputs": ["a", "b"]}],
        target=lambda given: [Message("assistant", None, tool_calls=[call]), Message("assistant", f"{given}, please")],
        scorers=AgentScorers(
            agent=[named, Threshold(polite, 0.5)],
            trajectory=[scorer(id="steps", type="trajectory", scale=Scale(0, 9))(lambda run: len(run.output.steps))],
        ),
    )
    read = reloaded(result)
    assert read == result
    assert read.scores["agent"]["polite"] == 1.0
    assert read.items[1].scores["trajectory"]["steps"].score == 2


def test_turns_come_back_equal() -> None:
    result = run_evals(
        data=[
            {"turns": [Turn(input="a"), Turn(input="please")]},
            {"turns": [{"input": "b"}, {"input": "c"}, {"input": {"d": (1, 2)}}]},
        ],
        target=lambda given: str(given),
        scorers=[polite],
    )
    read = reloaded(result)
    assert read == result
    with_scorers = run_evals(
        data=[{"turns": [Turn(input="a", gates=[named], scorers=[Threshold(polite, 0.5)])]}],
        target=lambda given: str(given),
        gates=[named],
    )
    again = reloaded(with_scorers)
    assert again.turn_results == with_scorers.turn_results
    assert again.items[0].turns == with_scorers.items[0].turns
    assert again.items[0].item.turns[0].scorers == ("polite",)


def test_steps_of_workflows_come_back_equal() -> None:
    def workflow(given: str) -> TargetResult:
        return TargetResult(
            f"{given}, please",
            step_results={
                "fetch/all": {"output": given, "started_at": 0, "ended_at": 5},
                "write": {"status": "failed"},
            },
            usage=Usage(input_tokens=0, output_tokens=3),
            cost=0.25,
            metadata={"at": datetime(2024, 1, 1, tzinfo=UTC)},
        )

    result = run_evals(
        data=[{"input": "a"}, {"input": "b"}],
        target=workflow,
        scorers=WorkflowScorers(workflow=[polite], steps={"fetch/all": [length], "other": [named]}),
    )
    read = reloaded(result)
    assert read == result
    assert read.scores["steps"]["fetch/all"]["length"] == 1
    assert isinstance(read.items[0].scores["steps"]["other"]["named"], NotScorable)
    assert read.items[0].usage == Usage(input_tokens=0, output_tokens=3)
    assert read.summary.target_cost == 0.5


def test_failures_of_targets_scorers_and_data_come_back_in_the_same_words() -> None:
    class Acme(Exception):
        pass

    def target(given: object) -> object:
        if given == "bad":
            raise Acme("the agent is down")
        return given

    data: list[Any] = [{"input": "bad"}, {"input": "fine, please"}, None, {"inpt": 1}, {"input": {"no": "messages"}}]
    result = run_evals(data=iter(data), target=target, scorers=[polite, broken], gates=[named])
    assert result.verdict is Verdict.FAILED
    read = reloaded(result)
    for loaded, item in zip(read.items, result.items, strict=True):
        assert (loaded.error is None) == (item.error is None)
        if item.error is not None:
            assert describe(loaded.error) == describe(item.error)  # type: ignore[arg-type]
        for key, outcome in item.scores.items():
            assert loaded.scores[key].reason == outcome.reason
    assert read.items[0].error == result.items[0].error
    assert isinstance(read.items[0].error, RecordedError)
    assert read.items[2].item is None
    assert read.items[3].item == {"inpt": 1}
    loaded_gate, gate = read.items[4].gates["named"], result.items[4].gates["named"]
    assert isinstance(loaded_gate, Failed)
    assert isinstance(gate, Failed)
    assert loaded_gate == gate


@frozen
class Answer:
    reason: str
    good: bool


def judged(judge: ScriptedJudge) -> EvalResult:
    built = create_scorer("judged", "asks", judge=judge)
    asked = built.analyze(
        PromptStep(description="ask", output=Answer, prompt=lambda ctx: f"Is it good? {ctx.run.output}")
    )
    scored = asked.generate_score(lambda ctx: float(ctx.analyze_result.good))
    return run_evals(data=[{"output": "a"}], scorers=[Threshold(scored, 0.5)])


def test_what_a_judge_was_asked_and_answered_comes_back_and_its_answer_as_fields() -> None:
    usage = Usage(input_tokens=7, output_tokens=0)
    reply = JudgeReply(text='{"reason": "é", "good": true}', usage=usage, model="m", cost=0.5, finish_reason="stop")
    result = judged(ScriptedJudge(["not JSON", reply]))
    read = reloaded(result)
    first, second = read.items[0]["judged"].result.judge["analyze"]
    assert isinstance(first.error, JudgeAnswerInvalid)
    assert first.error.raw_text == "not JSON"
    assert (second.usage, second.cost, second.model) == (usage, 0.5, "m")
    assert second.output == Foreign(f"{__name__}.Answer", fields={"reason": "é", "good": True})
    assert read.summary.judge_usage == usage


def test_a_judge_that_failed_comes_back_as_the_failure_it_was() -> None:
    read = reloaded(judged(ScriptedJudge(["no", "no again"])))
    outcome = read.items[0]["judged"]
    assert isinstance(outcome, Failed)
    assert type(outcome.error) is JudgeAnswerInvalid
    assert outcome.result is not None
    assert [each.status for each in outcome.result.judge["analyze"]] == ["failed", "failed"]


def test_a_result_without_items_and_one_that_was_interrupted_come_back_equal() -> None:
    flat = run_evals(data=[{"output": "a"}], scorers=[polite], keep_items=False)
    assert reloaded(flat) == flat
    ended = evolve(flat, interrupted=True, interruption="Ctrl-C", verdict=None)
    assert reloaded(ended) == ended


# -- entries of the bug log -----------------------------------------------------------------------------------------


def test_labels_are_saved_beside_the_numbers_and_never_in_their_place() -> None:
    """B014: an average crashed on labels, and the scores of the run were lost."""
    grades = iter(["C", "I", "P", "N"])

    @scorer(id="graded")
    def graded(run: Any) -> Scored:
        return Scored(0.5, label=next(grades))

    result = run_evals(data=[{"output": n} for n in range(4)], scorers=[graded])
    read = reloaded(result)
    assert read == result
    assert [item["graded"].label for item in read.items] == ["C", "I", "P", "N"]
    assert read.aggregates["scorers"]["graded"].labels == {"C": 1, "I": 1, "P": 1, "N": 1}


@pytest.mark.parametrize("parts", [[{"a": 1.0}, {"a": 1.0, "b": 0.0}], [{"a": 1.0, "b": 0.0}, {"a": 1.0}]])
def test_parts_of_differing_shape_are_saved_in_either_order(parts: Sequence[dict[str, float]]) -> None:
    """B020: repeats whose scores had different keys could not be put together."""
    given = iter(parts)
    result = run_evals(
        data=[{"output": 1}, {"output": 2}], scorers=[scorer(id="s")(lambda run: Scored(1, parts=next(given)))]
    )
    read = reloaded(result)
    assert read == result
    assert read.scores["s/b"] == 0.0
    assert read.aggregates["scorers"]["s"].parts["b"].n == 1


def test_half_a_character_in_an_output_is_saved() -> None:
    """B176: a lone surrogate crashed the writing of a log."""
    result = run_evals(
        data=[{"input": "ok \ud83d end"}], target=lambda given: Message("assistant", given), scorers=[named]
    )
    assert reloaded(result).items[0].output == Message("assistant", "ok \ud83d end")


class Model:
    """Has the shape of a pydantic model."""

    def __init__(self, **fields: object) -> None:
        self._fields = fields

    def model_dump(self) -> dict[str, object]:
        return self._fields


@dataclass
class Order:
    number: int
    at: datetime


def test_values_of_users_are_saved_whatever_they_are() -> None:
    """B184: a report with pydantic inputs, dataclass outputs, dates, sets and bytes could not be saved and loaded."""
    now = datetime(2024, 5, 1, 12, tzinfo=UTC)
    result = run_evals(
        data=[{"input": Model(name="n", tags={"a", "b"}), "metadata": {"raw": b"\xff", "limit": math.inf, 3: "x"}}],
        target=lambda given: Order(1, now),
        scorers=[length],
    )
    read = reloaded(result).items[0]
    assert read.item.input == Foreign(f"{__name__}.Model", fields={"name": "n", "tags": {"a", "b"}})
    assert read.item.metadata == {"raw": b"\xff", "limit": math.inf, 3: "x"}
    assert read.output == Foreign(f"{__name__}.Order", fields={"number": 1, "at": now})


def test_unknown_costs_stay_unknown_beside_tokens_that_are_summed() -> None:
    """B199: a judge without prices, called twice, raised."""
    usage = Usage(input_tokens=2, cached_input_tokens=0, cache_creation_tokens=0, output_tokens=1)
    reply = JudgeReply(text='{"reason": "r", "good": false}', usage=usage)
    read = reloaded(judged(ScriptedJudge([JudgeReply(text="{}", usage=usage), reply])))
    assert read.summary.judge_cost is None
    assert read.summary.judge_calls_without_cost == 2
    assert read.summary.judge_usage is not None
    assert read.summary.judge_usage.total_tokens == 6
