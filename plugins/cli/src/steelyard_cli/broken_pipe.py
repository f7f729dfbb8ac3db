"""Standard output whose reader has gone (``steelyard plugins | head -1``), or that takes nothing more."""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def mute_stdout() -> None:
    """What is still to be written goes nowhere, so that the interpreter does not stumble over it at its end."""
    # A standard output that is no file has no reader to lose, and one that was closed at the start is None.
    with suppress(OSError, ValueError, AttributeError):
        place = sys.stdout.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, place)
        os.close(nowhere)


def why_not_written(error: Exception) -> str:
    """The sentence about a standard output that cannot be written."""
    return f"standard output could not be written: {getattr(error, 'strerror', None) or 'it is closed'}"
