"""What each deviation requires of us: the outcome that its case suggests, or a better one with the reason for it.

A deviation is a golden case in which the original is wrong or arbitrary. The tables stand in the tests, by kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from attrs import field, frozen

from tests.golden_agreement import comparable, differences, disagreement
from tests.reference import Case, deviations

SUGGESTED: Final[Mapping[str, Any]] = {}
"""The outcome that the case itself suggests."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


@frozen
class Row:
    """What the deviations of one kind require; a ``requires`` of our own says ``why``."""

    kind: str
    ids: tuple[str, ...] = field(converter=_words)
    requires: Mapping[str, Any] = SUGGESTED
    why: str = ""


class Table:
    """Rows by the ids that they list."""

    def __init__(self, *rows: Row) -> None:
        self._rows = {id: row for row in rows for id in row.ids}
        listed = [id for row in rows for id in row.ids]
        assert len(listed) == len(self._rows), "a deviation is listed twice"
        assert all(row.why for row in rows if row.requires is not SUGGESTED), "a choice of our own says why"

    def shortfall(self, case: Case, found: Mapping[str, Any]) -> list[str]:
        """What is not as required, one line each. A case without a row is held to what it suggests."""
        row = self._rows.get(case["id"])
        if row is not None and row.kind != case["kind"]:
            return [f"the kind is {case['kind']}, the row says {row.kind}"]
        if row is not None and row.requires is not SUGGESTED:
            return differences(row.requires, found)
        if not comparable(case["suggested"]):
            return [f"the case suggests {case['suggested']!r}: decide what we require, and say why"]
        return disagreement(case["suggested"], found)

    def gaps(self, names: Sequence[str]) -> set[str]:
        """Ids that have a row but no deviation, or a deviation but no row."""
        return set(self._rows) ^ {case["id"] for name in names for case in deviations(name)}
