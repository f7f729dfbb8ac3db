"""The command as a process of its own: what a terminal, a pipe, a locale and Ctrl-C make of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from plugins.cli.tests.command_desk import Desk

ROOT = Path(__file__).parents[3]

WAITING = """
import asyncio
done = 0
async def answer(question):
    global done
    if done == ANSWERS:
        print("waiting", flush=True)
        await asyncio.Event().wait()
    done += 1
    return "the sun"
"""


def interrupt(desk: Desk, *flags: str, answers: int = 3) -> tuple[int, str, str]:
    """Starts the run of an agent that answers so many times and then never, and presses Ctrl-C when it hangs."""
    desk.write("agent_waiting.py", WAITING.replace("ANSWERS", str(answers)))
    desk.jsonl({"input": str(number)} for number in range(10))
    desk.gate("target = 'python:agent_waiting:answer'")
    process = subprocess.Popen(
        desk.command("run", "evaluation.toml", *flags),
        cwd=desk.folder,
        env=desk.environ(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    return process.returncode, out, err


def test_an_interrupted_run_writes_what_it_has_and_ends_with_130(desk: Desk) -> None:
    code, out, err = interrupt(
        desk,
        "--json",
        "out.json",
        "--jsonl",
        "out.jsonl",
        "--junit",
        "out.xml",
        "--markdown",
        "out.md",
        "--csv",
        "out.csv",
    )
    assert code == 130, err
    assert "Traceback" not in err
    assert "partial 3/10" in out
    written = desk.json("out.json")
    assert (written["interrupted"], len(written["items"])) == (True, 3)
    lines = desk.lines("out.jsonl")
    assert [line["kind"] for line in lines] == ["item", "item", "item", "report"]
    assert "partial 3/10" in desk.read("out.md")
    assert desk.read("out.xml")
    assert desk.read("out.csv")


def test_a_run_that_is_interrupted_at_its_first_item_ends_well_too(desk: Desk) -> None:
    code, out, err = interrupt(desk, "--json", "out.json", "--junit", "out.xml", answers=0)
    assert (code, err) == (130, "")
    assert "partial 0/10" in out
    assert desk.json("out.json")["items"] == []


@pytest.mark.parametrize(("answer", "code"), [("the sun", 0), ("the moon", 1)])
def test_a_process_has_the_code_of_its_verdict(desk: Desk, answer: str, code: int) -> None:
    desk.gate()
    desk.outputs(answer)
    ran = desk.process("run", "evaluation.toml")
    assert (ran.code, ran.err) == (code, "")
    assert "\x1b" not in ran.out


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
        {"PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"},
        {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_files_are_utf_8_and_the_terminal_gets_what_it_can_show(desk: Desk, env: dict[str, str]) -> None:
    """B180: and the evaluation file is read as UTF-8 too."""
    desk.write("größe.toml", "name = '大きさ'\ndata = 'データ.jsonl'\n[[gates]]\ncheck = 'includes'\nvalue = '太陽'\n")
    desk.jsonl([{"output": "太陽です"}, {"output": "月です"}], "データ.jsonl")
    ran = desk.process("run", "größe.toml", "--json", "out.json", "--jsonl", "out.jsonl", "--junit", "out.xml", env=env)
    assert ran.code == 1, ran.err
    assert "Traceback" not in ran.err
    for name in ("out.json", "out.jsonl", "out.xml"):
        assert "太陽です" in desk.read(name) or name == "out.xml"
        assert "大きさ" in desk.read(name)
    assert desk.process("check", "größe.toml", env=env).code == 0
    assert desk.process("schema", env=env).code == 0
    assert "größe" in desk.process("run", "missing-größe.toml").err


def test_a_reader_that_goes_away_does_not_change_the_code(desk: Desk) -> None:
    desk.gate()
    desk.outputs("the moon")
    process = subprocess.Popen(
        desk.command("run", "evaluation.toml"), cwd=desk.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), err) == (1, b"")


def test_a_list_whose_reader_goes_away_ends_quietly(desk: Desk) -> None:
    process = subprocess.Popen(desk.command("schema"), cwd=desk.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), err) == (0, b"")


def test_data_may_come_through_a_pipe(desk: Desk) -> None:
    if not hasattr(os, "mkfifo"):  # a system without named pipes has nothing to test here
        return
    os.mkfifo(desk.folder / "pipe.jsonl")
    desk.gate(data="pipe.jsonl")
    writer = subprocess.Popen(
        [sys.executable, "-c", "open('pipe.jsonl', 'w').write('{\"output\": \"the sun\"}\\n' * 3)"], cwd=desk.folder
    )
    ran = desk.process("run", "evaluation.toml", "--limit", "2")
    writer.wait()
    assert ran.code == 0, ran.err
    assert "evaluation: 2 items" in ran.out


def test_the_script_of_the_distribution_is_the_command() -> None:
    from importlib.metadata import entry_points

    [script] = entry_points(group="console_scripts", name="steelyard")
    from steelyard_cli.main import cli

    assert script.load() is cli


def test_the_example_of_the_support_agent_comes_to_what_its_python_comes_to(desk: Desk) -> None:
    folder = ROOT / "examples" / "support_agent"
    ran = desk.process("run", folder / "evaluation.toml", "--json", "out.json")
    assert ran.code == 1, ran.err
    program = (
        "import sys, json, runpy\n"
        f"sys.path.insert(0, {str(folder)!r})\n"
        f"made = runpy.run_path({str(folder / '__main__.py')!r}, run_name='example')\n"
        "from steelyard import result_to_json\n"
        "print(json.dumps(result_to_json(made['recorded']())))\n"
    )
    import json

    expected = json.loads(
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    )
    found = desk.json("out.json")
    for part in ("verdict", "scores", "gate_results", "threshold_results"):
        assert found[part] == expected[part]
    assert [(item["id"], item["status"]) for item in found["items"]] == [
        (item["id"], item["status"]) for item in expected["items"]
    ]
