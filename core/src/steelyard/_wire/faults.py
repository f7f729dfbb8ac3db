"""What is wrong with data that was to be read, and where."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from math import isfinite

from steelyard._model.errors import SteelyardError

_LONGEST_SHOWN = 60
_PLAIN_KEY = re.compile(r"[\w$-]+")


class WireError(SteelyardError, ValueError):
    """Data is not what it was to be read as, or has no JSON form.

    ``what`` names what was to be read or written (``"result"``), ``problem`` says what is wrong, ``path`` where
    (``"items[3].scores.brevity.score"``; empty for the whole).
    """

    def __init__(self, what: str, problem: str, path: str = "") -> None:
        super().__init__(what, problem, path)
        self.what = what
        self.problem = problem
        self.path = path

    def __str__(self) -> str:
        return f"bad {self.what}: {self.problem}" + (f" at {self.path}" if self.path else "")


class Misfit(Exception):
    """What is wrong with a piece of data, and the steps that lead to it from where the reading stands."""

    def __init__(self, problem: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(problem, path)
        self.problem = problem
        self.path = path

    def under(self, step: str | int) -> Misfit:
        """The same, seen from one step further out."""
        return Misfit(self.problem, (step, *self.path))


def expected(what: str, found: object) -> Misfit:
    """The misfit of a value that is not what it should be."""
    return Misfit(f"expected {what}, got {shown(found)}")


def missing(key: str) -> Misfit:
    """The misfit of an object without a key that it must have."""
    return Misfit(f'the key "{key}" is missing')


def shown(found: object) -> str:
    """A value of JSON in few words."""
    if isinstance(found, str):
        text = found if len(found) <= _LONGEST_SHOWN else found[:_LONGEST_SHOWN] + "…"
        return json.dumps(text, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
    if isinstance(found, list):
        return "a list"
    if isinstance(found, dict):
        return "an object"
    if found is None or isinstance(found, bool):
        return json.dumps(found)
    if isinstance(found, int):
        return repr(found) if found.bit_length() < 100 else "a very large whole number"
    if isinstance(found, float):
        return repr(found) if isfinite(found) else "NaN or an infinity"
    return f"a {type(found).__name__}, which is nothing of JSON"


def path_text(steps: Sequence[str | int]) -> str:
    """The steps as they are written: keys joined by dots, places in brackets, odd keys in brackets and quotes."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN_KEY.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{shown(step)}]"
    return text
