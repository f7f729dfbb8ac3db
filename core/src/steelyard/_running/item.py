"""One test case, as given and as taken."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from hashlib import blake2b
from typing import Any, Final, cast

from attrs import asdict, evolve, field, fields, frozen, has

from steelyard._model.errors import ConfigurationError
from steelyard._model.messages import Message
from steelyard._model.neutral import messages_to_json
from steelyard._model.trajectory import TrajectoryExpectation, read_expectation


class _NotGiven:
    """Marks a field that was left out, where None means something."""

    _only: _NotGiven | None = None

    def __new__(cls) -> _NotGiven:
        if cls._only is None:
            cls._only = super().__new__(cls)
        return cls._only

    def __repr__(self) -> str:
        return "NOT_GIVEN"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_NotGiven, ())

    def __bool__(self) -> bool:
        return False


NOT_GIVEN: Final = _NotGiven()

DEEPEST = 100
"""Levels of an odd input that its id is made from."""


@frozen(kw_only=True)
class Turn:
    """One turn of a conversation: what the target is given, and what must hold for this turn alone.

    ``gates`` and ``scorers`` see this turn's input and output only; entries are those of ``run_evals``.
    """

    input: Any
    gates: Sequence[object] = ()
    scorers: Sequence[object] = ()


@frozen(kw_only=True)
class EvalItem:
    """One test case. It is checked when an evaluation takes it, not when it is built.

    Exactly one of ``input`` (one turn; a list of texts is several user messages), ``inputs`` (turns sent in order on
    one thread) and ``turns`` (the same, each with its own gates and scorers). A recorded ``output`` may stand beside
    ``input`` or ``inputs``, or alone. ``context`` holds the texts that the answer should rest on, ``start_options`` go
    over ``target_options`` for this item, ``gates`` and ``scorers`` add to the evaluation's own.
    """

    input: Any = None
    inputs: Sequence[Any] | None = None
    turns: Sequence[Turn] | None = None
    output: Any = NOT_GIVEN
    ground_truth: Any = None
    expected_trajectory: TrajectoryExpectation | None = None
    context: Sequence[str] | None = None
    request_context: Mapping[str, Any] | None = None
    tracing_context: Any = None
    start_options: Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] = field(factory=dict)
    id: str | None = None
    gates: Sequence[object] = ()
    scorers: Sequence[object] = ()


_FIELDS = tuple(attribute.name for attribute in fields(EvalItem))
_TURN_FIELDS = tuple(attribute.name for attribute in fields(Turn))


class BadItem(ConfigurationError):
    """An item that cannot be evaluated; ``index`` is its place in the data, from 0."""

    def __init__(self, index: int, fault: str) -> None:
        super().__init__(index, fault)
        self.index = index
        self.fault = fault

    def __str__(self) -> str:
        return f"Item {self.index}: {self.fault}"


class Faulty:
    """An item of a stream that cannot be evaluated, and why."""

    __slots__ = ("fault", "raw")

    def __init__(self, raw: object, fault: BadItem) -> None:
        self.raw = raw
        self.fault = fault


def take_item(raw: object, index: int) -> EvalItem:
    """The item in its checked form.

    Raises ``BadItem`` that says what was found and what to give.
    """
    if isinstance(raw, EvalItem):
        item = raw
    elif isinstance(raw, Mapping):
        item = _of_mapping(raw, index)
    else:
        raise BadItem(
            index,
            'expected an EvalItem or a mapping such as {"input": ...}, '
            f"found {'None' if raw is None else type(raw).__name__}.",
        )
    if item.input is not None:
        if item.inputs is not None or item.turns is not None:
            raise BadItem(index, "it has input and also inputs or turns; give exactly one of the three.")
    elif item.inputs is not None or item.turns is not None:
        _check_conversation(item, index)
    elif item.output is NOT_GIVEN:
        raise BadItem(index, "it has neither input, inputs, turns nor a recorded output (None is none).")
    changes: dict[str, Any] = {}
    if item.turns is not None:
        changes["turns"] = [_turn(turn, index, at) for at, turn in enumerate(item.turns)]
    if item.context is not None:
        changes["context"] = _context(item.context, index)
    if item.expected_trajectory is not None and not isinstance(item.expected_trajectory, TrajectoryExpectation):
        try:
            changes["expected_trajectory"] = read_expectation(item.expected_trajectory)
        except ConfigurationError as error:
            raise BadItem(index, f"expected_trajectory: {error}") from error
    if item.id is not None and (type(item.id) is not str or not item.id.strip()):
        changes["id"] = _id(item.id, index)
    if type(item.metadata) is not dict and not isinstance(item.metadata, Mapping):
        if item.metadata is not None:
            raise BadItem(index, f"metadata must be a mapping, found {type(item.metadata).__name__}.")
        changes["metadata"] = {}
    if item.start_options is not None and not isinstance(item.start_options, Mapping):
        raise BadItem(index, f"start_options must be a mapping, found {type(item.start_options).__name__}.")
    return evolve(item, **changes) if changes else item


def _of_mapping(raw: Mapping[Any, Any], index: int) -> EvalItem:
    for key in raw:
        if key not in _FIELDS:
            raise BadItem(index, _unknown(key, _FIELDS))
    return EvalItem(**raw)


def _unknown(key: object, known: Sequence[str]) -> str:
    near = get_close_matches(str(key), known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else "Data of your own belongs into metadata."
    return f"it has an unknown field {key!r}. {hint}"


def _check_conversation(item: EvalItem, index: int) -> None:
    if item.inputs is not None and item.turns is not None:
        raise BadItem(index, "it has inputs and turns; give exactly one of input, inputs, turns.")
    name, given = ("turns", item.turns) if item.inputs is None else ("inputs", item.inputs)
    if not isinstance(given, list | tuple):
        raise BadItem(index, f"{name} must be a list, found {type(given).__name__}.")
    if not given:
        raise BadItem(index, f"{name} is empty; give at least one turn.")
    if item.turns is not None and item.output is not NOT_GIVEN:
        raise BadItem(
            index, "a recorded output cannot stand beside turns, since no turn would have an output of its own."
        )
    if item.inputs is not None and any(each is None for each in item.inputs):
        raise BadItem(index, "inputs holds None; every turn needs an input.")


def _turn(raw: object, index: int, at: int) -> Turn:
    if isinstance(raw, Turn):
        turn = raw
    elif isinstance(raw, Mapping):
        for key in raw:
            if key not in _TURN_FIELDS:
                raise BadItem(index, f"turn {at}: {_unknown(key, _TURN_FIELDS)}")
        turn = Turn(**{"input": None, **raw})
    else:
        raise BadItem(
            index, f"turn {at}: expected a Turn or a mapping, found {'None' if raw is None else type(raw).__name__}."
        )
    if turn.input is None:
        raise BadItem(index, f"turn {at} has no input.")
    return turn


def _context(context: object, index: int) -> tuple[str, ...]:
    if isinstance(context, str):
        return (context,)
    if isinstance(context, Iterable) and not isinstance(context, Mapping | bytes):
        texts = tuple(context)
        if all(isinstance(text, str) for text in texts):
            return cast("tuple[str, ...]", texts)
    raise BadItem(index, f"context must be a list of texts, found {context!r:.80}.")


def _id(id: object, index: int) -> str | None:
    """The id as a text; None for what tables hold where there is none: a blank text, NaN."""
    if isinstance(id, str):
        return str(id) if id.strip() else None
    if isinstance(id, int) and not isinstance(id, bool):
        return str(id)
    if isinstance(id, float) and id != id:
        return None
    raise BadItem(index, f"id must be a text, found {id!r:.80}.")


def first_input(item: EvalItem) -> object:
    """What scorers see as the input of the item: its input, or that of the first turn."""
    if item.inputs is not None:
        return item.inputs[0]
    if item.turns is not None:
        return item.turns[0].input
    return item.input


LONGEST_NUMBER = 4096
"""Bits of a whole number above which it is written in hexadecimal digits: Python bounds the length of decimal ones."""


def canonical_hash(item: EvalItem) -> str:
    """Sixteen hexadecimal digits that follow from what the item gives to the target, whatever the order of keys."""
    given: object = item.input
    if item.inputs is not None:
        given = list(item.inputs)
    elif item.turns is not None:
        given = [turn.input for turn in item.turns]
    elif given is None:
        given = {"output": item.output}
    try:
        text = _json(given)
    except (TypeError, ValueError, RecursionError):  # keys that are no texts or do not sort, a value within itself
        text = _json(_tame(given, frozenset()))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_plain)


def _tame(value: object, around: frozenset[int]) -> object:
    """The value in a form that JSON can hold, whatever it holds; what lies too deep or within itself is cut off."""
    if isinstance(value, int) and value.bit_length() > LONGEST_NUMBER:
        return f"{value:x}"
    if isinstance(value, str | bool | int | float | None):
        return value
    if id(value) in around or len(around) > DEEPEST:
        return "..."
    around |= {id(value)}
    if isinstance(value, Mapping):
        return [
            "mapping",
            *sorted(
                ([_named(key), _tame(inner, around)] for key, inner in value.items()), key=lambda pair: str(pair[0])
            ),
        ]
    if isinstance(value, list | tuple):
        return [_tame(inner, around) for inner in value]
    return _tame(_plain(value), around)


def _named(key: object) -> str:
    return f"{type(key).__name__}:{key!r}"


def _plain(value: object) -> object:
    if isinstance(value, Message):
        return messages_to_json([value])[0]
    if has(type(value)):
        return asdict(cast("Any", value), recurse=False)
    named: object = getattr(type(value), "__dataclass_fields__", None)
    if isinstance(named, Mapping):
        return {name: getattr(value, name, None) for name in named}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    kind = type(value)
    try:
        return kind.__qualname__ if kind.__str__ is object.__str__ else f"{kind.__qualname__}:{value!s}"
    except Exception:  # a text of itself that the value cannot give
        return kind.__qualname__
