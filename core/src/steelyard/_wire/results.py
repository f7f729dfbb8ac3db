"""Results, items and trajectories as versioned JSON, and back without loss.

Plain data (what JSON has, tuples, sets, dates and the like) comes back equal. What cannot: scorers, which are no data,
come back as their keys; values of types that a reader cannot have come back as ``Foreign``; errors that are not
Steelyard's as ``RecordedError``; tracebacks and the records that trajectory steps were read from are not written.
Whatever users put into their data, it is written.
"""

from __future__ import annotations

from typing import Any

from steelyard._model.outcome import describe
from steelyard._model.trajectory import Trajectory
from steelyard._running.item import EvalItem
from steelyard._running.result import EvalResult
from steelyard._wire.faults import Misfit, WireError, path_text, shown

VERSION = 1


def result_to_json(result: EvalResult) -> dict[str, Any]:
    """The JSON data of a result: plain dicts, lists, texts and finite numbers that validate against
    ``result_schema()``.

    Raises ``WireError`` for a result that was built by hand and does not hold together.
    """
    return _written("result", EvalResult, result)


def result_from_json(data: object) -> EvalResult:
    """The result of JSON data. Keys that this release does not know are ignored.

    Raises ``WireError`` that tells the place of whatever does not fit, and for a version of the form that this release
    does not read.
    """
    return _was_read("result", EvalResult, data)  # type: ignore[no-any-return]


def item_to_json(item: EvalItem) -> dict[str, Any]:
    """The JSON data of an item, as it stands in results. Its own scorers and gates are written as their keys."""
    return _written("item", EvalItem, item)


def item_from_json(data: object) -> EvalItem:
    """The item of JSON data; scorers and gates are keys. As ``result_from_json``. What the item says is checked when an
    evaluation takes it."""
    return _was_read("item", EvalItem, data)  # type: ignore[no-any-return]


def trajectory_to_json(trajectory: Trajectory) -> dict[str, Any]:
    """The JSON data of a trajectory."""
    return _written("trajectory", Trajectory, trajectory)


def trajectory_from_json(data: object) -> Trajectory:
    """The trajectory of JSON data. As ``result_from_json``."""
    return _was_read("trajectory", Trajectory, data)  # type: ignore[no-any-return]


def result_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of results; items and trajectories are its ``$defs`` ``EvalItem`` and
    ``Trajectory``. A new dict each time."""
    import json
    from importlib.resources import files

    schema: dict[str, Any] = json.loads((files("steelyard._wire") / "result.schema.json").read_text(encoding="utf-8"))
    return schema


def _written(what: str, kind: type[Any], value: object) -> dict[str, Any]:
    from steelyard._wire.converter import converter

    try:
        return {f"steelyard_{what}": VERSION, **converter().unstructure(value, unstructure_as=kind)}
    except Misfit as misfit:
        raise WireError(what, f"it cannot be written: {misfit.problem}", path_text(misfit.path)) from misfit
    except RecursionError as error:
        raise WireError(what, "it cannot be written: it is nested too deeply") from error
    except ImportError:  # a dependency of ours is broken, which says so best itself
        raise
    except Exception as error:  # scorers of others make their evidence when it is read
        raise WireError(what, f"it cannot be written: {describe(error)}") from error


def _was_read(what: str, kind: type[Any], data: object) -> Any:
    from steelyard._wire.converter import converter

    if not isinstance(data, dict):
        raise WireError(what, f"expected an object, got {shown(data)}")
    key = f"steelyard_{what}"
    if key not in data:
        raise WireError(what, f'it has no key "{key}", so it is nothing that {what}_to_json wrote')
    version = data[key]
    if type(version) is not int or version != VERSION:
        raise WireError(
            what,
            f"it has the form of version {shown(version)}, and this release reads version {VERSION}. Read it "
            "with the release that wrote it, or a later one",
        )
    try:
        return converter().structure(data, kind)
    except Misfit as misfit:
        raise WireError(what, misfit.problem, path_text(misfit.path)) from misfit
    except RecursionError as error:
        raise WireError(what, "it is nested too deeply") from error
