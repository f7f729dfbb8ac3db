"""The wish of a container or a CI server that a run end (SIGTERM)."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread


@contextmanager
def as_interrupt() -> Iterator[None]:
    """Takes SIGTERM as Ctrl-C, so that the results so far are written. Elsewhere than in the main thread it does
    nothing."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
