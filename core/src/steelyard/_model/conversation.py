"""What an agent was given and what it answered, as scorers of agents see them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from unicodedata import normalize

from attrs import evolve, field, frozen

from steelyard._model.errors import ConfigurationError, UnreadableOutput
from steelyard._model.messages import Message, ToolCall
from steelyard._model.neutral import messages_from_json, pair_results


@frozen
class ExtractedToolCall:
    """A tool call with its place: ``message_index`` over all messages, ``call_index`` over all calls of that message,
    both from 0."""

    name: str
    id: str
    args: object
    result: object
    error: str | None
    state: str
    message_index: int
    call_index: int
    call: ToolCall

    @property
    def failed(self) -> bool:
        """Whether the call did not end well (see ``ToolCall.failed``)."""
        return self.call.failed


def _assistant_texts(messages: Iterable[Message]) -> list[str]:
    """Texts of the assistant messages that are not empty. Each check of words begins here, so it goes by the shortest
    way."""
    texts = []
    for message in messages:
        if message.role == "assistant":
            content = message.content
            text = content[0] if len(content) == 1 and type(content[0]) is str else message.text
            if text:
                texts.append(text)
    return texts


def fold(text: str) -> str:
    """The text without case: composed (NFC), case-folded as Unicode defines it, and composed again."""
    if text.isascii():
        return text.lower()
    return normalize("NFC", normalize("NFC", text).casefold())


class AgentOutput(tuple[Message, ...]):
    """The messages that an agent produced, in order: a tuple of ``Message`` with a few readings of it.

    The readings are made when first asked for and kept, since many scorers look at one output.
    """

    @property
    def text(self) -> str:
        """The answer: text of the last assistant message whose text is not empty; empty when there is none."""
        texts = self.assistant_texts
        return texts[-1] if texts else ""

    @property
    def assistant_texts(self) -> tuple[str, ...]:
        """Texts of the assistant messages that are not empty, in order."""
        made: tuple[str, ...] | None = self.__dict__.get("_texts")
        if made is None:
            made = self.__dict__["_texts"] = tuple(_assistant_texts(self))
        return made

    @property
    def search_texts(self) -> tuple[str, ...]:
        """``assistant_texts`` in Unicode's composed form (NFC)."""
        made: tuple[str, ...] | None = self.__dict__.get("_search")
        if made is None:
            made = self.__dict__["_search"] = tuple([normalize("NFC", text) for text in self.assistant_texts])
        return made

    @property
    def folded_texts(self) -> tuple[str, ...]:
        """``search_texts`` without case: case-folded as Unicode defines it, and composed again."""
        made: tuple[str, ...] | None = self.__dict__.get("_folded")
        if made is None:
            texts = self.__dict__.get("_texts") or _assistant_texts(self)
            made = self.__dict__["_folded"] = tuple([text.lower() if text.isascii() else fold(text) for text in texts])
        return made

    @property
    def tool_calls(self) -> tuple[ExtractedToolCall, ...]:
        """The agent's calls that count (see ``extract_tool_calls``)."""
        made: tuple[ExtractedToolCall, ...] | None = self.__dict__.get("_counted")
        if made is None:
            made = self.__dict__["_counted"] = tuple(
                [call for call in self.all_tool_calls if call.state != "partial-call"]
            )
        return made

    @property
    def all_tool_calls(self) -> tuple[ExtractedToolCall, ...]:
        """The agent's calls, those whose arguments were still arriving included."""
        made: tuple[ExtractedToolCall, ...] | None = self.__dict__.get("_calls")
        if made is None:
            made = self.__dict__["_calls"] = _calls(self)
        return made

    def __repr__(self) -> str:
        return f"AgentOutput({super().__repr__()})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (AgentOutput, (tuple(self),))


def _calls(messages: Iterable[Message]) -> tuple[ExtractedToolCall, ...]:
    """Calls of all assistant messages; one that is seen again is one call if the earlier was unanswered or stands in
    the same message."""
    calls: list[ExtractedToolCall] = []
    latest: dict[tuple[str, str], int] = {}
    for message_index, message in enumerate(messages):
        if message.role != "assistant":
            continue
        for call_index, call in enumerate(message.tool_calls):
            if not call.name:
                continue
            key = None if call.id is None else (call.id, call.name)
            known = None if key is None else latest.get(key)
            if known is not None:
                earlier = calls[known]
                if not earlier.call.answered:
                    calls[known] = _placed(call, earlier.message_index, earlier.call_index)
                    continue
                if earlier.message_index == message_index:
                    continue
            if key is not None:
                latest[key] = len(calls)
            calls.append(_placed(call, message_index, call_index))
    return tuple(calls)


