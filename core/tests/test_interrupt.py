"""Ctrl-C ends an evaluation with the items that are complete, wherever it strikes.

Each test starts a program, waits for its word that the last item is under way, and sends it SIGINT.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="SIGINT is sent to another process, which Windows has not"
)

PROGRAM = """
import asyncio, json, sys, threading, time
from contextlib import asynccontextmanager
from steelyard import Lifecycle, Threshold, arun_evals, create_scorer, run_evals, scorer, stream_evals

ended = []

def ready():
    print("ready", flush=True)

def block():
    ready()
    time.sleep(30)

async def wait():
    try:
        ready()
        await asyncio.sleep(30)
    finally:
        await asyncio.sleep(0)
        ended.append("cleaned up")

@scorer
def there(run):
    return 1.0

def last(given):
    return given == 3

def tell(result):
    print(json.dumps({
        "items": [item.index for item in result.items],
        "total": result.summary.total_items,
        "planned": result.summary.planned_items,
        "interrupted": result.interrupted,
        "why": result.interruption,
        "verdict": result.verdict,
        "score": result.scores.get("there"),
        "ended": ended,
        "errors": result.summary.errors,
        "target_errors": result.summary.target_errors,
    }), flush=True)

data = [{"input": at} for at in range(8)]
options = {"data": data, "target": str, "scorers": [Threshold(there, 0.5)]}
"""

SYNC_TARGET = """
def target(given):
    if last(given):
        block()
    return "a"
options["target"] = target
"""

ASYNC_TARGET = """
async def target(given):
    if last(given):
        await wait()
    return "a"
options["target"] = target
"""

SYNC_SCORER = """
@scorer
def slow(run):
    if run.output == "3":
        block()
    return 1.0
options["scorers"] = [Threshold(there, 0.5), slow]
"""

ASYNC_SCORER = """
@scorer
async def slow(run):
    if run.output == "3":
        await wait()
    return 1.0
options["scorers"] = [Threshold(there, 0.5), slow]
"""

SYNC_GATE = """
@scorer
def slow(run):
    if run.output == "3":
        block()
    return 1.0
options["gates"] = [slow]
"""

SLOW_DATA = """
def stream():
    for item in data[:3]:
        yield item
    block()
options["data"] = stream()
"""

SLOW_ASYNC_DATA = """
async def stream():
    for item in data[:3]:
        yield item
    await wait()
options["data"] = stream()
"""

CALLBACK = """
def note(item, given, result):
    if last(result.index):
        block()
options["on_item_complete"] = note
"""

HERE = "tell(run_evals(**options))"
IN_A_RUNNING_LOOP = """
async def notebook():
    tell(run_evals(**options))

loop = asyncio.new_event_loop()
loop.run_until_complete(notebook())
loop.close()
"""

UNDER_ASYNCIO_RUN = """
async def main():
    tell(run_evals(**options))

try:
    asyncio.run(main())
except KeyboardInterrupt:
    pass
