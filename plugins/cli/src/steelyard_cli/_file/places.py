"""Where something stands in an evaluation file, and the error that says so."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from attrs import field, frozen

from steelyard import ConfigurationError

Step = str | int
"""A key of a table, or a place in a list."""
Lines = Mapping[tuple[Step, ...], int]
"""Keys and places that lead to a value, and the line on which it begins."""


@frozen
class Source:
    """What an evaluation is read from.

    ``name`` is how messages call it. ``folder`` is what relative paths start from. ``lines`` are the lines of a file's
    values, empty for Python. ``python`` says that values may be the objects themselves. ``line`` is for a source of
    which no more than that is known.
    """

    name: str
    folder: Path
    lines: Lines = field(factory=dict, repr=False)
    python: bool = False
    line: int | None = None

    def path(self, written: str) -> Path:
        """The file that a path in the source means.

        Names of files are UTF-8 like what is written in them, also where the locale has another encoding.
        """
        with suppress(UnicodeEncodeError):  # half a character names no file, which whoever looks for it will find out
            written = os.fsdecode(written.encode("utf-8", "surrogateescape"))
        return self.folder / written


@frozen
class Place:
    """A value in a source: ``gates[0].value``."""

    source: Source
    path: tuple[Step, ...] = ()

    def __truediv__(self, step: Step) -> Place:
        return Place(self.source, (*self.path, step))

    @property
    def line(self) -> int | None:
        """The line of the value or, where only that is known, of what it stands in. None where no line is known."""
        lines = self.source.lines
        for length in range(len(self.path), 0, -1):
            found = lines.get(self.path[:length])
            if found is not None:
                return found
        return self.source.line

    @property
    def keys(self) -> str:
        """The way to the value, as it is written in code."""
        said = ""
        for step in self.path:
            said += f"[{step}]" if isinstance(step, int) else f".{step}"
        return said.removeprefix(".")

    def __str__(self) -> str:
        line = self.line
        where = self.source.name if line is None else f"{self.source.name}:{line}"
        return f"{where}: {self.keys}" if self.path else where


class FileFault(ConfigurationError):
    """Something in an evaluation file that cannot be; ``place`` says where it stands, ``fault`` what
    is wrong with it."""

    def __init__(self, place: Place, fault: str) -> None:
        super().__init__(place, fault)
        self.place = place
        self.fault = fault

    def __str__(self) -> str:
        return f"{self.place}: {self.fault}"


def nearest(name: object, known: Iterable[str]) -> str | None:
    """The closest of the known names; None where none is close."""
    from difflib import get_close_matches

    near = get_close_matches(str(name)[:100], sorted(known), n=1)
    return near[0] if near else None


def unknown_key(place: Place, key: object, known: Iterable[str]) -> FileFault:
    """The fault of a key that does not exist, with the closest one that does."""
    names = list(known)
    near = nearest(key, names)
    hint = f"Did you mean {near!r}?" if near is not None else f"There are {', '.join(names)}."
    step = key if isinstance(key, str) else str(key)
    return FileFault(place / step, f"there is no such key. {hint}")


def without_folder(text: str) -> str:
    """A message in which files below the working directory are named from there."""
    return text.replace(f"{os.getcwd()}{os.sep}", "")
