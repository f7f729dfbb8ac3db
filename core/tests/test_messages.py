"""Messages and tool calls have one form, whoever recorded them."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard import ConfigurationError, MediaPart, Message, ToolCall, messages_from_json, messages_to_json

# -- messages ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Hello", "Hello"),
        (None, ""),
        ((), ""),
        ("", ""),
        (["Hel", "lo"], "Hello"),
        (["a\n", "", "\nb"], "a\n\nb"),
        ([MediaPart("image", {"url": "x"})], ""),
        (["see ", MediaPart("image", {"url": "x"}), "this"], "see this"),
    ],
)
def test_the_text_of_a_message_is_its_text_segments_joined_without_separator(content: Any, text: str) -> None:
    assert Message("user", content).text == text


def test_content_is_kept_as_a_tuple_of_parts_however_it_was_given() -> None:
    image = MediaPart("image", {"url": "x"})
    assert Message("user", "a").content == ("a",)
    assert Message("user", image).content == (image,)
    assert Message("user", (part for part in ["a", "b"])).content == ("a", "b")


@pytest.mark.parametrize("content", [3, {"text": "a"}, b"bytes", [1], ["a", None], [{"type": "text", "text": "a"}]])
def test_content_that_is_no_text_and_no_parts_is_refused_with_its_type_named(content: Any) -> None:
    with pytest.raises(ConfigurationError, match="content="):
        Message("user", content)


@pytest.mark.parametrize("role", ["robot", "", None, 3, "User"])
def test_an_unknown_role_is_refused_and_the_known_ones_are_named(role: Any) -> None:
    with pytest.raises(ConfigurationError, match="system, user, assistant, tool"):
        Message(role, "a")


@pytest.mark.parametrize("calls", [[{"name": "find"}], ["find"], "find", 3, {"name": "find"}, None])
def test_tool_calls_that_are_none_are_refused_when_the_message_is_made(calls: Any) -> None:
    with pytest.raises(ConfigurationError, match="tool_calls="):
        Message("assistant", None, tool_calls=calls)


def test_a_message_cannot_be_changed() -> None:
    message = Message("user", "a")
    with pytest.raises(AttributeError):
        message.role = "assistant"  # type: ignore[misc]


# -- tool calls --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "state"),
    [
        ({}, "call"),
        ({"result": 42}, "result"),
        ({"result": ""}, "result"),
        ({"error": "no such file"}, "output-error"),
        ({"result": 42, "error": "flagged"}, "result"),
        ({"state": "partial-call"}, "partial-call"),
        ({"result": 42, "state": "call"}, "call"),
    ],
)
def test_the_state_of_a_call_follows_from_what_is_given_unless_it_is_said(given: dict[str, Any], state: str) -> None:
    assert ToolCall("find", **given).state == state


def test_an_unknown_state_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"call, partial-call, result, output-error"):
        ToolCall("find", state="done")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "failed"),
    [
        (ToolCall("find", result="ok"), False),
        (ToolCall("find", result=None, state="result"), False),
        (ToolCall("find", result={"error": None}), False),
        (ToolCall("find", result={"error": ""}), False),
        (ToolCall("find", result={"error": "no such file"}), True),
        (ToolCall("find", result="an error happened"), False),
        (ToolCall("find", result="ok", error="flagged"), True),
        (ToolCall("find", error="raised"), True),
        (ToolCall("find"), True),
        (ToolCall("find", state="partial-call"), True),
    ],
)
def test_a_call_failed_when_it_never_completed_or_raised_or_gave_an_error(call: ToolCall, failed: bool) -> None:
    assert call.failed is failed


# -- the neutral form --------------------------------------------------------------------------------------------------


def test_messages_from_json_gives_a_tuple_and_keeps_that_a_message_is_remembered() -> None:
    messages = messages_from_json([{"role": "user", "content": "old", "remembered": True}, {"role": "user"}])
    assert isinstance(messages, tuple)
    assert [message.remembered for message in messages] == [True, False]


def test_every_field_of_the_neutral_form_is_read() -> None:
    [message] = messages_from_json(
        [
            {
                "role": "assistant",
                "content": ["Let me ", {"type": "text", "text": "look."}, {"type": "image", "url": "x"}],
                "reasoning": "I should look.",
                "refusal": "no",
                "name": "helper",
                "tool_calls": [
                    {
                        "id": "1",
                        "name": "find",
                        "args": {"q": 1},
                        "result": {"hits": 2},
                        "error": None,
                        "state": "result",
                    },
                    {"id": 2, "name": "find", "raw_args": '{"q": ', "provider_executed": True},
                ],
            }
        ]
    )
    assert message.content == ("Let me ", "look.", MediaPart("image", {"url": "x"}))
    assert (message.reasoning, message.refusal, message.name) == ("I should look.", "no", "helper")
    whole, broken = message.tool_calls
    assert whole == ToolCall("find", {"q": 1}, "1", {"hits": 2})
    assert (broken.id, broken.args, broken.raw_args, broken.state) == ("2", None, '{"q": ', "call")
    assert broken.provider_executed


def test_the_role_developer_is_read_as_system() -> None:
    assert messages_from_json([{"role": "developer", "content": "Be brief."}])[0].role == "system"


def test_fields_that_nobody_knows_are_ignored() -> None:
    assert messages_from_json([{"role": "user", "content": "a", "annotations": [1]}]) == (Message("user", "a"),)


def test_message_objects_may_stand_among_the_dicts() -> None:
    message = Message("user", "a")
    assert messages_from_json([message, {"role": "assistant", "content": "b"}])[0] is message


def test_a_call_whose_result_is_null_was_answered() -> None:
    [message] = messages_from_json([{"role": "assistant", "tool_calls": [{"name": "find", "result": None}]}])
    assert message.tool_calls[0].state == "result"


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (3, "found int"),
        ("hello", "found str"),
        ({"role": "user"}, "found dict"),
        ([None], r"\[0\]"),
        (["hello"], r"\[0\]"),
        ([{"content": "a"}], r"\[0\]\.role"),
        ([{"role": "user"}, {"role": ["user"]}], r"\[1\]\.role"),
        ([{"role": "user", "content": 3}], r"\[0\]\.content"),
        ([{"role": "user", "content": [{"text": "a"}]}], r"\[0\]\.content\[0\]"),
        ([{"role": "user", "content": [{"type": "text", "text": None}]}], r"\[0\]\.content\[0\]\.text"),
        ([{"role": "user", "content": ["a", 3]}], r"\[0\]\.content\[1\]"),
        ([{"role": "assistant", "tool_calls": {"name": "a"}}], r"\[0\]\.tool_calls"),
        ([{"role": "assistant", "tool_calls": ["find"]}], r"\[0\]\.tool_calls\[0\]"),
        ([{"role": "assistant", "tool_calls": [{"name": 3}]}], r"\[0\]\.tool_calls\[0\]\.name"),
        ([{"role": "assistant", "tool_calls": [{"name": "a", "state": "done"}]}], r"\[0\]\.tool_calls\[0\]\.state"),
        ([{"role": "assistant", "tool_calls": [{"function": {"name": "a"}}]}], "extractor"),
        ([{"role": "user", "reasoning": ["a"]}], r"\[0\]\.reasoning"),
        ([{"role": "user", "remembered": "yes"}], r"\[0\]\.remembered"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(data: Any, place: str) -> None:
    with pytest.raises(ConfigurationError, match=place):
        messages_from_json(data)


def test_writing_and_reading_gives_the_same_messages() -> None:
    messages = (
        Message("system", "Be brief.", tag="memory"),
        Message("user", ["a", MediaPart("file", {"data": "x"})], remembered=True),
        Message("assistant", None, tool_calls=(ToolCall("f", id="1", result=1), ToolCall("g", None, raw_args="{"))),
        Message("tool", "1", tool_call_id="1", is_error=False),
        Message("assistant", "done", reasoning="well"),
    )
    assert messages_from_json(messages_to_json(messages)) == messages


# -- which result belongs to which call --------------------------------------------------------------------------------


def asks(*calls: tuple[str, str], **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "tool_calls": [{"id": id, "name": name, **more} for id, name in calls]}


def answers(id: str, text: str | None, **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": text, **more}


def results(data: list[dict[str, Any]]) -> list[object]:
    return [call.result for message in messages_from_json(data) for call in message.tool_calls]


def test_a_tool_message_gives_its_call_the_result_and_stays() -> None:
    asked, answered = messages_from_json([asks(("1", "find")), answers("1", "42")])
    assert (asked.tool_calls[0].result, asked.tool_calls[0].state) == ("42", "result")
    assert answered.role == "tool"


def test_results_of_parallel_calls_may_come_in_any_order() -> None:
    assert results([asks(("1", "a"), ("2", "b")), answers("2", "two"), answers("1", "one")]) == ["one", "two"]


def test_an_id_that_is_used_again_belongs_to_the_nearest_earlier_call() -> None:
    turn_one = [asks(("1", "a")), answers("1", "first")]
    turn_two = [asks(("1", "a")), answers("1", "second")]
    assert results([*turn_one, *turn_two]) == ["first", "second"]


def test_an_aborted_call_stays_unanswered_when_a_later_one_of_its_id_is_answered() -> None:
    assert results([asks(("1", "a")), asks(("1", "a")), answers("1", "late")]) == [None, "late"]


def test_a_result_before_its_call_belongs_to_nothing() -> None:
    assert results([answers("1", "early"), asks(("1", "a"))]) == [None]


def test_messages_that_were_paired_before_stay_as_they_are() -> None:
    once = messages_from_json([asks(("1", "a")), asks(("1", "a")), answers("1", "late")])
    assert messages_from_json(once) == once
    assert messages_from_json(messages_to_json(once)) == once


def test_a_tool_message_that_is_flagged_as_an_error_fails_its_call() -> None:
    asked, _ = messages_from_json([asks(("1", "a")), answers("1", "no such file", is_error=True)])
    assert asked.tool_calls[0].error == "no such file"
    assert asked.tool_calls[0].failed


def test_an_error_without_words_still_fails_its_call() -> None:
    asked, _ = messages_from_json([asks(("1", "a")), answers("1", None, is_error=True)])
    assert asked.tool_calls[0].failed
