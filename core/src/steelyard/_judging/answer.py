"""From the text of a judge's reply to a checked instance of the class that was asked for.

**Finding it.** The whole reply is tried first. If that is not JSON, the objects in it are looked at, whatever stands
around them (prose, code fences), and the last one that fits the class is the answer. An object within another never is,
nor one in a reasoning block: ``<think>...</think>`` and its kin, or all that is before a lone closing tag. Tags in JSON
strings are text like any other. A reply that breaks off within an object or a reasoning block holds no answer, whatever
came before. The time is linear in the length of the reply.

**Reading it.** Types are exact: true is no number, 1.0 is no whole number, nothing is turned into a text; only a whole
number is taken for a float. Every key must be there, even if its field has a default or may be None. Two things are let
pass: keys that nobody asked for, and the case of, and white space around, a value of a ``Literal`` or an enum of texts.
Everything else is a problem, and all problems are told, in words for the judge.
"""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from math import isfinite
from types import NoneType
from typing import Any, NoReturn, TypeVar, cast

from attrs import fields, frozen, has

from steelyard._judging.schema import Choice, Many, OneOf, Record, Scalar, Shape, folded, shape_of
from steelyard._model.errors import SteelyardError

T = TypeVar("T")

_MAX_OBJECTS = 1000  # so many objects of a reply are looked at: the last ones
_MAX_DEPTH = 100  # far beyond what a nested class needs, and far from what troubles a recursive decoder
_MAX_TOLD = 50  # so many problems, and so many ids, are told: the first ones
_MAX_SHOWN = 60  # so many characters of a wrong value are repeated


class AnswerProblems(SteelyardError):
    """A reply is not the answer that was asked for; ``problems`` are sentences that tell the judge what to mend."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(self.problems)


def read_answer(text: str, cls: type[T]) -> T:
    """The instance of the attrs class ``cls`` that a reply holds; raises ``AnswerProblems`` if it holds none.

    A ``ValueError`` of the class's validators or converters is a problem of the reply. Their other errors pass through:
    they are faults of the class.
    """
    shape = shape_of(cls)
    of_the_last: tuple[str, ...] = ()
    not_json: tuple[str, ...] = ()
    for value in _candidates(text):
        if isinstance(value, _NotJson):
            not_json = not_json or (value.problem,)
            continue
        problems = _Problems()
        answer = _read(shape, value, "", problems)
        if not problems.count:
            return cast(T, answer)
        of_the_last = of_the_last or problems.told()
    nothing = "The reply holds no answer. Answer with one JSON object, after any reasoning."
    raise AnswerProblems(of_the_last or not_json or (nothing,))


def check_ids(asked: Iterable[int | str], got: Iterable[int | str]) -> list[str]:
    """What is wrong with the ids of a list that must answer each asked id exactly once; empty if nothing is.

    Order does not matter. The sentences name the ids that are missing, doubled and invented.
    """
    wanted, counts = dict.fromkeys(asked), Counter(got)
    findings = (
        ("ids that are missing: {}; answer every id that was asked", [each for each in wanted if each not in counts]),
        ("ids given more than once: {}; answer every id once", [each for each in counts if counts[each] > 1]),
        ("ids that nobody asked for: {}; use only those asked", [each for each in counts if each not in wanted]),
    )
    return [sentence.format(_listed(ids)) for sentence, ids in findings if ids]


def to_plain(value: object) -> object:
    """The JSON value that ``read_answer`` reads as an equal instance; ``TypeError`` for what no answer can hold."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [to_plain(each) for each in value]
    cls = type(value)
    if has(cls):
        return {each.name: to_plain(getattr(value, each.name)) for each in fields(cls) if each.init}
    raise TypeError(f"An answer cannot hold {cls.__qualname__}.")


# Finding: from the reply to JSON values.

_TAGS = "think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad"
_MARK = re.compile(rf"[{{}}]|<(/?)({_TAGS})>", re.IGNORECASE)
_ENDS_REASONING = re.compile(rf"</(?:{_TAGS})>\Z", re.IGNORECASE)
_STARTS_OBJECT = re.compile(r'\{(?=\s*")')
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
_BRACES = re.compile(rf"{_STRING}|[{{}}]", re.DOTALL)
_BRACKETS = re.compile(rf"{_STRING}|[\[\]]", re.DOTALL)
_BRACES_AND_BRACKETS = re.compile(rf"{_STRING}|[\[\]{{}}]", re.DOTALL)


@frozen
class _NotJson:
    problem: str


def _candidates(text: str) -> Iterator[object]:
    """The values that may be the answer, the likeliest first; ``_NotJson`` for each that cannot be decoded."""
    whole = _decoded(text)
    if isinstance(whole, _NotJson):
        yield from map(_decoded, reversed(_outermost(text)))
    else:
        yield whole


