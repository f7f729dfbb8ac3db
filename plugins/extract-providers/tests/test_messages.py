"""Messages of chat models: what is read of each kind, and which result belongs to which call."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import ConfigurationError, Conversation, MediaPart, Message, ToolCall
from steelyard_extract_providers import openai_chat

Record = dict[str, Any]


def call(name: str, id: str | None = None, arguments: object = "{}") -> Record:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def asks(*calls: Record, content: object = None) -> Record:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def says(content: object, role: str = "assistant") -> Record:
    return {"role": role, "content": content}


def answers(id: str | None, content: object, **more: object) -> Record:
    return {"role": "tool", "tool_call_id": id, "content": content, **more}


def only(conversation: Conversation) -> Message:
    [message] = conversation.messages
    return message


def results(*messages: Record) -> list[object]:
    return [step.tool_result for step in openai_chat(list(messages)).trajectory.tool_calls]


def faults(conversation: Conversation) -> list[tuple[str, str]]:
    return [(fault["place"], fault["reason"]) for fault in conversation.metadata.get("faults", [])]


# -- content -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "content", "expected"),
    [
        ("assistant", None, ()),
        ("assistant", "", ("",)),
        ("assistant", [], ()),
        ("assistant", "Hello", ("Hello",)),
        ("assistant", [{"type": "text", "text": "One "}, {"type": "text", "text": "moment."}], ("One moment.",)),
        ("user", [{"type": "text", "text": "One"}, {"type": "text", "text": "Two"}], ("One\nTwo",)),
        ("system", [{"type": "text", "text": "One"}, {"type": "text", "text": "Two"}], ("One\nTwo",)),
        ("user", {"type": "text", "text": "One"}, ("One",)),
        ("user", ["One", "Two"], ("One\nTwo",)),
        ("user", [{"type": "image_url", "image_url": "u"}], (MediaPart("image", {"url": "u"}),)),
        (
            "user",
            [{"type": "image_url", "image_url": {"url": "u", "detail": "low"}}, {"type": "text", "text": "What?"}],
            (MediaPart("image", {"url": "u"}), "What?"),
        ),
        (
            "user",
            [{"type": "input_audio", "input_audio": {"data": "UklG", "format": "wav"}}],
            (MediaPart("file", {"media_type": "audio/wav", "data": "UklG"}),),
        ),
        (
            "user",
            [{"type": "file", "file": {"file_id": "f1", "filename": "a.pdf", "file_data": None}}],
            (MediaPart("file", {"file_id": "f1", "filename": "a.pdf"}),),
        ),
    ],
)
def test_content_of_every_kind_is_read(role: str, content: object, expected: tuple[object, ...]) -> None:
    found = openai_chat([says(content, role)])
    assert only(found).content == expected
    assert faults(found) == []


def test_a_message_without_content_is_one() -> None:
    assert only(openai_chat([{"role": "assistant"}])) == Message("assistant")


def test_developers_speak_as_the_system_and_functions_as_tools() -> None:
    found = openai_chat([says("Be brief.", "developer"), {"role": "function", "name": "fx", "content": "1"}])
    assert [message.role for message in found.messages] == ["system", "tool"]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "thinking"])
def test_what_the_model_thought_is_reasoning_wherever_a_server_keeps_it(field: str) -> None:
    assert only(openai_chat([{**says("4"), field: "2 + 2"}])).reasoning == "2 + 2"


def test_thoughts_and_refusals_among_the_parts_are_no_content() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    refused = {"type": "refusal", "refusal": "No."}
    message = only(openai_chat([says([thought, refused])]))
    assert (message.content, message.reasoning, message.refusal) == ((), "Hm.", "No.")


def test_an_answer_in_sound_says_its_transcript() -> None:
    assert only(openai_chat([{**says(None), "audio": {"id": "a", "transcript": "Four."}}])).text == "Four."


def test_nulls_that_a_dump_adds_say_nothing() -> None:
    dumped = {**says("Hi"), "refusal": None, "annotations": [], "audio": None, "function_call": None}
    assert openai_chat([{**dumped, "tool_calls": None}]) == openai_chat([says("Hi")])


# -- arguments ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "args", "raw_args"),
    [
        ('{"city": "Oslo"}', {"city": "Oslo"}, None),
        ({"city": "Oslo"}, {"city": "Oslo"}, None),
        ("", {}, None),
        (" \n", {}, None),
        (None, {}, None),
        ("[1, 2]", None, "[1, 2]"),
        ("7", None, "7"),
        ('"{}"', None, '"{}"'),
        ("null", None, "null"),
        ('{"city": ', None, '{"city": '),
        ('{"x": NaN}', None, '{"x": NaN}'),
        ("[" * 100_000, None, "[" * 100_000),
        ('{"n": ' + "9" * 5000 + "}", None, '{"n": ' + "9" * 5000 + "}"),
        ([1, 2], None, "[1, 2]"),
        (True, None, "true"),
        # Some servers send empty texts after empty arguments.
        ('{}""', {}, None),
        (' { } "" ""', {}, None),
        ("{}{}", None, "{}{}"),
        ('{"a":', None, '{"a":'),
    ],
)
def test_arguments_are_an_object_or_their_text(arguments: object, args: object, raw_args: str | None) -> None:
    found = openai_chat([asks(call("tool", "c1", arguments))])
    [step] = found.trajectory.tool_calls
    assert (step.tool_args, step.raw_args) == (args, raw_args)
    assert only(found).tool_calls == (ToolCall("tool", args, "c1", raw_args=raw_args),)


def test_a_custom_tool_s_free_text_is_its_input() -> None:
    custom = {"id": "c1", "type": "custom", "custom": {"name": "run_sql", "input": "select 1"}}
    [step] = openai_chat([asks(custom), answers("c1", "1")]).trajectory.tool_calls
    assert (step.name, step.tool_args, step.tool_result) == ("run_sql", {"input": "select 1"}, "1")


def test_a_call_that_is_told_twice_in_the_old_and_in_the_new_way_counts_once() -> None:
    both = {**asks(call("fx", "c1")), "function_call": {"name": "fx", "arguments": "{}"}}
    assert len(openai_chat([both]).trajectory.tool_calls) == 1


# -- results -----------------------------------------------------------------------------------------------------------


def test_results_in_any_order_find_their_calls_and_steps_keep_the_order_of_the_calls() -> None:
    found = results(asks(call("a", "1"), call("b", "2")), answers("2", "of b"), answers("1", "of a"))
    assert found == ["of a", "of b"]


def test_an_id_that_a_later_turn_uses_again_keeps_each_result_with_its_own_call() -> None:
    turn = asks(call("a", "call_0"))
    assert results(turn, answers("call_0", "first"), turn, answers("call_0", "second")) == ["first", "second"]
    assert results(turn, turn, answers("call_0", "near"), answers("call_0", "far")) == ["far", "near"]


def test_calls_of_one_message_that_share_an_id_are_answered_by_name_and_else_in_their_order() -> None:
    parallel = asks(call("a", "x"), call("b", "x"))
    assert results(parallel, answers("x", "1"), answers("x", "2")) == ["1", "2"]
    assert results(parallel, answers("x", "1", name="b"), answers("x", "2", name="a")) == ["2", "1"]


def test_a_user_may_speak_between_a_call_and_its_result() -> None:
    assert results(asks(call("a", "1")), says("Still there?", "user"), answers("1", "done")) == ["done"]


@pytest.mark.parametrize("id", [None, ""])
def test_results_without_an_id_go_by_name_and_else_by_order(id: str | None) -> None:
    parallel = asks(call("a", id), call("b", id), call("a", id))
    named = [answers(id, "1", name="b"), answers(id, "2", name="a"), answers(id, "3", tool_name="a")]
    assert results(parallel, *named) == ["2", "1", "3"]
    assert results(parallel, *[answers(id, text) for text in "123"]) == ["1", "2", "3"]


def test_a_result_without_an_id_belongs_to_a_call_without_one_before_any_other() -> None:
    both = asks(call("a", "1"), call("a"), call("b", "2"))
    assert results(both, answers(None, "bare")) == [None, "bare", None]
    assert results(both, answers(None, "bare", name="a"), answers(None, "next", name="a")) == ["next", "bare", None]
    assert results(both, answers(None, "of b", name="b")) == [None, None, "of b"]


def test_the_legacy_function_call_is_answered_by_the_next_function_of_its_name() -> None:
    legacy = {"role": "assistant", "content": None, "function_call": {"name": "fx", "arguments": "{}"}}
    other = {"role": "function", "name": "other", "content": "no"}
    mine = {"role": "function", "name": "fx", "content": "5.40"}
    assert results(legacy, other, mine, legacy, mine | {"content": "6"}) == ["5.40", "6"]


@pytest.mark.parametrize("stray", [answers("zz", "late"), answers("1", "again"), answers(None, "whose?")])
def test_a_result_that_answers_nothing_stays_a_message_and_makes_no_step(stray: Record) -> None:
    found = openai_chat([asks(call("a", "1")), answers("1", "done"), stray])
    assert [step.tool_result for step in found.trajectory.tool_calls] == ["done"]
    assert found.messages[-1].text == stray["content"]
    assert found.messages[-1].name is None


def test_an_answer_with_null_is_a_result_and_no_answer_is_none() -> None:
    found = openai_chat([asks(call("a", "1"), call("b", "2")), answers("1", None)])
    assert [(step.tool_result, step.success) for step in found.trajectory.tool_calls] == [(None, True), (None, None)]
    assert [each.state for each in found.messages[0].tool_calls] == ["result", "call"]


def test_a_text_that_tells_of_an_error_is_an_ordinary_result() -> None:
    [step] = openai_chat([asks(call("a", "1")), answers("1", "Error: no such city")]).trajectory.tool_calls
    assert (step.success, step.error) == (True, None)


def test_a_failure_that_a_server_marks_beyond_the_format_is_one() -> None:
    found = openai_chat([asks(call("a", "1")), answers("1", "no such city", is_error=True)])
    [step] = found.trajectory.tool_calls
    assert (step.success, step.error, found.messages[1].is_error) == (False, "no such city", True)
    assert found.messages[0].tool_calls[0].failed


@pytest.mark.parametrize(
    ("content", "result", "text"),
    [
        ('{"temp_c": 4}', '{"temp_c": 4}', '{"temp_c": 4}'),
        ({"temp_c": 4}, {"temp_c": 4}, '{"temp_c": 4}'),
        ([{"id": 1}, {"id": 2}], [{"id": 1}, {"id": 2}], '[{"id": 1}, {"id": 2}]'),
        ([{"type": "file", "name": "a"}], [{"type": "file", "name": "a"}], '[{"type": "file", "name": "a"}]'),
        (4, 4, "4"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb", "a\nb"),
        (
            [{"type": "text", "text": "page"}, {"type": "image_url", "image_url": {"url": "u"}}],
            [{"type": "text", "text": "page"}, {"type": "image", "url": "u"}],
            "page",
        ),
    ],
)
def test_a_result_stays_as_it_was_recorded(content: object, result: object, text: str) -> None:
    found = openai_chat([asks(call("a", "1")), answers("1", content)])
    assert found.trajectory.tool_calls[0].tool_result == result
    assert found.messages[0].tool_calls[0].result == result
    assert found.messages[1].text == text
    assert faults(found) == []


# -- what a record tells beside ----------------------------------------------------------------------------------------


def test_what_a_record_tells_beside_its_messages_is_metadata() -> None:
    record = {"messages": [says("Hi")], "id": "t1", "model": "m", "lang": "de", "metadata": {"user": 7}}
    found = openai_chat(record)
    assert (found.id, found.metadata) == ("t1", {"model": "m", "lang": "de", "user": 7})


def test_an_id_may_be_a_number() -> None:
    assert openai_chat({"messages": [], "id": 7}).id == "7"


def test_generations_are_named_after_the_model_that_was_asked_for_and_else_are_unknown() -> None:
    assert [step.name for step in openai_chat({"messages": [says("Hi")], "model": "m"}).trajectory.steps] == ["m"]
    assert [step.name for step in openai_chat([says("Hi")]).trajectory.steps] == ["unknown"]


def test_what_cannot_be_known_is_none() -> None:
    found = openai_chat([says("Hi")])
    [step] = found.trajectory.steps
    assert (found.usage, found.id, step.prompt_tokens, step.completion_tokens) == (None, None, None, None)


def test_the_record_of_a_step_can_be_reached() -> None:
    asked = asks(call("a", "1"))
    found = openai_chat([asked])
    assert [step.raw for step in found.trajectory.steps] == [asked, asked["tool_calls"][0]]


# -- damage ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("damaged", "place"),
    [
        (7, "[1]"),
        (None, "[1]"),
        ([], "[1]"),
        ({}, "[1].role"),
        ({"role": "critic", "content": "x"}, "[1].role"),
        ({"role": ["user"], "content": "x"}, "[1].role"),
        (says(7), "[1].content"),
        (says(["a", 7]), "[1].content[1]"),
        (says([{"type": "text", "text": 7}]), "[1].content[0]"),
        (says([{"type": "hologram"}]), "[1].content[0]"),
        (says([{"text": "a"}]), "[1].content[0]"),
        ({"role": "assistant", "tool_calls": 7}, "[1].tool_calls"),
        (asks(7), "[1].tool_calls[0]"),  # type: ignore[arg-type]
        (asks({"id": "x"}), "[1].tool_calls[0].function"),
        (asks(call("")), "[1].tool_calls[0].function.name"),
        (asks({"id": [], **{key: value for key, value in call("a").items() if key != "id"}}), "[1].tool_calls[0].id"),
        ({"role": "assistant", "function_call": "fx"}, "[1].function_call"),
        (answers([], "x"), "[1].tool_call_id"),  # type: ignore[arg-type]
    ],
)
def test_damage_costs_its_own_place_and_is_told(damaged: object, place: str) -> None:
    before = [asks(call("a", "1")), answers("1", "done"), says("Done.")]
    found = openai_chat([before[0], damaged, *before[1:]])
    whole = openai_chat(before)
    assert [fault[0] for fault in faults(found)] == [place]
    assert [message for message in whole.messages if message not in found.messages] == []
    assert [step for step in whole.trajectory.steps if step not in found.trajectory.steps] == []


def test_a_fault_names_kinds_and_never_what_the_record_says() -> None:
    found = openai_chat([says("Hi"), says({"secret": "hunter2"}), {"role": "assistant", "tool_calls": "hunter2"}])
    assert len(faults(found)) == 2
    assert "hunter2" not in json.dumps(faults(found))


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (7, "found a number"),
        (None, "found null or nothing"),
        ("[]", "found a text"),
        ({}, "found an object without keys"),
        ({"a": 1, "b": 2}, "found an object with the keys 'a', 'b'"),
        ({"resourceSpans": []}, "found an object with the keys 'resourceSpans'"),
        ([], "found an empty list"),
        ([[[]]], "found a list that begins with a list"),
        ([1, 2], "found a list that begins with a number"),
        ({"messages": [{"from": "human", "value": "Hi"}]}, r"messages\[0\].role: expected one of system, developer"),
        ([{"role": "user", "content": "Hi"}, {"type": "function_call"}], r"of another format; \[1\].type"),
        (
            [says([{"type": "tool_use", "id": "x"}])],
            r"of another format; \[0\].content\[0\]: a part of type 'tool_use'",
        ),
        ([{"role": "user", "parts": []}], r"of another format; \[0\].parts"),
        ({"messages": 7}, "found an object with the keys 'messages'"),
    ],
)
def test_a_record_of_which_nothing_can_be_read_is_refused_by_name_and_place(record: object, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told) as refused:
        openai_chat(record)
    assert str(refused.value).startswith("openai-chat: ")


def test_a_conversation_without_messages_is_one() -> None:
    assert openai_chat({"messages": []}) == Conversation(format="openai-chat")


# -- laws --------------------------------------------------------------------------------------------------------------

words = st.text(st.one_of(st.characters(), st.sampled_from("\ud83d\u2028é")), max_size=6)
ids = st.sampled_from([None, "call_0", "call_1"])
tools = st.sampled_from(["search", "fetch"])
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.floats(-1, 1), words),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(words, inner, max_size=2)),
    max_leaves=4,
)
parts = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, words),
    st.builds(lambda url: {"type": "image_url", "image_url": {"url": url, "detail": "low"}}, words),
)
contents = st.one_of(st.none(), words, st.lists(parts, max_size=3))
arguments = st.one_of(st.none(), words, st.dictionaries(words, values, max_size=2).map(json.dumps))
messages = st.one_of(
    st.builds(says, contents, st.sampled_from(["system", "developer", "user"])),
    st.builds(
        lambda calls, content, thought: {**asks(*calls, content=content), "reasoning_content": thought},
        st.lists(st.builds(call, tools, ids, arguments), max_size=3),
        contents,
        st.one_of(st.none(), words),
    ),
    st.builds(
        lambda id, content, name: answers(id, content, name=name),
        ids,
        st.one_of(contents, values),
        st.one_of(st.none(), tools),
    ),
    st.builds(lambda name, text: {"role": "function", "name": name, "content": text}, tools, words),
)
conversations = st.lists(messages, max_size=8)


def chat_form(found: Conversation) -> list[Record]:
    """A conversation written as messages of a chat model."""
    return [chat_message(message) for message in found.messages]


def chat_message(message: Message) -> Record:
    told: Record = {"role": message.role, "content": chat_content(message)}
    if message.role == "tool":
        told |= {"tool_call_id": message.tool_call_id, "name": message.name}
    if message.role == "assistant":
        told |= {"reasoning_content": message.reasoning, "refusal": message.refusal}
        told["tool_calls"] = [
            call(each.name, each.id, json.dumps(each.args) if each.raw_args is None else each.raw_args)
            for each in message.tool_calls
        ]
    return told


def chat_content(message: Message) -> object:
    if len(message.content) < 2 and all(isinstance(part, str) for part in message.content):
        return message.content[0] if message.content else None
    return [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image_url", "image_url": {"url": part.fields["url"]}}
        for part in message.content
    ]


@given(conversations)
def test_a_conversation_that_is_written_as_chat_and_read_again_is_the_same(record: list[Record]) -> None:
    if not record:
        return
    once = openai_chat(record)
    again = openai_chat(chat_form(once) or {"messages": []})
    texts_only = [without_structure(step) for step in once.trajectory.steps]
    assert [without_structure(step) for step in again.trajectory.steps] == texts_only
    assert chat_form(again) == chat_form(once)
    assert openai_chat(chat_form(again) or {"messages": []}) == again


def without_structure(step: Any) -> Any:
    """A step to compare: a structured result has become its text in a message."""
    told = step.tool_result
    structured = not isinstance(told, str | None) and not (isinstance(told, list) and told and is_part(told[0]))
    return (step.step_type, step.name, step.tool_args, step.raw_args, step.call_id, step.success) + (
        (json.dumps(told, ensure_ascii=False),) if structured else (told,)
    )


def is_part(value: object) -> bool:
    return isinstance(value, dict) and value.get("type") in ("text", "image")


@given(conversations, st.data())
def test_a_conversation_that_was_cut_off_has_the_first_steps_of_the_whole_one(
    record: list[Record], data: st.DataObject
) -> None:
    length = data.draw(st.integers(0, len(record)))
    whole = openai_chat({"messages": record}).trajectory.steps
    cut = openai_chat({"messages": record[:length]}).trajectory.steps
    for mine, theirs in zip(cut, whole, strict=False):
        if mine.success is not None:
            assert mine == theirs
        assert (mine.step_type, mine.name, mine.tool_args, mine.call_id) == (
            theirs.step_type,
            theirs.name,
            theirs.tool_args,
            theirs.call_id,
        )


@given(conversations)
def test_each_response_is_a_generation_and_each_call_a_step(record: list[Record]) -> None:
    found = openai_chat({"messages": record})
    asked = [message for message in record if message["role"] == "assistant"]
    assert len(found.messages) == len(record)
    assert len(found.trajectory.steps) == len(asked) + sum(len(message["tool_calls"]) for message in asked)
    answered = [step for step in found.trajectory.tool_calls if step.success]
    assert len(answered) <= sum(message["role"] in ("tool", "function") for message in record)
