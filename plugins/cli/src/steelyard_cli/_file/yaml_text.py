"""YAML by the rules of version 1.2: ``no``, ``1:30`` and dates are texts, and nothing is made but texts, numbers, truth
values, lists and tables."""

from __future__ import annotations

import re
from typing import Any

from attrs import field, frozen

from steelyard_cli._file.places import FileFault, Place, Source, Step

_KINDS = ("null", "bool", "int", "float", "str", "seq", "map", "timestamp", "merge", "value")
_TAGS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in _KINDS)
_TEXT = "tag:yaml.org,2002:str"
_PLAIN: tuple[tuple[re.Pattern[str], Any], ...] = (
    (re.compile(r"|~|null|Null|NULL"), lambda text: None),
    (re.compile(r"true|True|TRUE"), lambda text: True),
    (re.compile(r"false|False|FALSE"), lambda text: False),
    (re.compile(r"[-+]?[0-9]{1,4000}"), int),
    (re.compile(r"0o[0-7]{1,4000}"), lambda text: int(text[2:], 8)),
    (re.compile(r"0x[0-9a-fA-F]{1,4000}"), lambda text: int(text[2:], 16)),
    (re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"), float),
    (re.compile(r"[-+]?\.(?:inf|Inf|INF)"), lambda text: float(text.replace(".", ""))),
    (re.compile(r"\.(?:nan|NaN|NAN)"), lambda text: float("nan")),
)
"""What a word without quotes stands for (YAML 1.2.2, chapter 10.3.2); any other one is a text."""


def read_yaml(text: str, source: Source) -> tuple[object, dict[tuple[Step, ...], int]]:
    """The value of the one document in the text, and the lines of what it holds. Raises ``FileFault``."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        root = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        said = " ".join(filter(None, (error.context, error.problem)))
        raise FileFault(_at(source, line), f"this is not valid YAML: {said}.") from error
    except (YAMLError, RecursionError, ValueError) as error:
        raise FileFault(Place(source), f"this is not valid YAML: {str(error).splitlines()[0]}.") from error
    reading = _Reading(source)
    return (None if root is None else reading.value(root, ())), reading.lines


@frozen
class _Reading:
    source: Source
    lines: dict[tuple[Step, ...], int] = field(factory=dict)
    _made: dict[int, object] = field(factory=dict)
    _open: set[int] = field(factory=set)

    def value(self, node: Any, path: tuple[Step, ...]) -> object:
        """What a node stands for; one that is named again through its anchor is the same object."""
        line = node.start_mark.line + 1
        self.lines.setdefault(path, line)
        tag = str(node.tag)
        if tag not in _TAGS:
            raise FileFault(_at(self.source, line), f"the tag {tag} is not taken; write plain YAML.")
        if id(node) in self._open:
            raise FileFault(_at(self.source, line), f"the anchor {node.anchor} stands within itself.")
        if id(node) not in self._made:
            self._open.add(id(node))
            self._made[id(node)] = self._of(node, path, tag)
            self._open.discard(id(node))
        return self._made[id(node)]

    def _of(self, node: Any, path: tuple[Step, ...], tag: str) -> object:
        if isinstance(node.value, str):
            return node.value if tag == _TEXT or node.style is not None else plain(node.value)
        if tag.endswith(":seq"):
            return [self.value(each, (*path, number)) for number, each in enumerate(node.value)]
        table: dict[object, object] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            key = self.value(key_node, path) if isinstance(key_node.value, str) else None
            if not isinstance(key_node.value, str) or (key is not None and key in table):
                fault = "a key must be one word" if key is None else f"the key {key!r} stands there twice"
                raise FileFault(_at(self.source, line), f"{fault}.")
            if isinstance(key, str):
                self.lines[(*path, key)] = line
            table[key] = self.value(value_node, (*path, key) if isinstance(key, str) else path)
        return table


def plain(text: str) -> object:
    """What a word without quotes stands for."""
    for pattern, make in _PLAIN:
        if pattern.fullmatch(text):
            return make(text)
    return text


def _at(source: Source, line: int | None) -> Place:
    return Place(Source(source.name, source.folder, {}, line=line))
