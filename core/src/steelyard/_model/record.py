"""A conversation as it was read from some other system's record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from steelyard._model.messages import Message
from steelyard._model.trajectory import Trajectory
from steelyard._model.usage import Usage


@frozen(kw_only=True)
class Conversation:
    """Messages and trajectory of one recorded run; what every extractor gives.

    ``format`` names the kind of record. The trajectory has one ``model_generation`` per response and the calls that it
    asked for after it. ``id`` is the record's own, ``metadata`` what else it tells, ``usage`` the tokens of all
    responses together (None: unknown).
    """

    messages: tuple[Message, ...] = field(default=(), converter=tuple[Message, ...])
    trajectory: Trajectory = field(factory=Trajectory)
    format: str = ""
    id: str | None = None
    metadata: Mapping[str, Any] = field(factory=dict)
    usage: Usage | None = None

    @property
    def input(self) -> tuple[Message, ...]:
        """What the agent was given first: the messages before the first one of the assistant."""
        return self.messages[: self._answer_at]

    @property
    def output(self) -> tuple[Message, ...]:
        """The first message of the assistant and all that follow, later questions of the user among them."""
        return self.messages[self._answer_at :]

    @property
    def _answer_at(self) -> int:
        roles = [message.role for message in self.messages]
        return roles.index("assistant") if "assistant" in roles else len(roles)
