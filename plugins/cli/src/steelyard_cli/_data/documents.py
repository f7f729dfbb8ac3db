"""What a JSON or YAML document that is no list is: one item, or an object around the list of items."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from steelyard_cli._data.places import BadRow, shown

LISTS: Final = ("cases", "data", "examples", "goldens", "items", "samples", "tests")
"""The keys under which files keep their list of items."""
BESIDE: Final = ("$schema", "description", "name", "version")
"""What may stand beside that list: it tells of the file and belongs to no item."""
_OF_ITEMS: Final = ("input", "inputs", "turns", "output")


def list_within(keys: Collection[str], lists: Collection[str]) -> str | None:
    """The key of the list of items in an object with these keys, of which ``lists`` hold a list; None where the object
    is an item itself.

    Raises ``BadRow`` where there are two such lists, and for whatever stands beside one and would be lost.
    """
    found = [key for key in LISTS if key in lists]
    if not found or any(key in keys for key in _OF_ITEMS):
        return None
    if len(found) > 1:
        raise BadRow(f"the items may be the list under any of {shown(found)}; keep one list in the file")
    others = [key for key in keys if key != found[0] and key not in BESIDE]
    if others:
        raise BadRow(
            f"beside the list {shown(found)} stands {shown(others)}, which belongs to no item and would be lost. "
            "Give the list alone, and what holds for every item in the evaluation file"
        )
    return found[0]