def _placed(call: ToolCall, message_index: int, call_index: int) -> ExtractedToolCall:
    return ExtractedToolCall(
        call.name,
        f"{message_index}-{call_index}" if call.id is None else call.id,
        call.args,
        call.result,
        call.error,
        call.state,
        message_index,
        call_index,
        call,
    )


def _in_order(messages: Iterable[Message]) -> tuple[Message, ...]:
    if not isinstance(messages, Iterable) or isinstance(messages, str | Mapping):
        raise ConfigurationError(f"AgentInput: expected a list of Message, found {type(messages).__name__}.")
    found = tuple(messages)
    for message in found:
        if not isinstance(message, Message):
            raise ConfigurationError(
                f"AgentInput: expected Message, found {type(message).__name__}. Use messages_from_json() for "
                "messages in JSON form."
            )
    return found


@frozen(kw_only=True)
class AgentInput:
    """What an agent was given for one run; every field defaults to empty."""

    input_messages: tuple[Message, ...] = field(default=(), converter=_in_order)
    remembered_messages: tuple[Message, ...] = field(default=(), converter=_in_order)
    system_messages: tuple[Message, ...] = field(default=(), converter=_in_order)
    tagged_system_messages: Mapping[str, tuple[Message, ...]] = field(factory=dict)

    @classmethod
    def from_messages(cls, messages: Iterable[Message]) -> AgentInput:
        """Sorts messages: system ones, tagged system ones, remembered ones, and the rest, which is the request."""
        asked: list[Message] = []
        remembered: list[Message] = []
        system: list[Message] = []
        tagged: dict[str, tuple[Message, ...]] = {}
        for message in messages:
            if message.role == "system" and message.tag is not None:
                tagged[message.tag] = (*tagged.get(message.tag, ()), message)
            elif message.role == "system":
                system.append(message)
            elif message.remembered:
                remembered.append(message)
            else:
                asked.append(message)
        return cls(
            input_messages=asked, remembered_messages=remembered, system_messages=system, tagged_system_messages=tagged
        )

    @property
    def text(self) -> str:
        """The question: text of the last user message with text; empty when there is none."""
        return next(_texts(reversed(self.input_messages), "user"), "")


def _texts(messages: Iterable[Message], role: str) -> Iterator[str]:
    for message in messages:
        if message.role == role and (text := message.text):
            yield text


_HINT = "Give a text, messages (Message or neutral dicts), or map it with reply= or TargetResult(messages=...)."


def _messages(value: object, role: str, what: str) -> tuple[Message, ...]:
    """Messages out of a text, a message, a neutral dict or a list of those; ``role`` is that of a bare text."""
    if isinstance(value, str):
        return (Message("user" if role == "user" else "assistant", value),)
    if isinstance(value, Message):
        return (value,)
    if isinstance(value, list | tuple):
        answers = False
        for entry in value:
            if type(entry) is not Message:
                break
            if entry.role == "tool":
                answers = True
        else:
            return pair_results(value) if answers else tuple(value)
        entries: list[object] = list(value)
    elif isinstance(value, Mapping):
        entries = [value]
    else:
        raise UnreadableOutput(f"The {what} is {_named(value)}, which cannot be read as messages. {_HINT}")
    if role == "user":
        entries = [Message("user", entry) if isinstance(entry, str) else entry for entry in entries]
    try:
        return messages_from_json(entries)
    except (ValueError, TypeError) as error:
        raise UnreadableOutput(
            f"The {what} is {_named(value)} and cannot be read as messages: {error} {_HINT}"
        ) from error


def _named(value: object) -> str:
    if value is None:
        return "None"
    if isinstance(value, list | tuple) and value:
        inner = next((type(entry).__name__ for entry in value if not isinstance(entry, Message)), "Message")
        return f"a {type(value).__name__} of {inner}"
    if isinstance(value, Iterator) or hasattr(value, "__aiter__"):
        return f"of type {type(value).__name__} (a stream, whose pieces the target has to join)"
    return f"of type {type(value).__name__}"