"""


def interrupted(*parts: str, times: int = 1) -> dict[str, Any]:
    """What a program tells of its evaluation after Ctrl-C; it must end well and say nothing else."""
    program = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", "\n".join((PROGRAM, *parts))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        for _ in range(times):
            program.send_signal(signal.SIGINT)
        told, said = program.communicate(timeout=20)
    finally:
        program.kill()
    assert said == ""
    assert program.returncode == 0
    result = json.loads(told.splitlines()[-1])
    assert isinstance(result, dict)
    return result


def complete(result: dict[str, Any], *, side_by_side: bool) -> None:
    """The item that waits is left out, and those before it are there unless they were under way beside it."""
    if side_by_side:
        assert 3 not in result["items"]
        assert result["items"] == sorted(set(result["items"]))
    else:
        assert result["items"] == [0, 1, 2]
    assert result["total"] == len(result["items"])
    assert result["score"] == (1.0 if result["items"] else None)


@pytest.mark.parametrize(
    "door", [HERE, IN_A_RUNNING_LOOP, UNDER_ASYNCIO_RUN], ids=["here", "in a running loop", "under asyncio.run"]
)
@pytest.mark.parametrize(
    "options", ["", "options['timeout'] = 30", "options['concurrency'] = 2"], ids=["plain", "timeout", "concurrency"]
)
@pytest.mark.parametrize("work", [ASYNC_TARGET, ASYNC_SCORER], ids=["target", "scorer"])
def test_ctrl_c_in_async_work_ends_with_the_items_that_are_complete(door: str, options: str, work: str) -> None:
    result = interrupted(work, options, door)
    assert result["interrupted"]
    assert "keyboard" in result["why"]
    assert (result["verdict"], result["planned"]) == (None, 8)
    complete(result, side_by_side="concurrency" in options)
    assert result["ended"] == ["cleaned up"]
    assert (result["errors"], result["target_errors"]) == ({}, 0)


@pytest.mark.parametrize(
    "options", ["", "options['timeout'] = 30", "options['concurrency'] = 2"], ids=["plain", "timeout", "concurrency"]
)
@pytest.mark.parametrize("work", [SYNC_TARGET, SYNC_SCORER, SYNC_GATE], ids=["target", "scorer", "gate"])
def test_ctrl_c_in_sync_work_ends_with_the_items_that_are_complete(options: str, work: str) -> None:
    result = interrupted(work, options, HERE)
    assert result["interrupted"]
    assert (result["verdict"], result["planned"]) == (None, 8)
    complete(result, side_by_side="concurrency" in options)
    assert (result["errors"], result["target_errors"]) == ({}, 0)


@pytest.mark.parametrize("data", [SLOW_DATA, SLOW_ASYNC_DATA], ids=["sync", "async"])
@pytest.mark.parametrize("concurrency", [1, 3])
def test_ctrl_c_while_the_data_keeps_waiting_ends_with_what_came(data: str, concurrency: int) -> None:
    result = interrupted(data, f"options['concurrency'] = {concurrency}", HERE)
    assert (result["interrupted"], result["planned"], result["verdict"]) == (True, None, None)
    complete(result, side_by_side=concurrency > 1)


def test_ctrl_c_in_the_callback_ends_with_the_items_that_are_complete() -> None:
    result = interrupted(CALLBACK, HERE)
    assert (result["interrupted"], result["items"], result["verdict"]) == (True, [0, 1, 2, 3], None)
    assert result["total"] == 4


def test_a_gate_that_has_failed_already_stays_failed_after_ctrl_c() -> None:
    gate = """
@scorer
def never(run):
    return 0.0
options["gates"] = [never]
"""
    assert interrupted(ASYNC_TARGET, gate, HERE)["verdict"] == "failed"


def test_what_was_set_up_is_taken_down_after_ctrl_c() -> None:
    around = """
@asynccontextmanager
async def around(*given):
    try:
        yield
    finally:
        ended.append("taken down")
options["lifecycle"] = Lifecycle(run=around, item=around)
"""
    result = interrupted(ASYNC_TARGET, around, HERE)
    assert result["items"] == [0, 1, 2]
    assert result["ended"][-3:] == ["cleaned up", "taken down", "taken down"]


def test_ctrl_c_passes_through_the_async_doors_as_their_loop_has_it() -> None:
    program = """
async def main():
    try:
        await arun_evals(**options)
    finally:
        print(json.dumps({"cancelled": True, "ended": ended}), flush=True)

try:
    asyncio.run(main())
except KeyboardInterrupt:
    pass
"""
    assert interrupted(ASYNC_TARGET, program) == {"cancelled": True, "ended": ["cleaned up"]}


def test_ctrl_c_passes_through_a_single_scorer() -> None:
    program = """
made = create_scorer("s", "d").generate_score(lambda ctx: block() or 1.0)
try:
    made.run_sync(output="a")
except KeyboardInterrupt:
    print(json.dumps({"passed": True}), flush=True)
"""
    assert interrupted(program) == {"passed": True}
