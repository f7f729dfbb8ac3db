"""What every distribution of the workspace promises in common."""

import importlib
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = sorted(
    path.parent.relative_to(ROOT).as_posix()
    for depth in ("*", "prebuilt/*", "plugins/*")
    for path in ROOT.glob(f"{depth}/pyproject.toml")
)


def declared(path: str) -> Any:
    return tomllib.loads((ROOT / path / "pyproject.toml").read_text(encoding="utf-8"))


def project(folder: str) -> Any:
    return declared(folder)["project"]


def package(folder: str) -> Path:
    [found] = (path for path in (ROOT / folder / "src").iterdir() if not path.name.startswith((".", "__")))
    return found


def files(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_there_are_distributions() -> None:
    assert {"core", "checks"} <= set(FOLDERS)


def test_all_distributions_share_one_version() -> None:
    assert len({project(folder)["version"] for folder in FOLDERS}) == 1


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_distribution_is_named_after_what_it_imports_as_and_is_typed(folder: str) -> None:
    assert package(folder).name == project(folder)["name"].replace("-", "_")
    assert (package(folder) / "py.typed").is_file()


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_distribution_tells_its_reader_why_each_dependency_is_there(folder: str) -> None:
    readme = (ROOT / folder / "README.md").read_text(encoding="utf-8")
    for requirement in project(folder)["dependencies"]:
        assert f"**{re.split('[<>=]', requirement)[0]}**" in readme


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_distribution_runs_from_python_3_11_under_the_mit_license(folder: str) -> None:
    assert (project(folder)["requires-python"], project(folder)["license"]) == (">=3.11", "MIT")


@pytest.mark.parametrize("folder", [folder for folder in FOLDERS if folder != "core"])
def test_what_is_built_on_the_core_takes_the_releases_that_are_compatible_with_this_one(folder: str) -> None:
    major, minor, _ = map(int, project("core")["version"].split("."))
    low, high = (f"0.{minor}", f"0.{minor + 1}") if major == 0 else (f"{major}", f"{major + 1}")
    assert f"steelyard>={low},<{high}" in project(folder)["dependencies"]


def test_the_core_brings_four_packages_and_no_extra() -> None:
    names = [re.split("[<>=]", requirement)[0] for requirement in project("core")["dependencies"]]
    assert names == ["attrs", "cattrs", "pluggy", "structlog"]
    assert "optional-dependencies" not in project("core")


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_is_installed_holds_every_file_of_the_sources_and_no_other(folder: str) -> None:
    source = package(folder)
    installed = importlib.import_module(source.name).__file__
    assert installed is not None
    assert files(Path(installed).parent) == files(source)


def test_the_workspace_lists_every_distribution_wherever_a_tool_needs_it() -> None:
    tools = declared(".")["tool"]
    assert sorted(tools["uv"]["workspace"]["members"]) == FOLDERS
    for folder in FOLDERS:
        assert f"{folder}/src" in tools["ruff"]["src"]
        assert f"$MYPY_CONFIG_FILE_DIR/{folder}/src" in tools["mypy"]["mypy_path"]
        assert f"{folder}/tests" in tools["pytest"]["ini_options"]["testpaths"]


def test_constraints_are_versions_alone() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert pins
    assert [line for line in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9A-Za-z.!+]+", line)] == []
