"""Records of other systems give the conversations that are expected of them, and run as recorded outputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest

import steelyard_checks as checks
from steelyard import (
    ConfigurationError,
    Conversation,
    EvalItem,
    Message,
    Registry,
    TrajectoryStep,
    Verdict,
    messages_to_json,
    run_evals,
)
from steelyard_extract_providers import OpenAIChat, TauBench, openai_chat, tau_bench
from tests.reference import folder, needs_reference, sample

Extractor = OpenAIChat | TauBench

EXTRACTORS: Mapping[str, Extractor] = {"openai-chat": openai_chat, "tau-bench": tau_bench}


def recorded(format_: str | None = None) -> list[str]:
    """The samples of a format, or all that are JSON, as paths inside their folder."""
    here = folder()
    if here is None:
        return []
    found = [path for path in (here / "samples").rglob("*.json*") if ".expected." not in path.name]
    paths = sorted(path.relative_to(here / "samples").as_posix() for path in found)
    return [path for path in paths if format_ is None or path.startswith(f"{format_}/")]


def paths(*formats: str) -> pytest.MarkDecorator:
    """One test per sample of these formats; one skipped test, which says why, where the material is absent."""
    found = [pytest.param(path) for format_ in formats for path in recorded(format_)]
    return pytest.mark.parametrize("path", found or [pytest.param("", marks=needs_reference)])


def of(path: str) -> Extractor:
    return EXTRACTORS[path.partition("/")[0]]


def conversations(path: str) -> list[Conversation]:
    return [of(path)(record) for record in of(path).split(sample(path))]


def expectations(path: str) -> list[Mapping[str, Any]]:
    told = sample(f"{path.rpartition('.')[0]}.expected.json")
    return list(told["trajectories"]) if "trajectories" in told else [told]


# -- the comparison ----------------------------------------------------------------------------------------------------

OPTIONAL = ("call_id", "error", "duration_ms", "name", "reasoning", "refusal")
"""Fields that a reader may leave out; where they are given, they are those that are expected."""


def differences(found: Conversation, expected: Mapping[str, Any]) -> list[str]:
    """Where a conversation differs from an expected one: its id, its steps in their order, its messages."""
    steps = [step_in_json(step) for step in found.trajectory.steps]
    messages = [message_in_json(message) for message in found.messages]
    return [
        *([f"id: {found.id!r} for {expected['id']!r}"] if found.id != expected.get("id", found.id) else []),
        *_compared("steps", steps, expected["steps"]),
        *_compared("messages", messages, [expected_message(message) for message in expected["messages"]]),
    ]


def _compared(place: str, found: Any, expected: Any) -> Iterator[str]:
    """Lists of objects are compared one by one and field by field, everything else as a whole."""
    if place.endswith(("steps", "messages", "children", "tool_calls")):
        if len(found) != len(expected):
            yield f"{place}: {len(found)} for {len(expected)}"
        for at, (mine, theirs) in enumerate(zip(found, expected, strict=False)):
            for key in sorted({*mine, *theirs}):
                if not (key in OPTIONAL and mine.get(key) is None):
                    yield from _compared(f"{place}[{at}].{key}", mine.get(key), theirs.get(key))
    elif found != expected:
        yield f"{place}: {found!r} for {expected!r}"


def step_in_json(step: TrajectoryStep) -> dict[str, Any]:
    """A step in the words of the expected files; what is neither told nor known is left out."""
    told: dict[str, Any] = {"type": step.step_type, "name": step.name, "success": step.success}
    if step.step_type != "model_generation":
        told |= {"args": step.tool_args, "result": step.tool_result}
    more = {
        "call_id": step.call_id,
        "raw_args": step.raw_args,
        "error": step.error,
        "duration_ms": step.duration_ms,
        "input_tokens": step.prompt_tokens,
        "output_tokens": step.completion_tokens,
        "children": [step_in_json(child) for child in step.children] or None,
        "provider_executed": step.provider_executed or None,
    }
    return told | {key: value for key, value in more.items() if value is not None}


def message_in_json(message: Message) -> dict[str, Any]:
    """A message in the words of the expected files, where results stand in messages of their own only."""
    [told] = messages_to_json([message])
    calls: Any = told.get("tool_calls", [])
    if calls:
        told["tool_calls"] = [
            {key: value for key, value in call.items() if key not in ("state", "result", "error")} for call in calls
        ]
    return told


def expected_message(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """An expected message with its texts among parts as plain texts."""
    content = message["content"]
    if not isinstance(content, list):
        return message
    return {**message, "content": [part["text"] if part["type"] == "text" else part for part in content]}


# -- agreement ---------------------------------------------------------------------------------------------------------


@paths(*EXTRACTORS)
def test_every_sample_gives_what_is_expected_of_it(path: str) -> None:
    found, expected = conversations(path), expectations(path)
    assert len(found) == len(expected)
    assert [differences(mine, theirs) for mine, theirs in zip(found, expected, strict=True)] == [[]] * len(found)


@paths(*EXTRACTORS)
def test_the_calls_of_every_sample_come_in_the_expected_order(path: str) -> None:
    expected = sample(f"{path.rpartition('.')[0]}.expected.json")
    names = [[step.name for step in found.trajectory.tool_calls] for found in conversations(path)]
    assert names == (expected["tool_sequence"] if "trajectories" in expected else [expected["tool_sequence"]])


@paths(*EXTRACTORS)
def test_no_sample_is_damaged(path: str) -> None:
    assert [found.metadata.get("faults") for found in conversations(path)] == [None] * len(expectations(path))


@paths("openai-chat")
def test_a_file_of_one_conversation_is_a_record_too(path: str) -> None:
    expected = expectations(path)
    if len(expected) == 1:
        assert differences(openai_chat(sample(path)), expected[0]) == []
    else:
        with pytest.raises(ConfigurationError, match=r"several conversations: cut them with split\(\)"):
            openai_chat(sample(path))


@paths("tau-bench")
def test_the_benchmark_s_own_judgement_goes_into_the_metadata(path: str) -> None:
    expected = expectations(path)
    assert [found.metadata["reward"] for found in conversations(path)] == [each["reward"] for each in expected]
    assert all("actions" in found.metadata["info"]["task"] for found in conversations(path))


def test_the_comparison_sees_every_kind_of_difference() -> None:
    call = {"id": "c1", "function": {"name": "clock", "arguments": "{}"}}
    record = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "09:30"},
    ]
    step = {"type": "tool_call", "name": "clock", "args": {}, "result": "09:30", "success": True, "call_id": "c1"}
    generation = {"type": "model_generation", "name": "unknown", "success": True}
    asked = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "name": "clock", "args": {}}]}
    told = {"role": "tool", "content": "09:30", "tool_call_id": "c1", "name": "clock"}
    right = {"steps": [generation, step], "messages": [asked, told]}
    assert differences(openai_chat(record), right) == []
    wrong: list[Mapping[str, Any]] = [
        {**right, "steps": [generation]},
        {**right, "messages": [asked]},
        {**right, "id": "12-1"},
        *[{**right, "steps": [generation, {**step, key: "other"}]} for key in step],
        *[{**right, "steps": [{**generation, key: "other"}, step]} for key in (*generation, "input_tokens")],
        *[{**right, "messages": [asked, {**told, key: "other"}]} for key in (*told, "is_error")],
        {**right, "messages": [{**asked, "tool_calls": [{"id": "c1", "name": "watch", "args": {}}]}, told]},
    ]
    assert [expected for expected in wrong if not differences(openai_chat(record), expected)] == []


# -- whose record it is ------------------------------------------------------------------------------------------------


@paths(*EXTRACTORS)
def test_an_extractor_recognises_the_records_of_its_format_and_the_other_does_not(path: str) -> None:
    records = list(of(path).split(sample(path)))
    told = {name: [extractor.recognises(record) for record in records] for name, extractor in EXTRACTORS.items()}
    assert told == {name: [name == path.partition("/")[0]] * len(records) for name in EXTRACTORS}


def test_no_extractor_recognises_a_record_of_another_format() -> None:
    others = [path for path in recorded() if path.partition("/")[0] not in EXTRACTORS]
    wrong = [
        (path, name)
        for path in others
        for name, extractor in EXTRACTORS.items()
        if any(extractor.recognises(record) for record in [sample(path), *extractor.split(sample(path))])
    ]
    assert wrong == []


def test_the_extractors_are_found_by_their_names() -> None:
    registry = Registry()
    assert {name: registry.load("extractors", name) for name in EXTRACTORS} == EXTRACTORS


# -- as recorded outputs -----------------------------------------------------------------------------------------------


def items(found: Iterable[tuple[str, Conversation]]) -> list[EvalItem]:
    return [
        EvalItem(id=name, input=each.input, output=each.output, metadata=dict(each.metadata)) for name, each in found
    ]


@needs_reference
def test_all_samples_run_as_recorded_outputs_under_the_quick_checks() -> None:
    files = [path for format_ in EXTRACTORS for path in recorded(format_)]
    found = [(f"{path}#{at}", each) for path in files for at, each in enumerate(conversations(path))]
    result = run_evals(
        data=items(found),
        gates=[checks.excludes("Traceback"), checks.did_not_call("delete_user"), checks.max_tool_calls(4)],
        scorers=[checks.no_tool_errors(), checks.used_no_tools()],
    )
    assert result.verdict is Verdict.PASSED
    assert result.summary.errors == result.summary.not_scorable == {}
    assert [item.id for item in result.items if item["check-used-no-tools"].score == 1] == [
        "openai-chat/refusal_parts.json#0"
    ]
    # Nobody answered these calls: the run was cut off there.
    assert [item.id for item in result.items if item["check-no-tool-errors"].score == 0] == [
        "openai-chat/broken_arguments.json#0",
        "openai-chat/streamed_chunks.jsonl#0",
    ]


@paths(*EXTRACTORS)
def test_the_calls_of_a_sample_are_counted_and_ordered_by_the_checks(path: str) -> None:
    for found in conversations(path):
        names = [step.name for step in found.trajectory.tool_calls]
        gates = [checks.tool_order(names), checks.max_tool_calls(len(names))]
        gates += [checks.called_tool(name, times=names.count(name)) for name in sorted(set(names))]
        assert run_evals(data=items([("one", found)]), gates=gates).verdict is Verdict.PASSED
        one_more = run_evals(data=items([("one", found)]), gates=[checks.tool_order([*names, "one_more"])])
        assert one_more.verdict is Verdict.FAILED


# -- damage ------------------------------------------------------------------------------------------------------------


@paths("tau-bench")
def test_a_damaged_run_leaves_the_others_as_they_were(path: str) -> None:
    before = conversations(path)
    for at in range(len(before)):
        runs = sample(path)
        runs[at]["traj"][1] = {"role": 7, "content": ["?"]}
        runs[at]["traj"][2]["content"] = {"?": None}
        after = [tau_bench(run) for run in tau_bench.split(runs)]
        assert [each for each in after if each not in before] == [after[at]]
        assert [fault["place"] for fault in after[at].metadata["faults"]] == ["traj[1].role", "traj[2].content"]


@paths("tau-bench")
def test_a_run_that_was_cut_off_has_the_first_steps_of_the_whole_one(path: str) -> None:
    for at, run in enumerate(sample(path)):
        whole = conversations(path)[at].trajectory.steps
        for length in range(len(run["traj"])):
            steps = tau_bench({**run, "traj": run["traj"][:length]}).trajectory.steps
            unanswered = [step for step in steps if step.success is None]
            assert [step for step in steps if step not in whole[: len(steps)]] == unanswered
            assert unanswered in ([], [steps[-1]] if steps else [])
            assert [(step.step_type, step.name) for step in steps] == [
                (step.step_type, step.name) for step in whole[: len(steps)]
            ]


@paths("openai-chat")
def test_lines_that_are_nothing_are_records_that_cannot_be_read_and_cost_no_other_anything(path: str) -> None:
    lines = sample(path) if path.endswith(".jsonl") else [sample(path)]
    records = list(openai_chat.split([*lines, 7, None]))
    unreadable = [record for record in records if not openai_chat.recognises(record)]
    found = [openai_chat(record) for record in records if record not in unreadable]
    # In a stream they are damaged chunks.
    assert unreadable == ([] if "chunks" in path else [7, None])
    assert [differences(mine, theirs) for mine, theirs in zip(found, expectations(path), strict=True)] == [[]] * len(
        found
    )
