"""What a scorer should not see is left out of its run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from steelyard import (
    AgentInput,
    AgentOutput,
    ConfigurationError,
    MediaPart,
    Message,
    ScorerRun,
    ToolCall,
    TrajectoryExpectation,
    create_scorer,
    filter_run,
)
from steelyard.testing import assistant_message, remembered, user_message

SYSTEM = Message("system", "Be brief.")
TEXT = assistant_message("text")
THOUGHT = Message("assistant", None, reasoning="hm")
IMAGE = Message("assistant", [MediaPart("image", {"url": "x"})])
FILE = Message("assistant", [MediaPart("file", {"data": "x"})])
SEARCH = Message("assistant", None, tool_calls=(ToolCall("search_web", id="1"),))
MAIL = Message("assistant", "Sending.", tool_calls=(ToolCall("send_mail", id="2"),))
FOUND = Message("tool", "3 hits", tool_call_id="1")
SENT = Message("tool", "sent", tool_call_id="2")
EVERYTHING = (SYSTEM, TEXT, THOUGHT, IMAGE, FILE, SEARCH, FOUND, MAIL, SENT)


def left(messages: Sequence[Message], **filters: Any) -> tuple[Message, ...]:
    run: ScorerRun[Any, Any] = ScorerRun(input=None, output=AgentOutput(messages))
    kept = filter_run(**filters)(run).output
    assert isinstance(kept, AgentOutput)
    return tuple(kept)


def test_without_filters_everything_stays() -> None:
    assert left(EVERYTHING) == EVERYTHING


@pytest.mark.parametrize(
    ("part_types", "kept"),
    [
        (["text"], (SYSTEM, TEXT, MAIL, FOUND, SENT)),
        (["reasoning"], (SYSTEM, THOUGHT)),
        (["image"], (SYSTEM, IMAGE)),
        (["file"], (SYSTEM, FILE)),
        (["tool-call"], (SYSTEM, SEARCH, MAIL)),
        (["tool-invocation"], (SYSTEM, SEARCH, MAIL)),
        (["tool-search"], (SYSTEM, SEARCH)),
        (["tool-result"], (SYSTEM, FOUND, SENT)),
        (["tool-"], (SYSTEM, SEARCH, FOUND, MAIL, SENT)),
        (["im", "reas"], (SYSTEM, THOUGHT, IMAGE)),
        ([], (SYSTEM,)),
        (["nothing"], (SYSTEM,)),
    ],
)
def test_part_types_match_by_prefix_and_a_message_stays_whole(part_types: list[str], kept: tuple[Message, ...]) -> None:
    assert set(map(id, left(EVERYTHING, part_types=part_types))) == set(map(id, kept))


@pytest.mark.parametrize(
    ("tool_names", "kept"),
    [
        (["search_web"], (SYSTEM, TEXT, THOUGHT, IMAGE, FILE, SEARCH, FOUND)),
        (["search", "send"], EVERYTHING),
        (["sen"], (SYSTEM, TEXT, THOUGHT, IMAGE, FILE, MAIL, SENT)),
        (["mail"], (SYSTEM, TEXT, THOUGHT, IMAGE, FILE)),
        ([], (SYSTEM, TEXT, THOUGHT, IMAGE, FILE)),
    ],
)
def test_tool_names_match_by_prefix_and_touch_only_messages_with_tool_calls_and_their_results(
    tool_names: list[str], kept: tuple[Message, ...]
) -> None:
    assert left(EVERYTHING, tool_names=tool_names) == kept


def test_a_message_with_several_calls_stays_whole_if_one_matches() -> None:
    both = Message("assistant", None, tool_calls=(ToolCall("search"), ToolCall("mail")))
    assert left([both], tool_names=["mail"]) == (both,)


def test_with_both_filters_a_message_must_satisfy_both() -> None:
    assert left(EVERYTHING, part_types=["text"], tool_names=["search"]) == (SYSTEM, TEXT, FOUND)
    assert left(EVERYTHING, part_types=["tool-call"], tool_names=["search"]) == (SYSTEM, SEARCH)


def test_plain_text_messages_stay_unless_part_types_leaves_text_out() -> None:
    assert TEXT in left(EVERYTHING, tool_names=["search"])
    assert TEXT not in left(EVERYTHING, part_types=["tool"])


def test_message_limits_keep_the_newest_and_apply_after_the_other_filters() -> None:
    messages = [assistant_message(str(at)) for at in range(5)]
    assert left([*messages, SEARCH], max_output_messages=2, part_types=["text"]) == tuple(messages[3:])
    assert left(messages, max_output_messages=0) == ()
    assert left(messages, max_output_messages=9) == tuple(messages)


def test_system_messages_always_stay_and_do_not_count() -> None:
    messages = [SYSTEM, TEXT, SYSTEM, TEXT]
    assert left(messages, max_output_messages=1) == (SYSTEM, SYSTEM, TEXT)
    assert left(messages, part_types=[], max_output_messages=0) == (SYSTEM, SYSTEM)


def test_the_input_is_filtered_too_and_only_remembered_messages_are_limited() -> None:
    given = AgentInput(
        input_messages=(user_message("a"), user_message("b"), IMAGE),
        remembered_messages=tuple(remembered(user_message(str(at))) for at in range(4)),
        system_messages=(SYSTEM,),
        tagged_system_messages={"memory": (SYSTEM,)},
    )
    seen: list[AgentInput] = []
    made = create_scorer(
        "s",
        "d",
        type="agent",
        prepare_run=filter_run(part_types=["text"], max_remembered_messages=1, max_output_messages=1),
    ).generate_score(lambda ctx: seen.append(ctx.run.input) or 1.0)  # type: ignore[func-returns-value]
    made.run_sync(input=given, output="a")
    [left_over] = seen
    assert [message.text for message in left_over.input_messages] == ["a", "b"]
    assert [message.text for message in left_over.remembered_messages] == ["3"]
    assert left_over.system_messages == (SYSTEM,)
    assert left_over.tagged_system_messages == {"memory": (SYSTEM,)}


def test_context_expectation_and_truth_can_be_dropped_and_stay_otherwise() -> None:
    run: ScorerRun[Any, Any] = ScorerRun(
        output="a",
        request_context={"user": "u"},
        expected_trajectory=TrajectoryExpectation(),
        ground_truth="truth",
        context=["text"],
    )
    kept = filter_run()(run)
    assert (kept.request_context, kept.ground_truth, kept.context) == ({"user": "u"}, "truth", ["text"])
    dropped = filter_run(drop_request_context=True, drop_expected_trajectory=True, drop_ground_truth=True)(run)
    assert (dropped.request_context, dropped.expected_trajectory, dropped.ground_truth) == (None, None, None)
    assert run.ground_truth == "truth"


def test_outputs_that_are_no_messages_stay_as_they_are() -> None:
    for output in ("text", None, 3, {"a": 1}, ["a"], []):
        run: ScorerRun[Any, Any] = ScorerRun(output=output)
        assert filter_run(part_types=[], max_output_messages=0)(run).output is output


def test_an_input_that_cannot_be_read_is_left_for_the_step_that_reads_it() -> None:
    made = create_scorer("s", "d", type="agent", prepare_run=filter_run(part_types=["text"])).generate_score(
        lambda ctx: 1.0
    )
    assert made.run_sync(input=object(), output="a").score == 1.0


@pytest.mark.parametrize(
    "filters",
    [
        {"part_types": "text"},
        {"tool_names": "search"},
        {"part_types": [3]},
        {"tool_names": [None]},
        {"tool_names": 3},
        {"max_output_messages": -1},
        {"max_output_messages": 1.5},
        {"max_remembered_messages": True},
        {"max_remembered_messages": "3"},
    ],
)
def test_filters_that_mean_nothing_are_refused_when_they_are_made(filters: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(filters))):
        filter_run(**filters)
