"""Values of the standard library that a text says completely."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PosixPath, PurePath, PurePosixPath, PureWindowsPath, WindowsPath
from typing import Any
from uuid import UUID

_INSTANT = timedelta(microseconds=1)


def _of_path(local: type[PurePath], pure: type[PurePath]) -> Callable[[str], PurePath]:
    """Reads the path of a machine: as such where this is one of its kind, else as a path that cannot be opened here."""
    return lambda text: Path(text) if isinstance(Path(), local) else pure(text)


WRITERS: dict[type, tuple[str, Callable[[Any], str]]] = {
    int: ("int", hex),
    float: ("float", repr),
    complex: ("complex", repr),
    bytes: ("bytes", lambda value: b64encode(value).decode()),
    bytearray: ("bytearray", lambda value: b64encode(value).decode()),
    datetime: ("datetime", datetime.isoformat),
    date: ("date", date.isoformat),
    time: ("time", time.isoformat),
    timedelta: ("timedelta", lambda value: str(value // _INSTANT)),
    Decimal: ("Decimal", str),
    Fraction: ("Fraction", str),
    UUID: ("UUID", str),
    PurePosixPath: ("PurePosixPath", str),
    PureWindowsPath: ("PureWindowsPath", str),
    PosixPath: ("PosixPath", str),
    WindowsPath: ("WindowsPath", str),
}
"""By type, the tag and how its text is made. Whole numbers and floats are here for those that JSON does not take: very
long ones, NaN, infinities."""

READERS: dict[str, Callable[[str], Any]] = {
    "int": lambda text: int(text, 16),
    "float": float,
    "complex": complex,
    "bytes": lambda text: b64decode(text, validate=True),
    "bytearray": lambda text: bytearray(b64decode(text, validate=True)),
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": lambda text: int(text) * _INSTANT,
    "Decimal": Decimal,
    "Fraction": Fraction,
    "UUID": UUID,
    "PurePosixPath": PurePosixPath,
    "PureWindowsPath": PureWindowsPath,
    "PosixPath": _of_path(PosixPath, PurePosixPath),
    "WindowsPath": _of_path(WindowsPath, PureWindowsPath),
}
"""By tag, how the text is read; they raise ``ValueError`` or ``ArithmeticError`` for a text that is none."""
