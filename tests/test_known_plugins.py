"""The table that says which distribution gives which name holds what the distributions of this repository declare."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

from steelyard._plugins.known import KINDS, KNOWN, Plugin
from steelyard._plugins.registry import Registry

ROOT = Path(__file__).parents[1]
PROJECTS = {
    project["name"]: project
    for pattern in ("*", "prebuilt/*", "plugins/*")
    for path in ROOT.glob(f"{pattern}/pyproject.toml")
    for project in [tomllib.loads(path.read_text(encoding="utf-8"))["project"]]
}
TABLE = {(kind, name, distribution) for kind, names in KNOWN.items() for name, distribution in names.items()}


def claims(plugins: Iterable[Plugin]) -> set[tuple[str, str, str]]:
    return {(plugin.kind, plugin.name, plugin.distribution) for plugin in plugins if plugin.distribution in PROJECTS}


def test_the_table_holds_what_the_projects_declare_and_nothing_else() -> None:
    declared = {
        (group.removeprefix("steelyard."), name, distribution)
        for distribution, project in PROJECTS.items()
        for group, names in project.get("entry-points", {}).items()
        if group.startswith("steelyard.")
        for name in names
    }
    assert declared == TABLE
    assert set(KNOWN) <= set(KINDS)


def test_the_table_holds_what_the_installed_distributions_declare_and_nothing_else() -> None:
    assert claims(Registry().listing()) == TABLE


@pytest.mark.parametrize(("kind", "name", "distribution"), sorted(TABLE))
def test_every_plugin_of_ours_can_be_loaded(kind: str, name: str, distribution: str) -> None:
    registry = Registry()
    known = next(known for known in KINDS if known == kind)
    assert registry.find(known, name).distribution == distribution
    assert callable(registry.load(known, name))
