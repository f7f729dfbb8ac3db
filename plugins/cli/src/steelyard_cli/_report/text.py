"""Texts from anywhere, made fit to be shown: nothing invisible or active in them, no secret, not too long."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from unicodedata import category, combining
from urllib.parse import quote

from attrs import field, frozen

HIDDEN = "[hidden]"

SHORTEST_SECRET = 6
"""Shorter values are no secrets, and hiding ``de`` or ``1`` wherever they occur would make a report unreadable."""

SHORTEST_PIECE, LONGEST_PIECE = 8, 32
"""A piece of a value is hidden from a third of its length on, but not below and not beyond these."""

_SPACE_IN_XML = {ord("\t"): "&#9;", ord("\n"): "&#10;", ord("\r"): "&#13;"}
_QUOTE = {ord('"'): "&quot;"}
_MARKS_IN_XML: tuple[dict[int, str], ...] = (
    {},
    _QUOTE,
    {**_QUOTE, ord("'"): "&#x27;"},
    {**_QUOTE, ord("'"): "&#39;"},
    {**_QUOTE, ord("'"): "&apos;"},
)
_TELLS_NOTHING = frozenset(("https://",))

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


def _forms(value: str) -> set[str]:
    """The value as it is, and as it stands in what others write: code, JSON, XML, an address, a single line."""
    shown = repr(value)[1:-1]
    in_json = json.dumps(value)[1:-1]
    whole = json.dumps(value, ensure_ascii=False)[1:-1]
    forms = {value, shown, shown.replace("'", "\\'"), ascii(value)[1:-1], in_json, whole, " ".join(value.split())}
    forms |= {repr(in_json)[1:-1], json.dumps(shown)[1:-1], json.dumps(in_json)[1:-1]}  # a text within a text
    in_xml = html.escape(value, quote=False)
    for marks in _MARKS_IN_XML:
        forms.add(in_xml.translate(marks))
        forms.add(in_xml.translate({**marks, **_SPACE_IN_XML}))
    forms.add(quote(value.encode("utf-8", "replace"), safe=""))
    return {form for form in forms if len(form) >= SHORTEST_SECRET}


def _pieces(values: Iterable[str]) -> dict[int, frozenset[str]]:
    """By their length, the pieces by which a part of a value is known."""
    found: dict[int, set[str]] = {}
    for value in values:
        size = min(LONGEST_PIECE, max(SHORTEST_PIECE, len(value) // 3))
        for form in _forms(value):
            pieces = (form[start : start + size] for start in range(len(form) - size + 1))
            found.setdefault(size, set()).update(
                piece for piece in pieces if len(set(piece)) > 2 and piece not in _TELLS_NOTHING
            )
    return {size: frozenset(pieces) for size, pieces in found.items()}


def _whole(values: Iterable[str]) -> re.Pattern[str]:
    forms = {form for value in values for form in _forms(value)}
    return re.compile("|".join(map(re.escape, sorted(forms, key=lambda form: (-len(form), form)))) or "(?!)")


@frozen
class Hide:
    """Takes given values out of texts: each occurrence becomes ``[hidden]``. Values of fewer than 6 characters stay.

    A value is found as it is and escaped as in code, JSON, XML, or an address. So are its parts, as where a text was
    cut: each run of characters whose every piece of n is a piece of the value, where n is a third of the length of the
    value, at least 8 and at most 32. Shorter parts stay. Time is linear in the length of the text.
    """

    values: tuple[str, ...] = field(default=(), converter=_longest_first, repr=False)
    _found: re.Pattern[str] = field(init=False, repr=False, eq=False)
    _parts: Mapping[int, frozenset[str]] = field(init=False, repr=False, eq=False)

    @_found.default
    def _of_whole_values(self) -> re.Pattern[str]:
        return _whole(self.values)

    @_parts.default
    def _of_parts(self) -> Mapping[int, frozenset[str]]:
        return _pieces(self.values)

    def __call__(self, text: str) -> str:
        """The text without the values."""
        if not self.values:
            return text
        shown: list[str] = []
        end = 0
        for begins, ends in sorted(self._spans(text)):
            if begins > end or not shown:
                shown += [text[end:begins], HIDDEN]
            end = max(end, ends)
        return "".join(shown) + text[end:]

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where there is something to be hidden; spans may overlap."""
        yield from (found.span() for found in self._found.finditer(text))
        for size, pieces in self._parts.items():
            for start in range(len(text) - size + 1):
                if text[start : start + size] in pieces:
                    yield start, start + size

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
