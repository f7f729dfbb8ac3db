"""When a golden outcome and one of ours agree.

Numbers agree within 1e-9. Null, an empty text, an empty list and an empty mapping are the same nothing. Gates and
bounds that have no say (`passed` null) are left out, a bare number as threshold is a lower bound, and refusals agree
whatever their words and kinds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

TOLERANCE = 1e-9
FAILURES = ("scorer_failed", "judge_failed", "target_failed", "crash")
"""Kinds of errors that come while something runs; every other kind is a refusal before any call."""


def differences(wanted: Mapping[str, Any], found: Mapping[str, Any], *, partial: bool = False) -> list[str]:
    """What is not as wanted, one line each.

    What ``wanted`` does not name at the top is not compared; with ``partial``, neither is it in an error or in elements
    of lists. An error is never passed over.
    """
    if found.get("error") and not wanted.get("error"):
        return [f"wanted {dict(wanted)!r}, found the error {found['error']!r}"]
    return [line for key, value in wanted.items() for line in _compared(value, found.get(key), key, partial)]


def disagreement(suggested: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """What is not as suggested for a deviation: its notes are left out, and ``or`` names a second good answer."""
    wanted = {key: value for key, value in suggested.items() if key not in ("note", "or")}
    if wanted.pop("not_scorable", None):
        wanted |= {"score": None, "is_scorable": False}
    lines = differences(wanted, found, partial=True) if wanted else []
    if lines and "or" in suggested:
        return disagreement(suggested["or"], found) and lines
    return lines


def comparable(suggested: Mapping[str, Any] | None) -> bool:
    """Whether a suggestion says more than a note in words."""
    return bool(suggested) and set(suggested or ()) != {"note"}


def _compared(wanted: Any, found: Any, at: str, partial: bool) -> list[str]:
    wanted, found = _read(wanted, at), _read(found, at)
    if _is_nothing(wanted) and _is_nothing(found):
        return []
    if isinstance(wanted, Mapping) and isinstance(found, Mapping):
        told_in_part = partial and (at == "error" or at.endswith("]"))
        keys = list(wanted) + ([] if told_in_part else [key for key in found if key not in wanted])
        return [line for key in keys for line in _compared(wanted.get(key), found.get(key), f"{at}.{key}", partial)]
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        pairs = enumerate(zip(wanted, found, strict=True))
        return [line for place, (one, other) in pairs for line in _compared(one, other, f"{at}[{place}]", partial)]
    return [] if _same(wanted, found) else [f"{at}: wanted {wanted!r}, found {found!r}"]


def _read(value: Any, at: str) -> Any:
    """The value in the words of both sides."""
    name = at.rpartition(".")[2]
    if name == "error" and isinstance(value, str):
        return {"kind": "refused"}
    if name == "kind" and at.endswith("error.kind"):
        return value if value in FAILURES else "refused"
    if name == "threshold" and isinstance(value, int | float) and not isinstance(value, bool):
        return {"min": value}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [one for one in value if not (isinstance(one, Mapping) and one.get("passed", True) is None)]
    return value


def _is_nothing(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_is_nothing(one) for one in value.values())
    return value is None or value == "" or (isinstance(value, list) and not value)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) <= TOLERANCE
    return type(one) is type(other) and bool(one == other)
