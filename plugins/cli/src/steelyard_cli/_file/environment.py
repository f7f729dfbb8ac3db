"""Environment variables that an evaluation needs. Files hold names only, and no value goes anywhere from here but to be
hidden."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from steelyard_cli._file.places import FileFault, Place

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def required(names: Sequence[str], environ: Mapping[str, str], place: Place) -> tuple[str, ...]:
    """The values of the variables, so that they can be kept out of all that is written.

    Raises ``FileFault`` for a variable that is not set or blank, and for what is no name; it never shows more than a
    name.
    """
    values = []
    for number, name in enumerate(names):
        if not _NAME.fullmatch(name):
            raise FileFault(place / number, "env holds names of variables, never their values.")
        value = environ.get(name, "")
        if not value.strip():
            state = "blank" if name in environ else "not set"
            raise FileFault(place / number, f"the environment variable {name} is {state}.")
        values.append(value)
    return tuple(values)
