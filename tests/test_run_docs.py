"""What the pages show is run, and what they tell the reader to type exists."""

import textwrap
from pathlib import Path

import pytest

from tools import run_docs
from tools.run_docs import Block, Known, blocks, failures, known_in, program, unknown_commands

KNOWN = Known(Path(), frozenset({"demo", "tests"}), frozenset({"steelyard", "steelyard-checks"}), frozenset({"run"}))


def page(text: str) -> list[Block]:
    return list(blocks(textwrap.dedent(text)))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "noxfile.py").write_text("import nox\n\n@nox.session(python=['3.11'])\ndef tests(session): ...\n")
    for folder, name in ((".", "steelyard"), ("checks", "steelyard-checks")):
        project = tmp_path / "core" if folder == "." else tmp_path / folder
        project.mkdir()
        (project / "pyproject.toml").write_text(f'[project]\nname = "{name}"\n')
        (project / "README.md").write_text("No code.\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("No code.\n")
    return tmp_path


def test_blocks_are_found_with_their_language_and_line() -> None:
    text = """\
        Text.
        ```python
        a = 1

        b = 2
        ```
        ~~~~sh
        nox
        ~~~~
        """
    assert page(text) == [Block("python", 3, "a = 1\n\nb = 2"), Block("sh", 8, "nox")]


def test_a_block_in_a_list_loses_the_indentation_of_the_list() -> None:
    assert page("1. Do\n   ```python\n   if a:\n       b()\n   ```\n") == [Block("python", 3, "if a:\n    b()")]


def test_a_fence_inside_a_longer_fence_is_text() -> None:
    assert page("````text\n```python\nboom\n```\n````\n") == [Block("text", 2, "```python\nboom\n```")]


def test_a_page_becomes_one_program_that_keeps_the_lines_of_the_page() -> None:
    text = "Title\n```python\na = 1\n```\n```toml\nx = 1\n```\n```python\nb = a\n```\n"
    assert program(page(text)).splitlines() == ["", "", "a = 1", "", "", "", "", "", "b = a"]


@pytest.mark.parametrize(
    "command",
    [
        "python3 -m venv .venv && .venv/bin/pip install -q nox && .venv/bin/nox -s demo",
        ".venv/bin/nox -s tests-3.12 demo -- -k judge",
        "nox",
        "nox -l  # what there is",
        "pip install steelyard 'steelyard-checks>=0.1'",
        "git clone https://example.com/steelyard && cd steelyard",
        "steelyard run evaluation.toml",
        "steelyard --version",
        "# a remark alone",
    ],
)
def test_a_command_that_names_what_is_there_is_known(command: str) -> None:
    assert list(unknown_commands(page(f"```sh\n{command}\n```\n"), KNOWN)) == []


@pytest.mark.parametrize(
    "command",
    [
        "nox -s dmeo",
        "nox -s",
        "nox --no-such-option demo",
        "pip install steelyrad",
        "steelyard rnu evaluation.toml",
        "pip install",
        "python examples/none.py",
        "python -c pass",
        "make demo",
        "nox -s demo && make demo",
    ],
)
def test_a_command_that_names_what_is_not_there_is_told_with_its_line(command: str) -> None:
    [told] = unknown_commands(page(f"Text\n```sh\nnox\n{command}\n```\n"), KNOWN)
    assert told.startswith("4: a command that names what is not here")


def test_sessions_and_distributions_are_read_from_the_repository(repository: Path) -> None:
    assert known_in(repository) == Known(repository, frozenset({"tests"}), frozenset({"steelyard", "steelyard-checks"}))


@pytest.mark.parametrize("language", ["py", "Python", "shell", ""])
def test_a_block_that_no_rule_would_look_at_is_a_failure(repository: Path, language: str) -> None:
    readme = repository / "README.md"
    readme.write_text(f"```{language}\n1 / 0\n```\n")
    [told] = failures(readme, known_in(repository))
    assert told.startswith("README.md:2: a block of ")


def test_names_made_in_one_block_are_there_in_the_next(repository: Path) -> None:
    readme = repository / "README.md"
    readme.write_text("```python\nx = 1\n```\nthen\n```python\nassert x == 1\n```\n")
    assert failures(readme, known_in(repository)) == []


@pytest.mark.parametrize("code", ["1 / 0", "import warnings; warnings.warn('old', DeprecationWarning)", "x ="])
def test_code_that_raises_warns_or_does_not_parse_is_a_failure(
    repository: Path, code: str, capfd: pytest.CaptureFixture[str]
) -> None:
    readme = repository / "README.md"
    readme.write_text(f"Text\n```python\n{code}\n```\n")
    assert failures(readme, known_in(repository)) == ["README.md:0: its Python did not run to the end"]
    assert 'README.md.py", line 3' in capfd.readouterr().err


def test_what_a_page_writes_does_not_stay(repository: Path) -> None:
    readme = repository / "README.md"
    readme.write_text("```python\nopen('left-behind', 'w').close()\n```\n")
    failures(readme, known_in(repository))
    assert not list(repository.rglob("left-behind"))


def test_the_command_reads_the_front_page_each_distributions_page_and_the_docs(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository)
    (repository / "docs" / "how-to.md").write_text("```sh\nmake all\n```\n")
    assert run_docs.main([]) == 1
    told = capsys.readouterr().out
    for name in ("README.md", "core/README.md", "checks/README.md", "docs/how-to.md"):
        assert f"docs: {name}\n" in told
    assert "docs/how-to.md:2: a command that names what is not here: make all" in told
    assert run_docs.main(["README.md"]) == 0
