"""A response of a chat model: its message, and what it tells beside."""

from __future__ import annotations

from collections.abc import Mapping

from steelyard import Usage
from steelyard_extract_providers._entries import Entry, Reply, read_entry
from steelyard_extract_providers._faults import Faults, expected, under


def read_response(
    response: object, place: str, faults: Faults, *, requested: str | None = None, raw: object = None
) -> Entry | None:
    """The assistant's message of a response with all that the response tells; None for one that holds no message.

    An ``error`` in place of choices gives an entry without a message, whose reply has the error's text. Of several
    choices the first by index is read. ``requested`` is the model that was asked for.
    """
    if not isinstance(response, Mapping):
        faults.note(place or "record", expected("a response with choices", response))
        return None
    model = text_of(response, "model") or requested
    told = response if raw is None else raw
    choices = response.get("choices")
    if not choices and response.get("error"):
        return Entry("assistant", reply=Reply(model, error=_error(response["error"]), raw=told), raw=told)
    here = under(place, "choices")
    if not isinstance(choices, list | tuple):
        faults.note(here, expected("a list of choices", choices))
        return None
    at = first_choice(choices)
    if at is None:
        faults.note(here, "there is no choice that can be read")
        return None
    choice = choices[at]
    prompt, completion, usage = read_usage(response.get("usage"))
    reply = Reply(model, prompt, completion, usage, text_of(choice, "finish_reason"), raw=told)
    return read_entry(choice.get("message"), f"{here}[{at}].message", faults, reply, role="assistant")


def first_choice(choices: list[object] | tuple[object, ...]) -> int | None:
    """The place of the choice with the lowest index; one that does not tell its index counts by its place."""
    places = [at for at, choice in enumerate(choices) if isinstance(choice, Mapping)]
    return min(places, key=lambda at: index_of(choices[at], at), default=None)


def index_of(value: object, otherwise: int) -> int:
    """The ``index`` of a choice or a call."""
    index = value.get("index") if isinstance(value, Mapping) else None
    return index if isinstance(index, int) and not isinstance(index, bool) else otherwise


def text_of(value: Mapping[str, object], key: str) -> str | None:
    """The text at a key; None for an empty one and for anything else."""
    text = value.get(key)
    return text if isinstance(text, str) and text else None


def read_usage(usage: object) -> tuple[int | None, int | None, Usage | None]:
    """Tokens of the prompt and of the completion as recorded, and all of them in disjoint counts.

    The prompt's count includes what was read from a cache; what the record does not call cached was not cached.
    """
    if not isinstance(usage, Mapping):
        return None, None, None
    prompt = _count(usage, "prompt_tokens")
    completion = _count(usage, "completion_tokens")
    if prompt is None and completion is None:
        return None, None, None
    of_prompt = _mapping(usage.get("prompt_tokens_details"))
    of_completion = _mapping(usage.get("completion_tokens_details"))
    cached = _count(of_prompt, "cached_tokens") or _count(usage, "prompt_cache_hit_tokens") or 0
    written = _count(of_prompt, "cache_write_tokens") or 0
    return (
        prompt,
        completion,
        Usage(
            input_tokens=None if prompt is None else max(prompt - cached - written, 0),
            cached_input_tokens=cached,
            cache_creation_tokens=written,
            output_tokens=completion,
            reasoning_tokens=_count(of_completion, "reasoning_tokens"),
        ),
    )


def _count(usage: Mapping[str, object], key: str) -> int | None:
    count = usage.get(key)
    return count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else None


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _error(error: object) -> str:
    message = error.get("message") if isinstance(error, Mapping) else error
    return message if isinstance(message, str) and message else "the request failed"
