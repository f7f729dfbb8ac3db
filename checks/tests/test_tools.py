"""What the checks of tool calls count, and what they call an error."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard_checks as checks
from checks.tests.answers import LAW, called, calls, names, reason, said, score
from steelyard import ConfigurationError, Message, ToolCall

TALK = [Message("user", "x", tool_calls=[ToolCall("search", result=1)]), *said("done")]


def calling(*tool_calls: ToolCall) -> list[Message]:
    """One assistant message with these calls."""
    return [Message("assistant", None, tool_calls=tool_calls)]


def test_a_tool_was_called_at_least_so_often() -> None:
    output = called("search", "fetch", "search")
    assert [score(checks.called_tool("search", times), output) for times in (1, 2, 3)] == [1.0, 1.0, 0.0]
    assert score(checks.called_tool("fetch"), output) == 1.0
    assert score(checks.called_tool("refund"), output) == 0.0


def test_names_are_compared_exactly() -> None:
    assert score(checks.called_tool("Search"), called("search")) == 0.0
    assert score(checks.called_tool("search"), called("ns.search")) == 0.0
    assert score(checks.did_not_call(""), called("search")) == 1.0


@pytest.mark.parametrize("state", ["call", "result", "output-error"])
def test_a_call_counts_however_it_ended(state: Any) -> None:
    output = calling(ToolCall("search", state=state))
    assert score(checks.called_tool("search"), output) == 1.0
    assert score(checks.did_not_call("search"), output) == 0.0
    assert score(checks.max_tool_calls(0), output) == 0.0
    assert score(checks.used_no_tools(), output) == 0.0


def test_a_call_whose_arguments_were_still_arriving_is_no_call_but_an_error() -> None:
    output = calling(ToolCall("search", state="partial-call"))
    assert score(checks.called_tool("search"), output) == 0.0
    assert score(checks.used_no_tools(), output) == 1.0
    assert score(checks.no_tool_errors(), output) == 0.0


def test_calls_of_others_are_not_the_agents() -> None:
    assert score(checks.called_tool("search"), TALK) == 0.0
    assert score(checks.used_no_tools(), TALK) == 1.0


def test_a_call_reported_open_and_answered_later_is_one_call_without_error() -> None:
    output = [
        *calling(ToolCall("search", id="1", state="call")),
        *calling(ToolCall("search", id="1", result={"ok": True})),
    ]
    assert score(checks.called_tool("search", 2), output) == 0.0
    assert score(checks.max_tool_calls(1), output) == 1.0
    assert score(checks.no_tool_errors(), output) == 1.0


def test_tools_were_called_in_this_order_with_others_between() -> None:
    output = called("search", "fetch", "search", "refund")
    assert score(checks.tool_order(["search", "refund"]), output) == 1.0
    assert score(checks.tool_order(["fetch", "search", "refund"]), output) == 1.0
    assert score(checks.tool_order(["refund", "search"]), output) == 0.0
    assert score(checks.tool_order(["search", "search", "search"]), output) == 0.0


def test_an_empty_order_is_always_kept() -> None:
    assert score(checks.tool_order([]), []) == 1.0


def test_at_most_so_many_calls() -> None:
    assert [score(checks.max_tool_calls(n), called("a", "b")) for n in (0, 1, 2, 3)] == [0.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (ToolCall("search", state="call"), "'search' was never answered"),
        (ToolCall("search", state="partial-call"), "'search' broke off while its arguments arrived"),
        (ToolCall("search", state="output-error", error="no net"), "'search' raised: 'no net'"),
        (ToolCall("search", state="output-error"), "'search' raised"),
        (ToolCall("search", state="result", error="denied"), "'search' failed: 'denied'"),
        (ToolCall("search", result={"error": "gone"}), "'search' gave a result with an error: \"{'error': 'gone'}\""),
    ],
)
def test_an_error_is_every_call_that_did_not_end_well(call: ToolCall, told: str) -> None:
    output = calling(ToolCall("fetch", result="fine"), call)
    assert score(checks.no_tool_errors(), output) == 0.0
    assert reason(checks.no_tool_errors(), output) == f"1 of 2 calls did not end well: {told}."


@pytest.mark.parametrize("result", [{"error": None}, {"error": ""}, {"ok": True}, "error", ["error"], 0])
def test_a_result_without_a_truthy_error_is_none(result: object) -> None:
    assert score(checks.no_tool_errors(), calling(ToolCall("search", result=result))) == 1.0


def test_no_call_is_no_error() -> None:
    assert score(checks.no_tool_errors(), []) == 1.0


def test_the_reason_tells_the_calls_that_were_made() -> None:
    output = called("search", "fetch")
    assert reason(checks.called_tool("search"), output) == "'search' was called once."
    assert reason(checks.called_tool("search", 2), output) == (
        "'search' was called once, at least 2 asked. Calls: 'search', 'fetch'."
    )
    assert (
        reason(checks.called_tool("refund"), []) == "'refund' was never called, at least 1 asked. No tool was called."
    )
    assert reason(checks.did_not_call("refund"), output) == "'refund' was not called."
    assert reason(checks.did_not_call("fetch"), output) == "Forbidden 'fetch' was called. Calls: 'search', 'fetch'."
    assert reason(checks.tool_order(["search"]), output) == "Called in this order: 'search'."
    assert reason(checks.tool_order(["fetch", "search"]), output) == (
        "'search' was not called after 'fetch'. Calls: 'search', 'fetch'."
    )
    assert reason(checks.max_tool_calls(1), output) == "2 calls, at most 1 allowed. Calls: 'search', 'fetch'."
    assert reason(checks.max_tool_calls(2), called("search")) == "1 call, at most 2 allowed."
    assert reason(checks.used_no_tools(), output) == "2 calls where none was allowed. Calls: 'search', 'fetch'."
    assert reason(checks.used_no_tools(), []) == "No tool was called."
    assert reason(checks.no_tool_errors(), output) == "2 calls, none failed."


def test_a_reason_stays_readable_however_many_calls_there_were() -> None:
    output = calling(*[ToolCall("x" * 500, state="call") for _ in range(500)])
    assert reason(checks.used_no_tools(), output).endswith(" and 490 more.")
    assert reason(checks.no_tool_errors(), output).endswith("; and 490 more.")
    assert max(len(reason(check, output)) for check in (checks.used_no_tools(), checks.no_tool_errors())) < 1_500


@pytest.mark.parametrize(
    ("factory", "arguments", "words"),
    [
        (checks.called_tool, ["search", 0], r"called_tool\(times=\): must be at least 1, found 0"),
        (checks.called_tool, ["search", -1], r"called_tool\(times=\): must be at least 1, found -1"),
        (checks.called_tool, ["search", True], r"called_tool\(times=\): expected a whole number, found bool"),
        (checks.called_tool, ["search", 1.5], r"called_tool\(times=\): expected a whole number, found float"),
        (checks.called_tool, [None], r"called_tool\(name=\): expected a text, found NoneType"),
        (checks.did_not_call, [["a"]], r"did_not_call\(name=\): expected a text, found list"),
        (checks.max_tool_calls, [-1], r"max_tool_calls\(n=\): must be at least 0, found -1"),
        (checks.max_tool_calls, [False], r"max_tool_calls\(n=\): expected a whole number, found bool"),
        (checks.max_tool_calls, ["3"], r"max_tool_calls\(n=\): expected a whole number, found str"),
        (checks.tool_order, ["search"], r"tool_order\(order=\): expected a list of texts, found str"),
        (checks.tool_order, [["search", 3]], r"tool_order\(order=\): expected a list of texts, found int"),
        (checks.tool_order, [{"search"}], r"tool_order\(order=\): expected a list of texts, found set"),
    ],
)
def test_what_no_run_could_meet_or_miss_is_refused(factory: Any, arguments: list[object], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        factory(*arguments)


@LAW
@given(calls(), names, st.integers(1, 5))
def test_asking_for_more_calls_is_never_easier(output: list[Message], name: str, times: int) -> None:
    fewer, more = (score(checks.called_tool(name, asked), output) for asked in (times, times + 1))
    assert fewer >= more


@LAW
@given(calls(), names)
def test_a_tool_was_called_or_it_was_not(output: list[Message], name: str) -> None:
    assert score(checks.called_tool(name), output) + score(checks.did_not_call(name), output) == 1.0


@LAW
@given(calls(), st.integers(0, 6))
def test_allowing_more_calls_is_never_harder(output: list[Message], n: int) -> None:
    assert score(checks.max_tool_calls(n), output) <= score(checks.max_tool_calls(n + 1), output)
    assert score(checks.max_tool_calls(0), output) == score(checks.used_no_tools(), output)


@LAW
@given(calls(), st.lists(names, max_size=4), names)
def test_a_longer_order_is_never_easier_and_one_name_is_a_call(
    output: list[Message], order: list[str], name: str
) -> None:
    assert score(checks.tool_order([*order, name]), output) <= score(checks.tool_order(order), output)
    assert score(checks.tool_order([name, *order]), output) <= score(checks.tool_order(order), output)
    assert score(checks.tool_order([name]), output) == score(checks.called_tool(name), output)


@LAW
@given(st.lists(names, max_size=6), st.data())
def test_what_was_called_in_an_order_was_called_in_every_part_of_it(made: list[str], data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=len(made), max_size=len(made)))
    part = [name for name, keep in zip(made, kept, strict=True) if keep]
    assert score(checks.tool_order(part), called(*made)) == 1.0


@LAW
@given(calls())
def test_messages_of_others_change_nothing(output: list[Message]) -> None:
    among = [message for own in output for message in (Message("user", "search"), own, Message("tool", "fetch"))]
    for check in (
        checks.called_tool("search"),
        checks.did_not_call("fetch"),
        checks.tool_order(["search", "fetch"]),
        checks.max_tool_calls(2),
        checks.used_no_tools(),
        checks.no_tool_errors(),
        checks.includes("done"),
        checks.equals("done"),
    ):
        assert score(check, among) == score(check, output)
