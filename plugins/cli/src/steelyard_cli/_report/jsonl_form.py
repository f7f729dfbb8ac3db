"""Items as JSON, one to a line, while they complete.

Each line stands by itself: ``"steelyard_line"`` is the version of its form and ``"kind"`` says what it is. ``"item"``
is an item as it stands in a result's JSON form (``items``), in order of completion. The last line is the ``"report"``;
a file without it is that of a run that was cut off.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from steelyard import EvalResult, ItemResult, Summary, result_to_json
from steelyard_cli._report.files import json_text
from steelyard_cli._report.json_form import report_to_json
from steelyard_cli._report.model import Report
from steelyard_cli._report.text import NOTHING_HIDDEN, Hide

VERSION = 1


class JsonlWriter:
    """Writes each item that it is given at once. With the first one the file is opened, and an older one lost."""

    def __init__(self, path: str | os.PathLike[str], *, hide: Hide = NOTHING_HIDDEN) -> None:
        self.path = Path(path)
        self._hide = hide
        self._stream: TextIO | None = None
        self._ended = False

    def item_completed(self, item: ItemResult) -> None:
        """Writes an item. What it raises ends the file."""
        try:
            self._write("item", item_to_json(item))
        except Exception:
            self.close()
            raise

    def finish(self, report: Report) -> None:
        """Writes the last line and closes the file; nothing where it has ended already. Raises ``OSError``."""
        try:
            if not self._ended:
                self._write("report", report_to_json(report))
        finally:
            self.close()

    def close(self) -> None:
        """Closes the file as it is."""
        self._ended = True
        stream, self._stream = self._stream, None
        if stream is not None:
            with suppress(OSError):  # what could not be written was told when it was
                stream.close()

    def _write(self, kind: str, data: dict[str, Any]) -> None:
        line = json_text({"steelyard_line": VERSION, "kind": kind, **self._hide.data(data)})
        if self._stream is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = self.path.open("w", encoding="utf-8", newline="\n")
        self._stream.write(line + "\n")
        self._stream.flush()


def item_to_json(item: ItemResult) -> dict[str, Any]:
    """The item as JSON data, as it stands among the items of a result."""
    alone = EvalResult(verdict=None, scores={}, summary=Summary(), items=(item,))
    found: dict[str, Any] = result_to_json(alone)["items"][0]
    return found