def read_agent_output(value: object) -> AgentOutput:
    """The value as an agent's messages: a text, a ``Message``, a list of messages or neutral dicts, or an
    ``AgentOutput``.

    Raises ``UnreadableOutput`` with the type named for anything else, None included.
    """
    if type(value) is AgentOutput:
        return value
    return AgentOutput(_messages(value, "assistant", "output"))


def read_agent_input(value: object) -> AgentInput:
    """The value as an agent's input: as ``read_agent_output``, and None is an empty input, bare texts in a list are
    user messages."""
    if isinstance(value, AgentInput):
        return value
    if value is None:
        return AgentInput()
    return AgentInput.from_messages(_messages(value, "user", "input"))


def _asked(value: object) -> tuple[Message, ...]:
    given = read_agent_input(value)
    return given.input_messages


def first_user_text(value: object) -> str | None:
    """Text of the first user message with text, or None; takes what agent scorers take as input."""
    return next(_texts(_asked(value), "user"), None)


def last_user_text(value: object) -> str | None:
    """Text of the last user message with text, or None; takes what agent scorers take as input."""
    return next(_texts(reversed(_asked(value)), "user"), None)


def last_assistant_text(value: object) -> str | None:
    """Text of the last assistant message with text, or None; takes what agent scorers take as output."""
    texts = assistant_texts(value)
    return texts[-1] if texts else None


def assistant_texts(value: object) -> tuple[str, ...]:
    """Texts of all assistant messages that are not empty, in order; takes what agent scorers take as output (None:
    none)."""
    return () if value is None else read_agent_output(value).assistant_texts


def reasoning_texts(value: object) -> tuple[str, ...]:
    """Reasoning of all assistant messages that have some, in order; takes what agent scorers take as output (None:
    none)."""
    if value is None:
        return ()
    return tuple(
        message.reasoning for message in read_agent_output(value) if message.role == "assistant" and message.reasoning
    )


def system_prompts(value: object) -> tuple[str, ...]:
    """Texts of the system messages, tagged ones last; takes what agent scorers take as input."""
    given = read_agent_input(value)
    tagged = [message for messages in given.tagged_system_messages.values() for message in messages]
    return tuple(_texts([*given.system_messages, *tagged], "system"))


def system_prompt(value: object) -> str | None:
    """The system messages' texts joined by a blank line, or None; takes what agent scorers take as input."""
    prompts = system_prompts(value)
    return "\n\n".join(prompts) if prompts else None


def extract_tool_calls(value: object) -> tuple[ExtractedToolCall, ...]:
    """The agent's tool calls, in order, with their places; takes what agent scorers take as output.

    Calls of assistant messages only. Left out are calls without a name and those whose arguments were still arriving. A
    call without id gets ``"<message index>-<call index>"``. The same id (and name) seen again is one call if the
    earlier was unanswered or stands in the same message: it keeps the first place and the latest state.
    """
    return () if value is None else read_agent_output(value).tool_calls


def user_message(text: str) -> Message:
    """A user message with this text."""
    return Message("user", text)


def assistant_message(text: str | None = None, *, tool_calls: Iterable[ToolCall] = ()) -> Message:
    """An assistant message with this text and these calls."""
    return Message("assistant", text, tool_calls=tuple(tool_calls))


def remembered(message: Message) -> Message:
    """The same message, marked as earlier history."""
    return evolve(message, remembered=True)


def agent_input(*texts: str, system: str | None = None) -> AgentInput:
    """An agent's input with one user message per text, for tests."""
    return AgentInput(
        input_messages=[user_message(text) for text in texts],
        system_messages=[] if system is None else [Message("system", system)],
    )


def agent_output(*answers: str | Message | ToolCall) -> AgentOutput:
    """An agent's output for tests: a text is an assistant message, a tool call one that holds that call."""
    messages = []
    for answer in answers:
        if isinstance(answer, ToolCall):
            messages.append(Message("assistant", None, tool_calls=(answer,)))
        else:
            messages.append(Message("assistant", answer) if isinstance(answer, str) else answer)
    return AgentOutput(messages)
