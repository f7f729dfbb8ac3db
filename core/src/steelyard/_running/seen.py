"""What scorers may see of one input and output, in the form that each type asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from steelyard._model.conversation import AgentOutput, read_agent_input, read_agent_output
from steelyard._model.errors import SteelyardError, UnreadableOutput
from steelyard._model.outcome import Failed
from steelyard._model.run import UNKNOWN_EFFORT, Effort, ScorerRun, run_of_item
from steelyard._model.trajectory import Trajectory, extract_trajectory
from steelyard._running.item import EvalItem
from steelyard._running.target import TargetResult


class Seen:
    """One input and output of an item. Each form is made when the first scorer asks for it, and shared by those that
    follow."""

    __slots__ = ("_agent", "_plain", "_trajectory", "effort", "input", "item", "output", "pending", "results", "state")

    def __init__(
        self,
        item: EvalItem,
        input: object,
        output: object,
        results: Sequence[TargetResult],
        state: object,
        effort: Effort = UNKNOWN_EFFORT,
    ) -> None:
        self.item = item
        self.input = input
        self.output = output
        self.results = results
        self.state = state
        self.effort = effort
        self.pending = False
        self._agent: ScorerRun[Any, Any] | Failed | None = None
        self._plain: ScorerRun[Any, Any] | Failed | None = None
        self._trajectory: ScorerRun[Any, Any] | Failed | None = None

    def run_for(self, type: str | None) -> ScorerRun[Any, Any] | Failed:
        """The run for a scorer of this type, or why it cannot have one."""
        if type == "agent":
            run = self._agent
            if run is None:
                run = self._agent = self._made(type)
        elif type == "trajectory":
            run = self._trajectory
            if run is None:
                run = self._trajectory = self._made(type)
        else:
            run = self._plain
            if run is None:
                run = self._plain = self._made(None)
        return run

    def _made(self, type: str | None) -> ScorerRun[Any, Any] | Failed:
        seen: object
        read_input: Callable[[object], object] | None = None
        try:
            if type == "agent":
                seen = self._messages()
                read_input = read_agent_input
            elif type == "trajectory":
                seen = self._path()
            else:
                seen = self.output
        except (SteelyardError, TypeError, ValueError) as error:
            return Failed("prepare_run", error)
        context = self.item.context
        for result in self.results:
            if result.context is not None:
                context = result.context
        return run_of_item(self.item, self.input, seen, context, self.state, read_input, self.effort)

    def _messages(self) -> AgentOutput:
        if not self.results:
            return read_agent_output(self.output)
        return AgentOutput([message for result in self.results for message in messages_of(result)])

    def _path(self) -> Trajectory:
        paths = [_path_of(result) for result in self.results or (TargetResult(self.output),)]
        if len(paths) == 1:
            return paths[0]
        durations = [path.total_duration_ms for path in paths]
        known = [duration for duration in durations if duration is not None]
        return Trajectory(
            [step for path in paths for step in path.steps], sum(known) if len(known) == len(durations) else None
        )


def messages_of(result: TargetResult) -> AgentOutput:
    """The messages of one turn. Raises ``UnreadableOutput``."""
    return read_agent_output(result.output if result.messages is None else list(result.messages))


def _path_of(result: TargetResult) -> Trajectory:
    path = result.path()
    if path is not None:
        return path
    if result.spans is not None:
        raise UnreadableOutput(
            "The target gave spans, and no trajectory could be read from them. Give "
            "TargetResult(trajectory=...), or read the spans with their extractor."
        )
    if isinstance(result.output, Trajectory):
        return result.output
    return extract_trajectory(result.output if result.messages is None else list(result.messages))
