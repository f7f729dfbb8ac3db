"""A place for a value that each item brings with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen
from attrs.validators import matches_re

from steelyard._model.errors import SteelyardError
from steelyard._model.run import ScorerRun

_ROOTS = ("ground_truth", "metadata", "context", "expected_trajectory")


class MissingValue(SteelyardError, LookupError):
    """An item does not bring the value that a scorer was told to take from it."""


@frozen
class FromItem:
    """Stands for an argument that is looked up in each item: ``ground_truth``, ``metadata.KEY``, ``context``, and what lies below, joined by dots."""

    path: str = field(validator=matches_re(rf"({'|'.join(_ROOTS)})(\.[^.]+)*"))

    def of(self, run: ScorerRun[Any, Any]) -> Any:
        """The value for this run. Raises ``MissingValue`` where the item has none (None is none)."""
        return look_up(run, self.path)

    @property
    def need(self) -> str:
        """What an item must bring."""
        return self.path

    def key_form(self) -> dict[str, str]:
        """How the key of a scorer shows it."""
        return {"from_item": self.path}


def from_item(path: str) -> Any:
    """Stands for any argument of a check that is different for each item.

    ``path`` is ``"ground_truth"``, ``"metadata.must_say"`` and the like: keys below are joined by dots. A list found there is a list of accepted values, any
    of which will do. An item without the value is refused before the run, or fails that scorer where items are streamed. Raises
    ``ValueError`` for a path that begins with anything else.
    """
    return FromItem(path)


def look_up(holder: object, path: str) -> Any:
    """What a path leads to in a run or an item, through attributes first and keys below. Raises ``MissingValue``."""
    root, *names = path.split(".")
    value = getattr(holder, root)
    done = root
    for name in names:
        if isinstance(value, Mapping) and name in value:
            value = value[name]
        elif not isinstance(value, Mapping) and value is not None and hasattr(value, name):
            value = getattr(value, name)
        else:
            raise MissingValue(f"The item has no {path}: nothing is at {done}.{name}.")
        done = f"{done}.{name}"
    if value is None:
        raise MissingValue(f"The item has no {path}.")
    return value
