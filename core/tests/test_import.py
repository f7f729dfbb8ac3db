"""Importing does nothing: no file of others, no socket, no thread, no environment, and nothing that is not needed."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

WATCHED = """
import sys, sysconfig
happened = []

def watch(event, args):
    kind = event.partition(".")[0]
    if kind in ("socket", "subprocess", "shutil", "tempfile", "signal", "urllib", "_thread", "ctypes", "open"):
        happened.append([event, str(args[0]) if args else ""])
    elif kind == "os" and event not in ("os.listdir", "os.scandir"):
        happened.append([event, ""])

import os, signal, threading
environment, directory, path = dict(os.environ), os.getcwd(), list(sys.path)
handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
loaded = set(sys.modules)
sys.addaudithook(watch)

{program}

seen = list(happened)
changed = {{
    "environment": dict(os.environ) != environment,
    "directory": os.getcwd() != directory,
    "path": sys.path != path,
    "threads": threading.active_count() != 1,
    "handlers": [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] != handlers,
}}
new = sorted(set(sys.modules) - loaded)
import attr, attrs, json, steelyard
allowed = [os.path.dirname(module.__file__) for module in (attr, attrs, steelyard)]
allowed += [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
packages = (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))

def is_foreign(name):
    ours = any(name.startswith(folder + os.sep) for folder in allowed[:3])
    theirs = any(name.startswith(folder + os.sep) for folder in packages)
    standard = any(name.startswith(folder + os.sep) for folder in allowed[3:])
    return not ours and (theirs or not standard)

odd = [each for each in seen if each[0] != "open" or is_foreign(each[1])]
print(json.dumps({{"odd": odd, "changed": [what for what, is_so in changed.items() if is_so], "loaded": new}}))
"""

NOT_LOADED = {"cattr", "cattrs", "structlog", "asyncio", "pluggy", "importlib.metadata", "socket", "ssl", "logging"}

IMPORT = "import steelyard"
IMPORT_TESTING = "import steelyard.testing"
EVERY_NAME = """
import steelyard
for name in steelyard.__all__:
    getattr(steelyard, name)
"""
ONE_SCORER = """
import steelyard
there = steelyard.create_scorer("there", "d").preprocess(lambda ctx: 1).generate_score(lambda ctx: 1.0)
assert there.run_sync(output="a").score == 1.0
"""


def done(program: str) -> dict[str, Any]:
    """What a fresh interpreter does for this program."""
    told = subprocess.run(
        [sys.executable, "-B", "-W", "error", "-c", WATCHED.format(program=program)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stderr) == (0, "")
    result = json.loads(told.stdout)
    assert isinstance(result, dict)
    return result


@pytest.mark.parametrize("program", [IMPORT, IMPORT_TESTING, EVERY_NAME], ids=["package", "testing", "every name"])
def test_importing_touches_nothing_but_itself_its_dependencies_and_the_standard_library(program: str) -> None:
    result = done(program)
    assert result["odd"] == []
    assert result["changed"] == []


@pytest.mark.parametrize(
    ("program", "needed"),
    # Whoever asks for the doors of an evaluation is about to run one, and would wait for its loop there.
    [(IMPORT, set()), (IMPORT_TESTING, set()), (EVERY_NAME, {"asyncio", "logging", "socket", "ssl"})],
    ids=["package", "testing", "every name"],
)
def test_importing_loads_nothing_that_is_needed_only_later_and_no_plugin(program: str, needed: set[str]) -> None:
    loaded = set(done(program)["loaded"])
    assert "steelyard" in loaded
    assert loaded & NOT_LOADED == needed
    assert {name for name in loaded if name.startswith("steelyard_")} == set()


def test_importing_the_package_loads_none_of_its_rooms() -> None:
    assert {name for name in done(IMPORT)["loaded"] if name.startswith("steelyard.")} == set()


def test_a_scorer_of_plain_functions_runs_without_any_event_loop() -> None:
    loaded = set(done(ONE_SCORER)["loaded"])
    assert "asyncio" not in loaded


def test_the_watch_sees_what_it_watches_for() -> None:
    program = """
import os, threading, socket
os.environ["SEEN"] = "1"
open(os.devnull).close()
import pytest
"""
    result = done(program)
    events = {event for event, _ in result["odd"]}
    assert {"open", "os.putenv"} <= events
    assert "environment" in result["changed"]
    assert "socket" in result["loaded"]
