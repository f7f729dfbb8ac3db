"""What is evaluated, how it is called, and how what it returns is read."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from attrs import frozen

from steelyard import (
    ConfigurationError,
    EvalItem,
    ItemResult,
    Message,
    ScorerRun,
    TargetCall,
    TargetResult,
    ToolCall,
    Trajectory,
    TrajectoryStep,
    UnreadableOutput,
    Usage,
    run_evals,
    scorer,
)
from steelyard.testing import assistant_message


@scorer
def there(run: ScorerRun[Any, Any]) -> float:
    return 1.0


def evaluated(target: object, item: Any = None, **more: Any) -> ItemResult:
    """The result of one item."""
    more.setdefault("scorers", [there])
    [result] = run_evals(data=[{"input": "q"} if item is None else item], target=target, **more).items
    return result


def answer(target: object, item: Any = None, **more: Any) -> object:
    result = evaluated(target, item, **more)
    if result.error is not None:
        raise result.error
    return result.output


# -- callables ---------------------------------------------------------------------------------------------------------


def plain(given: object) -> str:
    return f"plain {given}"


async def later(given: object) -> str:
    return f"later {given}"


class Callable1:
    def __call__(self, given: object) -> str:
        return f"object {given}"


class AsyncCallable:
    async def __call__(self, given: object) -> str:
        return f"async object {given}"


class Holder:
    def method(self, given: object) -> str:
        return f"method {given}"

    async def async_method(self, given: object) -> str:
        return f"async method {given}"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (plain, "plain q"),
        (later, "later q"),
        (Callable1(), "object q"),
        (AsyncCallable(), "async object q"),
        (Holder().method, "method q"),
        (Holder().async_method, "async method q"),
        (lambda given: f"lambda {given}", "lambda q"),
        (lambda given: later(given), "later q"),
        (partial(lambda word, given: f"{word} {given}", "partial"), "partial q"),
        (partial(later), "later q"),
        (str.upper, "Q"),
    ],
)
@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_target_is_a_callable_of_the_input_sync_or_async(target: Any, said: str, concurrency: int) -> None:
    assert answer(target, concurrency=concurrency) == said


def test_a_second_positional_parameter_without_default_gets_the_call() -> None:
    seen: list[TargetCall] = []

    def target(given: str, call: TargetCall) -> str:
        seen.append(call)
        return given

    answer(
        target,
        {"input": "q", "request_context": {"user": "u"}, "tracing_context": "t"},
        target_options={"temperature": 0},
    )
    [call] = seen
    assert (call.turn_index, call.history, call.options) == (0, (), {"temperature": 0})
    assert (call.request_context, call.tracing_context) == ({"user": "u"}, "t")
    assert len(call.thread_id) == len(call.resource_id) == 32
    assert call.thread_id == call.thread_id != call.resource_id


def test_a_second_parameter_with_a_default_or_by_keyword_is_the_targets_own() -> None:
    def with_default(given: str, more: str = "own") -> str:
        return more

    def by_keyword(given: str, *, more: str = "own") -> str:
        return more

    def starred(given: str, *more: str) -> str:
        return "own" if not more else "taken"

    assert [answer(target) for target in (with_default, by_keyword, starred)] == ["own"] * 3


@pytest.mark.parametrize("target", [3, "target", ["a"], {"a": 1}, SimpleNamespace(generate=3)])
def test_what_cannot_be_called_is_refused(target: object) -> None:
    with pytest.raises(ConfigurationError, match="target="):
        evaluated(target)


# -- objects -----------------------------------------------------------------------------------------------------------


class Agent:
    """An agent with thread memory."""

    def __init__(self) -> None:
        self.threads: dict[str, list[str]] = {}
        self.seen: list[dict[str, Any]] = []

    async def generate(self, given: str, *, thread_id: str, temperature: float = 1.0) -> str:
        self.seen.append({"thread_id": thread_id, "temperature": temperature})
        said = self.threads.setdefault(thread_id, [])
        said.append(given)
        return " ".join(said)


def test_an_object_with_generate_is_an_agent_and_gets_what_its_signature_names() -> None:
    agent = Agent()
    assert answer(agent, target_options={"temperature": 0.5, "unknown": 1}) == "q"
    assert agent.seen[0]["temperature"] == 0.5


def test_fresh_threads_keep_items_apart_and_turns_together() -> None:
    agent = Agent()
    result = run_evals(data=[{"inputs": ["a", "b"]}, {"inputs": ["c", "d"]}], target=agent, scorers=[there])
    assert [item.output for item in result.items] == [("a", "a b"), ("c", "c d")]
    assert len(agent.threads) == 2


def test_thread_and_resource_ids_that_are_given_are_kept() -> None:
    agent = Agent()
    run_evals(
        data=[{"input": "a"}, {"input": "b"}], target=agent, scorers=[there], target_options={"thread_id": "mine"}
    )
    assert agent.threads == {"mine": ["a", "b"]}


def test_keyword_parameters_of_any_name_get_all_options_and_named_ones_the_call() -> None:
    seen: dict[str, Any] = {}

    class Loose:
        def generate(self, given: str, turn_index: int, call: TargetCall, **more: Any) -> str:
            seen.update(more, turn_index=turn_index, call=call)
            return given

    answer(Loose(), target_options={"temperature": 0.5, "turn_index": 9})
    assert (seen["temperature"], seen["turn_index"]) == (0.5, 0)
    assert isinstance(seen["call"], TargetCall)


def test_an_object_with_start_is_a_workflow_and_start_options_go_over_target_options() -> None:
    seen: list[dict[str, Any]] = []

    class Flow:
        def start(self, given: str, **options: Any) -> TargetResult:
            seen.append(options)
            return TargetResult(given, step_results={})

    run_evals(
        data=[{"input": "q", "start_options": {"b": 3}}],
        target=Flow(),
        scorers=[there],
        target_options={"a": 1, "b": 2},
    )
    assert seen == [{"a": 1, "b": 3}]
    with pytest.raises(ConfigurationError, match="for agents"):
        evaluated(Flow(), {"inputs": ["a"]})


# -- a fresh target per item -------------------------------------------------------------------------------------------


def test_a_factory_makes_a_fresh_target_for_each_item() -> None:
    made: list[Agent] = []

    def factory() -> Agent:
        made.append(Agent())
        return made[-1]

    run_evals(data=[{"inputs": ["a", "b"]}, {"input": "c"}], target_factory=factory, scorers=[there])
    assert [len(agent.seen) for agent in made] == [2, 1]


def test_a_factory_that_fails_costs_its_own_item() -> None:
    made: list[int] = []

    def factory() -> Any:
        made.append(1)
        if len(made) == 1:
            raise OSError("no port")
        return plain

    result = run_evals(data=[{"input": "a"}, {"input": "b"}], target_factory=factory, scorers=[there])
    assert [type(item.error) for item in result.items] == [OSError, type(None)]


def test_factories_that_cannot_make_a_target_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="not both"):
        evaluated(plain, target_factory=lambda: plain)
    with pytest.raises(ConfigurationError, match="target_factory="):
        evaluated(None, target_factory="agent")

    async def make() -> Any:
        return plain

    with pytest.raises(ConfigurationError, match="target_factory="):
        evaluated(None, target_factory=make)


# -- what comes back ---------------------------------------------------------------------------------------------------


def agent_sees(returned: object, **more: Any) -> ScorerRun[Any, Any]:
    seen: list[ScorerRun[Any, Any]] = []
    note = scorer(id="note", type="agent")(lambda run: seen.append(run) or 1.0)  # type: ignore[func-returns-value]
    result = evaluated(lambda given: returned, scorers=[note], **more)
    if not seen:
        raise result["note"].error if not result.error else result.error
    return seen[0]


@pytest.mark.parametrize(
    "returned",
    [
        "a",
        assistant_message("a"),
        [assistant_message("a")],
        [{"role": "assistant", "content": "a"}],
        {"role": "assistant", "content": "a"},
        TargetResult("a"),
        TargetResult({"answer": 3}, messages=[assistant_message("a")]),
        TargetResult(None, messages=[{"role": "assistant", "content": "a"}]),
    ],
)
def test_a_target_may_return_a_text_messages_or_a_target_result(returned: object) -> None:
    assert agent_sees(returned).output.text == "a"


@pytest.mark.parametrize("returned", [None, 3, {"answer": "a"}, TargetResult(), TargetResult(3)])
def test_what_cannot_be_read_as_messages_fails_agent_scorers_with_its_type_and_untyped_ones_see_it(
    returned: object,
) -> None:
    with pytest.raises(UnreadableOutput, match=r"None|int|dict"):
        agent_sees(returned)
    assert evaluated(lambda given: returned)["there"].score == 1.0


def test_a_target_result_tells_context_usage_cost_and_metadata() -> None:
    usage = Usage(input_tokens=1, output_tokens=2)
    returned = TargetResult("a", context=["doc"], usage=usage, cost=0.5, metadata={"model": "m"})
    assert agent_sees(returned).context == ("doc",)
    result = run_evals(data=[{"input": "q"}] * 2, target=lambda given: returned, scorers=[there])
    assert (result.items[0].usage, result.items[0].cost, result.items[0].metadata) == (usage, 0.5, {"model": "m"})
    assert (result.summary.target_usage, result.summary.target_cost) == (usage + usage, 1.0)


def test_context_from_the_target_wins_over_the_items() -> None:
    item = {"input": "q", "context": ["item"]}
    assert agent_sees(TargetResult("a", context=["target"]), item=item).context == ("target",)
    assert agent_sees(TargetResult("a"), item=item).context == ("item",)
    assert agent_sees(TargetResult("a", context="one text")).context == ("one text",)


@pytest.mark.parametrize(
    "fields",
    [
        {"context": [3]},
        {"context": 3},
        {"context": {"a": "b"}},
        {"trajectory": ["find"]},
        {"usage": {"input_tokens": 1}},
        {"cost": "0.5"},
        {"cost": float("nan")},
        {"metadata": ["a"]},
    ],
)
def test_a_target_result_of_odd_fields_costs_its_own_item_and_nothing_else(fields: dict[str, Any]) -> None:
    def target(given: str) -> Any:
        return TargetResult("a", **fields) if given == "odd" else "a"

    result = run_evals(data=[{"input": "odd"}, {"input": "fine"}], target=target, scorers=[there])
    assert result.summary.target_errors == 1
    assert isinstance(result.items[0].error, UnreadableOutput)
    assert next(iter(fields)) in str(result.items[0].error)
    assert result.scores["there"] == 1.0


def test_usage_that_one_turn_does_not_tell_is_unknown() -> None:
    def target(given: str) -> Any:
        return TargetResult("a", usage=Usage(input_tokens=1), cost=1.0) if given == "a" else "b"

    result = evaluated(target, {"inputs": ["a", "b"]})
    assert (result.usage, result.cost) == (None, None)


# -- trajectories ------------------------------------------------------------------------------------------------------

STEP = TrajectoryStep(step_type="tool_call", name="given")


def path(returned: object, item: Any = None) -> list[str]:
    seen: list[Trajectory] = []
    note = scorer(id="note", type="trajectory")(lambda run: seen.append(run.output) or 1.0)  # type: ignore[func-returns-value]
    result = evaluated(lambda given: returned, item, scorers=[note])
    if not seen:
        raise result["note"].error
    return [step.name for step in seen[0].steps]


CALLING = Message("assistant", "a", tool_calls=(ToolCall("called"),))


def test_trajectory_scorers_get_the_trajectory_else_one_from_messages_over_all_turns() -> None:
    assert path(TargetResult("a", trajectory=Trajectory((STEP,)), messages=[CALLING])) == ["given"]
    assert path(TargetResult("a", messages=[CALLING])) == ["called"]
    assert path(CALLING) == ["called"]
    assert path(Trajectory((STEP,))) == ["given"]
    assert path(CALLING, {"inputs": ["a", "b"]}) == ["called", "called"]
    assert path(TargetResult("a", step_results={"x": {}, "y": {}}, step_execution_path=["y", "x"])) == ["y", "x"]
    with pytest.raises(UnreadableOutput):
        path(None)


# -- reply maps --------------------------------------------------------------------------------------------------------


@frozen
class Doc:
    text: str


class Pair(NamedTuple):
    left: str


REPLY = {
    "answer": "a",
    "docs": [{"text": "one", "tags": [{"name": "x"}, {"name": "y"}]}, {"text": "two", "tags": []}],
    "best": Doc("best"),
    "pair": Pair("left"),
    "usage": Usage(input_tokens=1),
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("answer", "a"),
        ("docs[0].text", "one"),
        ("docs[-1].text", "two"),
        ("docs[].text", ["one", "two"]),
        ("docs[].tags[].name", [["x", "y"], []]),
        ("docs[]", REPLY["docs"]),
        ("best.text", "best"),
        ("pair.left", "left"),
        (lambda reply: reply["answer"] * 2, "aa"),
    ],
)
def test_a_path_or_a_function_maps_any_other_object(path: Any, found: object) -> None:
    assert answer(lambda given: REPLY, reply={"output": path}) == found


def test_a_reply_map_fills_every_field_of_a_target_result() -> None:
    reply: dict[str, Any] = {"output": "answer", "context": "docs[].text", "usage": "usage"}
    result = evaluated(lambda given: REPLY, reply=reply)
    assert (result.output, result.usage) == ("a", Usage(input_tokens=1))
    assert agent_sees(REPLY, reply=reply).context == ("one", "two")
    assert agent_sees(REPLY, reply={"output": "answer", "context": "docs[0].text"}).context == ("one",)


def test_a_target_result_is_not_mapped_again() -> None:
    assert answer(lambda given: TargetResult("as it is"), reply={"output": "answer"}) == "as it is"


@pytest.mark.parametrize(
    "path",
    [
        "gone",
        "answer.gone",
        "answer.upper",
        "docs.append",
        "docs[7].text",
        "docs[x].text",
        "docs[].gone",
        "best.gone",
        "answer[]",
        "answer[0]",
        "docs.text",
    ],
)
def test_a_path_that_matches_nothing_is_a_failure_and_never_an_empty_text_or_a_method(path: str) -> None:
    with pytest.raises(UnreadableOutput, match="reply"):
        answer(lambda given: REPLY, reply={"output": path})


def test_a_mapping_function_that_raises_costs_its_own_item() -> None:
    result = evaluated(lambda given: REPLY, reply={"output": lambda reply: reply["gone"]})
    assert isinstance(result.error, KeyError)


@pytest.mark.parametrize("reply", ["answer", {"outputt": "a"}, {"output": ""}, {"output": 3}, ["output"]])
def test_a_reply_map_that_means_nothing_is_refused_before_any_call(reply: Any) -> None:
    calls: list[object] = []
    with pytest.raises(ConfigurationError, match="reply"):
        evaluated(calls.append, reply=reply)
    assert calls == []


def test_a_reply_map_reads_recorded_outputs_too() -> None:
    [result] = run_evals(data=[EvalItem(output=REPLY)], scorers=[there], reply={"output": "answer"}).items
    assert result.output == "a"


def test_options_that_a_target_would_never_see_are_refused() -> None:
    data = [{"input": "a"}]
    with pytest.raises(ConfigurationError, match="temperature"):
        run_evals(data=data, target=lambda given: given, scorers=[there], target_options={"temperature": 1})
    run_evals(data=data, target=lambda given: given, scorers=[there], target_options={"thread_id": "t"})