def _outermost(text: str) -> Sequence[str]:
    """The texts of the outermost objects, and lists of objects, that may be the answer, in their order."""
    found: deque[str] = deque(maxlen=_MAX_OBJECTS)
    at, unsure = 0, False
    while mark := _MARK.search(text, at):
        before, at = at, mark.end()
        if mark[0] == "{":
            start = _with_list(text, before, mark.start())
            end = _end(text, start)
            if end is None:
                return [_last_word(text, start) or text[start:]]
            found.append(text[start:end])
            at = end
        elif mark[0] == "}":
            if unsure:  # the closing tag may have stood in a string of an object that ends only here
                found.clear()
        elif mark[1]:
            found.clear()
        else:
            closing = re.compile(f"</{mark[2]}>", re.IGNORECASE).search(text, at)
            if closing is None:
                return ()
            at, unsure = closing.end(), unsure or mark.start() > 0
    return found


def _with_list(text: str, before: int, brace: int) -> int:
    """Where the value starts that has its first object at ``brace``: there, or at the bracket of a list of objects."""
    gap = text[before:brace]
    bracket = gap.find("[", len(gap.rstrip("[ \t\r\n")))
    return brace if bracket < 0 else before + bracket


def _end(text: str, start: int) -> int | None:
    """The end of the object or list that starts at ``start``, sound or not; None if it is never closed."""
    opener, depth = text[start], 0
    for token in (_BRACES if opener == "{" else _BRACKETS).finditer(text, start):
        if token[0] == opener:
            depth += 1
        elif token[0][0] != '"':
            depth -= 1
            if not depth:
                return token.end()
    return None


def _last_word(text: str, start: int) -> str | None:
    """The object that ends the text although, before it, an object seems to start at ``start`` that is never closed.

    Stray braces in prose look like that. So an object is trusted that begins anew (after a reasoning block, a blank
    line or the opening of a fence), is no part of what stands before, and is the last word of the reply.
    """
    seen, anew = start + 1, None
    for brace in _STARTS_OBJECT.finditer(text, seen):
        gap = text[seen : brace.start()]
        said = gap.rstrip()
        fenced = said.rpartition("\n")[2].lstrip().startswith("```")
        begins = fenced or gap.count("\n", len(said)) > 1 or _ENDS_REASONING.search(said)
        if begins and said and not said.endswith((":", ",", "[", "{")):
            anew = brace.start()
        seen = brace.end()
    return None if anew is None else text[anew:].rstrip("` \t\r\n")


class _Doubled(dict[str, object]):
    """An object in which some keys stand more than once."""

    doubled: frozenset[str] = frozenset()


class _NoNumber(ValueError):
    """A word such as NaN, for which JSON has no word."""


