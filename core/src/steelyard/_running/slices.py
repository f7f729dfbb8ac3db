"""The slices of the data that an item belongs to."""

from __future__ import annotations

import json
from collections.abc import Sequence

from steelyard._running.item import EvalItem
from steelyard._scoring.from_item import MissingValue, look_up


def slice_names(item: EvalItem, paths: Sequence[str]) -> list[str]:
    """``"path=value"`` for each path: a text as it is, anything else as JSON, an item without the value as ``null``."""
    names = []
    for path in paths:
        try:
            value = look_up(item, path)
        except MissingValue:
            value = None
        names.append(f"{path}={value if isinstance(value, str) else _shown(value)}")
    return names


def _shown(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    except (TypeError, ValueError, RecursionError):  # keys that are no texts or do not sort, a value within itself
        return repr(value)
