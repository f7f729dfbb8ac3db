"""Any value of a user as JSON, and back.

Null, truth values, texts, finite numbers, lists and mappings of texts stay as they are. Everything else is an object
with the key ``$type``; a mapping that has that key itself is written as a list of its pairs, so that no data can be
taken for something else.

- Read back as the same value: tuple, set, frozenset, deque, mappings with any keys (``OrderedDict``, ``Counter``), what
  a text says completely (see ``standard``), the values of Steelyard (see ``kinds``), and errors (see ``failures``).
- A subclass of text, ``int`` or ``float`` and a number of another library are written as the plain text or number, a
  ``defaultdict`` as a plain mapping; aware times keep their offset, not the name of their zone.
- Anything else is read back as ``Foreign``; so is what refers to itself, and what is nested more than 100 levels deep.

Writing never raises, whatever the values do.
"""

from __future__ import annotations

import json
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from math import isfinite
from types import MappingProxyType
from typing import Any, cast

from steelyard._running.item import NOT_GIVEN
from steelyard._wire import standard
from steelyard._wire.faults import Misfit, expected, missing
from steelyard._wire.foreign import Foreign, fields_of, name_of, words_for

TAG = "$type"
MAX_DEPTH = 100
_LONGEST_INT = 10_000  # bits: far beyond any number that means something, and below what Python refuses to print

_LISTS: dict[str, Callable[[list[Any]], Any]] = {"tuple": tuple, "set": set, "frozenset": frozenset, "deque": deque}
_MAPPINGS: dict[str, Callable[[list[tuple[Any, Any]]], Any]] = {
    "dict": dict,
    "OrderedDict": OrderedDict,
    "Counter": lambda pairs: Counter(dict(pairs)),
    "mappingproxy": lambda pairs: MappingProxyType(dict(pairs)),
}
_TAG_OF: dict[type, str] = {
    tuple: "tuple",
    set: "set",
    frozenset: "frozenset",
    deque: "deque",
    OrderedDict: "OrderedDict",
    Counter: "Counter",
    MappingProxyType: "mappingproxy",
}

# Values lie in records of ours, which lie in values: the writer at work is found again when the converter comes back
# for more.
_AT_WORK: ContextVar[_Writer | None] = ContextVar("_AT_WORK", default=None)


def write_value(value: object) -> Any:
    """The JSON form of a value."""
    return (_AT_WORK.get() or _Writer()).write(value)


def write_mapping(value: object) -> Any:
    """The JSON form of what should be a mapping; one of another class than ``dict`` is written as a ``dict``."""
    if isinstance(value, Mapping) and type(value) is not dict:
        try:
            value = dict(value)
        except Exception:
            return write_value(value)
    return write_value(value)


def read_value(data: object) -> Any:
    """The value of a JSON form. Raises ``Misfit``."""
    kind = type(data)
    if kind is str or data is None or kind is bool or kind is int:
        return data
    if kind is float:
        if isfinite(cast("float", data)):
            return data
        raise expected("a finite number", data)
    if isinstance(data, list):
        return read_list(data, read_value)
    if not isinstance(data, dict):
        raise expected("a value of JSON", data)
    if TAG in data:
        return _read_tagged(data)
    return read_mapping(data, read_value)


def read_list(data: object, read: Callable[[Any], Any]) -> list[Any]:
    """What the elements of a list are read as. Raises ``Misfit`` with their place."""
    if not isinstance(data, list):
        raise expected("a list", data)
    found: list[Any] = []
    for each in data:
        try:
            found.append(read(each))
        except Misfit as misfit:
            raise misfit.under(len(found)) from None
    return found


def read_mapping(data: object, read: Callable[[Any], Any]) -> dict[str, Any]:
    """What the values of an object are read as. Raises ``Misfit`` with their key."""
    if not isinstance(data, dict):
        raise expected("an object", data)
    found: dict[str, Any] = {}
    for key, each in data.items():
        if type(key) is not str:
            raise expected("texts as keys", key)
        try:
            found[key] = read(each)
        except Misfit as misfit:
            raise misfit.under(key) from None
    return found


# -- writing --------------------------------------------------------------------------------------------------------


