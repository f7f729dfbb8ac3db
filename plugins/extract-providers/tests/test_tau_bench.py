"""Runs of tau-bench: their ids, what the benchmark tells of them, and runs that broke."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard import ConfigurationError, Conversation
from steelyard_extract_providers import openai_chat, tau_bench

CALL = {"id": "call_1", "type": "function", "function": {"name": "get_user", "arguments": '{"id": "u1"}'}}
TRAJ: list[Any] = [
    {"role": "system", "content": "# Policy"},
    {"role": "user", "content": "Who am I?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL], "function_call": None},
    {"role": "tool", "tool_call_id": "call_1", "name": "get_user", "content": "Error: user not found"},
    {"role": "user", "content": "###STOP###"},
]
INFO = {"task": {"actions": [{"name": "get_user", "kwargs": {"id": "u1"}}]}, "source": "user", "user_cost": 0.1}
RUN: dict[str, Any] = {"task_id": 12, "trial": 1, "reward": 1.0, "info": INFO, "traj": TRAJ}


def test_a_run_is_read_as_its_chat_with_what_the_benchmark_tells_of_it() -> None:
    found = tau_bench(RUN)
    assert (found.format, found.id) == ("tau-bench", "12-1")
    assert found.metadata == {"task_id": 12, "trial": 1, "reward": 1.0, "info": INFO}
    assert (found.messages, found.trajectory) == (openai_chat(TRAJ).messages, openai_chat(TRAJ).trajectory)
    assert [step.success for step in found.trajectory.tool_calls] == [True]


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ({"task_id": "a", "trial": "b"}, "a-b"),
        ({"task_id": 0, "trial": 0}, "0-0"),
        ({"task_id": 5}, "5"),
        ({"trial": 5}, None),
        ({"task_id": None, "trial": 1}, None),
    ],
)
def test_the_id_is_the_task_s_and_the_trial_s(ids: dict[str, object], expected: str | None) -> None:
    found = tau_bench({**ids, "traj": TRAJ})
    assert (found.id, "faults" in found.metadata) == (expected, False)


@pytest.mark.parametrize("damaged", [[], {}, True, 1.5, pytest.param(10**5000, id="huge")])
def test_an_id_that_cannot_be_read_is_left_out_and_told(damaged: object) -> None:
    found = tau_bench({**RUN, "trial": damaged})
    assert (found.id, [fault["place"] for fault in found.metadata["faults"]]) == ("12", ["trial"])


def test_a_run_that_broke_has_no_messages() -> None:
    found = tau_bench({**RUN, "traj": [], "reward": 0.0, "info": {"error": "boom"}})
    assert (found.messages, found.trajectory.steps, found.metadata["info"]) == ((), (), {"error": "boom"})


def test_a_file_is_cut_into_its_runs() -> None:
    assert list(tau_bench.split([RUN, 7])) == [RUN, 7]
    assert list(tau_bench.split(RUN)) == [RUN]
    assert tau_bench([RUN]) == tau_bench(RUN)


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (7, "expected an object with traj, found a number"),
        ([], r"expected one run, found a list of 0: cut it with split\(\)"),
        ([RUN, RUN], r"expected one run, found a list of 2: cut it with split\(\)"),
        ({"task_id": 1}, "traj: expected a list of messages, found null or nothing"),
        ({**RUN, "traj": "x"}, "traj: expected a list of messages, found a text"),
        ({**RUN, "traj": [7]}, r"nothing of the record can be read; traj\[0\]: expected an object with a role"),
    ],
)
def test_a_record_of_which_nothing_can_be_read_is_refused_by_name_and_place(record: object, told: str) -> None:
    with pytest.raises(ConfigurationError, match=f"tau-bench: {told}"):
        tau_bench(record)


@pytest.mark.parametrize("at", range(len(TRAJ)))
def test_a_damaged_message_costs_itself_and_is_told(at: int) -> None:
    found = tau_bench({**RUN, "traj": [*TRAJ[:at], {"role": 7}, *TRAJ[at + 1 :]]})
    assert [fault["place"] for fault in found.metadata["faults"]] == [f"traj[{at}].role"]
    without = tau_bench({**RUN, "traj": [*TRAJ[:at], *TRAJ[at + 1 :]]})
    assert (found.messages, found.trajectory) == (without.messages, without.trajectory)


@pytest.mark.parametrize(
    ("record", "is_one"),
    [(RUN, True), ([RUN], True), ([RUN, RUN], False), (TRAJ, False), ({"traj": []}, False), (7, False)],
)
def test_a_run_is_recognised(record: object, is_one: bool) -> None:
    assert tau_bench.recognises(record) is is_one


def test_a_conversation_can_be_compared() -> None:
    assert tau_bench(RUN) == tau_bench(RUN)
    assert isinstance(tau_bench(RUN), Conversation)
