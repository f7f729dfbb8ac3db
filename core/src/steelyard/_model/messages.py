"""Messages and tool calls in one neutral form, whoever recorded them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias, cast

from attrs import Attribute, field, frozen

from steelyard._model.errors import ConfigurationError

Role = Literal["system", "user", "assistant", "tool"]
CallState = Literal["call", "partial-call", "result", "output-error"]

ROLES: tuple[Role, ...] = ("system", "user", "assistant", "tool")
CALL_STATES: tuple[CallState, ...] = ("call", "partial-call", "result", "output-error")


@frozen
class MediaPart:
    """A part of a message that is no text: an image or a file.

    ``type`` is ``"image"`` or ``"file"``; ``fields`` holds whatever the record says of it (a URL, data, a media type).
    """

    type: Literal["image", "file"]
    fields: Mapping[str, object] = field(factory=dict)


Part: TypeAlias = str | MediaPart
"""A text segment (a plain ``str``) or a part that is no text."""


@frozen
class ToolCall:
    """One call of a tool.

    ``args`` are the parsed arguments; where the text did not parse they are None and ``raw_args`` holds the text.
    ``state`` is ``"result"`` (finished; an ``error`` that is not None means that the executor flagged it as failed),
    ``"output-error"`` (the tool raised; ``error`` is its text), ``"call"`` (never answered) or ``"partial-call"`` (the
    arguments were still arriving). Left out, the state follows from what is given: an error without result is
    ``"output-error"``, a result is ``"result"``, neither is ``"call"``.
    """

    name: str
    args: object = field(factory=dict)
    id: str | None = None
    result: object = None
    error: str | None = None
    state: CallState = field(default=cast("CallState", None))
    raw_args: str | None = None
    provider_executed: bool = False

    @state.validator
    def _known(self, _: Attribute[CallState], value: CallState | None) -> None:
        if value is not None and value not in CALL_STATES:
            raise ConfigurationError(f"ToolCall(state={value!r}): use one of {', '.join(CALL_STATES)}.")

    def __attrs_post_init__(self) -> None:
        if self.state is None:
            state: CallState = "call"
            if self.result is not None:
                state = "result"
            elif self.error is not None:
                state = "output-error"
            object.__setattr__(self, "state", state)

    @property
    def answered(self) -> bool:
        """Whether the tool finished, well or not."""
        return self.state == "result" or self.state == "output-error"

    @property
    def failed(self) -> bool:
        """Whether the call did not end well: never completed, raised, flagged as failed, or a result that carries a
        truthy ``error``."""
        if self.state != "result" or self.error is not None:
            return True
        return isinstance(self.result, Mapping) and bool(self.result.get("error"))


def _parts(content: str | MediaPart | Iterable[Part] | None) -> tuple[Part, ...]:
    if content is None:
        return ()
    if isinstance(content, str):
        return (content,)
    if isinstance(content, MediaPart):
        return (content,)
    if isinstance(content, Iterable) and not isinstance(content, Mapping | bytes):
        parts = tuple(content)
        if all(isinstance(part, str | MediaPart) for part in parts):
            return parts
        odd = next(part for part in parts if not isinstance(part, str | MediaPart))
        raise ConfigurationError(
            f"Message(content=): expected texts and MediaPart, found {type(odd).__name__}. "
            "Use messages_from_json() for parts in JSON form."
        )
    raise ConfigurationError(
        f"Message(content=): expected a text, None or a list of parts, found {type(content).__name__}. Put "
        "structured data into a text first."
    )


def _calls(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    if not isinstance(calls, Iterable) or isinstance(calls, str | Mapping):
        raise ConfigurationError(f"Message(tool_calls=): expected a list of ToolCall, found {type(calls).__name__}.")
    found = tuple(calls)
    for call in found:
        if not isinstance(call, ToolCall):
            raise ConfigurationError(
                f"Message(tool_calls=): expected ToolCall, found {type(call).__name__}. "
                "Use messages_from_json() for calls in JSON form."
            )
    return found


@frozen
class Message:
    """One message of a conversation.

    ``content`` is given as a text, None, or texts and ``MediaPart``s in order, and kept as a tuple of parts;
    ``tool_calls`` are the calls that an assistant message asks for, ``tool_call_id`` names the call that a ``tool``
    message answers. ``remembered`` marks earlier history, ``tag`` a system message that was given under a name.
    """

    role: Role = field()
    content: tuple[Part, ...] = field(default=(), converter=_parts)
    tool_calls: tuple[ToolCall, ...] = field(default=(), converter=_calls, kw_only=True)
    tool_call_id: str | None = field(default=None, kw_only=True)
    name: str | None = field(default=None, kw_only=True)
    reasoning: str | None = field(default=None, kw_only=True)
    refusal: str | None = field(default=None, kw_only=True)
    is_error: bool | None = field(default=None, kw_only=True)
    remembered: bool = field(default=False, kw_only=True)
    tag: str | None = field(default=None, kw_only=True)

    @role.validator
    def _known(self, _: Attribute[Role], value: Role) -> None:
        if value not in ROLES:
            raise ConfigurationError(f"Message(role={value!r}): use one of {', '.join(ROLES)}.")

    @property
    def text(self) -> str:
        """The text segments joined without separator; empty when there are none."""
        content = self.content
        if len(content) == 1:
            only = content[0]
            return only if isinstance(only, str) else ""
        return "".join([part for part in content if isinstance(part, str)])
