"""Faults of surroundings in the field: importing does nothing, a running loop is no obstacle, nothing goes online."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard import PromptStep, ScorerRun, create_scorer, run_evals, scorer
from steelyard.testing import ScriptedJudge
from tests.field_log import unaccounted
from tests.reference import needs_reference


def said_by(script: str, *options: str, **environment: str) -> str:
    """What a fresh interpreter prints that runs the script; it must end well and have nothing to complain of."""
    done = subprocess.run(
        [sys.executable, *options, "-W", "error", "-c", script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout.strip()


# -- a running loop ----------------------------------------------------------------------------------------------------


@scorer(id="waits")
async def waits(run: ScorerRun[Any, Any]) -> float:
    await asyncio.sleep(0)
    return 1.0


def plain(run: ScorerRun[Any, Any]) -> float:
    return 1.0


def judged() -> Any:
    return (
        create_scorer("judged", judge=ScriptedJudge(lambda _: "Because."))
        .generate_score(lambda _: 1.0)
        .generate_reason(PromptStep(prompt=lambda _: "Why?"))
    )


async def answer(given: object) -> str:
    await asyncio.sleep(0)
    return f"answer to {given}"


def evaluation_of(made: Any) -> float | None:
    result = run_evals(data=[{"input": 1}, {"input": 2}], target=answer, scorers=[made], concurrency=2, timeout=5)
    average: float | None = result.scores[made.id]
    return average


def one_run_of(made: Any) -> float | None:
    score: float | None = made.run_sync(output="x").score
    return score


SYNC_DOORS: list[Callable[[Any], float | None]] = [evaluation_of, one_run_of]


@pytest.mark.parametrize("door", SYNC_DOORS)
@pytest.mark.parametrize("make", [lambda: waits, lambda: scorer(id="plain")(plain), judged])
def test_a_sync_door_works_within_a_running_loop_and_twice_in_a_row(
    door: Callable[[Any], float | None], make: Callable[[], Any]
) -> None:
    """B206"""
    assert [door(make()), door(make())] == [1.0, 1.0]

    async def cell() -> tuple[list[float | None], bool]:
        loop = asyncio.get_running_loop()
        scores = [door(make()), door(make())]
        await asyncio.sleep(0)  # the caller's loop goes on
        return scores, asyncio.get_running_loop() is loop

    assert asyncio.run(cell()) == ([1.0, 1.0], True)
    assert asyncio.run(cell()) == ([1.0, 1.0], True)


@pytest.mark.parametrize("door", SYNC_DOORS)
def test_a_sync_door_works_from_within_a_scorer_of_another_evaluation(door: Callable[[Any], float | None]) -> None:
    """B206"""

    @scorer(id="outer")
    def outer(run: ScorerRun[Any, Any]) -> float:
        return door(waits) or 0.0

    for options in ({}, {"timeout": 5.0}):
        assert run_evals(data=[{"output": "x"}], scorers=[outer], **options).scores["outer"] == 1.0  # type: ignore[arg-type]


def test_what_a_sync_door_raises_within_a_running_loop_is_what_was_raised() -> None:
    """B206"""

    @scorer(id="broken")
    async def broken(run: ScorerRun[Any, Any]) -> float:
        raise ZeroDivisionError("in the scorer")

    async def cell() -> None:
        with pytest.raises(ZeroDivisionError, match="in the scorer"):
            run_evals(data=[{"output": "x"}], scorers=[broken], on_error="raise")

    asyncio.run(cell())


# -- importing ---------------------------------------------------------------------------------------------------------

UNPATCHED = """
import asyncio, asyncio.events, asyncio.runners, signal, threading, warnings

def state():
    names = {}
    for module in (asyncio, asyncio.events, asyncio.runners, asyncio.base_events, threading, signal, warnings):
        names.update({(module.__name__, name): value for name, value in vars(module).items() if callable(value)})
    for kind in (asyncio.BaseEventLoop, asyncio.Task, asyncio.Future, asyncio.AbstractEventLoop):
        names.update({(kind.__qualname__, name): value for name, value in vars(kind).items()})
    names["policy"] = type(asyncio.get_event_loop_policy())
    names["handlers"] = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    names["excepthook"] = threading.excepthook
    names["filters"] = list(warnings.filters)
    return names

before = state()
import steelyard
from steelyard import *
import steelyard.testing
import steelyard_checks as checks
loaded = state()
run_evals(data=[{"input": 1}], target=lambda given: "x", scorers=[checks.includes("x")], concurrency=2, timeout=5)

async def cell():
    return run_evals(data=[{"output": "x"}], scorers=[checks.includes("x")])

asyncio.run(cell())
ran = state()
print([key for key in before if not (before[key] == loaded[key] == ran[key])], threading.active_count())
"""


def test_neither_importing_nor_running_patches_asyncio_signals_or_threads() -> None:
    """B208"""
    assert said_by(UNPATCHED) == "[] 1"


def test_importing_loads_no_event_loop() -> None:
    """B208"""
    for module in ("steelyard", "steelyard_checks"):
        assert said_by(f"import {module}, sys; print('asyncio' in sys.modules)") == "False"


OFFLINE = """
import sys

FORBIDDEN = "socket.connect socket.getaddrinfo socket.gethostbyname socket.sendto os.putenv subprocess.Popen".split()

def watch(event, arguments):
    if event in FORBIDDEN:
        raise RuntimeError(f"{event}: {arguments}")

sys.addaudithook(watch)
import steelyard_checks as checks
from steelyard import PromptStep, create_scorer, result_to_json, run_evals
from steelyard.testing import ScriptedJudge

