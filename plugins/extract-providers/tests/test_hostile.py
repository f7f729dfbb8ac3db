"""Whatever a record holds, it is read or refused: nothing crashes, hangs or costs another record anything."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steelyard_checks as checks
from steelyard import ConfigurationError, Conversation, EvalItem, run_evals
from steelyard_extract_providers import OpenAIChat, TauBench, openai_chat, tau_bench

LAW = settings(deadline=None)
BOTH = pytest.mark.parametrize("extractor", [openai_chat, tau_bench], ids=repr)

KEYS = [
    *("arguments", "audio", "body", "choices", "content", "custom", "delta", "error", "file", "finish_reason"),
    *("function", "function_call", "id", "image_url", "index", "info", "input", "is_error", "message", "messages"),
    *("model", "name", "object", "parts", "prompt_tokens", "reasoning", "refusal", "request", "response", "role"),
    *("task_id", "text", "tool_call_id", "tool_calls", "traj", "transcript", "trial", "type", "usage"),
]
WORDS = [
    *("assistant", "user", "system", "developer", "tool", "function", "critic", "text", "image_url", "input_audio"),
    *("refusal", "thinking", "tool_use", "custom", "chat.completion", "chat.completion.chunk", "list", "{}", "[]"),
    *("", "null", "\ud83d"),
]

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 3),
    st.just(2**63),
    st.floats(),
    st.sampled_from(WORDS),
    st.text(st.one_of(st.characters(), st.just("\ud83d")), max_size=4),
)
anything = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(KEYS), inner, min_size=1, max_size=5)
    ),
    max_leaves=25,
)

CALL = {"id": "c", "type": "function", "function": {"name": "search", "arguments": '{"q": 1}'}}
CHAT: list[Any] = [
    {"role": "developer", "content": [{"type": "text", "text": "Be brief."}]},
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}, {"type": "text", "text": "?"}]},
    {"role": "assistant", "content": None, "tool_calls": [CALL, {**CALL, "id": "d"}], "refusal": None},
    {"role": "tool", "tool_call_id": "d", "content": [{"type": "text", "text": "2"}]},
    {"role": "tool", "tool_call_id": "c", "content": "1"},
    {"role": "assistant", "content": None, "function_call": {"name": "fx", "arguments": ""}},
    {"role": "function", "name": "fx", "content": "3"},
    {"role": "assistant", "content": "Three.", "reasoning_content": "Hm."},
]
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 1}}
RESPONSES = [
    {"id": "r", "object": "chat.completion", "model": "m", "choices": [{"index": 0, "message": each}], "usage": USAGE}
    for each in CHAT
    if each["role"] == "assistant"
]
LOG = [
    {"request": {"model": "m", "messages": CHAT[:2]}, "response": RESPONSES[0]},
    {"request": {"model": "m", "messages": CHAT[:5]}, "response": RESPONSES[1]},
    {"request": {"model": "m", "messages": CHAT[:7]}, "response": RESPONSES[2]},
]
PIECES = [
    {"role": "assistant", "content": "a"},
    {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "search", "arguments": ""}}]},
    {"tool_calls": [{"index": 1, "id": "d", "function": {"name": "fetch", "arguments": "{"}}]},
    {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}, {"index": 1, "function": {"arguments": "}"}}]},
]
CHUNKS = [
    {"id": "s", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": piece}]}
    for piece in PIECES
]
STREAM = [*CHUNKS, {"id": "s", "object": "chat.completion.chunk", "choices": [], "usage": USAGE}]
RUN = {"task_id": 1, "trial": 2, "reward": 0.5, "info": {"task": {"actions": []}}, "traj": CHAT}
WHOLE: list[Any] = [CHAT, {"messages": CHAT}, LOG, LOG[0], RESPONSES[0], STREAM, RUN]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in a value with every key or index in it."""
    if isinstance(value, dict):
        return [(value, key) for key in value] + [place for inner in value.values() for place in places(inner)]
    if isinstance(value, list):
        return [(value, at) for at in range(len(value))] + [place for inner in value for place in places(inner)]
    return []


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    """A good record in which a few places hold anything at all."""
    record = copy.deepcopy(draw(st.sampled_from(WHOLE)))
    for _ in range(draw(st.integers(1, 3))):
        container, key = draw(st.sampled_from(places(record)))
        container[key] = draw(anything)
    return record


