"""OpenAI Chat Completions, as the provider and all servers that are compatible with it speak them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from steelyard import ConfigurationError, Conversation
from steelyard_extract_providers._assembly import conversation
from steelyard_extract_providers._entries import Entry, Reply, read_entries, read_entry, read_id
from steelyard_extract_providers._faults import Faults, kind_of, word
from steelyard_extract_providers._logs import read_log
from steelyard_extract_providers._responses import text_of
from steelyard_extract_providers._shapes import Shape, is_foreign, messages_of, shape_of
from steelyard_extract_providers._splitting import split

_FORMAT = "openai-chat"
_LOGGED = {Shape.PAIR, Shape.RESPONSE, Shape.CHUNK}
_NO_METADATA = ("messages", "request", "response", "choices", "usage", "object", "metadata", "id", "custom_id")
_KEYS_SHOWN = 5


class OpenAIChat:
    """Conversations of chat models (format ``openai-chat``).

    Calling it reads one record: a list of messages; an object with ``messages``; a request with its response, or a
    list of those in which each request repeats the history; a response; a list of chunks. Ids repeat, so a result
    belongs to the nearest earlier message with an unanswered call of its id. The format has no mark for failures:
    whatever a tool's text says, the call succeeded. What cannot be read costs its own place only and is told in
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
        """The records of a file's content, which is given as its parsed JSON or as the list of its parsed lines.

        Requests are one record as long as each goes on with the conversation of another. Lists of messages, objects
        with ``messages``, responses without a request and streams are a record each, lines that are a message each are
        one record together. What is nothing of these is a record by itself, which cannot be read. Records come in the
        order in which they begin, those that are made of several entries last.
        """
        return split(data)

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
    if isinstance(record, list | tuple):
        return _read_list(record, faults)
    shape = shape_of(record)
    if not isinstance(record, Mapping) or shape is None:
        raise ConfigurationError(
            f"{_FORMAT}: expected messages, a request with its response, a response or chunks, "
            f"found {_described(record)}."
        )
    if shape in _LOGGED:
        return _logged([record], record, faults)
    if shape is Shape.MESSAGE:
        return _told([entry for entry in [read_entry(record, "record", faults)] if entry is not None], record, faults)
    entries = read_entries(record["messages"], "messages", faults, Reply(text_of(record, "model")))
    return _told(entries, record, faults)


def _read_list(record: Sequence[object], faults: Faults) -> Conversation:
    shapes = {shape for entry in record if (shape := shape_of(entry)) is not None}
    if Shape.MESSAGE in shapes:
        return _told(read_entries(record, "", faults), {}, faults)
    if shapes and shapes <= _LOGGED:
        return _logged(record, {}, faults)
    if shapes and len(record) == 1:
        return _read(record[0])
    found = "several conversations: cut them with split() first"
    if not shapes:
        found = f"a list that begins with {_described(record[0])}" if record else "an empty list"
    raise ConfigurationError(f"{_FORMAT}: expected the messages of one conversation, found {found}.")


def _logged(entries: Sequence[object], record: Mapping[str, object], faults: Faults) -> Conversation:
    thread = read_log(entries, faults, alone=bool(record))
    first = next((entry for entry in entries if isinstance(entry, Mapping)), {})
    return conversation(
        thread.entries,
        faults,
        generations=thread.generations,
        format=_FORMAT,
        id=_id(record, faults),
        metadata=_metadata(first) if shape_of(first) is not Shape.CHUNK else {},
    )


def _told(entries: Sequence[Entry], record: Mapping[str, object], faults: Faults) -> Conversation:
    return conversation(entries, faults, format=_FORMAT, id=_id(record, faults), metadata=_metadata(record))


def _id(record: Mapping[str, object], faults: Faults) -> str | None:
    """The id that was given to the conversation. That of a response is none: servers of one's own use one for all."""
    if "object" in record or "role" in record:
        return None
    return read_id(record, "custom_id", "", faults) or read_id(record, "id", "", faults)


def _metadata(record: Mapping[str, object]) -> dict[str, object]:
    """What a record tells beside its conversation; the entries of its own ``metadata`` stand among them."""
    if "role" in record:
        return {}
    told = {key: value for key, value in record.items() if key not in _NO_METADATA and isinstance(key, str)}
    own = record.get("metadata")
    if isinstance(own, Mapping):
        told.update({key: value for key, value in own.items() if isinstance(key, str)})
    return told


def _described(record: object) -> str:
    if not isinstance(record, Mapping):
        return kind_of(record)
    keys = [word(key) for key in record if isinstance(key, str)]
    more = f" and {len(keys) - _KEYS_SHOWN} more" if len(keys) > _KEYS_SHOWN else ""
    return f"an object with the keys {', '.join(keys[:_KEYS_SHOWN])}{more}" if keys else "an object without keys"


# -- recognising -------------------------------------------------------------------------------------------------------


def _recognises(record: object) -> bool:
    shape = shape_of(record)
    if isinstance(record, list | tuple) and shape is None:
        return any(shape_of(entry) in _LOGGED for entry in record) or (len(record) == 1 and _recognises_one(record[0]))
    if isinstance(record, Mapping):
        return _recognises_one(record)
    return shape is Shape.MESSAGES and isinstance(record, list | tuple) and not is_foreign(record)


def _recognises_one(record: object) -> bool:
    shape = shape_of(record)
    if not isinstance(record, Mapping) or shape is None:
        return False
    if shape in (Shape.RESPONSE, Shape.CHUNK, Shape.PAIR):
        return True
    messages = messages_of(record) if shape is Shape.CONVERSATION else [record]
    return isinstance(messages, Iterable) and not is_foreign(messages)
