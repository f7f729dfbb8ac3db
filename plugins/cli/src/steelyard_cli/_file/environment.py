"""Environment variables that an evaluation needs. Files hold names only, and values go nowhere but into what hides
them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import frozen

from steelyard_cli._file.places import FileFault, Place
from steelyard_cli._file.shapes import Schema

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@frozen
class Names:
    """A list of names of variables. What is none is never shown: somebody may have written a value there."""

    words: str = "a list of names of variables"

    def schema(self) -> Schema:
        return {"type": "array", "items": {"type": "string", "pattern": f"^{_NAME.pattern}$"}}

    def read(self, value: object, place: Place) -> tuple[str, ...]:
        if not isinstance(value, list | tuple):
            raise FileFault(place, f"expected {self.words}.")
        for number, name in enumerate(value):
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                raise FileFault(place / number, "env holds names of variables, never their values.")
        return tuple(value)


def required(names: Sequence[str], environ: Mapping[str, str], place: Place) -> tuple[str, ...]:
    """The values of the variables, so that they can be kept out of all that is written.

    Raises ``FileFault`` for a variable that is not set or blank; it tells the name.
    """
    values = []
    for number, name in enumerate(names):
        value = environ.get(name, "")
        if not value.strip():
            state = "blank" if name in environ else "not set"
            raise FileFault(place / number, f"the environment variable {name} is {state}.")
        values.append(value)
    return tuple(values)
