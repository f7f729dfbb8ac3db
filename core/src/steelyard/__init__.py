"""Evaluate LLM agents and pipelines: every number is a measurement, and whatever could not be measured says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard._judging.answer import check_ids
    from steelyard._judging.protocol import (
        Claim,
        ExtractClaims,
        Judge,
        JudgeReply,
        JudgeRequest,
        VerifyClaims,
    )
    from steelyard._judging.retry import ErrorProcessor, RetryProcessor
    from steelyard._judging.settings import JudgeLike, JudgeSettings
    from steelyard._model.conversation import (
        AgentInput,
        AgentOutput,
        ExtractedToolCall,
        assistant_texts,
        extract_tool_calls,
        first_user_text,
        last_assistant_text,
        last_user_text,
        reasoning_texts,
        system_prompt,
        system_prompts,
    )
    from steelyard._model.errors import (
        ConfigurationError,
        InvalidScore,
        JudgeAnswerEmpty,
        JudgeAnswerInvalid,
        JudgeContentFiltered,
        JudgeError,
        JudgeRefused,
        JudgeTruncated,
        ScriptExhausted,
        SteelyardError,
        TimedOut,
        UnreadableOutput,
    )
    from steelyard._model.messages import MediaPart, Message, Part, ToolCall
    from steelyard._model.neutral import messages_from_json, messages_to_json
    from steelyard._model.outcome import (
        Failed,
        JudgeExecution,
        NotScorable,
        Outcome,
        Scored,
        ScoreResult,
        ScorerRunError,
        not_scorable,
    )
    from steelyard._model.record import Conversation
    from steelyard._model.run import ScorerRun
    from steelyard._model.scale import Scale
    from steelyard._model.trajectory import (
        ExpectedStep,
        StepResult,
        Trajectory,
        TrajectoryExpectation,
        TrajectoryStep,
        extract_trajectory,
        extract_workflow_trajectory,
    )
    from steelyard._model.usage import Usage
    from steelyard._plugins.known import Plugin, PluginRecord
    from steelyard._plugins.registry import BrokenPlugin, PluginClash, Registry, UnknownPlugin
    from steelyard._running.aggregate import Aggregate, PartAggregate
    from steelyard._running.compose import AgentScorers, WorkflowScorers
    from steelyard._running.evaluate import (
        EvalOptions,
        EvalStream,
        arun_evals,
        run_evals,
        stream_evals,
    )
    from steelyard._running.evaluation import RunInfo
    from steelyard._running.gates import (
        Bound,
        EachItem,
        Gate,
        GateResult,
        PassRate,
        ShareOfItems,
        Threshold,
        ThresholdResult,
        Tracked,
        Verdict,
    )
    from steelyard._running.item import BadItem, EvalItem, Turn
    from steelyard._running.keys import ByKey, scorer_key
    from steelyard._running.lifecycle import Lifecycle
    from steelyard._running.result import (
        EvalResult,
        ItemResult,
        ObserverNote,
        Status,
        Summary,
        TurnItemResult,
        TurnResult,
    )
    from steelyard._running.target import TargetCall, TargetResult
    from steelyard._running.watching import Watched, WatchStats, watch
    from steelyard._scoring.builder import PipelineScorer
    from steelyard._scoring.create import create_scorer, scorer
    from steelyard._scoring.filter_run import filter_run
    from steelyard._scoring.from_item import FromItem, MissingValue, from_item
    from steelyard._scoring.protocol import Args, Scorer, ScoringServices
    from steelyard._scoring.steps import PromptStep, ReasonContext, StepContext
    from steelyard._wire.failures import RecordedError
    from steelyard._wire.faults import WireError
    from steelyard._wire.foreign import Foreign
    from steelyard._wire.results import (
        item_from_json,
        item_to_json,
        result_from_json,
        result_schema,
        result_to_json,
        trajectory_from_json,
        trajectory_to_json,
    )
    from steelyard._wire.text import dumps, loads

_HOMES = {
    "_judging.answer": "check_ids",
    "_judging.protocol": "Claim ExtractClaims Judge JudgeReply JudgeRequest VerifyClaims",
    "_judging.retry": "ErrorProcessor RetryProcessor",
    "_judging.settings": "JudgeLike JudgeSettings",
    "_model.conversation": (
        "AgentInput AgentOutput ExtractedToolCall assistant_texts extract_tool_calls first_user_text "
        "last_assistant_text last_user_text reasoning_texts system_prompt system_prompts"
    ),
    "_model.errors": (
        "ConfigurationError InvalidScore JudgeAnswerEmpty JudgeAnswerInvalid JudgeContentFiltered JudgeError "
        "JudgeRefused JudgeTruncated ScriptExhausted SteelyardError TimedOut UnreadableOutput"
    ),
    "_model.messages": "MediaPart Message Part ToolCall",
    "_model.neutral": "messages_from_json messages_to_json",
    "_model.outcome": ("Failed JudgeExecution NotScorable Outcome ScoreResult Scored ScorerRunError not_scorable"),
    "_model.record": "Conversation",
    "_model.run": "ScorerRun",
    "_model.scale": "Scale",
    "_model.trajectory": (
        "ExpectedStep StepResult Trajectory TrajectoryExpectation TrajectoryStep extract_trajectory "
        "extract_workflow_trajectory"
    ),
    "_model.usage": "Usage",
    "_plugins.known": "Plugin PluginRecord",
    "_plugins.registry": "BrokenPlugin PluginClash Registry UnknownPlugin",
    "_running.aggregate": "Aggregate PartAggregate",
    "_running.compose": "AgentScorers WorkflowScorers",
    "_running.evaluate": "EvalOptions EvalStream arun_evals run_evals stream_evals",
    "_running.evaluation": "RunInfo",
    "_running.gates": (
        "Bound EachItem Gate GateResult PassRate ShareOfItems Threshold ThresholdResult Tracked Verdict"
    ),
    "_running.item": "BadItem EvalItem Turn",
    "_running.keys": "ByKey scorer_key",
    "_running.lifecycle": "Lifecycle",
    "_running.result": "EvalResult ItemResult ObserverNote Status Summary TurnItemResult TurnResult",
    "_running.target": "TargetCall TargetResult",
    "_scoring.builder": "PipelineScorer",
    "_scoring.create": "create_scorer scorer",
    "_scoring.filter_run": "filter_run",
    "_scoring.from_item": "FromItem MissingValue from_item",
    "_scoring.protocol": "Args Scorer ScoringServices",
    "_scoring.steps": "PromptStep ReasonContext StepContext",
    "_running.watching": "WatchStats Watched watch",
    "_wire.failures": "RecordedError",
    "_wire.faults": "WireError",
    "_wire.foreign": "Foreign",
    "_wire.results": (
        "item_from_json item_to_json result_from_json result_schema "
        "result_to_json trajectory_from_json trajectory_to_json"
    ),
    "_wire.text": "dumps loads",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "AgentInput",
    "AgentOutput",
    "AgentScorers",
    "Aggregate",
    "Args",
    "BadItem",
    "Bound",
    "BrokenPlugin",
    "ByKey",
    "Claim",
    "ConfigurationError",
    "Conversation",
    "EachItem",
    "ErrorProcessor",
    "EvalItem",
    "EvalOptions",
    "EvalResult",
    "EvalStream",
    "ExpectedStep",
    "ExtractClaims",
    "ExtractedToolCall",
    "Failed",
    "Foreign",
    "FromItem",
    "Gate",
    "GateResult",
    "InvalidScore",
    "ItemResult",
    "Judge",
    "JudgeAnswerEmpty",
    "JudgeAnswerInvalid",
    "JudgeContentFiltered",
    "JudgeError",
    "JudgeExecution",
    "JudgeLike",
    "JudgeRefused",
    "JudgeReply",
    "JudgeRequest",
    "JudgeSettings",
    "JudgeTruncated",
    "Lifecycle",
    "MediaPart",
    "Message",
    "MissingValue",
    "NotScorable",
    "ObserverNote",
    "Outcome",
    "Part",
    "PartAggregate",
    "PassRate",
    "PipelineScorer",
    "Plugin",
    "PluginClash",
    "PluginRecord",
    "PromptStep",
    "ReasonContext",
    "RecordedError",
    "Registry",
    "RetryProcessor",
    "RunInfo",
    "Scale",
    "ScoreResult",
    "Scored",
    "Scorer",
    "ScorerRun",
    "ScorerRunError",
    "ScoringServices",
    "ScriptExhausted",
    "ShareOfItems",
    "Status",
    "SteelyardError",
    "StepContext",
    "StepResult",
    "Summary",
    "TargetCall",
    "TargetResult",
    "Threshold",
    "ThresholdResult",
    "TimedOut",
    "ToolCall",
    "Tracked",
    "Trajectory",
    "TrajectoryExpectation",
    "TrajectoryStep",
    "Turn",
    "TurnItemResult",
    "TurnResult",
    "UnknownPlugin",
    "UnreadableOutput",
    "Usage",
    "Verdict",
    "VerifyClaims",
    "WatchStats",
    "Watched",
    "WireError",
    "WorkflowScorers",
    "arun_evals",
    "assistant_texts",
    "check_ids",
    "create_scorer",
    "dumps",
    "extract_tool_calls",
    "extract_trajectory",
    "extract_workflow_trajectory",
    "filter_run",
    "first_user_text",
    "from_item",
    "item_from_json",
    "item_to_json",
    "last_assistant_text",
    "last_user_text",
    "loads",
    "messages_from_json",
    "messages_to_json",
    "not_scorable",
    "reasoning_texts",
    "result_from_json",
    "result_schema",
    "result_to_json",
    "run_evals",
    "scorer",
    "scorer_key",
    "stream_evals",
    "system_prompt",
    "system_prompts",
    "trajectory_from_json",
    "trajectory_to_json",
    "watch",
]


def __getattr__(name: str) -> Any:
    """Loads a name when it is first used, so that importing the package loads nothing else."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'steelyard' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"steelyard.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
