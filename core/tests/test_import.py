"""Importing does nothing: no file of others, no socket, no thread, no environment, and nothing loaded that is not needed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

WATCHED = """
import sys
before = set(sys.modules)
events = []

def watch(event, args):
    if event.partition(".")[0] in ("socket", "subprocess", "os", "shutil", "tempfile", "signal", "ctypes", "urllib") or event in (
        "open", "_thread.start_new_thread", "import"
    ):
        events.append((event, [str(each) for each in args]))

sys.addaudithook(watch)
import atexit, os, signal, threading
environment, directory, path = dict(os.environ), os.getcwd(), list(sys.path)
handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
exits = atexit._ncallbacks()
loaded = set(sys.modules)
events.clear()

{program}

import json
changed = []
changed += ["environment"] if dict(os.environ) != environment else []
changed += ["directory"] if os.getcwd() != directory else []
changed += ["path"] if sys.path != path else []
changed += ["threads"] if threading.active_count() != 1 else []
changed += ["signals"] if [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] != handlers else []
changed += ["exit"] if atexit._ncallbacks() != exits else []
print(json.dumps({{"events": events, "changed": changed, "loaded": sorted(set(sys.modules) - loaded)}}))
"""

NEEDLESS = ("cattrs", "structlog", "asyncio", "pluggy", "importlib.metadata", "importlib_metadata", "logging")
OURS = Path(__file__).parents[1]

EVERY_NAME = """
import steelyard
for name in steelyard.__all__:
    getattr(steelyard, name)
"""

PLAIN_RUN = """
import steelyard
there = steelyard.create_scorer("there", "d").generate_score(lambda ctx: 1.0)
assert there.run_sync(output="a").score == 1.0
"""


def done(program: str) -> dict[str, Any]:
    """What a fresh interpreter does for this program."""
    told = subprocess.run(
        [
            sys.executable,
            "-I" if not sys.flags.isolated and _is_installed() else "-W",
            *_flags(),
            WATCHED.format(program=program),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stderr) == (0, "")
    result = json.loads(told.stdout)
    assert isinstance(result, dict)
    return result
