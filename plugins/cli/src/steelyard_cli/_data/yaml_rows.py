"""Rows of a YAML file, by the rules of YAML 1.2: what looks like a date, a time or a yes is text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isinf
from typing import TYPE_CHECKING, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from steelyard_cli._data.documents import LISTS, list_within
from steelyard_cli._data.opening import text_of
from steelyard_cli._data.places import BadRow, UnreadableFile, kind_of, shown

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

MOST_REPEATED: Final = 100_000
"""Values that aliases may add to a document: a few lines of aliases of aliases could stand for more than any memory
holds."""

_TAG: Final = "tag:yaml.org,2002:"
_PLAIN: Final = frozenset(_TAG + name for name in ("bool", "float", "int", "merge", "null", "timestamp", "value"))
_INT: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_OCTAL_OR_HEX: Final = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)")
_CONSTANTS: Final = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL", ".nan", ".NaN", ".NAN"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_TEXT: Final = object()
# In YAML 1.2 these end no line; the parser still thinks so.
_NO_LINE_ENDS: Final = "\x85\u2028\u2029"
_PRIVATE_USE: Final = range(0xE000, 0xF8FF)


def yaml_rows(path: str) -> Iterator[tuple[int, object]]:
    """The line on which each item begins, and its value, or the exception that says what is wrong with that item.

    Each document holds a list of items, an object around such a list, or one item. A number begins with no needless
    zero (``007`` is text), NaN is null, keys are texts as they are written; any tag but those of JSON's values, and an
    object that has one key twice, are faults. Raises ``UnreadableFile`` where the text is no YAML. One document is in
    memory at a time.
    """
    text = text_of(path)
    stand_ins = _stand_ins(text)
    for original, stand_in in stand_ins.items():
        text = text.replace(original, stand_in)
    try:
        for document in _documents(text):
            yield from _Values({stand_in: original for original, stand_in in stand_ins.items()}).rows(document)
    except ReaderError as error:
        raise UnreadableFile(
            path, _line_at(text, error.position), "it holds a character that YAML cannot have"
        ) from None
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = f"no YAML: {error.problem or error.context}"
        raise UnreadableFile(path, None if mark is None else mark.line + 1, reason) from None
    except YAMLError as error:
        raise UnreadableFile(path, None, f"no YAML: {type(error).__name__}") from None
    except RecursionError:
        raise UnreadableFile(path, None, "it is nested too deeply") from None
    except _NoItems as error:
        raise UnreadableFile(path, error.line, str(error)) from None


def _documents(text: str) -> Iterator[Node]:
    yaml = YAML(typ="safe", pure=True)
    yaml.composer.warn_double_anchors = False  # an anchor may be given anew
    yield from (node for node in yaml.compose_all(text) if node is not None)


class _NoItems(BadRow):
    """A document that holds no items."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class _Values:
    """Makes the values of one document out of its nodes."""

    def __init__(self, originals: dict[str, str]) -> None:
        self._originals = originals
        self._seen: set[int] = set()
        self._open: set[int] = set()
        self._repeated = 0

    def rows(self, document: Node) -> Iterator[tuple[int, object]]:
        nodes = [document]
        if isinstance(document, SequenceNode):
            nodes = document.value
        elif isinstance(document, MappingNode):
            nodes = self._of_object(document)
        elif isinstance(document, ScalarNode) and self.of(document) is None:
            return
        else:
            raise _NoItems(_line(document), f"expected a list of items, found {kind_of(self.of(document))}")
        for node in nodes:
            self._open.clear()
            row: object
            try:
                row = self.of(node)
            except BadRow as fault:
                row = fault
            yield _line(node), row

    def _of_object(self, document: MappingNode) -> list[Node]:
        members = {self._key(key): value for key, value in document.value}
        lists = [key for key, value in members.items() if key in LISTS and isinstance(value, SequenceNode)]
        try:
            name = list_within(members, lists)
        except BadRow as error:
            raise _NoItems(_line(document), str(error)) from None
        if name is None:
            return [document]
        within: list[Node] = members[name].value
        return within

    def of(self, node: Node) -> object:
        """The value of a node. Raises ``BadRow``."""
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        if id(node) in self._open:
            raise BadRow("an alias stands inside the very value that it names")
        self._count(node)
        self._open.add(id(node))
        value = self._object(node) if isinstance(node, MappingNode) else self._list(node)
        self._open.discard(id(node))
        return value

    def _count(self, node: Node) -> None:
        if id(node) not in self._seen:
            self._seen.add(id(node))
            return
        self._repeated += 1 + len(node.value)
        if self._repeated > MOST_REPEATED:
            raise BadRow("its aliases repeat too much")

    def _list(self, node: Node) -> list[object]:
        if node.tag != f"{_TAG}seq":
            raise BadRow(_tagged(node))
        return [self.of(element) for element in node.value]

    def _object(self, node: MappingNode) -> dict[str, object]:
        if node.tag != f"{_TAG}map":
            raise BadRow(_tagged(node))
        merged: dict[str, object] = {}
        made: dict[str, object] = {}
        for key_node, value_node in node.value:
            if key_node.tag == f"{_TAG}merge":
                for key, value in self._merged(value_node):
                    merged.setdefault(key, value)
                continue
            key = self._key(key_node)
            if key in made:
                raise BadRow(f"an object has the key {shown([key])} twice (line {_line(key_node)})")
            made[key] = self.of(value_node)
        return {**merged, **made}

    def _merged(self, node: Node) -> Iterator[tuple[str, object]]:
        """The keys that ``<<`` takes over from one object or from several, of which the earlier win."""
        for each in node.value if isinstance(node, SequenceNode) else [node]:
            if not isinstance(each, MappingNode):
                raise BadRow(f"what << takes over must be an object (line {_line(node)})")
            value = self.of(each)
            if isinstance(value, dict):
                yield from value.items()

    def _key(self, node: Node) -> str:
        if not isinstance(node, ScalarNode):
            raise BadRow(f"a key must be a text (line {_line(node)})")
        return self._text(node)

    def _scalar(self, node: ScalarNode) -> object:
        if node.tag == f"{_TAG}str":
            return self._text(node)
        if node.tag not in _PLAIN:
            raise BadRow(_tagged(node))
        value = _resolved(node.value)
        return self._text(node) if value is _TEXT else value

    def _text(self, node: ScalarNode) -> str:
        text: str = node.value
        for stand_in, original in self._originals.items():
            text = text.replace(stand_in, original)
        return text


def _resolved(written: str) -> object:
    """What a scalar without quotes stands for; ``_TEXT`` where that is its text."""
    if written in _CONSTANTS:
        return _CONSTANTS[written]
    try:
        if _INT.fullmatch(written):
            return int(written)
        if _OCTAL_OR_HEX.fullmatch(written):
            return int(written, 0)
    except ValueError:
        raise BadRow("it holds a number of too many digits") from None
    if _INFINITE.fullmatch(written) or (_FLOAT.fullmatch(written) and isinf(float(written))):
        raise BadRow("it holds a number that is not finite")
    return float(written) if _FLOAT.fullmatch(written) else _TEXT


def _tagged(node: Node) -> str:
    tag = str(node.tag).replace(_TAG, "!!")
    return f"a value has the tag {shown([tag])}, and data hold plain values only (line {_line(node)})"


def _line(node: Node) -> int:
    line: int = node.start_mark.line
    return line + 1


def _line_at(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _stand_ins(text: str) -> dict[str, str]:
    """A character that does not occur in the text for each one in it that ends no line."""
    found = [character for character in _NO_LINE_ENDS if character in text]
    unused = (chr(code) for code in _PRIVATE_USE if found and chr(code) not in text)
    return dict(zip(found, unused, strict=False))
