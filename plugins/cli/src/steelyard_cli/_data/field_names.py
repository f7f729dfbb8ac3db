"""The fields that a row of data may have, and what people call them elsewhere."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import Final

from attrs import fields

from steelyard import EvalItem
from steelyard_cli._data.places import shown

NOT_IN_DATA: Final = ("gates", "scorers")
"""Fields of an item that hold objects of Python; what measures is named in the evaluation file."""
FIELDS: Final = tuple(field.name for field in fields(EvalItem) if field.name not in NOT_IN_DATA)
"""The fields of an item that data may have."""
OPEN_FIELDS: Final = ("metadata", "request_context", "start_options")
"""Those that hold keys of the user's own, which a dotted name leads to: ``metadata.lang``."""

# Lower case, letters and digits alone.
_OTHER_NAMES: Final = {
    "context": "contexts documents retrievalcontext retrievedcontexts",
    "expected_trajectory": "expectedtools referencetoolcalls",
    "ground_truth": (
        "answer expected expectedanswer expectedoutput gold goldenanswer groundtruth ideal label reference "
        "referenceanswer target"
    ),
    "id": "caseid externalid key taskid",
    "input": "messages prompt query question userinput usermessage",
    "inputs": "questions",
    "metadata": "additionalmetadata info",
    "output": "actualoutput completion generation prediction reply response",
}
_FIELD_OF: Final = {name: field for field, names in _OTHER_NAMES.items() for name in names.split()}


def own_target(name: str) -> tuple[str, ...] | None:
    """The field, and the keys in it, that a name means by itself; None for a name that is no field."""
    if name in FIELDS:
        return (name,)
    first, *keys = name.split(".")
    return (first, *keys) if first in OPEN_FIELDS and keys and all(keys) else None


def unknown_fields(names: Sequence[str], row: Collection[str]) -> str:
    """What is wrong with names that are no fields, and how to say what they are, in a row that has these names."""
    objects = [name for name in names if name in NOT_IN_DATA]
    if objects:
        return f"{shown(objects)} cannot be in data; name them in the evaluation file"
    name = names[0]
    meant = _FIELD_OF.get(re.sub(r"[\W_]", "", name).casefold())
    if meant is None:
        meant = next(iter(get_close_matches(name, FIELDS, n=1)), None)
    if meant in row:
        meant = None
    return (
        f"unknown {'field' if len(names) == 1 else 'fields'} {shown(names)}. "
        f"{'' if meant is None else f'Did you mean {meant!r}? '}Say which column is what, "
        f"for example columns = {{ {_key(meant or f'metadata.{name}')} = {_text(name)} }}; "
        "with columns, all others go to metadata"
    )


def _key(name: str) -> str:
    """A key as TOML writes it."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _text(name: str) -> str:
    name = name if len(name) <= 60 else f"{name[:60]}..."
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
