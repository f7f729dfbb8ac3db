"""Logs of requests and responses: each response counts once, and files are cut into their conversations."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import Conversation, Usage
from steelyard_extract_providers import openai_chat

Record = dict[str, Any]

SYSTEM = {"role": "system", "content": "Be brief."}
CALL = {"id": "c1", "type": "function", "function": {"name": "stock", "arguments": '{"item": 44}'}}
ASKS = {"role": "assistant", "content": "Looking.", "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "3"}


def user(text: str) -> Record:
    return {"role": "user", "content": text}


def says(text: str) -> Record:
    return {"role": "assistant", "content": text}


def response(message: Record, **more: object) -> Record:
    return {"object": "chat.completion", "model": "m", "choices": [{"index": 0, "message": message}], **more}


def pair(messages: list[Record], answer: object, **more: object) -> Record:
    answered = response(answer) if isinstance(answer, dict) and "role" in answer else answer
    return {"request": {"model": "asked", "messages": messages}, "response": answered, **more}


def failed(text: str = "slow down") -> Record:
    return {"error": {"message": text, "code": 429}}


def cut(data: object) -> list[Conversation]:
    return [openai_chat(record) for record in openai_chat.split(data)]


def texts(found: Conversation) -> list[str]:
    return [message.text for message in found.messages]


def steps(found: Conversation) -> list[tuple[str, bool | None]]:
    return [(step.name, step.success) for step in found.trajectory.steps]


TURN = [SYSTEM, user("Stock?")]
FIRST = pair(TURN, ASKS)
SECOND = pair([*TURN, ASKS, RESULT], says("Three."))
THIRD = pair([*TURN, ASKS, RESULT, says("Three."), user("Sure?")], says("Yes."))
LOG = [FIRST, SECOND, THIRD]
LOG_STEPS = [("m", True), ("stock", True), ("m", True), ("m", True)]
LOG_TEXTS = ["Be brief.", "Stock?", "Looking.", "3", "Three.", "Sure?", "Yes."]


# -- one conversation --------------------------------------------------------------------------------------------------


def test_each_response_is_a_generation_and_each_call_counts_once_however_often_the_history_repeats_them() -> None:
    [found] = cut(LOG)
    assert (texts(found), steps(found)) == (LOG_TEXTS, LOG_STEPS)
    assert openai_chat(LOG) == found


@pytest.mark.parametrize(
    "repeated",
    [
        {"role": "assistant", "tool_calls": [CALL]},
        {"role": "assistant", "content": "", "tool_calls": [CALL], "refusal": None, "audio": None},
        {"role": "assistant", "content": [{"type": "text", "text": "Looking."}], "tool_calls": [CALL]},
        {**ASKS, "tool_calls": [{"id": "c1", "function": {"name": "stock", "arguments": '{"item":44}'}}]},
    ],
)
def test_a_history_that_the_client_wrote_in_its_own_way_is_the_same(repeated: Record) -> None:
    [found] = cut([FIRST, pair([*TURN, repeated, RESULT], says("Three."))])
    assert (texts(found), steps(found)) == (LOG_TEXTS[:5], LOG_STEPS[:3])


def test_a_response_that_the_client_changed_in_the_history_stays_as_the_model_gave_it() -> None:
    first, second = pair(TURN, says("Three, I think.")), pair([*TURN, says("Three"), user("Sure?")], says("Yes."))
    [found] = cut([first, second])
    assert (texts(found)[2:], steps(found)) == (["Three, I think.", "Sure?", "Yes."], [("m", True), ("m", True)])


def test_reasoning_stays_though_the_history_drops_it() -> None:
    [found] = cut([pair(TURN, {**ASKS, "reasoning_content": "Hm."}), SECOND])
    assert [message.reasoning for message in found.messages if message.role == "assistant"] == ["Hm.", None]


def test_instructions_are_those_of_the_latest_request() -> None:
    later = {"role": "system", "content": "It is noon."}
    [found] = cut([FIRST, pair([later, *TURN[1:], ASKS, RESULT], says("Three."))])
    assert (texts(found), steps(found)) == (["It is noon.", *LOG_TEXTS[1:5]], LOG_STEPS[:3])


@pytest.mark.parametrize("history", [[user("Sum up: stock."), ASKS, RESULT], [*TURN, ASKS, RESULT][1:]])
def test_a_history_that_was_cut_short_goes_on_with_its_conversation(history: list[Record]) -> None:
    anew = pair([*history, says("Three."), user("Sure?")], says("Yes."))
    [found] = cut([FIRST, SECOND, anew])
    assert texts(found)[-6:] == LOG_TEXTS[-6:]
    assert steps(found) == LOG_STEPS


@pytest.mark.parametrize("error", [failed(), failed("")])
def test_a_request_that_failed_is_a_generation_that_failed_and_the_next_one_goes_on(error: Record) -> None:
    [found] = cut([pair(TURN, error), *LOG])
    assert (texts(found), steps(found)) == (LOG_TEXTS, [("asked", False), *LOG_STEPS])
    assert found.trajectory.steps[0].error == (error["error"]["message"] or "the request failed")


def test_an_error_beside_a_missing_response_is_one() -> None:
    [found] = cut([pair(TURN, None, error="timed out")])
    assert [step.error for step in found.trajectory.steps] == ["timed out"]


def test_a_response_that_the_next_request_leaves_out_is_a_step_and_no_message() -> None:
    [found] = cut([pair(TURN, says("{")), pair([*TURN, user("JSON, please.")], says("{}"))])
    assert (texts(found)[2:], steps(found)) == (["JSON, please.", "{}"], [("m", True), ("m", True)])


def test_a_log_that_begins_in_the_middle_counts_the_responses_of_its_history() -> None:
    [found] = cut([SECOND, THIRD])
    assert (texts(found), steps(found)) == (LOG_TEXTS, [("asked", True), *LOG_STEPS[1:]])


def test_a_request_without_a_response_is_read() -> None:
    [found] = cut([FIRST, pair([*TURN, ASKS, RESULT], None)])
    assert (texts(found), steps(found)) == (LOG_TEXTS[:4], LOG_STEPS[:2])


def test_a_request_that_goes_on_with_nothing_is_appended_when_the_log_is_given_as_one_record() -> None:
    found = openai_chat([FIRST, SECOND, pair([SYSTEM, user("again")], failed())])
    assert (texts(found), steps(found)) == ([*LOG_TEXTS[:5], "again"], [*LOG_STEPS[:3], ("asked", False)])


# -- several conversations ---------------------------------------------------------------------------------------------


def test_conversations_that_alternate_in_a_log_are_told_apart() -> None:
    other = [
        pair([SYSTEM, user("Hi")], says("Hello.")),
        pair([SYSTEM, user("Hi"), says("Hello."), user("?")], says("!")),
    ]
    found = cut([FIRST, other[0], SECOND, other[1], THIRD])
    assert [texts(each) for each in found] == [LOG_TEXTS, ["Be brief.", "Hi", "Hello.", "?", "!"]]
    assert [steps(each) for each in found] == [LOG_STEPS, [("m", True), ("m", True)]]


def test_the_same_request_again_is_another_conversation_unless_it_failed() -> None:
    again = [pair(TURN, says("Three.")), pair(TURN, says("Three.")), pair(TURN, says("Four."))]
    assert [texts(each)[-1] for each in cut(again)] == ["Three.", "Three.", "Four."]


def test_conversations_that_begin_alike_each_go_on_once() -> None:
    begins = [pair([user("Hi")], says("Hello.")) for _ in range(3)]
    goes_on = [pair([user("Hi"), says("Hello."), user(text)], says(text)) for text in ("a", "b")]
    assert [texts(each)[2:] for each in cut([*begins, *goes_on])] == [["a", "a"], ["b", "b"], []]


def test_a_conversation_that_branches_is_two() -> None:
    branches = [pair([user("Hi"), says("Hello."), user(text)], says(text)) for text in ("a", "b")]
    found = cut([pair([user("Hi")], says("Hello.")), *branches])
    assert [texts(each) for each in found] == [["Hi", "Hello.", "a", "a"], ["Hi", "Hello.", "b", "b"]]


def test_responses_without_their_requests_are_a_record_each() -> None:
    found = cut([response(ASKS), response(says("Three."))])
    assert [steps(each) for each in found] == [[("m", True), ("stock", None)], [("m", True)]]
    assert steps(openai_chat([response(ASKS), response(says("Three."))])) == [("m", True), ("stock", None), ("m", True)]


@pytest.mark.parametrize(
    ("data", "count"),
    [
        ({"messages": TURN}, 1),
        ([{"messages": TURN}, {"messages": TURN}], 2),
        (TURN, 1),
        ([7, *TURN, {"no": "role"}], 1),
        ([TURN, TURN], 2),
        ([response(says("a")), response(says("b"))], 2),
        ({"object": "list", "data": [response(says("a")), response(says("b"))]}, 2),
        (iter([{"messages": TURN}]), 1),
        ([], 0),
        (7, 1),
        ("text", 1),
        (None, 1),
        ([7, None], 2),
        ([{"no": "role"}, {"messages": TURN}, 7], 3),
        ([FIRST, 7, SECOND], 2),
    ],
)
def test_a_file_is_cut_into_its_records(data: object, count: int) -> None:
    assert len(list(openai_chat.split(data))) == count


# -- shapes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "record",
    [
        FIRST,
        {"request": TURN, "response": response(ASKS)},
        {"request": {"body": {"messages": TURN}}, "response": {"status_code": 200, "body": response(ASKS)}},
        {"request": json.dumps({"messages": TURN}), "response": json.dumps(response(ASKS))},
        {"messages": TURN, "response": response(ASKS)},
        {"messages": TURN, **response(ASKS), "object": None},
        {"request": {"messages": TURN}, "response": {"choices": [{"message": ASKS}], "model": "m"}},
        {"request": {"messages": TURN}, "response": response({"content": "Looking.", "tool_calls": [CALL]})},
    ],
)
def test_a_request_with_its_response_is_read_in_every_envelope(record: Record) -> None:
    assert openai_chat.recognises(record)
    [found] = cut([record])
    assert (texts(found), steps(found)) == (LOG_TEXTS[:3], [("m", True), ("stock", None)])


@pytest.mark.parametrize("answer", ["Three.", {"role": "assistant", "content": "Three."}])
def test_a_response_that_is_a_message_or_its_text_alone_is_one(answer: object) -> None:
    assert openai_chat.recognises({"messages": TURN, "response": answer})
    [found] = cut([{"messages": TURN, "response": answer, "model": "m"}])
    assert (texts(found), steps(found)) == ([*LOG_TEXTS[:2], "Three."], [("m", True)])


@pytest.mark.parametrize("text", ["7", "null", '{"city": "Oslo"}', "[1]", "[]"])
def test_an_answer_that_looks_like_json_is_a_text(text: str) -> None:
    assert texts(openai_chat({"messages": TURN, "response": text}))[2:] == [text]


@pytest.mark.parametrize(
    "answer", [{"type": "message", "role": "assistant", "content": []}, {"object": "response", "output": []}]
)
def test_a_pair_whose_response_is_of_another_provider_is_not_of_this_format(answer: object) -> None:
    assert not openai_chat.recognises({"request": {"messages": TURN}, "response": answer})


def test_a_line_of_a_batch_is_a_conversation_under_its_own_id() -> None:
    line = {
        "id": "batch_1",
        "custom_id": "row-7",
        "response": {"status_code": 200, "body": response(says("a"))},
        "error": None,
    }
    assert [(each.id, texts(each)) for each in cut([line])] == [("row-7", ["a"])]


def test_what_a_pair_tells_beside_is_metadata() -> None:
    assert cut([{**FIRST, "session": "s1"}])[0].metadata == {"session": "s1"}
    assert cut([{**FIRST, "session": "s1"}, SECOND])[0].metadata == {"session": "s1"}


def test_of_several_choices_the_first_by_index_is_read() -> None:
    choices = [{"index": 1, "message": says("b")}, {"index": 0, "message": says("a"), "finish_reason": "stop"}]
    found = openai_chat({"object": "chat.completion", "choices": choices})
    assert (texts(found), found.trajectory.steps[0].finish_reason) == (["a"], "stop")


# -- tokens ------------------------------------------------------------------------------------------------------------


def used(prompt: object, completion: object, **details: object) -> Record:
    return {"usage": {"prompt_tokens": prompt, "completion_tokens": completion, **details}}


def test_tokens_are_added_up_in_disjoint_counts_and_steps_have_them_as_recorded() -> None:
    cached = used(
        200, 20, prompt_tokens_details={"cached_tokens": 150}, completion_tokens_details={"reasoning_tokens": 8}
    )
    found = openai_chat(
        [pair(TURN, response(ASKS, **used(100, 10))), pair([*TURN, ASKS, RESULT], response(says("3"), **cached))]
    )
    tokens = [(step.prompt_tokens, step.completion_tokens) for step in found.trajectory.steps]
    assert tokens == [(100, 10), (None, None), (200, 20)]
    assert found.usage == Usage(
        input_tokens=150, cached_input_tokens=150, cache_creation_tokens=0, output_tokens=30, reasoning_tokens=None
    )
    assert found.usage.total_tokens == 330


@pytest.mark.parametrize("usage", [None, {}, 7, {"prompt_tokens": "7"}, {"prompt_tokens": -1}, {"prompt_tokens": True}])
def test_tokens_that_are_not_told_stay_unknown(usage: object) -> None:
    found = openai_chat(response(says("a"), usage=usage))
    assert (found.usage, found.trajectory.steps[0].prompt_tokens) == (None, None)


def test_the_whole_usage_is_unknown_where_one_response_does_not_tell() -> None:
    assert openai_chat([pair(TURN, response(ASKS, **used(100, 10))), SECOND]).usage is None


def test_a_failed_request_takes_nothing_from_what_is_known() -> None:
    assert openai_chat([pair(TURN, failed()), pair(TURN, response(ASKS, **used(100, 10)))]).usage is not None


# -- damage ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("damaged", "place"),
    [
        (7, "[1]"),
        ({**SECOND, "request": 7}, "[1].request"),
        ({**SECOND, "response": 7}, "[1].response"),
        ({**SECOND, "response": []}, "[1].response.choices"),
        ({**SECOND, "response": {"choices": 7}}, "[1].response.choices"),
        ({**SECOND, "response": {"choices": [7]}}, "[1].response.choices"),
        ({**SECOND, "response": {"choices": [{"message": 7}]}}, "[1].response.choices[0].message"),
        (pair([*TURN, 7, ASKS, RESULT], says("Three.")), "[1].request.messages[2]"),  # type: ignore[list-item]
    ],
)
def test_damage_in_a_log_costs_its_own_place_and_is_told_once(damaged: object, place: str) -> None:
    found = openai_chat([FIRST, damaged, THIRD])
    assert [fault["place"] for fault in found.metadata["faults"]] == [place]
    assert texts(found) == LOG_TEXTS
    assert [name for name, _ in steps(found)] in ([name for name, _ in LOG_STEPS], ["m", "stock", "asked", "m"])


def test_a_damaged_message_that_every_request_repeats_is_told_once() -> None:
    turn: list[Any] = [*TURN, 7]
    log = [pair(turn, ASKS), pair([*turn, ASKS, RESULT], says("Three."))]
    assert [fault["place"] for fault in openai_chat(log).metadata["faults"]] == ["[0].request.messages[2]"]


# -- laws --------------------------------------------------------------------------------------------------------------

turns = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=5)


def logged(turns: list[tuple[str, str]]) -> list[Record]:
    """The requests of one conversation, each with the whole history."""
    history: list[Record] = []
    log = []
    for question, answer in turns:
        history = [*history, user(question)]
        log.append(pair(history, says(answer)))
        history = [*history, says(answer)]
    return log


@given(turns)
def test_a_log_and_the_list_of_its_messages_are_the_same_conversation(turns: list[tuple[str, str]]) -> None:
    log = logged(turns)
    last = log[-1]["request"]["messages"]
    [found] = cut(log)
    plain = openai_chat([*last, log[-1]["response"]["choices"][0]["message"]])
    assert found.messages == plain.messages
    assert [step.step_type for step in found.trajectory.steps] == [step.step_type for step in plain.trajectory.steps]


@given(st.lists(turns, max_size=4), st.randoms(use_true_random=False))
def test_conversations_are_told_apart_however_their_requests_alternate(
    talks: list[list[tuple[str, str]]], random: Any
) -> None:
    logs = [logged([(f"{at}{question}", answer) for question, answer in turns]) for at, turns in enumerate(talks)]
    order = [at for at, log in enumerate(logs) for _ in log]
    random.shuffle(order)
    left = [iter(log) for log in logs]
    found = cut([next(left[at]) for at in order])
    first = list(dict.fromkeys(order))
    assert [texts(each) for each in found] == [texts(openai_chat(logs[at])) for at in first]
