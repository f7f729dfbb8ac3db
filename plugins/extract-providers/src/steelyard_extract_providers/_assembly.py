"""A conversation out of its messages: results on their calls, and the steps of the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import add

from steelyard import ConfigurationError, Conversation, Message, ToolCall, Trajectory, TrajectoryStep, Usage
from steelyard_extract_providers._entries import Call, Entry, Reply
from steelyard_extract_providers._faults import Faults
from steelyard_extract_providers._pairing import answers


def conversation(
    entries: Sequence[Entry],
    faults: Faults,
    *,
    generations: Sequence[Entry] | None = None,
    format: str,
    id: str | None,
    metadata: Mapping[str, object],
) -> Conversation:
    """The conversation of these messages.

    ``generations`` are the entries of all responses in the order in which they came, where these are more than the
    assistant's messages: those that failed and those that the history does not keep. The faults go into the metadata.
    Raises ``ConfigurationError`` if nothing could be read, or if all that was left out are the calls of another
    format.
    """
    if faults.first is not None and not entries and not generations:
        raise ConfigurationError(f"{format}: nothing of the record can be read; {faults.first}.")
    if faults.foreign is not None and not any(entry.calls for entry in entries):
        raise ConfigurationError(f"{format}: the record is of another format; {faults.foreign}.")
    if generations is None:
        generations = [entry for entry in entries if entry.role == "assistant"]
    answered = answers(entries)
    asked = {answer: call for call, answer in answered.items()}
    return Conversation(
        messages=[_message(entry, answered, asked) for entry in entries],
        trajectory=Trajectory(list(_steps(generations, answered))),
        format=format,
        id=id,
        metadata={**metadata, **faults.as_metadata()},
        usage=_usage([entry.reply for entry in generations]),
    )


def _message(entry: Entry, answered: Mapping[Call, Entry], asked: Mapping[Entry, Call]) -> Message:
    # One part by itself is taken over faster than a tuple of one.
    content = entry.content[0] if len(entry.content) == 1 else entry.content
    if entry.role == "assistant":
        calls = tuple([_tool_call(call, answered.get(call)) for call in entry.calls])
        return Message("assistant", content, tool_calls=calls, reasoning=entry.reasoning, refusal=entry.refusal)
    if entry.role == "tool":
        name = entry.name
        if name is None and entry in asked:
            name = asked[entry].name
        return Message(
            "tool", content, tool_call_id=entry.call_id, name=name, is_error=True if entry.is_error else None
        )
    return Message(entry.role, content)


def _tool_call(call: Call, answer: Entry | None) -> ToolCall:
    if answer is None:
        return ToolCall(call.name, call.args, call.id, state="call", raw_args=call.raw_args)
    return ToolCall(
        call.name, call.args, call.id, answer.result, _error(answer), state="result", raw_args=call.raw_args
    )


def _error(answer: Entry) -> str | None:
    """What a result says that its record calls a failure."""
    if not answer.is_error:
        return None
    return answer.result if isinstance(answer.result, str) and answer.result else "the tool reported an error"


def _steps(generations: Iterable[Entry], answered: Mapping[Call, Entry]) -> Iterator[TrajectoryStep]:
    """Each generation, followed by the calls that it asked for, in its order."""
    for entry in generations:
        reply = entry.reply
        yield TrajectoryStep(
            step_type="model_generation",
            name=reply.model or "unknown",
            success=reply.error is None,
            error=reply.error,
            model_id=reply.model,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            finish_reason=reply.finish_reason,
            raw=entry.raw if reply.raw is None else reply.raw,
        )
        for call in entry.calls:
            answer = answered.get(call)
            yield TrajectoryStep(
                step_type="tool_call",
                name=call.name,
                tool_args=call.args,
                tool_result=None if answer is None else answer.result,
                success=None if answer is None else not answer.is_error,
                error=None if answer is None else _error(answer),
                call_id=call.id,
                raw_args=call.raw_args,
                raw=call.raw,
            )


def _usage(replies: Iterable[Reply]) -> Usage | None:
    """The tokens of all responses together; None where one of them does not tell. A failed request has none to tell."""
    told = [reply.usage for reply in replies if reply.error is None]
    known = [usage for usage in told if usage is not None]
    return reduce(add, known) if known and len(known) == len(told) else None
