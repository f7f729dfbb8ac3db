"""Files that are whole or not there: written beside their place, then moved to it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO
from uuid import uuid4

_SURROGATE = re.compile("[\ud800-\udfff]")


@contextmanager
def replaced(path: str | os.PathLike[str], *, newline: str = "\n") -> Iterator[TextIO]:
    """A file in UTF-8 to write to, which takes the place of ``path`` when the block ends well.

    Else the old file stays as it was. Folders that are missing are made, a link stays one. What is no regular file
    (``/dev/stdout``) is written to directly.
    """
    place = Path(path)
    if place.exists() and not place.is_file():
        with place.open("w", encoding="utf-8", newline=newline) as stream:
            yield stream
        return
    place = Path(os.path.realpath(place))
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = place.with_name(f".{place.name[:40]}.{uuid4().hex}.part")
    try:
        with beside.open("x", encoding="utf-8", newline=newline) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if place.exists():
            beside.chmod(place.stat().st_mode & 0o777)
        beside.replace(place)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def json_text(data: object, *, indent: int | None = None) -> str:
    """JSON data as strict, readable text that always encodes: half a character is written as ``\\udXXX``.

    Raises ``ValueError`` for NaN and the infinities.
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=indent)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
