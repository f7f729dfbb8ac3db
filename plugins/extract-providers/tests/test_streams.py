"""Streamed responses: their pieces, and which of them belong together."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import Conversation, Usage
from steelyard_extract_providers import openai_chat

Record = dict[str, Any]


def chunk(delta: object = None, *, id: str | None = "s1", finish: str | None = None, **more: object) -> Record:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {"id": id, "object": "chat.completion.chunk", "model": "m", "choices": choices, **more}


def piece(
    index: int | None = 0, id: str | None = None, name: str | None = None, arguments: str | None = None
) -> Record:
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    told = {"index": index, "id": id, "function": function}
    return {key: value for key, value in told.items() if value is not None}


def calling(*pieces: Record, **more: Any) -> Record:
    return chunk({"tool_calls": list(pieces)}, **more)


def calls(found: Conversation) -> list[tuple[str, str | None, object]]:
    return [(step.name, step.call_id, step.tool_args) for step in found.trajectory.tool_calls]


def said(*chunks: object) -> list[str]:
    """The texts of the records that these chunks make."""
    return [openai_chat(record).messages[0].text for record in openai_chat.split(list(chunks))]


END = chunk({}, finish="stop")


def test_pieces_of_a_text_are_one() -> None:
    found = openai_chat(
        [chunk({"role": "assistant", "content": ""}), chunk({"content": "One "}), chunk({"content": "two"})]
    )
    assert [message.text for message in found.messages] == ["One two"]


def test_a_stream_without_content_has_none() -> None:
    assert openai_chat([chunk({"role": "assistant"}), END]).messages[0].content == ()


def test_reasoning_and_refusals_arrive_in_pieces_too() -> None:
    pieces = [{"reasoning_content": "H"}, {"reasoning_content": "m."}, {"refusal": "N"}, {"refusal": "o."}]
    [message] = openai_chat([chunk(delta) for delta in pieces]).messages
    assert (message.reasoning, message.refusal) == ("Hm.", "No.")


def test_parallel_calls_that_interleave_are_joined_by_index() -> None:
    found = openai_chat(
        [
            calling(piece(1, "b", "fetch", "")),
            calling(piece(0, "a", "search", '{"q"')),
            calling(piece(1, arguments='{"u": 1}'), piece(0, arguments=': "x"}')),
        ]
    )
    assert calls(found) == [("search", "a", {"q": "x"}), ("fetch", "b", {"u": 1})]


def test_calls_that_share_an_index_are_told_apart_by_id() -> None:
    found = openai_chat(
        [
            calling(piece(0, "a", "search", '{"q"'), piece(0, "b", "fetch", '{"u"')),
            calling(piece(0, "a", arguments=": 1}"), piece(0, "b", arguments=": 2}")),
            calling(piece(0, "c", "search", "{")),
            calling(piece(0, arguments="}")),
        ]
    )
    assert calls(found) == [("search", "a", {"q": 1}), ("fetch", "b", {"u": 2}), ("search", "c", {})]


def test_calls_that_share_an_id_are_told_apart_by_index() -> None:
    found = openai_chat([calling(piece(0, "call_0", "search", "{}"), piece(1, "call_0", "fetch", "{}"))])
    assert calls(found) == [("search", "call_0", {}), ("fetch", "call_0", {})]


def test_calls_without_an_index_go_on_until_another_begins() -> None:
    found = openai_chat(
        [
            calling(piece(None, "a", "search", '{"q"')),
            calling(piece(None, arguments=": 1}")),
            calling(piece(None, "b", "fetch", "{}")),
            calling(piece(None, None, "fetch", "{}"), piece(None, None, "fetch", "{}")),
        ]
    )
    assert calls(found) == [("search", "a", {"q": 1}), ("fetch", "b", {}), ("fetch", None, {}), ("fetch", None, {})]


def test_a_name_that_comes_whole_with_every_piece_stays_one() -> None:
    found = openai_chat([calling(piece(0, "a", "search", "{")), calling(piece(0, "a", "search", "}"))])
    assert calls(found) == [("search", "a", {})]


@pytest.mark.parametrize("index", [-1, 10**30, 2**64, True, "0", 1.5, None, [0]])
def test_an_index_of_any_kind_makes_one_call(index: Any) -> None:
    assert calls(openai_chat([calling({**piece(0, "a", "search", "{}"), "index": index})])) == [("search", "a", {})]


def test_legacy_and_custom_calls_are_joined() -> None:
    legacy = [
        chunk({"function_call": {"name": "fx", "arguments": ""}}),
        chunk({"function_call": {"arguments": '{"a": 1}'}}),
    ]
    assert calls(openai_chat(legacy)) == [("fx", None, {"a": 1})]
    begun = {"index": 0, "id": "a", "type": "custom", "custom": {"name": "sql", "input": "select "}}
    custom = [calling(begun), calling({"index": 0, "custom": {"input": "1"}})]
    assert calls(openai_chat(custom)) == [("sql", "a", {"input": "select 1"})]


def test_arguments_that_were_cut_off_are_their_text() -> None:
    [step] = openai_chat([calling(piece(0, "a", "search", '{"q'))]).trajectory.tool_calls
    assert (step.tool_args, step.raw_args, step.success) == (None, '{"q', None)


@pytest.mark.parametrize("place", ["last", "every"])
def test_the_last_usage_that_is_told_counts(place: str) -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    before = {"prompt_tokens": 7, "completion_tokens": 1} if place == "every" else None
    found = openai_chat([chunk({"content": "a"}, usage=before), END, chunk(usage=usage)])
    assert found.usage == Usage(
        input_tokens=7, cached_input_tokens=0, cache_creation_tokens=0, output_tokens=3, reasoning_tokens=None
    )


def test_of_several_choices_the_one_of_the_lowest_index_is_read() -> None:
    choices = [{"index": index, "delta": {"content": str(index)}} for index in (2, 1)]
    assert said({**chunk(), "choices": choices}, {**chunk(), "choices": choices}) == ["11"]


def test_a_stream_beside_its_request_is_its_response() -> None:
    record = {
        "request": {"messages": [{"role": "user", "content": "Hi"}], "model": "asked"},
        "response": [chunk({"content": "Hel"}), chunk({"content": "lo"}), END],
    }
    assert openai_chat.recognises(record)
    [found] = [openai_chat(each) for each in openai_chat.split([record])]
    assert [message.text for message in found.messages] == ["Hi", "Hello"]
    assert [step.name for step in found.trajectory.steps] == ["m"]


# -- which chunks belong together --------------------------------------------------------------------------------------


def test_streams_that_alternate_are_told_apart_by_id() -> None:
    chunks = [chunk({"content": text}, id=id) for id, text in (("a", "1"), ("b", "x"), ("a", "2"), ("b", "y"))]
    assert said(*chunks) == ["12", "xy"]


def test_streams_given_as_one_record_are_generations_of_one_conversation() -> None:
    found = openai_chat([chunk({"content": id}, id=id) for id in "aba"])
    assert [message.text for message in found.messages] == ["aa", "b"]


@pytest.mark.parametrize("id", [None, "", "chatcmpl-fake"])
def test_streams_of_one_id_or_of_none_are_told_apart_by_their_ends(id: str | None) -> None:
    stream = [
        chunk({"role": "assistant", "content": "Hi"}, id=id),
        chunk({}, id=id, finish="stop"),
        chunk(id=id, usage={}),
    ]
    assert said(*stream, *stream) == ["Hi", "Hi"]


def test_a_first_chunk_without_an_id_belongs_to_what_follows() -> None:
    assert said(chunk(id="", prompt_filter_results=[]), chunk({"content": "Hi"}), END) == ["Hi"]


# -- damage ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("damaged", "place"),
    [
        (7, "[1]"),
        (None, "[1]"),
        ({**chunk(), "choices": 7}, "[1].choices"),
        ({**chunk(), "choices": [7]}, "[1].choices[0]"),
        (chunk(7), "[1].choices[0].delta"),
        (chunk({"content": 7}), "[1].choices[0].delta.content"),
        (chunk({"tool_calls": 7}), "[1].choices[0].delta.tool_calls"),
        (chunk({"tool_calls": [7]}), "[1].choices[0].delta.tool_calls[0]"),
        (calling({"index": 0, "function": 7}), "[1].choices[0].delta.tool_calls[0].function"),
    ],
)
def test_a_damaged_chunk_costs_itself_and_is_told(damaged: object, place: str) -> None:
    call = calling(piece(0, "a", "search", "{"))
    found = openai_chat([call, damaged, calling(piece(0, arguments="}")), chunk({"content": "Hi"})])
    assert [fault["place"] for fault in found.metadata["faults"]] == [place]
    assert (calls(found), found.messages[0].text) == ([("search", "a", {})], "Hi")


# -- laws --------------------------------------------------------------------------------------------------------------


@given(
    st.text(max_size=20),
    st.lists(st.dictionaries(st.text(max_size=3), st.integers()), max_size=3),
    st.randoms(use_true_random=False),
)
def test_a_response_that_is_cut_into_any_chunks_is_the_same(text: str, given: list[Record], random: Any) -> None:
    whole: list[Record] = [
        {"id": f"c{at}", "function": {"name": "tool", "arguments": json.dumps(args)}} for at, args in enumerate(given)
    ]
    message = {"role": "assistant", "content": text or None, "tool_calls": whole}
    response = {"object": "chat.completion", "model": "m", "choices": [{"index": 0, "message": message}]}
    begun = [calling(piece(at, call["id"], "tool", "")) for at, call in enumerate(whole)]
    streams = [[chunk({"content": letter}) for letter in text]] + [
        [calling(piece(at, arguments=letter)) for letter in call["function"]["arguments"]]
        for at, call in enumerate(whole)
    ]
    order = [at for at, pieces in enumerate(streams) for _ in pieces]
    random.shuffle(order)
    left = [iter(pieces) for pieces in streams]
    found = openai_chat([chunk({"role": "assistant"}), *begun, *[next(left[at]) for at in order], END])
    assert found.messages == openai_chat(response).messages
