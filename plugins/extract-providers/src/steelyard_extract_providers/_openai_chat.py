"""OpenAI Chat Completions, as the provider and all servers that are compatible with it speak them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from steelyard import ConfigurationError, Conversation
from steelyard_extract_providers._assembly import conversation
from steelyard_extract_providers._chunks import Streams, joined
from steelyard_extract_providers._entries import Entry, Reply, read_entries, read_entry
from steelyard_extract_providers._faults import Faults, kind_of
from steelyard_extract_providers._responses import read_response, text_of
from steelyard_extract_providers._shapes import (
    Shape,
    is_foreign,
    messages_of,
    request_of,
    response_of,
    shape_of,
    shape_of_object,
)
from steelyard_extract_providers._threads import Thread, Threads

_FORMAT = "openai-chat"
_LOGGED = (Shape.PAIR, Shape.RESPONSE, Shape.CHUNK)
_ENDS = ("messages", "request", "response", "choices", "metadata", "id", "custom_id", "object")
"""What a record tells elsewhere than in a conversation's metadata."""


class OpenAIChat:
    """Conversations of chat models (format ``openai-chat``).

    Calling it reads one record: a list of messages; an object with ``messages``; a request with its response, or a list of those in which each request repeats
    the history; a response; a list of chunks. Ids repeat, so a result belongs to the nearest earlier message with an unanswered call of its id. The
    format has no mark for failures: whatever a tool's text says, the call succeeded. What cannot be read costs its own place only and is told in
    ``metadata["faults"]``, a list of ``{"place", "reason"}``.
    Raises ``ConfigurationError`` for a record of which nothing can be read.
    """

    def __call__(self, record: object) -> Conversation:
        """The conversation of a record (see the class)."""
        try:
            return _read(record)
        except RecursionError as error:
            raise ConfigurationError(f"{_FORMAT}: the record is nested too deeply to be read.") from error

    def split(self, data: object) -> Iterator[object]:
        """The records of a file's content, given as its parsed JSON or as the list of its parsed lines, in the order in which they begin.

        Requests of one log are one record as long as each goes on with the conversation of another. Lists of messages, objects with ``messages``, responses without a
        request and streams are a record each; lines that are a message each are one record together. What is nothing of these is a record by itself, which cannot be read.
        """
        return _split(data)

    def recognises(self, record: object) -> bool:
        """Whether a record is of this format, by a look at its outside; never raises."""
        try:
            return _recognises(record)
        except RecursionError:
            return False

    def __repr__(self) -> str:
        return f"<extractor {_FORMAT}>"


openai_chat = OpenAIChat()


# -- reading -----------------------------------------------------------------------------------------------------------


def _read(record: object) -> Conversation:
    faults = Faults()
    thread = Thread()
    told: Mapping[str, object] = record if isinstance(record, Mapping) else {}
    match shape_of(record):
        case Shape.MESSAGES | None if isinstance(record, list | tuple):
            shapes = {shape for entry in record if (shape := _shape_within(entry)) is not None}
            if shapes and shapes <= {*_LOGGED}:
                told = _read_log(record, thread, faults)
            elif Shape.MESSAGE in shapes:
                thread.ask(read_entries(record, "", faults))
            elif len(record) == 1 and shapes:
                return _read(record[0])
            else:
                what = "several conversations; cut it into records first" if shapes else "none of its entries is one"
                raise ConfigurationError(f"{_FORMAT}: expected the messages of one conversation, found a list: {what}.")
        case Shape.CONVERSATION if isinstance(record, Mapping):
            thread.ask(read_entries(record["messages"], "messages", faults, Reply(text_of(record, "model"))))
        case Shape.PAIR | Shape.RESPONSE | Shape.CHUNK:
            _read_log([record], thread, faults, alone=True)
        case Shape.MESSAGE:
            entry = read_entry(record, "record", faults)
            thread.ask([] if entry is None else [entry])
        case _:
            raise ConfigurationError(
                f"{_FORMAT}: expected messages, a request with its response, a response or chunks, found {_described(record)}."
            )
    return checked(thread.entries, faults, generations=thread.generations, format=_FORMAT, **_identity(told))


def checked(
    entries: Sequence[Entry],
    faults: Faults,
    *,
    generations: Sequence[Entry] | None = None,
    format: str,
    id: str | None,
    metadata: Mapping[str, object],
) -> Conversation:
    """The conversation of what was read. Raises ``ConfigurationError`` if that is nothing, or if what was left out are the calls of another format."""
    if faults.first is not None and not entries and not generations:
        raise ConfigurationError(f"{format}: nothing of the record can be read; {faults.first}.")
    if faults.foreign is not None and not any(entry.calls for entry in entries):
        raise ConfigurationError(f"{format}: this record is of another format; {faults.foreign}.")
    return conversation(
        entries, generations=generations, format=format, id=id, metadata={**metadata, **faults.as_metadata()}
    )
