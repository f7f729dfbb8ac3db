"""What scorers of agents see: the question, the answer, and the calls between them."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from steelyard import (
    AgentInput,
    AgentOutput,
    ConfigurationError,
    Message,
    ToolCall,
    UnreadableOutput,
    assistant_texts,
    extract_tool_calls,
    first_user_text,
    last_assistant_text,
    last_user_text,
    reasoning_texts,
    system_prompt,
    system_prompts,
)
from steelyard._model.conversation import read_agent_input, read_agent_output
from steelyard.testing import agent_input, agent_output, assistant_message, remembered, user_message

# -- input -------------------------------------------------------------------------------------------------------------


def test_all_fields_of_an_agent_input_default_to_empty() -> None:
    empty = AgentInput()
    assert empty.input_messages == empty.remembered_messages == empty.system_messages == ()
    assert empty.tagged_system_messages == {}
    assert empty.text == ""


def test_the_question_is_the_last_user_message_with_text() -> None:
    asked = [user_message("first"), user_message("second"), user_message(""), assistant_message("answer")]
    assert AgentInput(input_messages=asked).text == "second"


def test_an_input_made_from_a_list_sorts_out_system_and_remembered_messages() -> None:
    system, tagged = Message("system", "Be brief."), Message("system", "Likes tea.", tag="memory")
    old, new = remembered(user_message("old")), user_message("new")
    made = AgentInput.from_messages([system, old, tagged, new])
    assert made.system_messages == (system,)
    assert made.tagged_system_messages == {"memory": (tagged,)}
    assert made.remembered_messages == (old,)
    assert made.input_messages == (new,)
    assert read_agent_input([system, old, tagged, new]) == made


@pytest.mark.parametrize(
    ("given", "texts"),
    [
        ("hello", ["hello"]),
        (user_message("hello"), ["hello"]),
        ([user_message("a"), user_message("b")], ["a", "b"]),
        ([{"role": "user", "content": "a"}], ["a"]),
        ({"role": "user", "content": "a"}, ["a"]),
        (["a", "b"], ["a", "b"]),
        (AgentInput(input_messages=[user_message("a")]), ["a"]),
        (None, []),
        ([], []),
    ],
)
def test_agent_scorers_take_texts_messages_dicts_lists_of_them_and_nothing_as_input(
    given: Any, texts: list[str]
) -> None:
    assert [message.text for message in read_agent_input(given).input_messages] == texts


@pytest.mark.parametrize("messages", ["hello", 3, [{"role": "user"}], ["hello"]])
def test_what_is_no_message_is_refused_when_an_input_is_made(messages: Any) -> None:
    with pytest.raises(ConfigurationError, match="AgentInput"):
        AgentInput(input_messages=messages)


# -- output ------------------------------------------------------------------------------------------------------------


def test_an_agent_output_is_a_tuple_of_messages() -> None:
    output = AgentOutput([assistant_message("a")])
    assert isinstance(output, tuple)
    assert output == (assistant_message("a"),)


def test_the_answer_is_the_last_assistant_message_whose_text_is_not_empty() -> None:
    output = AgentOutput(
        [assistant_message("first"), assistant_message("last"), assistant_message(""), Message("tool")]
    )
    assert output.text == "last"


def test_without_an_assistant_text_the_answer_is_the_empty_text() -> None:
    assert AgentOutput([user_message("hello"), assistant_message(None)]).text == ""
    assert AgentOutput().text == ""


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ("hello", "hello"),
        ("", ""),
        (assistant_message("hello"), "hello"),
        ([user_message("q"), assistant_message("a")], "a"),
        ([{"role": "assistant", "content": "a"}], "a"),
        ({"role": "assistant", "content": "a"}, "a"),
        (({"role": "assistant", "content": "a"},), "a"),
        ([assistant_message("a"), {"role": "assistant", "content": "b"}], "b"),
        (AgentOutput([assistant_message("a")]), "a"),
        ([], ""),
    ],
)
def test_agent_scorers_take_texts_messages_dicts_and_lists_of_them_as_output(given: Any, answer: str) -> None:
    assert read_agent_output(given).text == answer


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (None, "None"),
        (3, "int"),
        (3.5, "float"),
        (b"bytes", "bytes"),
        (object(), "object"),
        ({"answer": "a"}, "dict"),
        (["a"], "list of str"),
        ([None], "list of NoneType"),
        ([{"content": "a"}], "list of dict"),
        ({1, 2}, "set"),
    ],
)
def test_an_output_that_is_none_or_unreadable_is_an_error_that_names_its_type(given: Any, named: str) -> None:
    with pytest.raises(UnreadableOutput, match=named):
        read_agent_output(given)


def test_results_of_message_objects_are_paired_like_those_of_dicts() -> None:
    asked = Message("assistant", None, tool_calls=(ToolCall("find", id="1"),))
    output = read_agent_output([asked, Message("tool", "42", tool_call_id="1"), assistant_message("It is 42.")])
    assert output.tool_calls[0].result == "42"
    assert not output.tool_calls[0].failed


def test_readings_of_an_output_are_made_once_and_stay_the_same() -> None:
    output = agent_output("Déjà VU", ToolCall("find"))
    assert output.assistant_texts is output.assistant_texts
    assert output.tool_calls is output.tool_calls
    assert output.search_texts == ("Déjà VU",)
    assert output.folded_texts == ("déjà vu",)


def test_an_agent_output_pickles() -> None:
    output = agent_output("a", ToolCall("find"))
    assert output.text == "a"
    copy = pickle.loads(pickle.dumps(output))
    assert type(copy) is AgentOutput
    assert copy == output


# -- helpers -----------------------------------------------------------------------------------------------------------


def test_helpers_read_the_texts_of_a_conversation() -> None:
    messages = [
        Message("system", "Be brief."),
        Message("system", "Likes tea.", tag="memory"),
        user_message("first"),
        user_message("second"),
        Message("assistant", "one", reasoning="hm"),
        assistant_message("two"),
    ]
    assert first_user_text(messages) == "first"
    assert last_user_text(messages) == "second"
    assert last_assistant_text(messages) == "two"
    assert assistant_texts(messages) == ("one", "two")
    assert reasoning_texts(messages) == ("hm",)
    assert system_prompts(messages) == ("Be brief.", "Likes tea.")
    assert system_prompt(messages) == "Be brief.\n\nLikes tea."


@pytest.mark.parametrize("given", [None, [], "", [{"role": "user", "content": ""}]])
def test_helpers_give_none_where_there_is_no_text_that_is_not_empty(given: Any) -> None:
    assert first_user_text(given) is None
    assert last_user_text(given) is None
    assert last_assistant_text(given) is None
    assert system_prompt(given) is None
    assert not [*assistant_texts(given), *reasoning_texts(given), *extract_tool_calls(given)]


def test_builders_make_inputs_and_outputs_for_tests() -> None:
    assert agent_input("a", "b", system="Be brief.").text == "b"
    assert agent_input(system="Be brief.").system_messages[0].text == "Be brief."
    assert agent_output("a", assistant_message("b"), ToolCall("find")).text == "b"
    assert remembered(user_message("a")).remembered


# -- tool calls --------------------------------------------------------------------------------------------------------


def test_an_extracted_call_says_what_was_called_and_where() -> None:
    calls = extract_tool_calls(
        [
            user_message("q"),
            Message(
                "assistant", None, tool_calls=(ToolCall("find", {"q": 1}, "1", result={"hits": 2}), ToolCall("go"))
            ),
            Message("assistant", None, tool_calls=(ToolCall("stop", id="3", error="no"),)),
        ]
    )
    assert isinstance(calls, tuple)
    assert [(call.name, call.id, call.message_index, call.call_index) for call in calls] == [
        ("find", "1", 1, 0),
        ("go", "1-1", 1, 1),
        ("stop", "3", 2, 0),
    ]
    assert (calls[0].args, calls[0].result, calls[0].state) == ({"q": 1}, {"hits": 2}, "result")
    assert (calls[2].error, calls[2].state) == ("no", "output-error")


def test_calls_without_a_name_are_left_out_and_keep_their_place() -> None:
    calls = extract_tool_calls(Message("assistant", None, tool_calls=(ToolCall(""), ToolCall("find"))))
    assert [(call.name, call.call_index) for call in calls] == [("find", 1)]


def test_a_call_whose_arguments_were_still_arriving_does_not_count() -> None:
    output = agent_output(ToolCall("find", state="partial-call"), ToolCall("find", state="call"))
    assert [call.state for call in extract_tool_calls(output)] == ["call"]
    assert [call.state for call in output.all_tool_calls] == ["partial-call", "call"]


def test_an_unanswered_call_that_is_seen_again_is_one_call_with_the_latest_state() -> None:
    output = agent_output(ToolCall("find", id="1"), ToolCall("find", id="1", result="ok"))
    assert [(call.state, call.message_index) for call in output.tool_calls] == [("result", 0)]


def test_the_same_id_in_one_message_is_one_call_and_after_an_answer_in_another_is_two() -> None:
    done = ToolCall("find", id="1", result="ok")
    assert len(extract_tool_calls(Message("assistant", None, tool_calls=(done, done)))) == 1
    assert len(extract_tool_calls(agent_output(done, done))) == 2


def test_calls_that_a_user_or_tool_message_carries_are_not_the_agents() -> None:
    assert extract_tool_calls([Message("user", "q", tool_calls=(ToolCall("find"),))]) == ()
