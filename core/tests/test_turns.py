"""Several turns of one conversation: scored as a whole, or each on its own."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from steelyard import (
    ConfigurationError,
    EvalItem,
    EvalResult,
    Message,
    PipelineScorer,
    ScorerRun,
    TargetCall,
    TargetResult,
    Threshold,
    Turn,
    create_scorer,
    run_evals,
    scorer,
)
from steelyard.testing import assistant_message


@scorer
def there(run: ScorerRun[Any, Any]) -> float:
    return 1.0


def noting(seen: list[ScorerRun[Any, Any]], id: str = "note", **more: Any) -> PipelineScorer[Any, Any, Any, Any]:
    def step(ctx: Any) -> float:
        seen.append(ctx.run)
        return 1.0

    return create_scorer(id, "d", **more).generate_score(step)


def number(id: str = "number") -> PipelineScorer[Any, Any, Any, Any]:
    return create_scorer(id, "d").generate_score(lambda ctx: ctx.run.output)


def same(given: object) -> object:
    return given


# -- inputs ------------------------------------------------------------------------------------------------------------


def test_inputs_are_sent_in_order_on_one_thread_with_the_history_so_far() -> None:
    seen: list[tuple[str, TargetCall]] = []

    async def target(given: str, call: TargetCall) -> str:
        seen.append((given, call))
        await asyncio.sleep(0)
        return given.upper()

    run_evals(data=[{"inputs": ["a", "b", "c"]}, {"inputs": ["d"]}], target=target, scorers=[there], concurrency=2)
    first = [call for given, call in seen if given in "abc"]
    assert [call.turn_index for call in first] == [0, 1, 2]
    assert [[message.text for message in call.history] for call in first] == [[], ["a", "A"], ["a", "A", "b", "B"]]
    assert [message.role for message in first[2].history] == ["user", "assistant", "user", "assistant"]
    assert len({call.thread_id for call in first}) == len({call.resource_id for call in first}) == 1
    assert len({call.thread_id for _, call in seen}) == 2


def test_the_history_holds_the_messages_of_a_turn_where_the_target_tells_them() -> None:
    seen: list[tuple[Message, ...]] = []

    def target(given: str, call: TargetCall) -> TargetResult:
        seen.append(call.history)
        return TargetResult({"odd": 1}, messages=[assistant_message("one"), assistant_message("two")])

    run_evals(data=[{"inputs": ["a", "b"]}], target=target, scorers=[there])
    assert [message.text for message in seen[1]] == ["a", "one", "two"]


def test_a_turn_that_cannot_be_read_as_messages_leaves_a_gap_and_costs_nothing() -> None:
    seen: list[tuple[Message, ...]] = []

    def target(given: object, call: TargetCall) -> object:
        seen.append(call.history)
        return {"odd": 1}

    result = run_evals(data=[{"inputs": ["a", object(), "c"]}], target=target, scorers=[there])
    assert result.scores["there"] == 1.0
    assert [message.text for message in seen[2]] == ["a"]


def test_agent_scorers_see_the_output_of_all_turns_and_the_first_turn_as_input() -> None:
    seen: list[ScorerRun[Any, Any]] = []
    run_evals(data=[{"inputs": ["a", "b"]}], target=str.upper, scorers=[noting(seen, type="agent")])
    [run] = seen
    assert run.input.text == "a"
    assert [message.text for message in run.output] == ["A", "B"]


def test_untyped_scorers_see_the_first_input_and_a_tuple_of_all_turns_outputs() -> None:
    seen: list[ScorerRun[Any, Any]] = []
    run_evals(
        data=[{"inputs": ["a", "b"]}, {"turns": [{"input": "c"}, {"input": "d"}]}], target=same, scorers=[noting(seen)]
    )
    assert [(run.input, run.output) for run in seen] == [("a", ("a", "b")), ("c", ("c", "d"))]


def test_one_turn_alone_is_a_tuple_too_where_turns_were_given() -> None:
    seen: list[ScorerRun[Any, Any]] = []
    run_evals(
        data=[{"inputs": ["a"]}, {"turns": [{"input": "b"}]}, {"input": "c"}], target=same, scorers=[noting(seen)]
    )
    assert [run.output for run in seen] == [("a",), ("b",), "c"]


def test_a_recorded_output_may_stand_beside_inputs() -> None:
    seen: list[ScorerRun[Any, Any]] = []
    run_evals(data=[{"inputs": ["a", "b"], "output": "recorded"}], scorers=[noting(seen, type="agent")])
    assert (seen[0].input.text, seen[0].output.text) == ("a", "recorded")


def test_a_list_of_texts_as_input_is_several_user_messages_of_one_turn() -> None:
    seen: list[ScorerRun[Any, Any]] = []
    given: list[object] = []

    def target(asked: object) -> str:
        given.append(asked)
        return "a"

    run_evals(data=[{"input": ["one", "two"]}], target=target, scorers=[noting(seen, type="agent")])
    assert given == [["one", "two"]]
    assert [(message.role, message.text) for message in seen[0].input.input_messages] == [
        ("user", "one"),
        ("user", "two"),
    ]


def test_a_turn_that_fails_ends_the_conversation_and_costs_the_item() -> None:
    calls: list[str] = []

    def target(given: str) -> str:
        calls.append(given)
        if given == "b":
            raise ValueError("no")
        return given

    result = run_evals(data=[{"inputs": ["a", "b", "c"]}], target=target, scorers=[there])
    assert calls == ["a", "b"]
    assert (result.summary.target_errors, result.scores["there"]) == (1, None)


# -- turns -------------------------------------------------------------------------------------------------------------


def conversation(*turns: Turn, **more: Any) -> EvalResult:
    return run_evals(data=[EvalItem(turns=turns)], target=same, **more)


def test_each_turn_is_judged_on_its_own_input_and_output_only() -> None:
    first: list[ScorerRun[Any, Any]] = []
    second: list[ScorerRun[Any, Any]] = []
    whole: list[ScorerRun[Any, Any]] = []
    conversation(
        Turn(input="a", scorers=[noting(first, type="agent")], gates=[noting(first)]),
        Turn(input="b", scorers=[noting(second)]),
        scorers=[noting(whole, type="agent")],
    )
    assert [run.input if isinstance(run.input, str) else run.input.text for run in first] == ["a", "a"]
    assert (second[0].input, second[0].output) == ("b", "b")
    assert (whole[0].input.text, [message.text for message in whole[0].output]) == ("a", ["a", "b"])


def test_results_of_turns_are_by_turn_index_and_folded_into_the_verdict() -> None:
    result = conversation(
        Turn(input=1.0, gates=[number()]),
        Turn(input=0.5, gates=[number()], scorers=[Threshold(number("other"), 0.9)]),
    )
    first, second = result.turn_results
    assert (first.index, second.index) == (0, 1)
    assert [(gate.key, gate.scope, gate.passed) for gate in first.gate_results] == [("number", "0", True)]
    assert [(gate.key, gate.scope, gate.passed) for gate in second.gate_results] == [("number", "1", False)]
    assert [(bound.key, bound.passed, bound.average_score) for bound in second.threshold_results] == [
        ("other", False, 0.5)
    ]
    assert (dict(first.scores), dict(second.scores)) == ({}, {"other": 0.5})
    assert result.gate_results == ()
    assert result.verdict == "failed"


@pytest.mark.parametrize(
    ("turn", "verdict"),
    [
        (Turn(input=1.0, gates=[number()]), "passed"),
        (Turn(input=0.5, gates=[number()]), "failed"),
        (Turn(input=0.5, scorers=[Threshold(number(), 0.9)]), "scored"),
        (Turn(input=0.5, scorers=[number()]), None),
    ],
)
def test_a_turn_alone_can_decide_the_verdict(turn: Turn, verdict: str | None) -> None:
    assert conversation(turn).verdict == verdict


def test_outcomes_of_a_turn_stand_with_its_item() -> None:
    [item] = conversation(
        Turn(input=0.25, gates=[number()]), Turn(input=0.75, scorers=[number()]), scorers=[there]
    ).items
    first, second = item.turns
    assert (first.index, first.input, first.output, first.gates["number"].score) == (0, 0.25, 0.25, 0.25)
    assert (second.index, second.scores["number"].score) == (1, 0.75)
    assert (item.status, item["there"].score) == ("failed", 1.0)


def test_items_with_more_turns_than_others_count_where_they_have_them() -> None:
    data = [
        EvalItem(turns=[Turn(input=0.2, scorers=[number()]), Turn(input=0.4, scorers=[number()])]),
        EvalItem(turns=[Turn(input=0.6, scorers=[number()])]),
        EvalItem(turns=[Turn(input=0.0), Turn(input=0.0), Turn(input=0.9, scorers=[number()])]),
    ]
    turns = run_evals(data=data, target=same, scorers=[there]).turn_results
    assert [dict(turn.scores) for turn in turns] == [
        {"number": pytest.approx(0.4)},
        {"number": 0.4},
        {"number": 0.9},
    ]


def test_failures_of_turns_are_counted_in_the_summary_and_those_of_the_target_fail_their_gates() -> None:
    failing = create_scorer("failing", "d").generate_score(lambda ctx: 1 / 0)
    result = conversation(Turn(input="a", scorers=[failing]), Turn(input="b", gates=[failing]), scorers=[there])
    assert result.summary.errors == {"failing": 2}
    broken = run_evals(
        data=[EvalItem(turns=[Turn(input="a", gates=[there])])], target=lambda given: 1 / 0, scorers=[there]
    )
    assert (broken.turn_results[0].gate_results[0].passed, broken.verdict) == (False, "failed")
    assert broken.items[0].turns == ()


def test_a_turn_of_a_stream_is_checked_when_it_comes() -> None:
    stream = iter(
        [
            EvalItem(turns=[Turn(input="a", gates=[there])]),
            EvalItem(turns=[Turn(input="a", gates=[3])]),
            EvalItem(turns=[Turn(input="a", gates=[there])]),
        ]
    )
    result = run_evals(data=stream, target=same, scorers=[there])
    assert [type(item.error) for item in result.items] == [type(None), ConfigurationError, type(None)]
    assert result.turn_results[0].gate_results[0].n_scored == 2


def test_a_turns_own_scorers_are_checked_before_any_call() -> None:
    calls: list[object] = []
    for turn in (Turn(input="q", gates=[3]), Turn(input="q", scorers=[create_scorer("s", "d")])):
        with pytest.raises(ConfigurationError, match="Item 0"):
            run_evals(data=[EvalItem(turns=[turn])], target=calls.append, scorers=[there])
    assert calls == []
