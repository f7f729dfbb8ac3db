"""On which line each value of a TOML file stands, which the standard library's reader does not say."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable

from steelyard_cli._file.places import Step

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SKIPPED = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_TEXTS = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|' r"'''.*?'{3,5}|" r'"(?:\\.|[^"\\\n])*"|' r"'[^'\n]*'",
    re.DOTALL,
)
_ATOM = re.compile(r"[^,\]}#\n]*")


def toml_lines(text: str) -> dict[tuple[Step, ...], int]:
    """The line of each key, table and list entry, by the keys that lead to it.

    The text must have been read by ``tomllib`` before: this follows its form and checks nothing.
    """
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1
        self._counted = 0
        self._lines: dict[tuple[Step, ...], int] = {}
        self._tables: dict[tuple[Step, ...], int] = {}
        """Lists of tables, and how many tables each has so far."""

    def read(self) -> dict[tuple[Step, ...], int]:
        path: tuple[Step, ...] = ()
        while self._skip():
            if self._next() == "[":
                path = self._header()
            else:
                self._pair(path)
        return self._lines

    def _header(self) -> tuple[Step, ...]:
        brackets = 2 if self._text.startswith("[[", self._at) else 1
        line = self._now()
        self._at += brackets
        keys = self._keys()
        self._at += brackets
        path: tuple[Step, ...] = ()
        for number, key in enumerate(keys, start=1):
            path = (*path, key)
            if number == len(keys) and brackets == 2:
                self._lines.setdefault(path, line)
                self._tables[path] = self._tables.get(path, 0) + 1
            if path in self._tables:
                path = (*path, self._tables[path] - 1)
            self._lines.setdefault(path, line)
        return path

    def _pair(self, path: tuple[Step, ...]) -> None:
        line = self._now()
        for key in self._keys():
            path = (*path, key)
            self._lines.setdefault(path, line)
        self._at += 1  # the equals sign
        self._skip()
        self._value(path)

    def _keys(self) -> list[str]:
        """The keys of a dotted key, up to what comes after it."""
        keys = []
        while True:
            self._skip()
            quoted = _TEXTS.match(self._text, self._at) if self._next() in "\"'" else None
            if quoted is not None:
                keys.append(str(tomllib.loads(f"x = {quoted.group()}")["x"]))
                self._at = quoted.end()
            else:
                bare = _BARE.match(self._text, self._at)
                keys.append("" if bare is None else bare.group())
                self._at += 1 if bare is None else len(bare.group())
            self._skip()
            if self._next() != ".":
                return keys
            self._at += 1

    def _value(self, path: tuple[Step, ...]) -> None:
        match self._next():
            case "[":
                self._each("]", lambda number: self._entry((*path, number)))
            case "{":
                self._each("}", lambda number: self._pair(path))
            case '"' | "'":
                quoted = _TEXTS.match(self._text, self._at)
                self._at = len(self._text) if quoted is None else quoted.end()
            case _:
                atom = _ATOM.match(self._text, self._at)
                self._at += 1 if atom is None else max(1, len(atom.group()))

    def _entry(self, path: tuple[Step, ...]) -> None:
        self._lines.setdefault(path, self._now())
        self._value(path)

    def _each(self, end: str, take: Callable[[int], None]) -> None:
        self._at += 1
        number = 0
        while self._skip() and self._next() != end:
            take(number)
            number += 1
            self._skip()
            if self._next() == ",":
                self._at += 1
        self._at += 1

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip(self) -> bool:
        """Passes over blanks and remarks; False at the end of the text."""
        skipped = _SKIPPED.match(self._text, self._at)
        self._at = self._at if skipped is None else skipped.end()
        return self._at < len(self._text)

    def _now(self) -> int:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line
