"""Addresses of registries and paths of one machine are found wherever git would carry them.

The offences are put together from pieces, since this file is read by the rules as well.
"""

import subprocess
from pathlib import Path

import pytest

from tools import repository_rules
from tools.repository_rules import Offence, offences, offences_in


def path_of(*names: str) -> str:
    return "/" + "/".join(names)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(("git", "init", "--quiet"), cwd=tmp_path, check=True)
    return tmp_path


@pytest.mark.parametrize("host", repository_rules.REGISTRY_HOSTS)
@pytest.mark.parametrize("line", ["see https://{}/project/x", "index = files.{}", "HOST={}:443", "https://{}".upper()])
def test_the_address_of_a_registry_is_an_offence(host: str, line: str) -> None:
    assert [offence.what for offence in offences_in("a.txt", line.format(host))] == [
        "the address of a package registry"
    ]


def test_the_address_of_an_index_is_an_offence_whatever_its_host() -> None:
    found = list(offences_in("a.txt", "\n" + "https://packages.example" + path_of("root", "simple") + "/"))
    assert Offence("a.txt", 2, "the address of a package index") in found


@pytest.mark.parametrize(
    "line",
    [
        path_of("home", "ada", "notes.txt"),
        f'open("{path_of("Users", "ada")}")',
        f"cd {path_of('work', 'main')} && ls",
        f"`{path_of('root', '.cache')}`",
        f"x={path_of('tmp')}",
        f"echo 1 >{path_of('tmp', 'out')}",
        f"file://{path_of('home', 'ada')}",
        f"path: {path_of('var', 'folders', 'zz')}",
        "C:" + "\\Users\\ada",
        '"C:' + '\\\\Users\\\\ada"',
    ],
)
def test_an_absolute_path_of_a_machine_is_an_offence(line: str) -> None:
    assert list(offences_in("a.txt", line)) == [Offence("a.txt", 1, "an absolute path of a machine")]


@pytest.mark.parametrize(
    "line",
    [
        "#!/usr/bin/env bash",
        "https://example.com/home/page and https://example.com/work/x",
        "docs/home/index.md, ./home/x, ../home/x, ~/home/x",
        "$HOME/home/x, ${root}/home/x, {folder}/home/x",
        "reading and" + path_of("or home, 3") + path_of("homes"),
        ", ".join(path_of(longer, "x") for longer in ("template", "workers", "rooted")),
        "a dotted name that only begins like a registry's, "
        + ".".join(("pypi", "organic", "example"))
        + ", and crates",
    ],
)
def test_relative_paths_addresses_of_pages_and_longer_words_are_no_offence(line: str) -> None:
    assert list(offences_in("a.txt", line)) == []


def test_an_offence_is_reported_with_its_file_and_line(repository: Path) -> None:
    folder = repository / "docs"
    folder.mkdir()
    (folder / "page.md").write_text(f"fine\n\nlook in {path_of('home', 'ada')}\n")
    assert [str(offence) for offence in offences(repository)] == ["docs/page.md:3: an absolute path of a machine"]


def test_files_that_git_keeps_and_files_that_it_would_take_in_are_read(repository: Path) -> None:
    for name in ("kept.txt", "new.txt", "ignored.txt"):
        (repository / name).write_text(path_of("home", "ada"))
    (repository / ".gitignore").write_text("ignored.txt\n")
    subprocess.run(("git", "add", "kept.txt"), cwd=repository, check=True)
    assert [offence.path for offence in offences(repository)] == ["kept.txt", "new.txt"]


def test_names_in_any_script_are_read(repository: Path) -> None:
    (repository / "größe 大小.txt").write_text(path_of("home", "ada"))
    assert [offence.path for offence in offences(repository)] == ["größe 大小.txt"]


def test_a_link_to_a_folder_of_the_machine_is_an_offence(repository: Path) -> None:
    (repository / "link").symlink_to(path_of("home", "ada"))
    assert [offence.path for offence in offences(repository)] == ["link"]


def test_a_file_that_is_no_text_is_not_read(repository: Path) -> None:
    (repository / "image.png").write_bytes(b"\x89PNG\0" + path_of("home", "ada").encode())
    assert offences(repository) == []


def test_a_file_that_was_deleted_but_not_yet_from_git_is_no_error(repository: Path) -> None:
    gone = repository / "gone.txt"
    gone.write_text("once")
    subprocess.run(("git", "add", "gone.txt"), cwd=repository, check=True)
    gone.unlink()
    assert offences(repository) == []


def test_a_lock_file_with_addresses_stays_out(repository: Path) -> None:
    (repository / repository_rules.LOCK_FILE).write_text("version = 1\n")
    assert [(offence.path, offence.line) for offence in offences(repository)] == [(repository_rules.LOCK_FILE, 0)]


def test_the_command_fails_when_there_is_an_offence_and_only_then(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository)
    assert repository_rules.main() == 0
    (repository / "a.txt").write_text(path_of("home", "ada"))
    assert repository_rules.main() == 1
    assert "a.txt:1: an absolute path of a machine" in capsys.readouterr().out
