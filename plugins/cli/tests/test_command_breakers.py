"""Runs that end by a signal, reports of earlier runs, items that nothing measures, numbers and names beyond measure."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

from plugins.cli.tests.command_desk import Desk

GATED = """
data = "data.jsonl"
target = "{target}"
[[gates]]
check = "includes"
value = "sun"
"""

GIVEN = """
data = "data.jsonl"
[[gates]]
check = "includes"
value = {{ from_item = "metadata.must" }}
when_given = true
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM that a process could take")
def test_a_run_that_is_asked_to_end_writes_its_results(desk: Desk) -> None:
    desk.write(
        "waiting.py",
        "import asyncio\n"
        "from pathlib import Path\n"
        "async def answer(question):\n"
        "    if question == 'b':\n"
        "        Path('started').touch()\n"
        "        await asyncio.sleep(60)\n"
        "    return 'the sun'\n",
    )
    desk.write("evaluation.toml", GATED.format(target="python:waiting:answer"))
    desk.write("data.jsonl", '{"input": "a"}\n{"input": "b"}\n')
    command = desk.command("run", "evaluation.toml", "--json", "x.json", "--quiet")
    running = subprocess.Popen(command, cwd=desk.folder, env=desk.environ(), stdout=subprocess.DEVNULL)
    while not (desk.folder / "started").exists() and running.poll() is None:
        time.sleep(0.01)
    running.send_signal(signal.SIGTERM)
    assert running.wait(60) == 130
    assert json.loads(desk.read("x.json"))["report"]["partial"] == "partial 1/2"


def test_the_report_of_an_earlier_run_does_not_outlive_the_start_of_the_next(desk: Desk) -> None:
    desk.write("leaving.py", "import os\ndef answer(question):\n    os._exit(9)\n")
    desk.write("evaluation.toml", GATED.format(target="python:leaving:answer"))
    desk.write("data.jsonl", '{"input": "a"}\n')
    desk.write("x.json", '{"verdict": "passed"}')
    command = desk.command("run", "evaluation.toml", "--json", "x.json", "--quiet")
    assert subprocess.run(command, cwd=desk.folder, env=desk.environ(), check=False).returncode == 9
    assert not (desk.folder / "x.json").exists()


def test_a_target_that_ends_the_generator_around_it_is_no_failed_verdict(desk: Desk) -> None:
    desk.write("closing.py", "def answer(question):\n    raise GeneratorExit\n")
    desk.write("evaluation.toml", GATED.format(target="python:closing:answer"))
    desk.write("data.jsonl", '{"input": "a"}\n')
    ran = desk.run("run", "evaluation.toml")
    assert ran.code == 70
    assert "GeneratorExit (closing, line 2)" in ran.err


def test_an_item_that_no_gate_is_for_is_unmeasured_and_no_fault(desk: Desk) -> None:
    desk.write("evaluation.toml", GIVEN.format())
    desk.write("data.jsonl", '{"output": "the sun", "metadata": {"must": "sun"}}\n{"id": "other", "output": "x"}\n')
    assert desk.run("check", "evaluation.toml").code == 0
    ran = desk.run("run", "evaluation.toml", "--json", "x.json")
    assert ran.code == 0
    assert "1 passed, 1 unmeasured" in ran.out
    assert json.loads(desk.read("x.json"))["summary"]["bad_items"] == 0


@pytest.mark.parametrize("command", ["check", "run"])
def test_data_that_no_gate_is_for_at_all_are_refused(desk: Desk, command: str) -> None:
    desk.write("evaluation.toml", GIVEN.format())
    desk.write("data.jsonl", '{"output": "x"}\n')
    ran = desk.run(command, "evaluation.toml")
    assert ran.code == 2
    assert "no gate or scorer is for any of the items" in ran.err


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_number_beyond_every_float_is_refused(desk: Desk, command: str) -> None:
    bound = f"[[scorers]]\ncheck = 'includes'\nvalue = 'x'\nmin = 1{'0' * 400}\n"
    desk.write("evaluation.toml", GIVEN.format() + bound)
    desk.outputs("sun")
    ran = desk.run(command, "evaluation.toml")
    assert ran.code == 2
    assert "expected a number" in ran.err


@pytest.mark.parametrize(
    "words",
    [("run", f"{'x' * 300}.toml"), ("check", f"{'x' * 300}.toml"), ("run", "evaluation.toml", "--json", "x" * 300)],
)
def test_names_that_no_file_can_have_are_refused(desk: Desk, words: tuple[str, ...]) -> None:
    desk.gate()
    desk.outputs("sun")
    ran = desk.run(*words)
    assert ran.code == 2
    assert "the name is too long for a file" in ran.err
