"""Outcomes, and mappings of them by the keys of scorers.

A mapping is an object by key whose entries are objects: ``id`` is the scorer's id, beside what became of it. An entry
without ``id`` is what can be read beside the keys (parts, as ``key/part``). A group of scores is ``{"group": {...}}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from steelyard._model.errors import InvalidScore
from steelyard._model.outcome import Failed, NotScorable, Outcome, Scored, ScoreResult
from steelyard._running.keys import EMPTY, ByKey
from steelyard._wire.failures import read_error, write_error
from steelyard._wire.faults import Misfit, expected
from steelyard._wire.hooks import Hooks
from steelyard._wire.scalars import read_number, read_text, write_number, write_text
from steelyard._wire.values import body_of, read_mapping

if TYPE_CHECKING:
    from cattrs import Converter

_KINDS: dict[type, str] = {Scored: "scored", NotScorable: "not_scorable", Failed: "failed"}


def outcome_hooks(made: Converter) -> Hooks:
    """Of an outcome of any kind."""

    def write(outcome: Outcome) -> dict[str, Any]:
        data = _told(outcome)
        if isinstance(outcome.result, ScoreResult):
            data["result"] = made.unstructure(outcome.result, unstructure_as=ScoreResult)
        return data

    def read_result(data: Any) -> ScoreResult | None:
        result: ScoreResult | None = made.structure(data, ScoreResult)
        return result

    def read(data: Any) -> Outcome:
        if not isinstance(data, dict):
            raise expected("an object", data)
        kind = body_of(data, "outcome", read_text)
        result = body_of(data, "result", read_result) if "result" in data else None
        if kind == "scored":
            return Scored(
                body_of(data, "score", read_number),
                _maybe(data, "reason"),
                label=_maybe(data, "label"),
                parts=body_of(data, "parts", _read_parts) if "parts" in data else {},
                result=result,
            )
        if kind == "not_scorable":
            return NotScorable(_maybe(data, "step"), _maybe(data, "reason"), result=result)
        if kind == "failed":
            return Failed(body_of(data, "step", read_text), body_of(data, "error", read_error), result=result)
        raise expected(f"one of {', '.join(_KINDS.values())}", kind).under("outcome")

    return Hooks(write, read)


def _told(outcome: Outcome) -> dict[str, Any]:
    """All of an outcome but its evidence. A score that is no finite number is no measurement, and is written as the
    failure that it is."""
    if isinstance(outcome, Scored):
        score = write_number(outcome.score)
        if score is not None:
            parts = {
                str(name): number for name, part in outcome.parts.items() if (number := write_number(part)) is not None
            }
            told = {"reason": write_text(outcome.reason), "label": write_text(outcome.label), "parts": parts or None}
            return {"outcome": "scored", "score": score, **_known(told)}
        error = InvalidScore(f"The score is {outcome.score!r}, which is no finite number.", outcome.score)
        return {"outcome": "failed", "step": "generate_score", "error": write_error(error)}
    if isinstance(outcome, NotScorable):
        told = {"step": write_text(outcome.step), "reason": write_text(outcome.reason)}
        return {"outcome": "not_scorable", **_known(told)}
    if isinstance(outcome, Failed):
        return {"outcome": "failed", "step": write_text(outcome.step), "error": write_error(outcome.error)}
    raise expected("an outcome", outcome)


def _known(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if value is not None}


def _maybe(data: dict[str, Any], key: str) -> str | None:
    return body_of(data, key, read_text) if data.get(key) is not None else None


def _read_parts(data: Any) -> dict[str, float]:
    return read_mapping(data, read_number)


def one_outcome(outcome: Hooks, kind: type) -> Hooks:
    """Of an outcome of one kind."""

    def read(data: Any) -> Any:
        value = outcome.read(data)
        if type(value) is not kind:
            raise expected(f'"{_KINDS[kind]}"', data["outcome"]).under("outcome")
        return value

    return Hooks(outcome.write, read)


def average_hooks() -> Hooks:
    """Of an average, None included, as the entry of a mapping."""

    def read(data: Any) -> float | None:
        if not isinstance(data, dict):
            raise expected("an object", data)
        average: float | None = body_of(data, "average", lambda body: None if body is None else read_number(body))
        return average

    return Hooks(lambda value: {"average": write_number(value)}, read)


def by_key(entry: Hooks) -> Hooks:
    """Of a mapping by the keys of scorers; a plain mapping is one whose ids are its keys."""

    def write(values: Mapping[str, Any]) -> dict[str, Any]:
        ids = values.ids if isinstance(values, ByKey) else {key: key for key in values}
        data = {str(key): {"id": str(ids[key]), **entry.write(value)} for key, value in values.items()}
        more = values.more if isinstance(values, ByKey) else {}
        return data | {str(name): entry.write(value) for name, value in more.items() if name not in data}

    def read(data: Any) -> ByKey[Any]:
        found = read_mapping(data, entry.read)
        ids = {}
        for key in found:
            if "id" in data[key]:
                try:
                    ids[key] = body_of(data[key], "id", read_text)
                except Misfit as misfit:
                    raise misfit.under(key) from None
        if not found:
            return EMPTY
        return ByKey.of(
            {key: found[key] for key in ids}, ids, {name: value for name, value in found.items() if name not in ids}
        )

    return Hooks(write, read)


def scores_hooks(entry: Hooks) -> Hooks:
    """Of scores, which stand by key, or in groups of groups at whose end they do."""
    plain = by_key(entry)

    def write(scores: Mapping[str, Any]) -> dict[str, Any]:
        if isinstance(scores, ByKey) or not scores or not all(isinstance(each, Mapping) for each in scores.values()):
            data: dict[str, Any] = plain.write(scores)
            return data
        return {str(name): {"group": write(group)} for name, group in scores.items()}

    def read(data: Any) -> Any:
        if not isinstance(data, dict) or not data or not all(_is_group(each) for each in data.values()):
            return plain.read(data)
        return read_mapping(data, lambda each: body_of(each, "group", read))

    return Hooks(write, read)


def _is_group(data: object) -> bool:
    return isinstance(data, dict) and "group" in data
