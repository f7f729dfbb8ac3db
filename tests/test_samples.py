"""Recorded conversations of chat models run as recorded outputs, and the checks say of them what a reader would.

Their extractor is still to come; the few lines here turn such a record into neutral messages.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

import pytest

import steelyard_checks as checks
from steelyard import (
    EvalItem,
    ItemResult,
    Message,
    Status,
    Verdict,
    extract_tool_calls,
    extract_trajectory,
    messages_from_json,
    run_evals,
)
from tests.reference import sample

Record = Mapping[str, Any]

SAMPLES = {
    "tau-bench/airline_three.json": 3,
    "openai-chat/broken_arguments.json": 1,
    "openai-chat/conversations.jsonl": 2,
    "openai-chat/parallel_tools.json": 1,
    "openai-chat/refusal_parts.json": 1,
    "openai-chat/request_log.jsonl": 1,
    "openai-chat/streamed_chunks.jsonl": 1,
}
"""How many conversations each file holds."""


# -- from chat records to neutral messages -----------------------------------------------------------------------------


def conversations(path: str) -> list[list[Record]]:
    """The conversations of a file, each as messages of a chat model."""
    record = sample(path)
    if isinstance(record, Mapping):
        return [record["messages"]]
    if "traj" in record[0]:
        return [run["traj"] for run in record]
    if "messages" in record[0]:
        return [line["messages"] for line in record]
    if "request" in record[0]:
        # Every request repeats the conversation before it, so the last one and its answer hold all of it.
        return [[*record[-1]["request"]["messages"], record[-1]["response"]["choices"][0]["message"]]]
    if record[0].get("object") == "chat.completion.chunk":
        return [[joined([chunk["choices"][0]["delta"] for chunk in record if chunk["choices"]])]]
    return [record]


def joined(deltas: Sequence[Record]) -> Record:
    """One message out of a stream; pieces of parallel calls interleave and belong together by index."""
    calls: dict[int, dict[str, Any]] = {}
    for piece in (piece for delta in deltas for piece in delta.get("tool_calls") or ()):
        call = calls.setdefault(piece["index"], {"id": None, "function": {"name": "", "arguments": ""}})
        call["id"] = piece.get("id") or call["id"]
        for key in ("name", "arguments"):
            call["function"][key] += piece["function"].get(key) or ""
    text = "".join(delta.get("content") or "" for delta in deltas)
    return {"role": "assistant", "content": text, "tool_calls": list(calls.values())}


def neutral(chat: Sequence[Record]) -> tuple[Message, ...]:
    """The messages of a chat model in neutral form."""
    return messages_from_json(list(neutral_dicts(chat)))


def neutral_dicts(chat: Sequence[Record]) -> Iterator[dict[str, Any]]:
    tools: dict[str, str] = {}
    for message in chat:
        role = "tool" if message["role"] == "function" else message["role"]
        made: dict[str, Any] = {"role": role, "content": content(message.get("content"), role)}
        calls = message.get("tool_calls") or []
        if message.get("function_call"):
            calls = [{"id": None, "function": message["function_call"]}]
        if calls:
            made["tool_calls"] = [{"id": call["id"], **arguments(call["function"])} for call in calls]
            tools |= {call["id"]: call["function"]["name"] for call in calls}
        if role == "tool":
            made["tool_call_id"] = message.get("tool_call_id")
            made["name"] = message.get("name") or tools.get(message.get("tool_call_id") or "")
        made["refusal"] = message.get("refusal")
        yield made


def content(given: Any, role: str) -> Any:
    if not isinstance(given, list):
        return given
    if all(part["type"] == "text" for part in given):
        return ("" if role == "assistant" else "\n").join(part["text"] for part in given)
    return [{"type": "image", "url": part["image_url"]["url"]} if "image_url" in part else part for part in given]


def arguments(function: Record) -> dict[str, Any]:
    """A call's name and arguments; a text that is no JSON object is kept as it is."""
    text = function["arguments"]
    try:
        args = json.loads(text or "{}")
    except ValueError:
        args = None
    if isinstance(args, dict):
        return {"name": function["name"], "args": args}
    return {"name": function["name"], "args": None, "raw_args": text}


