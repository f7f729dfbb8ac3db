"""Who may import whom: a room of the core only from floors under it, every other distribution only what is public.

`python -m tools.import_rules` reads the sources of every distribution and the examples, prints the offences as
path:line, and exits with 1 when there are any. Imports inside functions and for type checking count like any other.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

CORE = "steelyard"
TESTING = "testing"
# From the ground up: what a room of the core may import beside itself.
FLOORS: dict[str, frozenset[str]] = {
    "_model": frozenset(),
    "_judging": frozenset({"_model"}),
    "_plugins": frozenset({"_model"}),
    "_scoring": frozenset({"_model", "_judging", "_plugins"}),
    "_running": frozenset({"_model", "_judging", "_plugins", "_scoring"}),
    "_wire": frozenset({"_model", "_judging", "_plugins", "_scoring", "_running"}),
}


class Offence(NamedTuple):
    """One import that breaks a rule; `line` counts from 1."""

    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


class Import(NamedTuple):
    """One dotted name that a module asks for, be it a module or something in one."""

    line: int
    target: str


def offences(root: Path) -> list[Offence]:
    """All offences in the workspace at `root`, by file and line."""
    found: list[Offence] = []
    for source in sorted(folder for depth in ("*", "*/*") for folder in root.glob(f"{depth}/src")):
        for path in sorted(source.rglob("*.py")):
            module = path.relative_to(source).with_suffix("").parts
            found.extend(_judged(root, path, module, in_source=True))
    for path in sorted((root / "examples").rglob("*.py")):
        found.extend(_judged(root, path, path.relative_to(root).with_suffix("").parts, in_source=False))
    return found


def _judged(root: Path, path: Path, module: tuple[str, ...], *, in_source: bool) -> Iterator[Offence]:
    place = path.relative_to(root).as_posix()
    for line, target in imports(path.read_text(encoding="utf-8"), module):
        within_core = module[0] == CORE
        what = _wrong_in_core(module, target) if within_core else _wrong_outside(module, target, in_source=in_source)
        if what:
            yield Offence(place, line, what)


def imports(text: str, module: tuple[str, ...]) -> Iterator[Import]:
    """What the module's text imports, with relative names resolved; `module` ends in `__init__` for a package."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=names):
                yield from (Import(node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=name, names=names, level=level):
                base = [*module[: len(module) - level], *([name] if name else [])] if level else [name or ""]
                yield from (Import(node.lineno, ".".join([*base, alias.name])) for alias in names)
            case ast.Call(func=ast.Attribute(attr="import_module") | ast.Name(id="import_module"), args=args):
                yield from _named_in_a_call(node.lineno, args, module)
            case _:
                pass


def _named_in_a_call(line: int, args: list[ast.expr], module: tuple[str, ...]) -> Iterator[Import]:
    match args:
        case [ast.Constant(value=str(name)), *_]:
            level = len(name) - len(name.lstrip("."))
            base = module[: len(module) - level] if level else ()
            yield Import(line, ".".join([*base, name.lstrip(".")]))
        case _:
            pass


def _wrong_in_core(module: tuple[str, ...], target: str) -> str | None:
    parts = target.split(".")
    here = module[1]
    if parts[0] != CORE:
        return f"{here} imports {parts[0]}, which is built on the core" if parts[0].startswith(CORE) else None
    there = next((part for part in parts[1:2] if part == TESTING or part.startswith("_")), None)
    if here in (TESTING, there):
        return None
    if there == TESTING:
        return f"{here} imports {CORE}.{TESTING}, which nothing may import"
    if here == "__init__":
        return None
    if here not in FLOORS:
        return f"{here} is no room that tools/import_rules.py knows"
    if there is None:
        return f"{here} imports through the door of the package ({target}): name the room it is in"
    if there not in FLOORS[here]:
        return f"{here} imports {there}, which is not on a floor under it"
    return None


def _wrong_outside(module: tuple[str, ...], target: str, *, in_source: bool) -> str | None:
    parts = target.split(".")
    if not parts[0].startswith(CORE) or parts[0] == module[0]:
        return None
    if in_source and parts[:2] == [CORE, TESTING]:
        return f"{module[0]} imports {CORE}.{TESTING}, which is for tests"
    if any(part.startswith("_") and not part.startswith("__") for part in parts[1:]):
        return f"{module[0]} imports {target}, which is private"
    return None


def main() -> int:
    found = offences(Path.cwd())
    for offence in found:
        print(offence)
    print(f"import rules: {len(found)} offences" if found else "import rules: kept")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