class _Writer:
    """Writes one value, and knows what it stands in: how deep, and in which values that are not finished."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: set[int] = set()

    def write(self, value: Any) -> Any:
        kind = type(value)
        if kind is str or value is None or kind is bool:
            return value
        if kind is int and value.bit_length() <= _LONGEST_INT:
            return value
        if kind is float and isfinite(value):
            return value
        if kind is Foreign and value.fields is None:
            return self._foreign(value.type, value.shown, None)
        if id(value) in self._open:
            return self._cut(value, "refers to itself")
        if len(self._open) >= MAX_DEPTH:
            return self._cut(value, f"is nested more than {MAX_DEPTH} levels deep")
        self._open.add(id(value))
        try:
            return self._written(kind, value)
        except RecursionError:
            if (
                len(self._open) > 1
            ):  # the whole is what cannot be written, not the place where the stack happened to end
                raise
            return self._cut(value, "is nested too deeply")
        except Exception:
            return self._foreign(kind, words_for(value), None)
        finally:
            self._open.discard(id(value))

    def _written(self, kind: type, value: Any) -> Any:
        if kind is list:
            return [self.write(each) for each in value]
        if kind is dict or kind is defaultdict:
            if all(type(key) is str for key in value) and TAG not in value:
                return {key: self.write(each) for key, each in value.items()}
            return {TAG: "dict", "items": self._pairs(value)}
        tag = _TAG_OF.get(kind)
        if tag is not None:
            if tag in _MAPPINGS:
                return {TAG: tag, "items": self._pairs(value)}
            items = [self.write(each) for each in value]
            return {TAG: tag, "items": sorted(items, key=json.dumps) if "set" in tag else items}
        if kind in standard.WRITERS:
            tag, text = standard.WRITERS[kind]
            return {TAG: tag, "text": text(value)}
        if kind is Foreign:
            return self._foreign(value.type, value.shown, value.fields)
        if value is NOT_GIVEN:
            return {TAG: "not_given"}
        return self._rarer(kind, value)

    def _rarer(self, kind: type, value: Any) -> Any:
        from steelyard._wire.converter import converter
        from steelyard._wire.failures import write_error
        from steelyard._wire.kinds import TAG_OF

        if kind in TAG_OF:
            return {
                TAG: TAG_OF[kind],
                "value": self._inside(lambda: converter().unstructure(value, unstructure_as=kind)),
            }
        if isinstance(value, BaseException):
            return {TAG: "error", "value": self._inside(lambda: write_error(value))}
        plain = _plain(value)
        if plain is not None:
            return self.write(plain)
        fields = None if isinstance(value, type) else fields_of(value)
        return self._foreign(kind, None if fields is not None else words_for(value), fields)

    def _inside(self, make: Callable[[], object]) -> object:
        """What is made of a record of ours, whose values are written within this one."""
        token = _AT_WORK.set(self)
        try:
            return make()
        finally:
            _AT_WORK.reset(token)

    def _pairs(self, value: Any) -> list[list[Any]]:
        return [[self.write(key), self.write(each)] for key, each in value.items()]

    def _cut(self, value: object, why: str) -> dict[str, Any]:
        return self._foreign(type(value), f"<{type(value).__name__} that {why}>", None)

    def _foreign(self, kind: type | str, shown: str | None, fields: Any) -> dict[str, Any]:
        data: dict[str, Any] = {TAG: "foreign", "class": kind if isinstance(kind, str) else name_of(kind)}
        if shown is not None:
            data["shown"] = shown
        if fields is not None:
            data["fields"] = {name: self.write(each) for name, each in fields.items()}
        return data


def _plain(value: Any) -> str | int | float | None:
    """The text or number that a value is beside what else it may be; None for anything else, members
    of enums included."""
    from enum import Enum
    from numbers import Integral, Real

    if isinstance(value, Enum):
        return None
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else None


# -- reading --------------------------------------------------------------------------------------------------------


def _read_tagged(data: dict[str, Any]) -> Any:
    tag = data[TAG]
    if not isinstance(tag, str):
        raise expected("a text", tag).under(TAG)
    if tag in _LISTS:
        return _made(_LISTS[tag], body_of(data, "items", lambda body: read_list(body, read_value)))
    if tag in _MAPPINGS:
        return _made(_MAPPINGS[tag], body_of(data, "items", lambda body: read_list(body, _read_pair)))
    if tag in standard.READERS:
        return body_of(data, "text", lambda body: _read_text(tag, body))
    if tag == "foreign":
        return _read_foreign(data)
    return NOT_GIVEN if tag == "not_given" else _read_ours(tag, data)


def _read_ours(tag: str, data: dict[str, Any]) -> Any:
    from steelyard._wire.converter import converter
    from steelyard._wire.failures import read_error
    from steelyard._wire.kinds import BY_TAG

    if tag == "error":
        return body_of(data, "value", read_error)
    kind = BY_TAG.get(tag)
    if kind is None:
        raise expected("a type of this version of the form", tag).under(TAG)
    return body_of(data, "value", lambda body: converter().structure(body, kind))


def body_of(data: dict[str, Any], key: str, read: Callable[[Any], Any]) -> Any:
    """What a key of an object is read as. Raises ``Misfit``, also where the key is missing."""
    if key not in data:
        raise missing(key)
    try:
        return read(data[key])
    except Misfit as misfit:
        raise misfit.under(key) from None


def _made(make: Callable[[Any], Any], items: list[Any]) -> Any:
    try:
        return make(items)
    except TypeError:
        raise Misfit(
            "expected values that can stand in a set or as a key, got one that can change", ("items",)
        ) from None


def _read_pair(data: object) -> tuple[Any, Any]:
    if not isinstance(data, list) or len(data) != 2:
        raise expected("a list of a key and a value", data)
    return cast("tuple[Any, Any]", tuple(read_list(data, read_value)))


def _read_text(tag: str, data: object) -> Any:
    if isinstance(data, str):
        try:
            return standard.READERS[tag](data)
        except (ValueError, ArithmeticError):
            pass
    raise expected(f"the text of a {tag}", data)


def _read_foreign(data: dict[str, Any]) -> Foreign:
    for key in ("class", "shown"):
        if not isinstance(data.get(key), str) and (key == "class" or data.get(key) is not None):
            raise expected("a text", data.get(key)).under(key)
    fields = data.get("fields")
    if fields is not None:
        fields = body_of(data, "fields", lambda body: read_mapping(body, read_value))
    return Foreign(data["class"], data.get("shown"), fields)