def expected(path: str) -> list[tuple[Any, list[str]]]:
    """For each conversation of a file its neutral messages in JSON, and the names of all its tool calls."""
    told = sample(path.rpartition(".")[0] + ".expected.json")
    if "trajectories" not in told:
        return [(told["messages"], told["tool_sequence"])]
    return list(zip([one["messages"] for one in told["trajectories"]], told["tool_sequence"], strict=True))


# -- reading -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SAMPLES)
def test_a_record_gives_the_messages_that_are_expected_of_it(path: str) -> None:
    found = [neutral(chat) for chat in conversations(path)]
    assert len(found) == SAMPLES[path]
    assert found == [messages_from_json(messages) for messages, _ in expected(path)]


@pytest.mark.parametrize("path", SAMPLES)
def test_the_calls_of_a_record_come_in_the_order_in_which_they_were_asked_for(path: str) -> None:
    found = [neutral(chat) for chat in conversations(path)]
    names = [tools for _, tools in expected(path)]
    assert [[call.name for call in extract_tool_calls(messages)] for messages in found] == names
    assert [[step.name for step in extract_trajectory(messages).steps] for messages in found] == names


def test_results_that_arrive_in_another_order_than_the_calls_find_their_calls() -> None:
    [chat] = conversations("openai-chat/parallel_tools.json")
    calls = extract_tool_calls(neutral(chat))
    assert [(call.args, call.result) for call in calls[:2]] == [
        ({"city": "Oslo"}, '{"temp_c": 4}'),
        ({"city": "Rome"}, '{"temp_c": 17}'),
    ]


def test_an_id_that_a_later_turn_uses_again_keeps_each_result_with_its_own_call() -> None:
    [chat] = conversations("openai-chat/broken_arguments.json")
    calls = {(call.message_index, call.id): call for call in extract_tool_calls(neutral(chat))}
    assert calls[1, "call_0"].result == "Error: arguments are not JSON"
    assert calls[1, "call_0"].call.raw_args == '{"path": "notes.txt", "lines": ['
    assert calls[4, "call_0"].result == '{"moved": 1}'
    assert [call.name for call in calls.values() if call.state == "call"] == ["delete"]


def test_two_tools_that_share_an_id_in_one_conversation_keep_their_own_results() -> None:
    chat = conversations("tau-bench/airline_three.json")[2]
    given = [message["content"] for message in chat if message["role"] == "tool"]
    calls = extract_tool_calls(neutral(chat))
    assert calls[1].id == calls[2].id
    assert [call.result for call in calls] == given


def test_every_result_of_a_record_goes_to_the_nearest_earlier_call_that_has_none() -> None:
    calls = [{"id": "x", "name": "first"}, {"id": "x", "name": "second"}]
    asked = [{"role": "assistant", "content": None, "tool_calls": [call]} for call in calls]
    answers = [{"role": "tool", "content": text, "tool_call_id": "x"} for text in ("one", "two")]
    found = extract_tool_calls(messages_from_json([*asked, *answers]))
    assert {call.name: call.result for call in found} == {"second": "one", "first": "two"}


# -- as recorded outputs -----------------------------------------------------------------------------------------------


def recorded(path: str, at: int = 0) -> EvalItem:
    """A conversation as an item: what came before the first answer was the input, the rest is the output."""
    messages = neutral(conversations(path)[at])
    asked = list(takewhile(lambda message: message.role in ("system", "user"), messages))
    return EvalItem(id=f"{path}#{at}", input=asked or None, output=list(messages[len(asked) :]))


def verdict_on(item: EvalItem, *gates: object) -> ItemResult:
    """What the gates make of one recorded conversation."""
    result = run_evals(data=[item], gates=gates)
    assert result.summary.errors == {}
    assert (result.verdict is Verdict.PASSED) == (result.items[0].status is Status.PASSED)
    return result.items[0]


