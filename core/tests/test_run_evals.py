"""An evaluation runs a target over data, scores what came out, and refuses early what cannot work."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable
from typing import Any

import pytest

from steelyard import (
    AgentScorers,
    BadItem,
    ConfigurationError,
    EvalItem,
    EvalResult,
    ItemResult,
    Lifecycle,
    PipelineScorer,
    PromptStep,
    RunInfo,
    Scored,
    ScorerRun,
    Threshold,
    ToolCall,
    Turn,
    Usage,
    arun_evals,
    create_scorer,
    not_scorable,
    run_evals,
    scorer,
    stream_evals,
)
from steelyard.testing import ScriptedJudge, agent_output

Scorer = PipelineScorer[Any, Any, Any, Any]


@scorer
def there(run: ScorerRun[Any, Any]) -> float:
    return 1.0


@scorer
def value(run: ScorerRun[Any, Any]) -> Any:
    return run.output


def outputs(*values: object) -> list[dict[str, object]]:
    return [{"output": value} for value in values]


# -- the doors ---------------------------------------------------------------------------------------------------------


def test_the_three_doors_give_the_same_result() -> None:
    options: dict[str, Any] = {"data": outputs(0.25, 0.75), "scorers": [Threshold(value, 0.5)]}

    async def streamed() -> EvalResult:
        stream = stream_evals(**options)
        async for _ in stream:
            pass
        return stream.result()

    results = [run_evals(**options), asyncio.run(arun_evals(**options)), asyncio.run(streamed())]
    for result in results:
        assert (result.verdict, result.scores["value"]) == ("passed", 0.5)
        assert [item.output for item in result.items] == [0.25, 0.75]


def test_called_from_a_running_loop_the_sync_form_works_in_a_private_loop_on_its_own_thread() -> None:
    async def target(given: str) -> str:
        await asyncio.sleep(0)
        loops.append(asyncio.get_running_loop())
        return given

    async def notebook() -> EvalResult:
        loops.append(asyncio.get_running_loop())
        return run_evals(data=[{"input": "q"}], target=target, scorers=[there])

    loops: list[asyncio.AbstractEventLoop] = []
    result = asyncio.run(notebook())
    assert result.scores["there"] == 1.0
    outer, inner = loops
    assert outer is not inner
    assert inner.is_closed()


def test_what_the_sync_form_raises_from_a_running_loop_reaches_the_caller() -> None:
    async def notebook() -> None:
        run_evals(data=[{"input": "q"}], target=lambda given: 1 / 0, scorers=[there], on_error="raise")

    with pytest.raises(ZeroDivisionError):
        asyncio.run(notebook())


def test_two_evaluations_at_once_do_not_disturb_each_other() -> None:
    async def target(given: float) -> float:
        await asyncio.sleep(0)
        return given

    async def both() -> list[EvalResult]:
        return await asyncio.gather(
            *(
                arun_evals(data=[{"input": given}] * 5, target=target, scorers=[value], concurrency=2)
                for given in (0.25, 0.75)
            )
        )

    assert [result.scores["value"] for result in asyncio.run(both())] == [0.25, 0.75]


# -- refused before any call -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"data": []}, "no data"),
        ({"data": ()}, "no data"),
        ({"data": None}, "data="),
        ({"data": "q"}, "data="),
        ({"data": {"input": "q"}}, "data="),
        ({"data": 3}, "data="),
        ({"scorers": []}, "nothing to measure"),
        ({"scorers": "there"}, "scorers"),
        ({"scorers": {"a": there}}, "scorers"),
        ({"scorers": there}, "scorers"),
        ({"scorers": [3]}, "Expected a scorer"),
        ({"scorers": [None]}, "Expected a scorer"),
        ({"scorers": [lambda run: 1.0]}, "Expected a scorer"),
        ({"gates": there}, "gates"),
        ({"scorers": AgentScorers(agent=there)}, "agent"),  # type: ignore[arg-type]
        ({"scorers": AgentScorers()}, "nothing to measure"),
        ({"concurrency": 0}, "concurrency"),
        ({"concurrency": -1}, "concurrency"),
        ({"concurrency": 1.5}, "concurrency"),
        ({"concurrency": True}, "concurrency"),
        ({"concurrency": "4"}, "concurrency"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": -1}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"timeout": float("inf")}, "timeout"),
        ({"timeout": "1"}, "timeout"),
        ({"on_error": "ignore"}, "on_error"),
        ({"judge": "openai"}, "provider/model"),
        ({"judge": 3}, "judge="),
        ({"group_by": "metadata.lang"}, "group_by"),
        ({"group_by": ["output"]}, "group_by"),
        ({"group_by": [3]}, "group_by"),
        ({"runner": 3}, "runner="),
        ({"runner": "nowhere"}, "nowhere"),
        ({"observers": "nowhere"}, "observers|list"),
        ({"observers": ["nowhere"]}, "nowhere"),
        ({"observers": [object()]}, "told"),
        ({"lifecycle": 3}, "lifecycle="),
        ({"target_options": ["a"]}, "target_options"),
        ({"on_item_complete": "print"}, "on_item_complete"),
        ({"scorer": [there]}, "Did you mean 'scorers'"),
        ({"colour": "red"}, "no option 'colour'"),
    ],
)
def test_what_cannot_work_is_refused_before_any_call(given: dict[str, Any], said: str) -> None:
    calls: list[object] = []
    options: dict[str, Any] = {"data": [{"input": "q"}], "target": calls.append, "scorers": [there], **given}
    with pytest.raises(ConfigurationError, match=said):
        run_evals(**options)
    with pytest.raises(ConfigurationError, match=said):
        stream_evals(**options)
    assert calls == []


def test_data_must_be_given() -> None:
    with pytest.raises(ConfigurationError, match="data="):
        run_evals(scorers=[there])


def test_a_stream_that_gives_no_item_is_refused_when_that_is_known() -> None:
    with pytest.raises(ConfigurationError, match="no data"):
        run_evals(data=iter([]), scorers=[there])


def test_scorers_are_optional_when_there_is_a_gate_or_when_items_bring_their_own() -> None:
    assert run_evals(data=outputs(1.0), gates=[value]).verdict == "passed"
    assert run_evals(data=[{"output": 1.0, "scorers": [value]}]).scores["value"] == 1.0
    assert run_evals(data=[EvalItem(turns=[Turn(input=1.0, gates=[value])])], target=lambda given: given).verdict


def test_concurrency_none_is_one() -> None:
    assert run_evals(data=outputs(1.0), scorers=[value], concurrency=None).scores["value"] == 1.0


# -- the result --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("concurrency", [1, 2, 7, 50])
def test_items_are_in_the_order_of_the_data_whatever_the_concurrency(concurrency: int) -> None:
    async def target(given: int) -> float:
        for _ in range(given * 7 % 5):
            await asyncio.sleep(0)
        return given / 100

    result = run_evals(
        data=[{"input": at} for at in range(40)], target=target, scorers=[value], concurrency=concurrency
    )
    assert [item.index for item in result.items] == list(range(40))
    assert [item["value"].score for item in result.items] == [at / 100 for at in range(40)]
    assert result.scores["value"] == pytest.approx(0.195)


def test_no_more_items_are_worked_on_at_once_than_the_concurrency_says() -> None:
    running = highest = 0

    async def target(given: int) -> str:
        nonlocal running, highest
        running += 1
        highest = max(highest, running)
        await asyncio.sleep(0)
        running -= 1
        return "a"

    run_evals(data=[{"input": at} for at in range(20)], target=target, scorers=[there], concurrency=3)
    assert highest == 3


def test_a_result_tells_all_about_each_item() -> None:
    result = run_evals(
        data=[{"input": "q", "id": "one", "metadata": {"lang": "de"}}], target=str.upper, scorers=[there], gates=[there]
    )
    [item] = result.items
    assert (item.index, item.id, item.output, item.error, item.status) == (0, "one", "Q", None, "passed")
    assert item.item.metadata == {"lang": "de"}
    assert item["there"] is item.scores["there"]
    assert (item.scores["there"].score, item.gates["there"].score) == (1.0, 1.0)
    assert item.duration_ms is not None


def test_the_summary_counts_what_happened() -> None:
    def step(ctx: Any) -> Any:
        return not_scorable() if ctx.run.output == "none" else 1 / 0 if ctx.run.output == "fails" else 1.0

    mixed = create_scorer("mixed", "d").generate_score(step)
    result = run_evals(data=outputs("none", "fails", "a", "none"), scorers=[mixed], gates=[mixed])
    summary = result.summary
    assert (summary.total_items, summary.planned_items) == (4, 4)
    assert (summary.not_scorable, summary.errors) == ({"mixed": 4}, {"mixed": 2})
    assert (summary.target_errors, summary.callback_errors, summary.threads_left_behind) == (0, 0, 0)
    assert (summary.usage, summary.cost, summary.judge_calls) == (None, None, 0)


def test_usage_and_cost_of_the_judge_are_summed_and_what_is_unknown_is_counted() -> None:
    from attrs import frozen

    from steelyard import JudgeReply

    @frozen
    class Answer:
        good: bool

    known = JudgeReply(text='{"good": true}', usage=Usage(input_tokens=2, output_tokens=3), cost=0.5)
    judge = ScriptedJudge([known, {"good": True}, known])
    step = PromptStep[Any, Answer](output=Answer, prompt=lambda ctx: "p", calculate_score=lambda ctx, a: a.good)
    judged = create_scorer("s", "d").generate_score(step)
    summary = run_evals(data=outputs("a", "b", "c"), scorers=[judged], judge=judge).summary
    assert summary.usage == Usage(input_tokens=4, output_tokens=6)
    assert (summary.cost, summary.judge_calls) == (1.0, 3)
    assert (summary.judge_calls_without_usage, summary.judge_calls_without_cost) == (1, 1)


def test_keep_items_false_keeps_the_numbers_and_no_items() -> None:
    result = run_evals(data=outputs(0.25, 0.75), scorers=[value], gates=[there], keep_items=False)
    assert result.items == ()
    assert (result.scores["value"], result.summary.total_items, result.verdict) == (0.5, 2, "passed")


def test_the_clock_that_is_given_measures_the_durations() -> None:
    ticks = iter(range(1000))
    result = run_evals(data=outputs(1.0), scorers=[value], clock=lambda: float(next(ticks)))
    assert result.summary.duration_ms is not None
    assert result.summary.duration_ms >= 1000
    assert result.summary.duration_ms % 1000 == 0


def test_results_pickle() -> None:
    data: list[Any] = [{"input": {"q": 1}}, {"input": "boom"}, {"turns": [{"input": 1, "scorers": [there]}]}]

    def target(given: Any) -> Any:
        if given == "boom":
            raise ValueError("boom")
        return Scored if given == 1 else "a"

    result = run_evals(data=data[:2], target=target, scorers=[there], gates=[there], group_by=["id"])
    copy = pickle.loads(pickle.dumps(result))
    assert (copy.verdict, dict(copy.scores), copy.summary) == (result.verdict, dict(result.scores), result.summary)
    assert [(item.id, item.status) for item in copy.items] == [(item.id, item.status) for item in result.items]
    assert copy.aggregates == result.aggregates
    assert copy.items[0]["there"].result.scorer_id == "there"


# -- groups ------------------------------------------------------------------------------------------------------------


def test_scorers_of_an_agent_come_in_groups_and_each_receives_what_its_type_says() -> None:
    seen: dict[str, str] = {}

    def noting(id: str, **more: Any) -> Scorer:
        def step(ctx: Any) -> float:
            seen[id] = type(ctx.run.output).__name__
            return 1.0

        return create_scorer(id, "d", **more).generate_score(step)

    groups = AgentScorers(
        agent=[noting("plain"), noting("agent", type="agent"), Threshold(noting("path", type="trajectory"), 0.5)],
        trajectory=[noting("path", type="trajectory")],
    )
    result = run_evals(data=outputs([*agent_output("a", ToolCall("find"))]), scorers=groups)
    assert seen == {"plain": "list", "agent": "AgentOutput", "path": "Trajectory"}
    assert list(result.scores) == ["agent", "trajectory"]
    assert dict(result.scores["agent"]) == {"plain": 1.0, "agent": 1.0, "path": 1.0}
    assert result.items[0].scores["trajectory"]["path"].score == 1.0
    assert [bound.scope for bound in result.threshold_results] == ["agent"]


def test_what_a_scorer_receives_follows_from_its_type_wherever_it_stands() -> None:
    seen: list[str] = []

    def noting(id: str) -> Scorer:
        return create_scorer(id, "d", type="agent").generate_score(
            lambda ctx: seen.append(type(ctx.run.output).__name__) or 1.0  # type: ignore[func-returns-value]
        )

    run_evals(
        data=[EvalItem(turns=[Turn(input="q", gates=[noting("a")], scorers=[noting("b")])], scorers=[noting("c")])],
        target=lambda given: "a",
        scorers=[noting("d")],
        gates=[noting("e")],
    )
    run_evals(data=[{"output": "a", "gates": [noting("a")]}], scorers=AgentScorers(trajectory=[noting("b")]))
    assert seen == ["AgentOutput"] * 7


# -- several numbers ---------------------------------------------------------------------------------------------------


def test_group_by_gives_n_average_pass_rate_and_standard_error_per_slice() -> None:
    data = [
        {"output": score, "metadata": {"lang": lang, "level": level}}
        for score, lang, level in ((1.0, "de", 1), (0.0, "de", 1), (1.0, "fr", 2), (0.5, None, 1))
    ]
    result = run_evals(data=data, scorers=[value], group_by=["metadata.lang", "metadata.level"])
    slices = result.aggregates["scorers"]["value"].slices
    assert {name: (each.n_scored, each.average) for name, each in slices.items()} == {
        "metadata.lang=de": (2, 0.5),
        "metadata.lang=fr": (1, 1.0),
        "metadata.lang=null": (1, 0.5),
        "metadata.level=1": (3, 0.5),
        "metadata.level=2": (1, 1.0),
    }
    assert slices["metadata.lang=de"].pass_rate == 0.5
    assert slices["metadata.lang=de"].standard_error == pytest.approx(0.5)


def test_a_slice_of_any_value_has_a_name_and_costs_nothing_else() -> None:
    circle: list[Any] = []
    circle.append(circle)
    odd: list[Any] = [{1: "a", "b": 2}, circle, {"x"}, object(), float("nan")]
    data = [{"output": 1.0, "metadata": {"odd": each}} for each in odd]
    result = run_evals(data=data, scorers=[value], group_by=["metadata.odd"])
    assert len(result.aggregates["scorers"]["value"].slices) == len(odd)


def test_failures_are_counted_in_their_slice() -> None:
    data = [{"input": lang, "metadata": {"lang": lang}} for lang in ("de", "fr")]

    def target(given: str) -> str:
        if given == "fr":
            raise ValueError
        return "a"

    slices = (
        run_evals(data=data, target=target, scorers=[there], group_by=["metadata.lang"])
        .aggregates["scorers"]["there"]
        .slices
    )
    assert {name: (each.n_scored, each.n_failed) for name, each in slices.items()} == {
        "metadata.lang=de": (1, 0),
        "metadata.lang=fr": (0, 1),
    }


def test_labels_are_counted_and_parts_are_averaged() -> None:
    @scorer
    def labelled(run: ScorerRun[Any, Any]) -> Scored:
        return Scored(1.0, label=run.output, parts={"length": len(run.output)})

    result = run_evals(data=outputs("a", "bbb", "a"), scorers=[labelled])
    aggregate = result.aggregates["scorers"]["labelled"]
    assert aggregate.labels == {"a": 2, "bbb": 1}
    assert (aggregate.parts["length"].n, result.scores["labelled/length"]) == (3, pytest.approx(5 / 3))


def test_labels_and_parts_of_any_kind_never_cost_the_result() -> None:
    @scorer
    def odd(run: ScorerRun[Any, Any]) -> Any:
        label, parts = run.output
        return Scored(1.0, label=label, parts=parts)

    cases = [("a", {}), (3, {}), (["a"], {}), (None, {3: 1.0}), (None, {"x": "y"}), (None, ["x"])]
    result = run_evals(data=outputs(*cases), scorers=[odd])
    assert (result.summary.total_items, result.summary.errors) == (6, {"odd": 5})
    assert result.aggregates["scorers"]["odd"].labels == {"a": 1}


# -- scorers of single items -------------------------------------------------------------------------------------------


def test_an_item_may_add_scorers_and_gates_which_are_aggregated_by_key_over_the_items_that_have_them() -> None:
    own = create_scorer("own", "d").generate_score(lambda ctx: ctx.run.output)
    data: list[dict[str, Any]] = [
        {"output": 0.5, "scorers": [Threshold(own, 0.4)]},
        {"output": 1.0, "gates": [own]},
        {"output": 0.0},
        {"output": 0.7, "scorers": [Threshold(own, 0.4)]},
    ]
    result = run_evals(data=data, scorers=[value])
    assert result.scores["own"] == pytest.approx(0.6)
    assert result.scores["value"] == pytest.approx(0.55)
    assert [(gate.key, gate.passed, gate.n_scored) for gate in result.gate_results] == [("own", True, 1)]
    assert [(bound.key, bound.passed) for bound in result.threshold_results] == [("own", True)]
    assert [list(item.scores) for item in result.items] == [["value", "own"], ["value"], ["value"], ["value", "own"]]


def test_in_groups_scorers_of_single_items_belong_to_the_agent() -> None:
    result = run_evals(data=[{"output": "a", "scorers": [there]}], scorers=AgentScorers())
    assert result.scores["agent"]["there"] == 1.0


# -- the callback ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_async", [False, True])
def test_the_callback_gets_item_target_result_and_outcomes_by_position(is_async: bool) -> None:
    told: list[tuple[Any, Any, ItemResult]] = []

    def note(item: Any, given: Any, result: ItemResult) -> None:
        told.append((item, given, result))

    async def note_later(item: Any, given: Any, result: ItemResult) -> None:
        await asyncio.sleep(0)
        note(item, given, result)

    def target(given: str) -> str:
        if given == "boom":
            raise ValueError("boom")
        return given.upper()

    run_evals(
        data=[{"input": "q"}, {"input": "boom"}],
        target=target,
        scorers=[there],
        on_item_complete=note_later if is_async else note,
    )
    assert [(item.input, given) for item, given, _ in told] == [("q", "Q"), ("boom", None)]
    assert told[0][2]["there"].score == 1.0
    assert isinstance(told[1][2].error, ValueError)


def test_exceptions_of_the_callback_are_counted_and_not_fatal() -> None:
    def fails(item: Any, given: Any, result: ItemResult) -> None:
        raise ValueError("callback")

    result = run_evals(data=outputs("a", "b"), scorers=[there], on_item_complete=fails)
    assert (result.summary.callback_errors, result.scores["there"]) == (2, 1.0)


def test_the_callback_gets_what_the_target_returned_and_a_tuple_of_it_for_several_turns() -> None:
    told: list[Any] = []
    run_evals(
        data=[{"input": "a"}, {"inputs": ["a", "b"]}, {"turns": [{"input": "c"}]}],
        target=str.upper,
        scorers=[there],
        on_item_complete=lambda item, given, result: told.append(given),
    )
    assert told == ["A", ("A", "B"), ("C",)]


# -- observers and runners ---------------------------------------------------------------------------------------------


class Recorder:
    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []

    def run_started(self, run_info: RunInfo) -> None:
        self.told.append(("started", run_info))

    def item_completed(self, item_result: ItemResult) -> None:
        self.told.append(("completed", item_result))

    def run_finished(self, result: EvalResult) -> None:
        self.told.append(("finished", result))


def test_observers_are_told_of_start_items_and_end_once_each() -> None:
    observer = Recorder()
    result = run_evals(data=outputs("a", "b"), scorers=[there], gates=[there], observers=[observer])
    assert [what for what, _ in observer.told] == ["started", "completed", "completed", "finished"]
    info = observer.told[0][1]
    assert (info.planned_items, info.concurrency, info.keys) == (2, 1, ("there", "there"))
    assert [item.index for what, item in observer.told if what == "completed"] == [0, 1]
    assert observer.told[-1][1].verdict == result.verdict
    assert result.observers[0].name == "Recorder"


def test_observers_of_a_stream_are_told_of_its_end_once_however_often_the_result_is_asked_for() -> None:
    observer = Recorder()

    async def streamed() -> None:
        stream = stream_evals(data=outputs("a"), scorers=[there], observers=[observer])
        async for _ in stream:
            pass
        stream.result()
        stream.result()

    asyncio.run(streamed())
    assert [what for what, _ in observer.told] == ["started", "completed", "finished"]


def test_an_observer_that_raises_is_counted_and_disturbs_nothing() -> None:
    class Broken:
        def item_completed(self, item_result: ItemResult) -> None:
            raise ValueError("observer")

        def run_finished(self, result: EvalResult) -> None:
            raise ValueError("observer")

    result = run_evals(data=outputs("a", "b"), scorers=[there], observers=[Broken()])
    assert (result.summary.observer_errors, result.scores["there"]) == (3, 1.0)


def test_another_runner_may_take_the_items_in_its_own_way() -> None:
    class Backwards:
        async def run(
            self,
            items: Iterable[Any] | AsyncIterable[Any],
            work: Callable[[int, Any], Awaitable[None]],
            concurrency: int,
        ) -> None:
            for index, item in reversed(list(enumerate(items))):  # type: ignore[arg-type]
                await work(index, item)

    result = run_evals(data=outputs(0.1, 0.2, 0.3), scorers=[value], runner=Backwards())
    assert [item["value"].score for item in result.items] == [0.1, 0.2, 0.3]


# -- needs -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("need", ["ground_truth", "metadata.lang", "expected_trajectory", "context"])
def test_what_a_scorer_declares_to_need_is_looked_for_before_the_run(need: str) -> None:
    needy = scorer(id="needy", needs=[need])(lambda run: 1.0)
    with pytest.raises(BadItem, match=f"'needy' needs {need}"):
        run_evals(data=outputs("a"), scorers=[needy])
    full = {
        "output": "a",
        "ground_truth": "t",
        "metadata": {"lang": "de"},
        "expected_trajectory": {"steps": []},
        "context": ["doc"],
    }
    assert run_evals(data=[full], scorers=[needy]).scores["needy"] == 1.0


def test_context_that_the_target_may_bring_is_not_asked_of_the_item() -> None:
    needy = scorer(id="needy", needs=["context"])(lambda run: 1.0)
    assert run_evals(data=[{"input": "q"}], target=str, scorers=[needy]).scores["needy"] == 1.0


# -- a guest in other programs -----------------------------------------------------------------------------------------


def test_a_run_leaves_no_task_no_thread_and_no_loop_behind() -> None:
    import threading

    async def both() -> set[asyncio.Task[Any]]:
        await arun_evals(
            data=[{"input": at} for at in range(5)],
            target=lambda given: "a",
            scorers=[there],
            concurrency=3,
            timeout=5,
            lifecycle=Lifecycle(),
        )
        return asyncio.all_tasks() - {asyncio.current_task()}

    before = set(threading.enumerate())
    assert asyncio.run(both()) == set()
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
        assert not thread.is_alive()
