"""Files that a run writes: never what it reads, never another run's, and known to be writable before a call."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from plugins.cli.tests.command_desk import Desk

FORMS = ("--json", "--jsonl", "--junit", "--markdown", "--csv")
CALLED = "import pathlib\ndef answer(question):\n    pathlib.Path('called').touch()\n    return 'sun'\n"


def target(desk: Desk, *lines: str) -> None:
    """An evaluation whose target leaves a trace where it is called."""
    desk.write("agent_traced.py", CALLED)
    desk.jsonl([{"input": "a"}])
    desk.gate("target = 'python:agent_traced:answer'", *lines)


@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_another_run_writes_is_refused_until_that_run_has_ended(desk: Desk, form: str) -> None:
    desk.write(
        "agent_waiting.py", "def answer(question):\n    print('asked', flush=True)\n    input()\n    return 'sun'\n"
    )
    desk.jsonl([{"input": "a"}])
    desk.gate("target = 'python:agent_waiting:answer'", name="first.toml")
    first = subprocess.Popen(
        desk.command("run", "first.toml", form, "sub/out"),
        cwd=desk.folder,
        env=desk.environ(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert first.stdout is not None
    assert first.stdout.readline() == "asked\n"
    target(desk)
    fault = desk.run("run", "evaluation.toml", form, "sub/out").fault
    assert "sub/out" in fault.replace(os.sep, "/")
    assert "is being written by another run" in fault
    assert not (desk.folder / "called").exists()
    first.communicate("\n")
    assert first.returncode == 0
    assert [each.name for each in (desk.folder / "sub").iterdir()] == ["out"]
    assert desk.run("run", "evaluation.toml", form, "sub/out").code == 0


def test_a_lock_that_a_dead_run_left_keeps_nobody_out(desk: Desk) -> None:
    desk.write("agent_dying.py", "import os\ndef answer(question):\n    os._exit(9)\n")
    desk.jsonl([{"input": "a"}])
    desk.gate("target = 'python:agent_dying:answer'", name="first.toml")
    assert desk.process("run", "first.toml", "--jsonl", "out.jsonl").code == 9
    assert [each for each in desk.folder.iterdir() if each.suffix == ".lock"]
    target(desk)
    assert desk.run("run", "evaluation.toml", "--jsonl", "out.jsonl").code == 0
    assert not [each for each in desk.folder.iterdir() if each.suffix == ".lock"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("evaluation", "name"),
    [
        ("cfg_read.py:EV", "cfg_read.py"),
        ("cfg_read:EV", "cfg_read.py"),
        ("cfg_read.py:EV", "linked"),
        ("cfg_read.py:EV", "agent_traced.py"),
        ("cfg_read.py:EV", "data.jsonl"),
        ("x.toml", "agent_traced.py"),
        ("x.toml", "scorer_read.py"),
        ("x.toml", "beside_read.py"),
        ("x.toml", "data.jsonl"),
        ("x.toml", "x.toml"),
    ],
)
def test_nothing_that_the_evaluation_is_made_of_is_overwritten(
    desk: Desk, form: str, evaluation: str, name: str
) -> None:
    target(desk)
    desk.write("beside_read.py", "WORD = 'sun'\n")
    desk.write(
        "scorer_read.py",
        "from beside_read import WORD\nfrom steelyard import scorer\n"
        "@scorer\ndef warm(run): return float(run.output == WORD)\n",
    )
    desk.write(
        "x.toml",
        "data = 'data.jsonl'\ntarget = 'python:agent_traced:answer'\n[[gates]]\nscorer = 'python:scorer_read:warm'\n",
    )
    desk.write(
        "cfg_read.py",
        "EV = {'data': 'data.jsonl', 'target': 'python:agent_traced:answer',"
        " 'gates': [{'check': 'includes', 'value': 'sun'}]}\n",
    )
    os.link(desk.folder / "cfg_read.py", desk.folder / "linked")
    before = desk.read(name)
    assert "which would be lost" in desk.run("run", evaluation, form, name).fault
    assert desk.read(name) == before
    assert not (desk.folder / "called").exists()


@pytest.mark.parametrize("form", FORMS)
def test_a_dash_is_no_file(desk: Desk, form: str) -> None:
    target(desk)
    ran = desk.run("run", "evaluation.toml", form, "-")
    assert ran.code == 2
    assert "/dev/stdout" in ran.said
    target(desk, f"output.{form.strip('-')} = '-'")
    assert "/dev/stdout" in desk.run("run", "evaluation.toml").fault
    assert not (desk.folder / "-").exists()
    assert not (desk.folder / "called").exists()


def test_a_schema_is_not_written_into_a_dash(desk: Desk) -> None:
    ran = desk.run("schema", "--output", "-")
    assert ran.code == 2
    assert "leave --output out" in ran.said
    assert not (desk.folder / "-").exists()


@pytest.mark.parametrize("form", FORMS)
def test_a_place_that_takes_no_file_is_found_before_a_call(
    desk: Desk, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target(desk)
    real = os.open

    def full(path: str | Path, *rest: int) -> int:
        if str(path).endswith(".lock"):
            raise OSError(30, "Read-only file system")
        return real(path, *rest)

    monkeypatch.setattr("steelyard_cli._file.outputs.os.open", full)
    fault = desk.run("run", "evaluation.toml", form, "new/out").fault
    assert "Read-only file system" in fault
    assert not (desk.folder / "called").exists()
    assert not (desk.folder / "new").exists()


def test_a_folder_that_was_made_for_a_run_that_is_refused_goes_again(desk: Desk) -> None:
    target(desk)
    desk.write("data.jsonl", "not json\n")
    assert "no JSON" in desk.run("run", "evaluation.toml", "--json", "new/deep/out.json").fault
    assert not (desk.folder / "new").exists()
