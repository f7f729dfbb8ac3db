"""What is read from messages and workflow results is what the original read, and better where it reads wrongly."""

from __future__ import annotations

from steelyard import extract_workflow_trajectory
from tests.golden_adapter import observe
from tests.golden_agreement import differences
from tests.golden_deviations import Row, Table
from tests.reference import Case, deviations, each, golden, needs_reference

NAMES = (
    "extract_tool_calls",
    "extract_trajectory",
    "extract_workflow_trajectory",
    "get_assistant_message",
    "get_user_message",
)

TABLE = Table(
    Row(
        "unfinished-call-ignored",
        "extract_tool_calls-026",
        {"tools": [], "calls": []},
        why="a call whose arguments never arrived was never made; no_tool_errors counts it as an error",
    ),
    Row("double-count-across-messages", "extract_tool_calls-028"),
    Row("double-count-in-message", "extract_tool_calls-029"),
    Row("role-ignored", "extract_tool_calls-030 extract_trajectory-028"),
    Row("double-count-without-id", "extract_tool_calls-031"),
    Row("error-field-is-success", "extract_trajectory-027"),
    Row(
        "double-count-across-messages",
        "extract_trajectory-029",
        {
            "steps": [
                {
                    "step_type": "tool_call",
                    "name": "a",
                    "tool_args": {},
                    "tool_result": {"ok": True},
                    "success": True,
                }
            ]
        },
        why="one call seen twice is one step, in its latest state",
    ),
    Row(
        "number-like-step-names-sorted",
        "extract_workflow_trajectory-028",
        {
            "steps": [
                {
                    "step_type": "workflow_step",
                    "name": name,
                    "step_id": name,
                    "status": "success",
                    "output": {},
                    "duration_ms": 1,
                }
                for name in ("1", "2", "a")
            ],
            "total_duration_ms": 4,
        },
        why="without a path the steps keep the order in which they were recorded, whatever their names look like",
    ),
    Row("negative-duration", "extract_workflow_trajectory-025"),
    Row(
        "last-text-segment-only",
        "get_assistant_message-030",
        {"text": "firstsecond"},
        why="the text of a message is all its segments, joined without separator",
    ),
    Row("last-text-segment-only", "get_assistant_message-031"),
    Row("first-user-message-only", "get_user_message-027 get_user_message-028"),
    Row("empty-first-message-hides-others", "get_user_message-029"),
    Row(
        "last-text-segment-only",
        "get_user_message-030",
        {"text": "onetwo"},
        why="the text of a message is all its segments, joined without separator",
    ),
)


@each([case for name in NAMES for case in golden(name)])
def test_a_reading_agrees_with_the_golden_one(case: Case) -> None:
    assert differences(case["expected"], observe(case)) == []


@each(golden("get_user_message"))
def test_the_first_user_text_agrees_with_the_golden_one(case: Case) -> None:
    assert differences({"first_text": case["expected"]["text"]}, observe(case)) == []


@each([case for name in NAMES for case in deviations(name)])
def test_a_reading_is_better_where_the_original_reads_wrongly(case: Case) -> None:
    assert TABLE.shortfall(case, observe(case)) == []


@needs_reference
def test_every_deviation_of_a_reading_has_a_row_and_every_row_a_deviation() -> None:
    assert TABLE.gaps(NAMES) == set()


def test_steps_whose_names_look_like_numbers_keep_the_order_in_which_they_were_recorded() -> None:
    results = {name: {"status": "success"} for name in ("b", "10", "9", "a")}
    assert [step.name for step in extract_workflow_trajectory(results).steps] == ["b", "10", "9", "a"]


def test_a_step_that_ends_before_it_starts_has_no_duration() -> None:
    trajectory = extract_workflow_trajectory({"a": {"status": "success", "started_at": 10, "ended_at": 5}})
    assert trajectory.steps[0].duration_ms is None
    assert trajectory.total_duration_ms is None
