"""The path that a target took, what was expected of it, and how it is read."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard import (
    ConfigurationError,
    ExpectedStep,
    Message,
    StepResult,
    ToolCall,
    Trajectory,
    TrajectoryExpectation,
    TrajectoryStep,
    UnreadableOutput,
    extract_trajectory,
    extract_workflow_trajectory,
)
from steelyard._model.trajectory import STEP_TYPES
from steelyard.testing import agent_output, assistant_message

# -- steps -------------------------------------------------------------------------------------------------------------


def test_there_are_twelve_types_of_steps() -> None:
    assert set(STEP_TYPES) == {
        "tool_call",
        "mcp_tool_call",
        "model_generation",
        "agent_run",
        "workflow_run",
        "workflow_step",
        "workflow_conditional",
        "workflow_parallel",
        "workflow_loop",
        "workflow_sleep",
        "workflow_wait_event",
        "processor_run",
    }


def test_an_unknown_type_of_step_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no step type"):
        TrajectoryStep(step_type="tool", name="find")  # type: ignore[arg-type]


def test_steps_may_be_given_as_mappings_and_in_the_words_of_records() -> None:
    trajectory = Trajectory(
        [
            {
                "type": "agent_run",
                "name": "helper",
                "children": [{"step_type": "tool_call", "name": "find", "args": {"q": 1}, "result": {"hits": 2}}],
            }
        ]
    )
    [child] = trajectory.steps[0].children
    assert (child.tool_args, child.tool_result) == ({"q": 1}, {"hits": 2})


def test_walking_gives_all_steps_depth_first() -> None:
    inner = TrajectoryStep(step_type="tool_call", name="inner")
    outer = TrajectoryStep(step_type="agent_run", name="outer", children=(inner,))
    last = TrajectoryStep(step_type="mcp_tool_call", name="last")
    trajectory = Trajectory((outer, last))
    assert [step.name for step in trajectory.walk()] == ["outer", "inner", "last"]
    assert [step.name for step in trajectory.tool_calls] == ["inner", "last"]


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ("find", "must be a list"),
        ({"name": "find"}, "must be a list"),
        (3, "must be a list"),
        (["find"], "found str"),
        ([{"step_type": "tool_call", "nam": "find"}], "Did you mean 'name'"),
        ([{"step_type": "tool_call"}], "could not be made"),
        ([{"step_type": "tool_call", "name": "a", "args": {}, "tool_args": {}}], "twice"),
        ([{3: "a", "b": "c"}], "no field"),
    ],
)
def test_steps_that_cannot_be_read_are_refused_in_words(steps: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        Trajectory(steps)


# -- expectations ------------------------------------------------------------------------------------------------------


def test_expected_steps_may_be_names_or_mappings_and_carry_an_expectation_for_their_children() -> None:
    expected = TrajectoryExpectation(
        steps=["find", {"name": "go", "step_type": "tool_call", "children": {"steps": ["deep"], "ordering": "strict"}}]
    )
    assert expected.steps is not None
    find, go = expected.steps
    assert find == ExpectedStep(name="find")
    assert go.children == TrajectoryExpectation(steps=("deep",), ordering="strict")


def test_a_field_of_an_expectation_that_is_left_out_says_nothing() -> None:
    assert TrajectoryExpectation().steps is None
    assert TrajectoryExpectation(steps=()).steps == ()


def test_lists_in_an_expectation_are_kept_as_tuples() -> None:
    expected = TrajectoryExpectation(blacklisted_tools=["drop"], blacklisted_sequences=[["a", "b"]])
    assert expected.blacklisted_tools == ("drop",)
    assert expected.blacklisted_sequences == (("a", "b"),)


@pytest.mark.parametrize(
    "fields",
    [
        {"ordering": "strickt"},
        {"allow_repeated_steps": "yes"},
        {"max_steps": -1},
        {"max_steps": True},
        {"max_total_duration_ms": float("nan")},
        {"max_total_duration_ms": float("inf")},
        {"max_total_tokens": "10"},
        {"blacklisted_tools": "drop"},
        {"blacklisted_tools": [3]},
        {"blacklisted_sequences": ["ab"]},
        {"blacklisted_sequences": "ab"},
        {"steps": "find"},
        {"steps": [3]},
    ],
)
def test_an_expectation_that_means_nothing_is_refused_when_it_is_made(fields: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        TrajectoryExpectation(**fields)


# -- from messages -----------------------------------------------------------------------------------------------------


def test_the_tool_calls_of_messages_become_steps_in_order() -> None:
    output = agent_output(
        ToolCall("find", {"q": 1}, "1", result={"hits": 2}), "thinking", ToolCall("go", id="2", error="no")
    )
    trajectory = extract_trajectory(output)
    assert [(step.step_type, step.name, step.success, step.call_id) for step in trajectory.steps] == [
        ("tool_call", "find", True, "1"),
        ("tool_call", "go", False, "2"),
    ]
    assert trajectory.total_duration_ms is None


@pytest.mark.parametrize(
    ("call", "success"),
    [
        (ToolCall("find", result="ok"), True),
        (ToolCall("find", result={"error": "no"}), False),
        (ToolCall("find", result="ok", error="flagged"), False),
        (ToolCall("find", error="raised"), False),
        (ToolCall("find"), False),
    ],
)
def test_success_is_false_for_every_call_that_did_not_end_well(call: ToolCall, success: bool) -> None:
    assert extract_trajectory(agent_output(call)).steps[0].success is success


def test_arguments_and_results_that_are_no_mappings_are_wrapped() -> None:
    [step] = extract_trajectory(agent_output(ToolCall("find", [1, 2], result="ok"))).steps
    assert (step.tool_args, step.tool_result) == ({"value": [1, 2]}, {"value": "ok"})


def test_a_call_whose_arguments_were_still_arriving_is_no_step() -> None:
    assert extract_trajectory(agent_output(ToolCall("find", state="partial-call"))).steps == ()


def test_arguments_that_did_not_parse_are_kept_as_text() -> None:
    [step] = extract_trajectory(agent_output(ToolCall("find", None, raw_args='{"q": '))).steps
    assert (step.tool_args, step.raw_args) == (None, '{"q": ')


def test_an_answer_without_calls_is_an_empty_trajectory_and_no_output_is_none() -> None:
    assert extract_trajectory([assistant_message("a"), Message("tool", "x")]) == Trajectory()
    with pytest.raises(UnreadableOutput):
        extract_trajectory(None)


# -- from workflow results ---------------------------------------------------------------------------------------------


def test_workflow_steps_come_in_execution_order_with_their_durations() -> None:
    trajectory = extract_workflow_trajectory(
        {
            "send": {"status": "failed", "started_at": 200, "ended_at": 500, "error": "bounced"},
            "draft": StepResult(output={"text": "Hi"}, started_at=100, ended_at=150, metadata={"model": "small"}),
        },
        ["draft", "skipped", "send"],
    )
    draft, send = trajectory.steps
    assert (draft.step_type, draft.name, draft.step_id, draft.status) == ("workflow_step", "draft", "draft", "success")
    assert (draft.output, draft.duration_ms, draft.metadata, draft.success) == (
        {"text": "Hi"},
        50,
        {"model": "small"},
        True,
    )
    assert (send.duration_ms, send.success, send.error) == (300, False, "bounced")
    assert trajectory.total_duration_ms == 400


def test_without_a_path_steps_come_in_the_order_of_the_results() -> None:
    trajectory = extract_workflow_trajectory({"b": {}, "a": {}})
    assert [step.name for step in trajectory.steps] == ["b", "a"]


def test_a_duration_that_would_be_negative_is_none_and_so_is_the_total() -> None:
    trajectory = extract_workflow_trajectory(
        {"a": {"started_at": 10, "ended_at": 5}, "b": {"started_at": 0, "ended_at": 20}}
    )
    assert [step.duration_ms for step in trajectory.steps] == [None, 20]
    assert trajectory.total_duration_ms is None


def test_unknown_times_are_none_and_not_zero() -> None:
    trajectory = extract_workflow_trajectory({"a": {"started_at": 10}, "b": {}})
    assert [step.duration_ms for step in trajectory.steps] == [None, None]
    assert trajectory.total_duration_ms is None


@pytest.mark.parametrize(
    ("results", "said"),
    [(None, "mapping"), ([], "mapping"), ({"a": 3}, "'a'"), ({"a": {"statuss": "x"}}, "Did you mean 'status'")],
)
def test_results_that_cannot_be_read_are_refused_in_words(results: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        extract_workflow_trajectory(results)
