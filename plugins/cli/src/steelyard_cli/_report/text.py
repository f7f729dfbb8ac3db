"""Texts from anywhere, made fit to be shown: nothing invisible or active in them, no secret, not too long."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from unicodedata import category, combining

from attrs import field, frozen

HIDDEN = "[hidden]"

SHORTEST_SECRET = 6
"""Shorter values are no secrets, and hiding ``de`` or ``1`` wherever they occur would make a report unreadable."""

_SPACE = re.compile(r"[ \t\n\r\f\v\x1c-\x1f\x85\u2028\u2029]+")
_JOINERS = "\u200c\u200d"
_COMMAND = re.compile(r"(?:(?<=\s)|^)::(?=[A-Za-z])|##(?=\[|vso\[)")


def visible(text: str) -> str:
    """The text in one line, with all that is not seen or steers what shows it written as an escape.

    White space becomes single spaces. Control characters (and so terminal sequences), marks that turn the direction of
    writing, characters of no width, and halves of characters become ``\\x1b``, ``\\u202e`` and so on; joiners that make
    up letters and emoji stay. What continuous integration services take for a command to themselves (``::error::``) is
    broken up.
    """
    text = _SPACE.sub(" ", text).strip()
    if not text.isascii() or not text.isprintable():
        text = "".join(map(_shown, text))
    return _COMMAND.sub(lambda found: rf"\x{ord(found[0][0]):02x}{found[0][1:]}", text)


def _shown(character: str) -> str:
    if character.isprintable() or character in _JOINERS or category(character) == "Zs":
        return character
    return _escape(character)


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def encodable(text: str, encoding: str) -> str:
    """The text with an escape for each character that the encoding has no place for."""
    try:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    except (LookupError, UnicodeError):
        return text.encode("ascii", "backslashreplace").decode("ascii")


def shortened(text: str, limit: int) -> str:
    """The text, cut to ``limit`` characters where it is longer, with "..." at its end; nothing is cut within a
    character and its marks."""
    if len(text) <= limit:
        return text
    end = max(0, limit - 3)
    while end and (combining(text[end]) or text[end] in f"{_JOINERS}\ufe0f" or text[end - 1] in _JOINERS):
        end -= 1
    return text[:end].rstrip() + "..."


def without_controls(text: str) -> str:
    """The text for a table of texts: lines and tabs stay, other control characters and half ones become escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if character in "\n\t" or category(character) not in ("Cc", "Cs") else _escape(character)
        for character in text.replace("\r\n", "\n").replace("\r", "\n")
    )


def _longest_first(values: Iterable[str]) -> tuple[str, ...]:
    found = {value for value in values if len(value) >= SHORTEST_SECRET and value.strip()}
    return tuple(sorted(found, key=lambda value: (-len(value), value)))


@frozen
class Hide:
    """Takes given values out of texts: each occurrence becomes ``[hidden]``. Values of fewer than 6 characters stay."""

    values: tuple[str, ...] = field(default=(), converter=_longest_first, repr=False)

    def __call__(self, text: str) -> str:
        """The text without the values."""
        for value in self.values:
            if value in text:
                text = text.replace(value, HIDDEN)
        return text

    def maybe(self, text: str | None) -> str | None:
        """The text without the values, or None."""
        return None if text is None else self(text)

    def data(self, data: Any) -> Any:
        """JSON data in which no text and no key holds one of the values."""
        if not self.values:
            return data
        if isinstance(data, str):
            return self(data)
        if isinstance(data, list):
            return [self.data(each) for each in data]
        if isinstance(data, dict):
            return {self(key): self.data(value) for key, value in data.items()}
        return data


NOTHING_HIDDEN = Hide()
