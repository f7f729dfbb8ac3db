"""The code in the pages is true: Python blocks run, and every command that a reader is told to type is known.

`python -m tools.run_docs [PAGE ...]` takes README.md, the README of each distribution and docs/, or the pages that are
named. A page's Python blocks run from top to bottom as one program, in an empty folder, with warnings as errors. A `sh`
block may hold only commands that name what is there: sessions of noxfile.py, distributions of the workspace, scripts of
the repository.
"""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

LANGUAGES = frozenset({"python", "sh", "toml", "json", "yaml", "text"})
DISTRIBUTIONS = ("*", "prebuilt/*", "plugins/*")
_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<language>[^`]*)$")


class Block(NamedTuple):
    """A fenced block; `line` is where its first line of code is, counted from 1."""

    language: str
    line: int
    code: str


class Known(NamedTuple):
    """What a command in a page may name."""

    root: Path
    sessions: frozenset[str]
    distributions: frozenset[str]
    commands: frozenset[str] = frozenset()


def blocks(text: str) -> Iterator[Block]:
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        opening = _FENCE.match(lines[number])
        number += 1
        if opening is None:
            continue
        first = number
        closing = re.compile(rf"^ *{re.escape(opening['fence'][0])}{{{len(opening['fence'])},}} *$")
        while number < len(lines) and not closing.match(lines[number]):
            number += 1
        code = textwrap.dedent("\n".join(lines[first:number]))
        yield Block(opening["language"].strip(), first + 1, code)
        number += 1


def program(page: Sequence[Block]) -> str:
    """The page's Python blocks as one program in which every line keeps the number it has in the page."""
    lines: list[str] = []
    for block in page:
        if block.language == "python":
            lines.extend([""] * (block.line - 1 - len(lines)))
            lines.extend(block.code.splitlines())
    return "\n".join(lines) + "\n"


def unknown_languages(page: Sequence[Block]) -> Iterator[str]:
    """A misspelt language would keep a block from being run, so each must be one of the known."""
    for block in page:
        if block.language not in LANGUAGES:
            said = block.language or "no language"
            yield f"{block.line}: a block of {said}; say one of {', '.join(sorted(LANGUAGES))}"


def unknown_commands(page: Sequence[Block], known: Known) -> Iterator[str]:
    for block in page:
        if block.language == "sh":
            for offset, line in enumerate(block.code.replace("\\\n", "  ").splitlines()):
                for command in re.split(r"&&|\|\||;", line):
                    words = shlex.split(command, comments=True)
                    if words and not _is_known(words, known):
                        yield f"{block.line + offset}: a command that names what is not here: {command.strip()}"


def _is_known(words: Sequence[str], known: Known) -> bool:
    tool = words[0].removeprefix(".venv/bin/")
    arguments = words[1:]
    match tool, *arguments:
        case ["git", "clone", *_] | ["cd", _]:
            return True
        case ["python3" | "python" | "python3.11", "-m", "venv", ".venv"]:
            return True
        case ["python3" | "python", "-m", "pip", *rest]:
            return _is_known(["pip", *rest], known)
        case ["python3" | "python", script, *_]:
            return not script.startswith("-") and (known.root / script).exists()
        case ["pip", "install", *rest]:
            wanted = [re.split(r"[\[<>=~!]", word)[0] for word in rest if not word.startswith("-")]
            return bool(wanted) and all(name in known.distributions | {"nox"} for name in wanted)
        case ["nox", *rest]:
            return _names_sessions(rest, known.sessions)
        case ["steelyard", command, *_]:
            return command in known.commands or command.startswith("--")
        case ["pytest", *rest]:
            return all(word.startswith("-") or (known.root / word.split("::")[0]).exists() for word in rest)
        case _:
            return False


def _names_sessions(arguments: Sequence[str], sessions: frozenset[str]) -> bool:
    own = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    match own:
        case [] | ["-l"]:
            return True
        case ["-s" | "-rs" | "-Rs", _, *_]:
            return sessions.issuperset(re.sub(r"-3\.\d+$", "", word) for word in own[1:])
        case _:
            return False


def known_in(root: Path) -> Known:
    projects = [path for depth in DISTRIBUTIONS for path in root.glob(f"{depth}/pyproject.toml")]
    names = frozenset(tomllib.loads(path.read_text(encoding="utf-8"))["project"]["name"] for path in projects)
    commands = frozenset(path.stem for path in root.glob("plugins/cli/src/steelyard_cli/commands/[!_]*.py"))
    return Known(root, frozenset(_sessions((root / "noxfile.py").read_text(encoding="utf-8"))), names, commands)


def _sessions(noxfile: str) -> Iterator[str]:
    for node in ast.parse(noxfile).body:
        if isinstance(node, ast.FunctionDef):
            marks = (mark.func if isinstance(mark, ast.Call) else mark for mark in node.decorator_list)
            if any(ast.unparse(mark) == "nox.session" for mark in marks):
                yield node.name


def pages(root: Path) -> list[Path]:
    own = [path.parent / "README.md" for depth in DISTRIBUTIONS for path in root.glob(f"{depth}/pyproject.toml")]
    return [root / "README.md", *sorted(own), *sorted((root / "docs").rglob("*.md"))]


def failures(page: Path, known: Known) -> list[str]:
    """What is untrue in the page, a line each; the output of its program goes where this one's goes."""
    found = list(blocks(page.read_text(encoding="utf-8")))
    wrong = [*unknown_languages(found), *unknown_commands(found, known)]
    if any(block.language == "python" for block in found) and not _runs(program(found), page.name):
        wrong.append("0: its Python did not run to the end")
    return [f"{page.relative_to(known.root).as_posix()}:{line}" for line in wrong]


def _runs(code: str, name: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty")
        empty.mkdir()
        script = Path(folder, f"{name}.py")
        script.write_text(code, encoding="utf-8")
        return subprocess.run([sys.executable, "-W", "error", str(script)], cwd=empty, check=False).returncode == 0


def main(arguments: Sequence[str]) -> int:
    root = Path.cwd()
    known = known_in(root)
    chosen = [Path(argument).resolve() for argument in arguments] or pages(root)
    wrong: list[str] = []
    for page in chosen:
        print(f"docs: {page.relative_to(root).as_posix()}", flush=True)
        wrong.extend(failures(page, known))
    print("\n".join(wrong) if wrong else f"docs: {len(chosen)} pages are true")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
