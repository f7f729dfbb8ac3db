"""The support agent example does what its README says, and its recordings come to what is written beside them."""

from __future__ import annotations

import io
import json
import runpy
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from steelyard import EvalResult, Verdict, messages_from_json

EXAMPLES = Path(__file__).parent.parent / "examples"
FOLDER = EXAMPLES / "support_agent"


def read(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


CONVERSATIONS = read(FOLDER / "conversations.jsonl")
NOT_PASSED = [each["id"] for each in CONVERSATIONS if each["expected_status"] != "passed"]


@pytest.fixture(scope="module")
def demo() -> Iterator[ModuleType]:
    """The demo's main program as a module, loaded by its path; its neighbours are forgotten afterwards."""
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(FOLDER), *sys.path])
        spec = spec_from_file_location("support_agent_demo", FOLDER / "__main__.py")
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(FOLDER)):
            del sys.modules[name]


@pytest.fixture(scope="module")
def recorded(demo: ModuleType) -> EvalResult:
    result: EvalResult = demo.recorded()
    return result


@pytest.mark.parametrize("at", range(len(CONVERSATIONS)), ids=[each["id"] for each in CONVERSATIONS])
def test_each_recording_comes_to_the_status_written_beside_it(at: int, recorded: EvalResult) -> None:
    assert recorded.items[at].id == CONVERSATIONS[at]["id"]
    assert recorded.items[at].status == CONVERSATIONS[at]["expected_status"]


def test_the_evaluation_never_sees_what_is_expected(recorded: EvalResult) -> None:
    assert "expected_status" not in repr([result.item for result in recorded.items])


def test_there_are_enough_recordings_in_enough_languages() -> None:
    languages = {each["metadata"]["lang"] for each in CONVERSATIONS}
    assert len(CONVERSATIONS) >= 24
    assert languages >= {"en", "de", "fr", "es", "ja", "ar", "pt"}


def test_the_recordings_hold_what_real_logs_hold() -> None:
    calls = [
        call
        for each in CONVERSATIONS
        for message in messages_from_json(each["output"])
        for call in message.tool_calls
        if message.role == "assistant"
    ]
    assert {call.state for call in calls} == {"call", "partial-call", "result", "output-error"}
    assert "delete_account" in {call.name for call in calls}
    assert any(call.error and call.state == "result" for call in calls)
    assert any(isinstance(call.result, dict) and call.result.get("error") for call in calls)
    assert any(call.raw_args for call in calls)
    assert any(len(message.get("tool_calls", ())) > 1 for each in CONVERSATIONS for message in each["output"])
    assert any(len(each.get("inputs", ())) > 1 for each in CONVERSATIONS)


def test_each_evaluation_comes_to_its_expected_verdict(demo: ModuleType) -> None:
    verdicts = [evaluate().verdict for _, evaluate, _, _ in demo.EVALUATIONS]
    assert verdicts == [Verdict.FAILED, Verdict.SCORED, Verdict.PASSED]


def test_every_live_item_passes(demo: ModuleType) -> None:
    results = [*demo.live_single_turn().items, *demo.live_conversations().items]
    assert {result.id: str(result.status) for result in results} == {result.id: "passed" for result in results}


def test_each_language_is_a_slice(recorded: EvalResult) -> None:
    languages = {f"metadata.lang={each['metadata']['lang']}" for each in CONVERSATIONS}
    assert set(recorded.aggregates["scorers"]["tool-calls"].slices) == languages


def test_the_program_names_each_item_that_did_not_pass_and_why(
    demo: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo.main() == 0
    lines = capsys.readouterr().out.splitlines()
    named = {line.split()[1]: line.partition("): ")[2] for line in lines if line.startswith("  - ")}
    assert list(named) == NOT_PASSED
    assert all(named.values())


def test_the_program_says_the_verdicts_in_words(demo: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    demo.main()
    printed = capsys.readouterr().out
    for words in ("Verdict: failed (", "Verdict: scored (", "Verdict: passed (", "As expected: ", "Overall: "):
        assert words in printed


def test_a_verdict_that_is_not_the_expected_one_gives_exit_code_1(
    demo: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "EVALUATIONS", [("Live", demo.live_conversations, Verdict.FAILED, "of a wrong guess")])
    assert demo.main() == 1
    assert "NOT as expected" in capsys.readouterr().out


def test_a_terminal_that_lacks_characters_gets_the_report_all_the_same(
    demo: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(printed, encoding="ascii", write_through=True))
    monkeypatch.setattr(demo, "EVALUATIONS", [("会話", demo.live_conversations, Verdict.PASSED, "it works")])
    assert demo.main() == 0
    assert b"1. ??: 3 items" in printed.getvalue()


def test_the_agent_keeps_threads_apart(demo: ModuleType) -> None:
    agent = demo.SupportAgent()
    first, second = (SimpleNamespace(thread_id=name, history=()) for name in ("first", "second"))
    agent("Where is FF-1001?", first)
    assert "order number" in agent("Where is my parcel?", second)[-1]["content"]
    assert "12 March" in agent("Where is my parcel?", first)[-1]["content"]


def test_the_folder_runs_as_a_program_from_anywhere(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(FOLDER)]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_the_quickstart_comes_to_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "quickstart.py"))
    assert capsys.readouterr().out.startswith("passed {")