def _no_number(word: str) -> NoReturn:
    raise _NoNumber(f"The reply holds {word}, which is not JSON. Give a number.")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    doubled = _Doubled(plain)
    doubled.doubled = frozenset(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
    return doubled


# Judges leave line breaks in strings; strict=False takes them, and nothing is mistaken for another thing by it.
_DECODER = json.JSONDecoder(strict=False, parse_constant=_no_number, object_pairs_hook=_object)


def _decoded(text: str) -> object:
    if text.count("{") + text.count("[") > _MAX_DEPTH and _is_too_deep(text):
        return _NotJson(f"The JSON of the reply is nested more than {_MAX_DEPTH} levels deep.")
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        return _NotJson(_malformed(error))
    except _NoNumber as error:
        return _NotJson(str(error))
    except ValueError:  # int() limits the number of digits
        return _NotJson("A number in the reply has too many digits.")


def _is_too_deep(text: str) -> bool:
    depth = 0
    for token in _BRACES_AND_BRACKETS.finditer(text):
        depth += (token[0] in "{[") - (token[0] in "}]")
        if depth > _MAX_DEPTH:
            return True
    return False


def _malformed(error: json.JSONDecodeError) -> str:
    near = _cut(error.doc[error.pos : error.pos + _MAX_SHOWN].strip(), _MAX_SHOWN)
    if not near or error.msg.startswith("Unterminated string"):
        return "The JSON of the reply breaks off before it is complete."
    if near.startswith(("//", "/*", "#")):
        return f"JSON has no comments, but the reply has one: {near}"
    return f"The JSON of the reply is malformed ({error.msg}) at: {near}"


# Reading: from a JSON value to an instance.


class _Problems:
    """What is wrong with a value: every problem is counted, the first ones are kept in words."""

    def __init__(self) -> None:
        self.count = 0
        self._told: list[str] = []

    def add(self, path: str, what: str) -> None:
        self.count += 1
        if self.count <= _MAX_TOLD:
            self._told.append(f"{path or 'the answer'}: {what}")

    def add_all(self, other: _Problems) -> None:
        self._told += other._told[: max(0, _MAX_TOLD - self.count)]
        self.count += other.count

    def told(self) -> tuple[str, ...]:
        more = self.count - len(self._told)
        return (*self._told, f"and {more} more problems") if more else tuple(self._told)


def _read(shape: Shape, value: Any, path: str, problems: _Problems) -> object:
    """The Python value of a JSON value; what comes back means nothing once there is a problem."""
    if not _suits(shape, value):
        problems.add(path, f"expected {_expected(shape)}, got {_shown(value)}")
        return None
    match shape:
        case Scalar():
            return float(value) if shape.kind is float else value
        case Choice():
            return _chosen(shape, value)[0]
        case Many():
            return shape.kind([_read(shape.item, each, f"{path}[{at}]", problems) for at, each in enumerate(value)])
        case Record():
            return _read_record(shape, value, path, problems)
        case OneOf():
            fitting = [member for member in shape.members if _suits(member, value)]
            records = [member for member in fitting if isinstance(member, Record)]
            if records:
                return _read_one_of(records, value, path, problems)
            # A whole number suits int and float; it is an int.
            return _read(min(fitting, key=lambda m: isinstance(m, Scalar) and m.kind is float), value, path, problems)


def _suits(shape: Shape, value: Any) -> bool:
    """Whether a JSON value is of the right kind; of lists and objects, what they hold is not looked at."""
    match shape:
        case Scalar(kind=kind):
            return _is_number(value) if kind is float else type(value) is kind
        case Choice():
            return bool(_chosen(shape, value))
        case Many():
            return isinstance(value, list)
        case Record():
            return isinstance(value, dict)
        case OneOf():
            return any(_suits(member, value) for member in shape.members)


def _is_number(value: Any) -> bool:
    try:
        return type(value) in (int, float) and isfinite(value)
    except OverflowError:
        return False


def _chosen(choice: Choice, value: Any) -> list[object]:
    """The one value of a choice that is meant, or nothing."""
    if type(value) not in (str, int):
        return []
    if value in choice.values:
        return [choice.values[value]]
    alike = [meaning for text, meaning in choice.values.items() if folded(text) == folded(value)]
    return alike if len(alike) == 1 else []


def _read_record(record: Record, value: dict[str, object], path: str, problems: _Problems) -> object:
    before, arguments = problems.count, {}
    doubled = value.doubled if isinstance(value, _Doubled) else ()
    for key in record.keys:
        place = f"{path}.{key.name}" if path else key.name
        if key.name not in value:
            problems.add(place, f"missing, expected {_expected(key.shape)}")
        elif key.name in doubled:
            problems.add(place, "given more than once, give it once")
        else:
            arguments[key.argument] = _read(key.shape, value[key.name], place, problems)
    if problems.count > before:
        return None
    try:
        return record.cls(**arguments)
    except ValueError as error:
        said = error.args[0] if error.args and isinstance(error.args[0], str) else str(error)
        problems.add(path, _cut(said, 5 * _MAX_SHOWN) or "the values do not go together")
        return None


def _read_one_of(records: list[Record], value: dict[str, object], path: str, problems: _Problems) -> object:
    """An object that may be of several classes: of those that lack the fewest keys, the ones that use the most."""

    def rank(record: Record) -> tuple[int, int]:
        return sum(key.name not in value for key in record.keys), -len(record.keys)

    best = min(map(rank, records))
    tries: list[_Problems] = []
    for record in records:
        if rank(record) == best:
            tries.append(_Problems())
            answer = _read_record(record, value, path, tries[-1])
            if not tries[-1].count:
                return answer
    problems.add_all(min(tries, key=lambda each: each.count))
    return None


_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", NoneType: "null"}


def _expected(shape: Shape) -> str:
    match shape:
        case Scalar():
            return _WORDS[shape.kind]
        case Choice():
            return f"one of {_listed(tuple(shape.values))}"
        case Many():
            return "a list"
        case Record():
            return f"an object with the keys {_listed([key.name for key in shape.keys])}"
        case OneOf():
            return " or ".join(map(_expected, shape.members))


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(_shown, values[:_MAX_TOLD])) + (" and others" if len(values) > _MAX_TOLD else "")


def _shown(value: object) -> str:
    """A JSON value as a judge would write it, cut short; lists and objects are only named."""
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, float) and not isfinite(value):
        return "a number that is too large"
    shown = value[: _MAX_SHOWN + 1] if isinstance(value, str) else value
    return _cut(json.dumps(shown, ensure_ascii=False), _MAX_SHOWN)


def _cut(text: str, limit: int) -> str:
    """A text cut short and without half surrogate pairs, which JSON may hold but which could not be sent to a judge."""
    whole = text.encode("utf-8", "backslashreplace").decode()
    return whole if len(whole) <= limit else whole[:limit] + "…"
