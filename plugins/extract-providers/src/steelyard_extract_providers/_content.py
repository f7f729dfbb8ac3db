"""The content of a message: a text, parts, or whatever a tool gave, in neutral form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from attrs import frozen

from steelyard import MediaPart, Part
from steelyard_extract_providers._arguments import as_text
from steelyard_extract_providers._faults import Faults, expected, kind_of, word

_TEXTS = ("text", "input_text", "output_text")
_THOUGHTS = ("thinking", "reasoning")
_IMAGES = ("image_url", "input_image", "image")
_FILES = ("file", "input_file", "input_audio", "audio_url", "video_url")
_CALLS_ELSEWHERE = (
    "tool_use",
    "tool_result",
    "tool-call",
    "tool-result",
    "server_tool_use",
    "toolUse",
    "toolResult",
    "functionCall",
)
_CARRIERS = ("text", "url", "data", "source", "image_url", "file_id", "tool_use_id")
_KNOWN = {*_TEXTS, *_THOUGHTS, *_IMAGES, *_FILES, *_CALLS_ELSEWHERE, "refusal"}


@frozen(eq=False)
class Content:
    """Content as it was read: its ``parts``, the same as a tool's ``result``, and what stood among the parts."""

    parts: tuple[Part, ...] = ()
    result: object = None
    reasoning: str | None = None
    refusal: str | None = None


EMPTY = Content()


def read_content(given: object, role: str, message: str, faults: Faults) -> Content:
    """The content of a message of this role at this place; a part that cannot be read is left out and noted.

    Parts that are all text become one text, joined with nothing for an assistant and with a newline for others. A
    tool's content may be any value: what is neither text nor parts stays structured as its result and becomes JSON
    text as content.
    """
    if given is None:
        return EMPTY
    if isinstance(given, str):
        return Content((given,), given)
    place = f"{message}.content"
    if isinstance(given, list | tuple):
        if role == "tool" and given and not any(_is_part(part) for part in given):
            return _structured(given, place, faults)
        return _parts(given, role, place, faults)
    if _is_part(given):
        return _parts([given], role, place, faults)
    if role == "tool":
        return _structured(given, place, faults)
    note = faults.note_foreign if isinstance(given, Mapping) and "parts" in given else faults.note
    note(place, expected("a text, null or a list of parts", given))
    return EMPTY


def _is_part(value: object) -> bool:
    """Whether this is a part of content, and no value of a tool's own that happens to have a type."""
    if not isinstance(value, Mapping):
        return False
    kind = value.get("type")
    return isinstance(kind, str) and kind in _KNOWN and (kind in value or any(key in value for key in _CARRIERS))


def _structured(given: object, place: str, faults: Faults) -> Content:
    text = as_text(given)
    if text is None:
        faults.note(place, f"{kind_of(given)} that has no form as JSON")
        return EMPTY
    return Content((text,), given)


def _parts(given: Iterable[object], role: str, place: str, faults: Faults) -> Content:
    parts: list[Part] = []
    thoughts: list[str] = []
    refusals: list[str] = []
    for at, part in enumerate(given):
        here = f"{place}[{at}]"
        kind = part.get("type") if isinstance(part, Mapping) else None
        if isinstance(part, str):
            parts.append(part)
        elif not isinstance(part, Mapping) or not isinstance(kind, str):
            calls = isinstance(part, Mapping) and any(key in part for key in _CALLS_ELSEWHERE)
            note = faults.note_foreign if calls else faults.note
            note(here, expected("a text or an object with a type", part))
        elif kind in _TEXTS or kind in _THOUGHTS or kind == "refusal":
            text = _text(part.get("text") if kind in _TEXTS else part.get(kind))
            if text is None:
                faults.note(here, f"there is no text in this part of type {word(kind)}")
            else:
                (parts if kind in _TEXTS else thoughts if kind in _THOUGHTS else refusals).append(text)
        elif kind in _IMAGES:
            parts.append(_media("image", kind, part))
        elif kind in _FILES:
            parts.append(_media("file", kind, part))
        elif kind in _CALLS_ELSEWHERE:
            faults.note_foreign(here, f"a part of type {word(kind)} belongs to another format")
        else:
            faults.note(here, f"parts of type {word(kind)} are unknown")
    joint = _joined(parts, role)
    return Content(joint, _result(joint), "\n".join(thoughts) or None, "".join(refusals) or None)


def _text(value: object) -> str | None:
    """The text of a part, which some keep in an object of its own or in a list of further parts."""
    if isinstance(value, Mapping):
        value = value.get("value")
    if isinstance(value, list | tuple):
        texts = [part.get("text") if isinstance(part, Mapping) else part for part in value]
        return "".join([text for text in texts if isinstance(text, str)])
    return value if isinstance(value, str) else None


def _media(family: Literal["image", "file"], kind: str, part: Mapping[str, object]) -> MediaPart:
    """An image or a file by its address, or by whatever else the record says of it."""
    inner = part.get(kind)
    if isinstance(inner, str):
        return MediaPart(family, {"url": inner})
    if kind == "input_audio" and isinstance(inner, Mapping):
        sound = inner.get("format")
        media_type = {"media_type": f"audio/{sound}"} if isinstance(sound, str) else {}
        return MediaPart("file", {**media_type, "data": inner.get("data")})
    if kind == "input_image" and part.get("image_url") is not None:
        return _media("image", "image_url", part)
    fields = inner if isinstance(inner, Mapping) else part
    kept = {key: value for key, value in fields.items() if key not in ("type", "detail") and value is not None}
    return MediaPart(family, kept)


def _joined(parts: list[Part], role: str) -> tuple[Part, ...]:
    if len(parts) < 2:
        return tuple(parts)
    texts = [part for part in parts if isinstance(part, str)]
    if len(texts) < len(parts):
        return tuple(parts)
    return (("" if role == "assistant" else "\n").join(texts),)


def _result(parts: tuple[Part, ...]) -> object:
    """What the parts say as a tool's result: a text, or a list of parts in neutral JSON; None without any."""
    if not parts:
        return None
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0]
    return [
        {"type": "text", "text": part} if isinstance(part, str) else {"type": part.type, **part.fields}
        for part in parts
    ]
