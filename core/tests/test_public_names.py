"""What users may import is decided on purpose, and every change to it is seen in a list."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import steelyard
import steelyard.testing

PUBLIC_NAMES = Path(__file__).with_name("public_names.txt")

RELIED_ON = """
create_scorer scorer PromptStep Scale not_scorable filter_run ScoreResult ScorerRun ScorerRunError
SteelyardError ConfigurationError JudgeError
Judge JudgeSettings JudgeRequest JudgeReply Usage RetryProcessor ExtractClaims VerifyClaims Claim
Message ToolCall AgentInput AgentOutput messages_from_json messages_to_json
first_user_text last_user_text last_assistant_text extract_tool_calls
Trajectory ExpectedStep TrajectoryExpectation extract_trajectory extract_workflow_trajectory
EvalItem Turn Threshold PassRate Gate from_item AgentScorers WorkflowScorers TargetResult Verdict
Scored NotScorable Failed run_evals arun_evals stream_evals EvalResult watch
"""
"""Names that stay whatever else changes: others build on them."""


def test_the_public_names_are_those_of_the_list() -> None:
    assert set(steelyard.__all__) == set(PUBLIC_NAMES.read_text(encoding="utf-8").split())


def test_the_list_and_the_names_are_sorted_and_each_stands_once() -> None:
    listed = PUBLIC_NAMES.read_text(encoding="utf-8").split()
    assert listed == sorted(set(listed))
    assert steelyard.__all__ == sorted(set(steelyard.__all__))


@pytest.mark.parametrize("name", RELIED_ON.split())
def test_every_name_that_others_rely_on_can_be_imported(name: str) -> None:
    assert name in steelyard.__all__
    assert getattr(steelyard, name) is not None


@pytest.mark.parametrize("name", steelyard.__all__)
def test_every_public_name_leads_to_what_it_says(name: str) -> None:
    value = getattr(steelyard, name)
    assert getattr(value, "__name__", name) == name
    assert name in dir(steelyard)


def test_a_name_that_is_not_there_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="run_eval"):
        steelyard.run_eval  # noqa: B018
    with pytest.raises(ImportError):
        importlib.import_module("steelyard.run_eval")


@pytest.mark.parametrize("name", steelyard.testing.__all__)
def test_every_name_for_tests_is_there(name: str) -> None:
    assert "ScriptedJudge" in steelyard.testing.__all__
    assert getattr(steelyard.testing, name) is not None


@pytest.mark.parametrize("name", steelyard.__all__)
def test_everything_public_says_what_it_is(name: str) -> None:
    value = getattr(steelyard, name)
    assert value.__doc__ or not hasattr(value, "__name__")


def test_the_package_is_typed() -> None:
    assert Path(steelyard.__file__).with_name("py.typed").exists()
