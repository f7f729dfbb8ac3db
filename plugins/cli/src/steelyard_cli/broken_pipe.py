"""Standard output whose reader has gone (``steelyard plugins | head -1``)."""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def mute_stdout() -> None:
    """What is still to be written goes nowhere, so that the interpreter does not stumble over it at its end."""
    with suppress(OSError, ValueError):  # a standard output that is no file has no reader to lose
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
