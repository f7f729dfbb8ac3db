"""The types of Steelyard whose values are written as what they are wherever they stand, with the tag of each."""

from __future__ import annotations

from steelyard._judging.protocol import Claim, ExtractClaims, JudgeReply, VerifyClaims
from steelyard._model.conversation import AgentInput, AgentOutput, ExtractedToolCall
from steelyard._model.messages import MediaPart, Message, ToolCall
from steelyard._model.outcome import Failed, JudgeExecution, NotScorable, Scored, ScoreResult
from steelyard._model.record import Conversation
from steelyard._model.scale import Scale
from steelyard._model.trajectory import ExpectedStep, StepResult, Trajectory, TrajectoryExpectation, TrajectoryStep
from steelyard._model.usage import Usage
from steelyard._running.aggregate import Aggregate, PartAggregate
from steelyard._running.gates import Bound, GateResult, ThresholdResult, Verdict
from steelyard._running.item import EvalItem, Turn
from steelyard._running.result import EvalResult, ItemResult, ObserverNote, Status, Summary, TurnItemResult, TurnResult
from steelyard._running.target import TargetResult

BY_TAG: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        AgentInput,
        AgentOutput,
        Aggregate,
        Bound,
        Claim,
        Conversation,
        EvalItem,
        EvalResult,
        ExpectedStep,
        ExtractClaims,
        ExtractedToolCall,
        Failed,
        GateResult,
        ItemResult,
        JudgeExecution,
        JudgeReply,
        MediaPart,
        Message,
        NotScorable,
        ObserverNote,
        PartAggregate,
        Scale,
        ScoreResult,
        Scored,
        Status,
        StepResult,
        Summary,
        TargetResult,
        ThresholdResult,
        ToolCall,
        Trajectory,
        TrajectoryExpectation,
        TrajectoryStep,
        Turn,
        TurnItemResult,
        TurnResult,
        Usage,
        Verdict,
        VerifyClaims,
    )
}
TAG_OF: dict[type, str] = {kind: tag for tag, kind in BY_TAG.items()}
