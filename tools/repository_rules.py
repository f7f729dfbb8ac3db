"""What must never be in the repository: the address of a package registry, or the path of a folder of one machine.

`python -m tools.repository_rules` reads every file that git keeps or would take in, prints the offences as path:line,
and exits with 1 when there are any.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# Put together from pieces: this file obeys its own rules.
REGISTRY_HOSTS = tuple(
    ".".join(pieces)
    for pieces in (
        ("pypi", "org"),
        ("pypi", "python", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("anaconda", "org"),
        ("crates", "io"),
        ("rubygems", "org"),
        ("proxy", "golang", "org"),
        ("deb", "debian", "org"),
        ("archive", "ubuntu", "com"),
    )
)
MACHINE_FOLDERS = ("home", "Users", "root", "work", "tmp", "mnt", "var/folders")
LOCK_FILE = ".".join(("uv", "lock"))

_HOST = re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, REGISTRY_HOSTS)) + r")(?![\w-])", re.IGNORECASE)
_INDEX = re.compile(r"\b(?:https?|file)://[^\s\"'<>)]*/simple\b", re.IGNORECASE)
# A path begins at a slash with no name, dot, variable or end of quoted code before it.
_PATH = re.compile(
    r"(?:file://|(?<![\w.~*}\])/]))/(?:(?:" + "|".join(MACHINE_FOLDERS) + r")/[\w.-]|tmp\b)|\b[A-Za-z]:\\{1,2}Users\\"
)
RULES = (
    ("the address of a package registry", _HOST),
    ("the address of a package index", _INDEX),
    ("an absolute path of a machine", _PATH),
)


class Offence(NamedTuple):
    """One place that breaks a rule; `line` counts from 1, and is 0 where the file itself is the offence."""

    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


def offences_in(path: str, text: str) -> Iterator[Offence]:
    for number, line in enumerate(text.splitlines(), start=1):
        for what, pattern in RULES:
            if pattern.search(line):
                yield Offence(path, number, what)


def offences(root: Path) -> list[Offence]:
    """All offences in the repository at `root`, by file and line; files that are not text are not read."""
    found: list[Offence] = []
    for name in files(root):
        path = root / name
        if path.name == LOCK_FILE:
            found.append(Offence(name, 0, f"{LOCK_FILE} holds addresses; it stays out of git"))
        elif path.is_symlink():
            found.extend(offences_in(name, str(path.readlink())))
        elif path.is_file():
            content = path.read_bytes()
            if b"\0" not in content:
                found.extend(offences_in(name, content.decode("utf-8", errors="replace")))
    return found


def files(root: Path) -> list[str]:
    """The files that git keeps and those that the next commit could take in, named from `root`."""
    command = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    listing = subprocess.run(command, cwd=root, check=True, capture_output=True).stdout.decode("utf-8")
    return sorted({name for name in listing.split("\0") if name})


def main() -> int:
    found = offences(Path.cwd())
    for offence in found:
        print(offence)
    print(f"repository rules: {len(found)} offences" if found else "repository rules: kept")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