def read(extractor: OpenAIChat | TauBench, record: object) -> Conversation | None:
    """What an extractor makes of a record; None for one that it refuses."""
    assert extractor.recognises(record) in (True, False)
    try:
        return extractor(record)
    except ConfigurationError as error:
        refused = str(error)
    assert refused.startswith(("openai-chat: ", "tau-bench: "))
    return None


@BOTH
@LAW
@given(record=st.one_of(anything, damaged()))
def test_any_record_is_read_or_refused(extractor: OpenAIChat | TauBench, record: object) -> None:
    found = read(extractor, record)
    for each in extractor.split(record):
        read(extractor, each)
    if found is not None:
        assert len(found.trajectory.steps) >= sum(message.role == "assistant" for message in found.messages)
        for fault in found.metadata.get("faults", []) if isinstance(found.metadata.get("faults"), list) else []:
            assert set(fault) == {"place", "reason"}


@LAW
@given(st.lists(damaged(), min_size=1, max_size=4))
def test_whatever_was_read_can_be_scored(records: list[Any]) -> None:
    found = [each for record in records for extractor in (openai_chat, tau_bench) if (each := read(extractor, record))]
    items = [EvalItem(input=each.input, output=each.output) for each in found]
    if items:
        result = run_evals(
            data=items, gates=[checks.no_tool_errors()], scorers=[checks.includes("a"), checks.tool_order([])]
        )
        assert result.summary.errors == {}


@LAW
@given(st.integers(0, 2), damaged())
def test_a_damaged_line_costs_no_other_line_anything(at: int, line: Any) -> None:
    if isinstance(line, list):  # a line of its own kind
        line = {"messages": line}
    lines: list[Any] = [{"messages": CHAT, "id": str(each)} for each in range(3)]
    good = [openai_chat(each) for each in lines]
    records = list(openai_chat.split([*lines[:at], line, *lines[at:]]))
    found = [read(openai_chat, record) for record in records]
    assert [each for each in found if each in good] == good


@pytest.mark.parametrize("depth", [900, 5000, 100_000])
@BOTH
def test_a_record_that_is_nested_without_end_is_read_or_refused(extractor: OpenAIChat | TauBench, depth: int) -> None:
    deep: Any = []
    for _ in range(depth):
        deep = [deep]
    keyed: Any = {}
    for at in range(depth):
        keyed = {("messages", "content", "request")[at % 3]: keyed}
    for value in (deep, keyed):
        for record in (
            value,
            [{"role": "tool", "content": value}],
            [{"role": "assistant", "tool_calls": [{"function": {"name": "a", "arguments": value}}]}],
            {"request": {"messages": [{"role": "tool", "content": value}] * 2}, "response": value},
            [{"request": {"messages": [{"role": "tool", "content": value}]}}] * 2,
            {"task_id": value, "traj": [{"role": "tool", "content": value}]},
        ):
            read(extractor, record)
            assert len(list(extractor.split(record))) < 3


def test_a_large_record_takes_time_in_proportion_to_its_size() -> None:
    many = 5_000
    same = {"role": "assistant", "tool_calls": [CALL] * many}
    told = [{"role": "tool", "tool_call_id": "c", "content": str(at)} for at in range(many)]
    found = openai_chat([same, *told])
    assert [step.tool_result for step in found.trajectory.tool_calls] == [str(at) for at in range(many)]
    text = [{**CHUNKS[3], "choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "x" * 99}}]}}]}]
    begun = CHUNKS[1]
    [step] = openai_chat([begun, *text * many]).trajectory.tool_calls
    assert step.raw_args is not None
    assert len(step.raw_args) == 99 * many
    talks = [{"request": {"messages": [{"role": "user", "content": "Hi"}]}, "response": RESPONSES[2]}] * many
    assert len(list(openai_chat.split(talks))) == many
    apart = [{"request": {"messages": [{"role": "user", "content": str(at)}]}} for at in range(many)]
    assert len(openai_chat(apart).messages) == many


def test_numbers_of_thousands_of_digits_are_no_ids() -> None:
    huge = 10**5000
    calls = [{**CALL, "id": huge}, {**CALL, "id": 7}]
    answers = [{"role": "tool", "tool_call_id": each, "content": "x"} for each in (huge, 7)]
    found = openai_chat([{"role": "assistant", "tool_calls": calls}, *answers])
    assert [step.call_id for step in found.trajectory.tool_calls] == [None, "7"]
    assert [fault["place"] for fault in found.metadata["faults"]] == ["[0].tool_calls[0].id", "[1].tool_call_id"]
    assert json.dumps(found.metadata["faults"])