def test_all_recorded_conversations_run_in_one_evaluation() -> None:
    items = [recorded(path, at) for path, count in SAMPLES.items() for at in range(count)]
    longest = max(len(tools) for path in SAMPLES for _, tools in expected(path))
    result = run_evals(
        data=items,
        gates=[checks.excludes("Traceback"), checks.max_tool_calls(longest)],
        scorers=[checks.no_tool_errors(), checks.used_no_tools()],
    )
    assert result.summary.total_items == sum(SAMPLES.values())
    assert result.summary.errors == result.summary.not_scorable == {}
    assert [item.id for item in result.items] == [item.id for item in items]
    assert result.verdict is Verdict.PASSED
    without_tools = [item.id for item in result.items if item["check-used-no-tools"].score == 1]
    assert without_tools == ["openai-chat/refusal_parts.json#0"]


@pytest.mark.parametrize(("path", "at"), [(path, at) for path, count in SAMPLES.items() for at in range(count)])
def test_the_calls_of_a_recorded_conversation_are_counted_and_ordered(path: str, at: int) -> None:
    _, tools = expected(path)[at]
    gates = [checks.tool_order(tools), checks.max_tool_calls(len(tools)), checks.did_not_call("delete_user")]
    gates += [checks.called_tool(name, times=tools.count(name)) for name in sorted(set(tools))]
    assert verdict_on(recorded(path, at), *gates).status is Status.PASSED


@pytest.mark.parametrize(("path", "at"), [(path, at) for path, count in SAMPLES.items() for at in range(count)])
def test_one_call_more_than_was_made_is_missed(path: str, at: int) -> None:
    _, tools = expected(path)[at]
    assert verdict_on(recorded(path, at), checks.tool_order([*tools, "one_more"])).status is Status.FAILED
    for name in set(tools):
        gate = checks.called_tool(name, times=tools.count(name) + 1)
        assert verdict_on(recorded(path, at), gate).status is Status.FAILED


@pytest.mark.parametrize(
    ("path", "at", "gate", "passes"),
    [
        # The agent keeps to its policy: it refuses the refund and hands over to a human.
        ("tau-bench/airline_three.json", 0, lambda: checks.called_tool("transfer_to_human_agents"), True),
        ("tau-bench/airline_three.json", 0, lambda: checks.did_not_call("cancel_reservation"), True),
        ("tau-bench/airline_three.json", 0, lambda: checks.matches(r"beyond the 24-hour window"), True),
        # It cancels a reservation for a mere change of plan, which its policy forbids.
        ("tau-bench/airline_three.json", 1, lambda: checks.did_not_call("cancel_reservation"), False),
        ("tau-bench/airline_three.json", 1, lambda: checks.includes("successfully cancelled"), True),
        # What the user says is not the agent's text.
        ("tau-bench/airline_three.json", 1, lambda: checks.excludes("###STOP###"), True),
        ("tau-bench/airline_three.json", 2, lambda: checks.excludes("###STOP###"), True),
        # A text that begins with Error is an ordinary result in this form of record.
        ("tau-bench/airline_three.json", 1, lambda: checks.no_tool_errors(), True),
        ("tau-bench/airline_three.json", 2, lambda: checks.no_tool_errors(), True),
        ("openai-chat/parallel_tools.json", 0, lambda: checks.no_tool_errors(), True),
        ("openai-chat/request_log.jsonl", 0, lambda: checks.no_tool_errors(), True),
        # A call that nobody answered is an error.
        ("openai-chat/broken_arguments.json", 0, lambda: checks.no_tool_errors(), False),
        ("openai-chat/streamed_chunks.jsonl", 0, lambda: checks.no_tool_errors(), False),
        # Every message of the agent is read, also those that ask for tools; a hit is never put together of two.
        ("openai-chat/parallel_tools.json", 0, lambda: checks.includes("checking both"), True),
        ("openai-chat/parallel_tools.json", 0, lambda: checks.includes("both. 4 in"), False),
        ("openai-chat/parallel_tools.json", 0, lambda: checks.excludes("temp_c"), True),
        ("openai-chat/conversations.jsonl", 0, lambda: checks.equals("half past nine."), True),
        # A refusal is no answer.
        ("openai-chat/refusal_parts.json", 0, lambda: checks.includes("can't help"), False),
    ],
)
def test_a_check_says_of_a_recorded_conversation_what_a_reader_would(
    path: str, at: int, gate: Callable[[], object], passes: bool
) -> None:
    status = verdict_on(recorded(path, at), gate()).status
    assert status is (Status.PASSED if passes else Status.FAILED)
