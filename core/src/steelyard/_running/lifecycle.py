"""What is set up before a run or an item, and taken down after it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from attrs import frozen

from steelyard._model.errors import ConfigurationError
from steelyard._running.item import EvalItem


@frozen(kw_only=True)
class Lifecycle:
    """Async context managers around the run and around each item.

    ``run()`` makes the one for the run, ``item(item, run_state)`` the one for an item. What they yield is the ``state``
    that target and scorers see: the item's, or the run's where items have none. Taking down always happens; that of an
    item is told the target's exception.
    """

    run: Callable[[], AbstractAsyncContextManager[Any]] | None = None
    item: Callable[[EvalItem, Any], AbstractAsyncContextManager[Any]] | None = None


def read_lifecycle(value: object) -> Lifecycle:
    """The lifecycle as given to ``run_evals``. Raises ``ConfigurationError`` for anything else."""
    if value is None:
        return Lifecycle()
    if isinstance(value, Lifecycle):
        return value
    raise ConfigurationError(f"lifecycle= must be Lifecycle(run=..., item=...), found {type(value).__name__}.")
