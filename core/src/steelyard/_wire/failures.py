"""Errors as JSON: what they are, what they say, and what they know; never where in the code they were raised."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from steelyard._model.errors import (
    ConfigurationError,
    InvalidScore,
    JudgeAnswerEmpty,
    JudgeAnswerInvalid,
    JudgeContentFiltered,
    JudgeError,
    JudgeRefused,
    JudgeTruncated,
    ScriptExhausted,
    SteelyardError,
    TimedOut,
    UnreadableOutput,
)
from steelyard._model.outcome import ScoreResult, ScorerRunError, describe
from steelyard._model.usage import Usage
from steelyard._running.item import BadItem
from steelyard._scoring.from_item import MissingValue
from steelyard._wire.faults import Misfit, expected
from steelyard._wire.foreign import name_of
from steelyard._wire.scalars import read_number, read_scalar, read_text, write_number, write_text, write_whole
from steelyard._wire.values import body_of, read_list, read_value, write_value


class RecordedError(SteelyardError):
    """An error as it was written down, for kinds of which no instance can be made again.

    ``type_name`` is the module and name of its class (the name alone for built-in ones), ``text`` what it said of
    itself, ``message`` the same in words: that is what ``str`` gives. ``details`` is what else was written of it. Equal
    to another one that says the same, and to an error of that class with that text.
    """

    def __init__(
        self, type_name: str, message: str, text: str | None = None, details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(type_name, message, text, details)
        self.type_name = type_name
        self.message = message
        self.text = message if text is None else text
        self.details = details

    def __str__(self) -> str:
        return self.message

    def __eq__(self, other: object) -> bool:
        if isinstance(other, RecordedError):
            return (self.type_name, self.message, self.text) == (other.type_name, other.message, other.text)
        if isinstance(other, BaseException):
            return (self.type_name, self.text) == (type_name_of(other), _text_of(other))
        return NotImplemented

    def __hash__(self) -> int:
        return hash((self.type_name, self.text))


_PLAIN = (SteelyardError, ConfigurationError, UnreadableOutput, MissingValue)
_JUDGES = (
    JudgeError,
    JudgeAnswerEmpty,
    JudgeAnswerInvalid,
    JudgeContentFiltered,
    JudgeRefused,
    JudgeTruncated,
    ScriptExhausted,
)
_JUDGE_TEXTS = ("provider", "model", "request_id", "raw_text", "finish_reason")

Read = Callable[[str, dict[str, Any]], BaseException]


def type_name_of(error: BaseException) -> str:
    """The module and name of an error's class; a public name where it is one of ours, the name alone
    for built-in ones."""
    if isinstance(error, RecordedError):
        return error.type_name
    kind = type(error)
    return f"steelyard.{kind.__qualname__}" if kind in _OURS else name_of(kind)


def write_error(error: BaseException) -> dict[str, Any]:
    """The JSON form of an error. ``message`` is what it says in words, ``text`` its own text where that differs. Never
    raises."""
    text = _text_of(error)
    try:
        str(error)
        message = describe(error)
    except Exception:
        message = text
    data: dict[str, Any] = {"type": type_name_of(error), "message": message}
    if text != message:
        data["text"] = text
    try:
        details = _details(error)
    except Exception:
        details = {}
    if details:
        data["details"] = details
    return data


def read_error(data: object) -> BaseException:
    """The error of a JSON form: one of ours where it can be made again, else a ``RecordedError``. Raises ``Misfit``."""
    if not isinstance(data, dict):
        raise expected("an object", data)
    name: str = body_of(data, "type", read_text)
    message: str = body_of(data, "message", read_text)
    text: str = body_of(data, "text", read_text) if "text" in data else message
    details = data.get("details", {})
    if not isinstance(details, dict):
        raise expected("an object", details).under("details")
    read = _READERS.get(name)
    if read is not None and _NEEDED.get(name, set()) <= details.keys():
        try:
            return read(text, details)
        except Misfit as misfit:
            raise misfit.under("details") from None
    return RecordedError(name, message, None if text == message else text, details or None)


def _text_of(error: BaseException) -> str:
    if isinstance(error, RecordedError):
        return error.text
    try:
        return str(error)
    except Exception:  # an error of others that cannot say its own text
        return f"{type(error).__name__} whose text cannot be made"


# -- what each kind knows -------------------------------------------------------------------------------------------


def _details(error: BaseException) -> dict[str, Any]:
    if isinstance(error, RecordedError):
        return dict(error.details or {})
    if isinstance(error, JudgeError):
        return _details_of_judge(error)
    if isinstance(error, TimedOut):
        seconds = write_number(error.seconds)
        return {} if seconds is None else {"what": write_text(error.what), "seconds": seconds}
    if isinstance(error, InvalidScore):
        return {} if error.value is None else {"value": write_value(error.value)}
    if isinstance(error, BadItem):
        return {"index": error.index, "fault": error.fault}
    return _details_of_run(error) if isinstance(error, ScorerRunError) else {}


def _details_of_judge(error: JudgeError) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: write_text(value) for name in _JUDGE_TEXTS if (value := getattr(error, name)) is not None
    }
    found["status"] = write_whole(error.status)
    found["retry_after"] = write_number(error.retry_after)
    found["retryable"] = None if error.retryable is None else bool(error.retryable)
    found["usage"] = _converted(error.usage) if isinstance(error.usage, Usage) else None
    return {name: value for name, value in found.items() if value is not None}


def _read_judge_error(kind: type[JudgeError]) -> Read:
    from functools import partial

    readers: dict[str, Callable[[Any], Any]] = dict.fromkeys(_JUDGE_TEXTS, read_text)
    readers["status"] = partial(read_scalar, int)
    readers["retry_after"] = read_number
    readers["retryable"] = partial(read_scalar, bool)
    readers["usage"] = lambda data: _structured(data, Usage)

    def read(text: str, details: dict[str, Any]) -> BaseException:
        known = {name: body_of(details, name, reader) for name, reader in readers.items() if name in details}
        return kind(text, **known)

    return read


def _details_of_run(error: ScorerRunError) -> dict[str, Any]:
    found = {
        "scorer_id": error.scorer_id,
        "failed_step": error.failed_step,
        "completed_steps": list(error.completed_steps),
        "result": _converted(error.result),
    }
    return found if error.__cause__ is None else {**found, "cause": write_error(error.__cause__)}


def _read_run_error(text: str, details: dict[str, Any]) -> BaseException:
    steps = body_of(details, "completed_steps", lambda body: tuple(read_list(body, read_text)))
    error = ScorerRunError(
        body_of(details, "scorer_id", read_text),
        body_of(details, "failed_step", read_text),
        steps,
        body_of(details, "result", lambda body: _structured(body, ScoreResult)),
    )
    if "cause" in details:
        error.__cause__ = body_of(details, "cause", read_error)
    return error


def _read_timed_out(text: str, details: dict[str, Any]) -> BaseException:
    return TimedOut(body_of(details, "what", read_text), body_of(details, "seconds", read_number))


def _read_invalid_score(text: str, details: dict[str, Any]) -> BaseException:
    return InvalidScore(text, body_of(details, "value", read_value) if "value" in details else None)


def _read_bad_item(text: str, details: dict[str, Any]) -> BaseException:
    return BadItem(body_of(details, "index", lambda body: read_scalar(int, body)), body_of(details, "fault", read_text))


def _plain_reader(kind: type[SteelyardError]) -> Read:
    return lambda text, details: kind(text)


def _converted(record: object) -> Any:
    from steelyard._wire.converter import converter

    return converter().unstructure(record)


def _structured(data: Any, kind: type[Any]) -> Any:
    from steelyard._wire.converter import converter

    return converter().structure(data, kind)


_SPECIAL: dict[type[BaseException], Read] = {
    TimedOut: _read_timed_out,
    InvalidScore: _read_invalid_score,
    BadItem: _read_bad_item,
    ScorerRunError: _read_run_error,
}
_OURS: dict[type[BaseException], Read] = {
    **{kind: _plain_reader(kind) for kind in _PLAIN},
    **{kind: _read_judge_error(kind) for kind in _JUDGES},
    **_SPECIAL,
}
_NEEDED = {
    "steelyard.TimedOut": {"what", "seconds"},
    "steelyard.BadItem": {"index", "fault"},
    "steelyard.ScorerRunError": {"scorer_id", "failed_step", "completed_steps", "result"},
}
"""Details without which an error of this kind cannot be made again."""

_READERS = {f"steelyard.{kind.__qualname__}": read for kind, read in _OURS.items()}
