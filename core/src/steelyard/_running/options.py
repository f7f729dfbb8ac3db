"""The options of an evaluation as they are given, checked and read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import iscoroutinefunction
from math import isfinite
from typing import Any, cast

from steelyard._judging.protocol import Judge
from steelyard._model.errors import ConfigurationError
from steelyard._model.outcome import describe
from steelyard._running.compose import Entry
from steelyard._running.runner import AsyncioRunner, Runner
from steelyard._running.target import Caller, caller_of
from steelyard._scoring.builder import find_judge

MOST_AT_ONCE = 10_000


class Providers:
    """Judges by ``"provider/model"``, each made once for the evaluation."""

    def __init__(self) -> None:
        self._found: dict[str, Judge] = {}

    def find(self, spec: str) -> Judge:
        if spec not in self._found:
            self._found[spec] = find_judge(spec)
        return self._found[spec]


def slices_of(entries: Iterable[Entry]) -> set[str]:
    """The slices that bounds name."""
    return {bound.slice for entry in entries for bound in entry.bounds if bound.slice is not None}


def needs_of(entries: Iterable[Entry]) -> list[tuple[str, str]]:
    """What each scorer needs of every item, by its key."""
    return [
        (entry.key, need)
        for entry in entries
        for need in sorted(getattr(entry.scorer, "needs", ()))
        if need.partition(".")[0] in ("ground_truth", "metadata", "expected_trajectory", "context")
    ]


def checked_concurrency(value: int | None) -> int:
    """How many items to work on at once. Raises ``ConfigurationError`` for anything but a whole number
    of 1 to 10,000."""
    if value is None:
        return 1
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigurationError(f"concurrency={value!r}: give a whole number of items to work on at once, 1 or more.")
    if value > MOST_AT_ONCE:
        raise ConfigurationError(f"concurrency={value!r}: at most {MOST_AT_ONCE:,} items can be worked on at once.")
    return value


def seconds_or_none(value: float | None) -> float | None:
    """A limit in seconds. Raises ``ConfigurationError`` for anything but a number above 0 or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value <= 0:
        raise ConfigurationError(f"timeout={value!r}: give seconds above 0, or None for no limit.")
    return float(value)


def checked_groups(paths: object) -> tuple[str, ...]:
    """The paths by whose values the aggregates are sliced. Raises ``ConfigurationError``."""
    if isinstance(paths, str) or not isinstance(paths, Iterable):
        raise ConfigurationError(f'group_by={paths!r}: give a list of paths such as ["metadata.lang"].')
    found = tuple(paths)
    for path in found:
        if not isinstance(path, str) or path.partition(".")[0] not in ("metadata", "ground_truth", "id", "input"):
            raise ConfigurationError(
                f"group_by holds {path!r}; a path begins with metadata, ground_truth, input or id."
            )
    return found


def check_options_reach(caller: Caller | None, options: object) -> None:
    """Raises ``ConfigurationError`` for options of a target that takes the input alone and would never see them."""
    if caller is None or caller.takes_options or not isinstance(options, Mapping):
        return
    lost = [str(name) for name in options if name not in ("thread_id", "resource_id")]
    if lost:
        raise ConfigurationError(
            f"target_options= holds {', '.join(lost)}, and the target takes the input alone, so it would never see "
            "them. Give it a second parameter (the call, whose options they are), or leave them out."
        )


def made_targets(make: Callable[..., object]) -> Callable[[Any], Caller]:
    """Makes the caller of a fresh target from the lifecycle's state. Raises ``ConfigurationError``."""
    if not callable(make) or iscoroutinefunction(make):
        raise ConfigurationError(
            "target_factory= must be a plain function that makes a target, found "
            f"{'an async one' if callable(make) else type(make).__name__}."
        )
    from inspect import Parameter, signature

    try:
        takes_state = any(
            parameter.default is Parameter.empty
            and parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
            for parameter in signature(make).parameters.values()
        )
    except (TypeError, ValueError):
        takes_state = False

    def made(state: Any) -> Caller:
        return caller_of(make(state) if takes_state else make())

    return made


def found_runner(value: Runner | str | None) -> Runner:
    """The runner that was given, that of an installed plugin, or our own. Raises ``ConfigurationError``."""
    if value is None:
        return AsyncioRunner()
    if isinstance(value, str):
        from steelyard._plugins.registry import Registry

        made: Any = Registry().load("runners", value)
        return cast("Runner", made() if isinstance(made, type) else made)
    if not callable(getattr(value, "run", None)):
        raise ConfigurationError(
            f"runner= must have a run method or be the name of an installed one, found {type(value).__name__}."
        )
    return value


def open_observers(given: Sequence[object]) -> Any:
    """The observers that are to be told of a run, or None; pluggy is loaded only if there are some."""
    if isinstance(given, str):
        raise ConfigurationError(f"observers={given!r}: give a list.")
    if not given:
        return None
    from steelyard._plugins.hooks import Observers
    from steelyard._plugins.registry import Registry

    return Observers(
        given,
        Registry(),
        on_error=lambda name, hook, error: log("observer.failed", observer=name, hook=hook, error=describe(error)),
    )


def log(event: str, **about: object) -> None:
    """A warning to the logger ``steelyard``."""
    from steelyard._model.log import logger

    logger().warning(event, **about)
