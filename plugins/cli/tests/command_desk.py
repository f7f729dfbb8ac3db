"""A folder to work in, and the command as somebody there would run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen
from click.testing import CliRunner

from steelyard import EvalResult, run_evals
from steelyard_cli._file.building import Built
from steelyard_cli.main import cli


def outcome(built: Built, data: Sequence[object] | None = None) -> EvalResult:
    """What an evaluation that was built comes to, over its own items or these."""
    items = [located.item for located in built.items.read()] if data is None else data
    options: Any = {**built.options, "data": items}
    return run_evals(**options)


def declare(site: Path, name: str, entry_points: str) -> None:
    """Puts a distribution with these entry points into a folder of packages."""
    folder = site / f"{name.replace('-', '_')}-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(entry_points)


@frozen
class Ran:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """All that was said, in one line."""
        return " ".join(f"{self.out}\n{self.err}".split())

    @property
    def fault(self) -> str:
        """The one sentence of a refusal; anything else fails the test."""
        assert self.code == 2, (self.code, self.said)
        assert "Traceback" not in self.said
        assert self.out == ""
        assert self.err.startswith("Error: ")
        return " ".join(self.err.removeprefix("Error: ").split())


@frozen
class Desk:
    """A folder, which is the working directory."""

    folder: Path

    def write(self, name: str, content: str | bytes) -> Path:
        """A new file that holds exactly this, in UTF-8."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    def jsonl(self, rows: Iterable[Mapping[str, Any]], name: str = "data.jsonl") -> Path:
        """A data file with these rows."""
        return self.write(name, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))

    def outputs(self, *texts: str) -> Path:
        """A data file with recorded outputs."""
        return self.jsonl({"output": text} for text in texts)

    def gate(self, *lines: str, data: str = "data.jsonl", name: str = "evaluation.toml") -> Path:
        """An evaluation of recorded outputs with one gate: that they include "sun"; ``lines`` come before it."""
        head = "\n".join((f"data = '{data}'", *lines))
        return self.write(name, f'{head}\n[[gates]]\ncheck = "includes"\nvalue = "sun"\n')

    def read(self, name: str) -> str:
        """What a file holds; it must be UTF-8."""
        return (self.folder / name).read_text(encoding="utf-8")

    def json(self, name: str) -> Any:
        """The JSON that a file holds."""
        return json.loads(self.read(name))

    def lines(self, name: str) -> list[Any]:
        """The JSON of each line of a file."""
        return [json.loads(line) for line in self.read(name).splitlines()]

    def run(self, *arguments: str | Path, env: Mapping[str, str] | None = None) -> Ran:
        """The command in this process."""
        result = CliRunner().invoke(cli, [str(each) for each in arguments], env=env)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ran(result.exit_code, result.stdout, result.stderr)

    def process(self, *arguments: str | Path, env: Mapping[str, str] | None = None) -> Ran:
        """The command in a process of its own; what it says is taken as UTF-8."""
        done = subprocess.run(self.command(*arguments), cwd=self.folder, env=self.environ(env), capture_output=True)
        out, err = (said.decode("utf-8", "replace") for said in (done.stdout, done.stderr))
        return Ran(done.returncode, out, err)

    def command(self, *arguments: str | Path) -> list[str]:
        """What to start for a process of its own."""
        return [sys.executable, "-W", "error", "-m", "steelyard_cli", *map(str, arguments)]

    def environ(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The environment of this process and what is given."""
        return {**os.environ, **(more or {})}