judged = (
    create_scorer("judged", judge=ScriptedJudge(lambda _: "Because."))
    .generate_score(lambda _: 1.0)
    .generate_reason(PromptStep(prompt=lambda _: "Why?"))
)
data = [{"input": str(at)} for at in range(3)]
result = run_evals(data=data, target=lambda given: given, scorers=[judged, checks.matches("[01]")], timeout=5)
result_to_json(result)
print(result.scores["judged"], round(result.scores["check-matches"], 2), result.summary.errors)
"""


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"DO_NOT_TRACK": "1"},
        {"STEELYARD_TELEMETRY": "0", "STEELYARD_TELEMETRY_OPT_OUT": "YES", "TELEMETRY_DISABLED": "true"},
        {"CI": "1", "NO_COLOR": "1", "OTEL_SDK_DISABLED": "true"},
    ],
    ids=["none", "do not track", "opt out", "others"],
)
def test_a_run_tells_nobody_of_itself_whatever_is_set(settings: dict[str, str]) -> None:
    """B212"""
    assert said_by(OFFLINE, **settings) == "1.0 0.67 {}"


WITHOUT = """
import sys

sys.modules[{missing!r}] = None
import steelyard, steelyard_checks as checks
from steelyard import ConfigurationError, run_evals

print(run_evals(data=[{{"output": "x"}}], scorers=[checks.includes("x")]).scores["check-includes"])
try:
    {use}
except {error} as error:
    print({missing!r} in str(error))
"""


@pytest.mark.parametrize(
    ("missing", "use", "error"),
    [
        ("regex", 'checks.matches("x")', "ImportError"),
        (
            "cattrs",
            "steelyard.result_to_json(run_evals(data=[{'output': 1}], scorers=[checks.equals('x')]))",
            "ImportError",
        ),
        (
            "pluggy",
            'run_evals(data=[{"output": "x"}], scorers=[checks.equals("x")], observers=[object()])',
            "ImportError",
        ),
    ],
)
def test_a_dependency_that_is_broken_costs_what_needs_it_alone_and_is_named(missing: str, use: str, error: str) -> None:
    """B213"""
    assert said_by(WITHOUT.format(missing=missing, use=use, error=error)).split() == ["1.0", "True"]


PLUGINS = """
import sys
sys.path.insert(0, {folder!r})
import steelyard_checks as checks
from steelyard import BrokenPlugin, Registry, UnknownPlugin, create_scorer, run_evals, PromptStep

print("moved_provider" in sys.modules)
print(run_evals(data=[{{"output": "x"}}], scorers=[checks.includes("x")]).scores["check-includes"])
registry = Registry()
print(registry.names("judges"))
print([(record.name, record.state) for record in registry.listing("judges", check=True)])
for name in ("moved", "absent"):
    try:
        registry.load("judges", name)
    except BrokenPlugin as error:
        print("broken:", "a class was moved" in str(error))
    except UnknownPlugin as error:
        print("unknown:", "moved" in str(error))
made = create_scorer("judged", judge="moved/model").generate_score(lambda _: 1.0)
made = made.generate_reason(PromptStep(prompt=lambda _: "Why?"))
called = []
try:
    run_evals(data=[{{"input": "x"}}], target=called.append, scorers=[made, checks.includes("x")])
except BrokenPlugin as error:
    print(error.reason, called)
"""


def test_a_provider_that_cannot_be_imported_is_the_only_thing_that_is_unavailable(tmp_path: Path) -> None:
    """B213"""
    (tmp_path / "moved_provider.py").write_text('raise ImportError("a class was moved")\n', encoding="utf-8")
    about = tmp_path / "moved_provider-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: moved-provider\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text("[steelyard.judges]\nmoved = moved_provider:judge\n", encoding="utf-8")
    told = said_by(PLUGINS.format(folder=str(tmp_path))).splitlines()
    assert told[:2] == ["False", "1.0"]
    assert "'moved'" in told[2]
    assert "('moved', 'broken')" in told[3]
    assert told[4:6] == ["broken: True", "unknown: True"]
    assert told[6] == "ImportError: a class was moved []"


# -- the end of the program --------------------------------------------------------------------------------------------

ENDING = """
import asyncio, threading
from steelyard import run_evals, scorer

completed = []

@scorer
def stuck(run):
    if run.output == 1:
        threading.Event().wait()
    return 1.0

async def limit(seconds):  # what hangs is the only thing left when the others are done
    while len(completed) < 4:
        await asyncio.sleep(0)

def evaluate():
    data = [{{"output": at}} for at in range(5)]
    count = lambda item, given, scored: completed.append(scored["stuck"].score)
    result = run_evals(
        data=data, scorers=[stuck], concurrency=5, timeout=0.05, sleep=limit, on_item_complete=count
    )
    scores = [item["stuck"].score for item in result.items]
    print(scores, len(completed), result.summary.errors, result.summary.threads_left_behind)

async def cell():
    evaluate()

{call}
"""


@pytest.mark.parametrize("call", ["evaluate()", "asyncio.run(cell())"])
def test_a_program_that_ends_right_after_a_run_has_all_outcomes_and_a_count_of_what_was_left(call: str) -> None:
    """B215: a run comes back when everything is scored; a thread that never returns is counted, and holds up no end."""
    assert said_by(ENDING.format(call=call)) == "[1.0, None, 1.0, 1.0, 1.0] 5 {'stuck': 1} 1"


NOTHING_TO_TEST = (
    ("B210", "There is no plugin for pytest yet, so none that could load itself into a session that does not use it."),
    ("B216", "There is no command line yet, and so no flags."),
    ("B217", "Options are arguments of functions: nothing here reads them from a text of the form key=value."),
)
"""Entries that cannot occur, or that are of what is still to come."""


@needs_reference
def test_every_entry_of_the_section_has_tests_or_a_sentence() -> None:
    assert unaccounted(["Environment"], globals(), NOTHING_TO_TEST) == []
