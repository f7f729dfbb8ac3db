"""Every check that a change must pass, one session each; `nox` alone runs lint, types, tests and docs.

What is tested, shown and measured is the built wheels, never the source folders. All installs take their versions from
constraints.txt, and `nox -s constraints` renews that file.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nox

nox.needs_version = ">=2025.5.1"
nox.options.default_venv_backend = "virtualenv"  # it comes with nox, so nothing else has to be there
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False  # a Python that is not there is skipped with a word, on CI too

ROOT = Path(__file__).parent
CONSTRAINTS = "constraints.txt"
DIST = ROOT / "dist"
DISTRIBUTIONS = sorted(
    path.parent for pattern in ("*", "prebuilt/*", "plugins/*") for path in ROOT.glob(f"{pattern}/pyproject.toml")
)
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"

nox.options.sessions = ["lint", "types", f"tests-{RUNNING}" if RUNNING in PYTHONS else "tests", "docs"]


@nox.session
def lint(session: nox.Session) -> None:
    """Style, imports from lower floors only, and nothing in the repository that belongs to one machine."""
    session.install("-c", CONSTRAINTS, *group("lint"))
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("python", "-m", "tools.import_rules")
    session.run("python", "-m", "tools.repository_rules")


@nox.session
def types(session: nox.Session) -> None:
    """Strict types in everything, tests and this file included."""
    session.install("-c", CONSTRAINTS, *group("types"), *runtime_requirements())
    session.run("mypy", *session.posargs)


@nox.session
def wheels(session: nox.Session) -> None:
    """Build the wheel of every distribution into dist/; other sessions ask for it, and one nox command builds once."""
    session.install("-c", CONSTRAINTS, "hatchling")
    shutil.rmtree(DIST, ignore_errors=True)
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(DIST))
    session.run("python", "-m", "pip", "wheel", *options, *map(str, DISTRIBUTIONS))


@nox.session(python=PYTHONS, requires=["wheels"])
def tests(session: nox.Session) -> None:
    """The tests of and across distributions: built wheels, random order, warnings as errors, two processes."""
    install_built(session, "tests")
    session.run("pytest", "-n", "2", "-W", "error", *session.posargs)


@nox.session(requires=["wheels"])
def docs(session: nox.Session) -> None:
    """Run the Python of every page, and know every command that a page tells the reader to type."""
    install_built(session, "docs")
    session.run("python", "-m", "tools.run_docs", *session.posargs)


@nox.session(requires=["wheels"])
def bench(session: nox.Session) -> None:
    """Measure against floors taken in the same run; arguments after -- are the benchmarks' own."""
    install_built(session, "bench")
    session.run("python", "benchmarks/run.py", *session.posargs)


@nox.session(requires=["wheels"])
def demo(session: nox.Session) -> None:
    """Evaluate the support agent, as a Python program and as an evaluation file, and print the verdicts."""
    install_built(session)
    session.run("python", "examples/support_agent", *session.posargs)
    # The recordings hold faults on purpose, so the verdict is "failed" and the exit code 1.
    session.run("steelyard", "run", "examples/support_agent/evaluation.toml", success_codes=[1])


@nox.session(requires=["wheels"])
def constraints(session: nox.Session) -> None:
    """Renew constraints.txt: the newest version of everything that any session installs, as name==version alone."""
    session.install("--upgrade", "hatchling", *group(*workspace()["dependency-groups"]), *map(str, built()))
    listing = str(session.run("python", "-m", "pip", "list", "--format=json", silent=True))
    versions = {row["name"]: row["version"] for row in json.loads(listing[listing.index("[") :].splitlines()[0])}
    came_with_the_environment = {"pip", "setuptools"}
    names = sorted(set(versions) - set(distribution_names()) - came_with_the_environment, key=str.lower)
    head = "# The version of everything that a session of noxfile.py installs; `nox -s constraints` writes this file.\n"
    pins = "".join(f"{name}=={versions[name]}\n" for name in names)
    (ROOT / CONSTRAINTS).write_text(head + pins, encoding="utf-8")


def install_built(session: nox.Session, *groups: str) -> None:
    """Install the built wheels with what they declare, beside the dependency groups."""
    session.install("-c", CONSTRAINTS, *group(*groups), *map(str, built()))
    # An environment that is used again holds an earlier build of the same version, which pip would keep.
    session.run("python", "-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", *map(str, built()))


def built() -> Sequence[Path]:
    return sorted(DIST.glob("*.whl"))


def group(*names: str) -> Sequence[str]:
    return nox.project.dependency_groups(workspace(), *names)


def workspace() -> dict[str, Any]:
    return nox.project.load_toml(ROOT / "pyproject.toml")


def runtime_requirements() -> Sequence[str]:
    """What the distributions declare, without each other."""
    wanted = {requirement for project in projects() for requirement in project["dependencies"]}
    return sorted(one for one in wanted if re.split(r"[^\w.-]", one)[0] not in distribution_names())


def distribution_names() -> Sequence[str]:
    return [project["name"] for project in projects()]


def projects() -> Sequence[dict[str, Any]]:
    return [nox.project.load_toml(folder / "pyproject.toml")["project"] for folder in DISTRIBUTIONS]
