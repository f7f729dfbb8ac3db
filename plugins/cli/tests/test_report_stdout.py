"""A report that nobody can read is told in one sentence, after the files of results were written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from plugins.cli.tests.command_desk import Desk

posix = pytest.mark.skipif(sys.platform == "win32", reason="shells of Windows cannot close standard output")


def run_in_a_shell(desk: Desk, redirection: str, *flags: str) -> tuple[int, str]:
    return in_a_shell(desk, redirection, "run", "evaluation.toml", "--quiet", *flags)


def in_a_shell(desk: Desk, redirection: str, *words: str) -> tuple[int, str]:
    command = desk.command(*words)
    ran = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *command],
        cwd=desk.folder,
        env=desk.environ(),
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stderr


@posix
@pytest.mark.parametrize(
    ("redirection", "why"),
    [
        pytest.param(
            ">/dev/full",
            "No space left on device",
            marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here"),
        ),
        (">&-", "it is closed"),
    ],
)
def test_a_standard_output_that_takes_nothing_is_told_in_one_sentence(desk: Desk, redirection: str, why: str) -> None:
    desk.gate()
    desk.outputs("sun")
    code, err = run_in_a_shell(desk, redirection, "--json", "out.json", "--csv", "out.csv")
    assert (code, err) == (70, f"Error: standard output could not be written: {why}\n")
    assert json.loads(desk.read("out.json"))["report"]["verdict"] == "passed"
    assert desk.read("out.csv")


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
@pytest.mark.parametrize("word", ["plugins", "scorers", "schema", "--help"])
def test_lists_that_standard_output_does_not_take_are_told_in_one_sentence(desk: Desk, word: str) -> None:
    code, err = in_a_shell(desk, ">/dev/full", word)
    assert (code, err) == (70, "Error: standard output could not be written: No space left on device.\n")


@posix
def test_the_schema_bears_a_closed_standard_output(desk: Desk) -> None:
    assert in_a_shell(desk, ">&-", "schema") == (0, "")


def test_a_file_that_could_not_be_written_is_named(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("steelyard_cli._report.write_json", full)
    desk.gate()
    desk.outputs("sun")
    ran = desk.run("run", "evaluation.toml", "--json", "x.json")
    assert ran.code == 70
    assert f"the json file {desk.folder / 'x.json'} could not be written: No space left on device" in ran.err


@pytest.mark.parametrize("flags", [(), ("--skip-bad",)])
def test_the_json_of_a_run_that_ended_early_says_how_many_items_there_were_to_be(
    desk: Desk, flags: tuple[str, ...]
) -> None:
    desk.gate()
    desk.outputs("sun", "moon", "sun")
    desk.run("run", "evaluation.toml", "--fail-fast", "--json", "x.json", *flags)
    report = json.loads(desk.read("x.json"))["report"]
    assert report["partial"] == "partial 2/3"
    assert report["n_planned"] == 3


def test_data_that_broke_off_are_an_error_in_junit(desk: Desk) -> None:
    desk.write(
        "breaking.py",
        "def items():\n    yield {'input': 'a'}\n    raise OSError('the disk is gone')\n"
        "def answer(question):\n    return 'the sun'\n",
    )
    desk.gate("target = 'python:breaking:answer'", data="python:breaking:items")
    ran = desk.run("run", "evaluation.toml", "--junit", "x.xml")
    assert ran.code == 3
    text = desk.read("x.xml")
    assert '<error type="ended early" message="The run ended early (partial 1/?): ' in text
    assert "held so far, but the run ended early" in text
