"""A place for a value that each item brings with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import Attribute, field, frozen

from steelyard._model.errors import ConfigurationError, SteelyardError
from steelyard._model.run import ScorerRun

_ROOTS = ("ground_truth", "metadata", "context", "expected_trajectory")


class MissingValue(SteelyardError, LookupError):
    """An item does not bring the value that a scorer was told to take from it."""


@frozen
class FromItem:
    """Stands for an argument that is looked up in each item: ``ground_truth``, ``metadata.KEY``, ``context``, and what
    lies below, joined by dots."""

    path: str = field()

    @path.validator
    def _known(self, _: Attribute[str], value: object) -> None:
        names = value.split(".") if isinstance(value, str) else [""]
        if names[0] not in _ROOTS or not all(names):
            raise ConfigurationError(
                f"from_item({value!r:.80}): a path is one of {', '.join(_ROOTS)}, with keys below it joined by dots, "
                'such as "metadata.must_say".'
            )

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

    ``path`` is ``"ground_truth"``, ``"metadata.must_say"`` and the like: keys below are joined by dots. A list found
    there is a list of accepted values, any of which will do. An item without the value is refused before the run, or
    fails that scorer where items are streamed. Raises ``ConfigurationError`` for a path that begins with anything else.
    """
    return FromItem(path)


_WITHOUT_FIELDS = (Mapping, str, bytes, int, float, complex, list, set, frozenset, type(None))


def has_fields(value: object) -> bool:
    """Whether the attributes of a value are its data: those of texts, numbers and collections are methods."""
    if isinstance(value, tuple):
        return hasattr(value, "_fields")
    return not isinstance(value, _WITHOUT_FIELDS)


def look_up(holder: object, path: str) -> Any:
    """What a path leads to in a run or an item, through attributes first and keys below. Raises ``MissingValue``."""
    root, *names = path.split(".")
    value = getattr(holder, root)
    done = root
    for name in names:
        if isinstance(value, Mapping) and name in value:
            value = value[name]
        elif has_fields(value) and hasattr(value, name):
            value = getattr(value, name)
        else:
            raise MissingValue(f"The item has no {path}: nothing is at {done}.{name}.")
        done = f"{done}.{name}"
    if value is None:
        raise MissingValue(f"The item has no {path}.")
    return value
