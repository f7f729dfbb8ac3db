"""The command itself: help, commands of other packages, and what becomes of errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from plugins.cli.tests.command_desk import Desk, declare
from steelyard_cli.main import OWN, cli


def test_help_names_every_command_and_each_has_a_help_of_its_own(desk: Desk) -> None:
    ran = desk.run("--help")
    assert ran.code == 0
    for name, about in OWN.items():
        assert name in ran.out
        assert about.split()[0] in ran.out
        assert desk.run(name, "--help").code == 0
    assert desk.run("-h").out == ran.out


def test_without_a_command_there_is_help_and_the_code_of_a_wrong_use(desk: Desk) -> None:
    ran = desk.run()
    assert ran.code == 2
    assert "Commands:" in ran.said


def test_the_version_is_told(desk: Desk) -> None:
    ran = desk.run("--version")
    assert (ran.code, ran.out.split()[0]) == (0, "steelyard")


def test_help_loads_nothing_but_click() -> None:
    """Help must come at once, so nothing that only commands need is imported for it."""
    program = (
        "import sys\n"
        "from steelyard_cli.main import cli\n"
        "try:\n    cli(['--help'])\nexcept SystemExit:\n    pass\n"
        "roots = {name.partition('.')[0] for name in sys.modules}\n"
        "print(sorted(roots & {'rich', 'attrs', 'attr', 'steelyard', 'ruamel', 'jsonschema', 'asyncio', 'cattrs'}))\n"
        "print(sorted(name for name in sys.modules if name.startswith('steelyard_cli.')))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2:] == ["[]", "['steelyard_cli.exit_codes', 'steelyard_cli.main']"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("rnu", "x"), "There is no command 'rnu'. Did you mean 'run'?"),
        (("zzz",), "There is no command 'zzz'. There are run, check, schema, scorers, plugins."),
        (("evaluation.toml",), "Did you mean: steelyard run evaluation.toml?"),
        (("run",), "Missing argument 'FILE'"),
        (("run", "x.toml", "--limt", "1"), "No such option"),
        (("run", "x.toml", "--limit"), "requires an argument"),
        (("run", "x.toml", "y.toml"), "unexpected extra argument"),
    ],
)
def test_a_wrong_use_is_told_and_is_2(desk: Desk, arguments: tuple[str, ...], told: str) -> None:
    ran = desk.run(*arguments)
    assert ran.code == 2
    assert told in ran.said
    assert "Traceback" not in ran.said


@pytest.fixture
def others(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Packages with commands of their own."""
    site = desk.folder / "site"
    monkeypatch.syspath_prepend(site)
    declare(
        site,
        "acme-commands",
        "[steelyard.commands]\nview = acme_commands:view\nrun = acme_commands:view\n"
        "broken = acme_missing:view\nodd = acme_commands:odd\n",
    )
    (site / "acme_commands.py").write_text(
        "import click\n"
        "@click.command()\n@click.argument('name')\n@click.pass_context\n"
        "def view(ctx, name):\n"
        "    if name == 'fail':\n        raise ValueError('secret of ' + name)\n"
        "    click.echo(f'viewing {name}')\n    return 1 if name == 'bad' else None\n"
        "odd = 5\n"
    )
    return desk


def test_commands_of_other_packages_are_listed_without_being_imported(others: Desk) -> None:
    ran = others.run("--help")
    assert "Commands of other packages:" in ran.out
    assert "(acme-commands 1.0)" in ran.out
    assert "acme_commands" not in sys.modules


def test_commands_of_other_packages_run_and_ours_go_first(others: Desk) -> None:
    assert others.run("view", "this").out == "viewing this\n"
    assert others.run("view", "bad").code == 1
    assert "FILE" in others.run("run", "--help").out


def test_a_broken_command_of_another_package_breaks_itself_alone(others: Desk) -> None:
    broken = "The command 'broken' of acme-commands 1.0 ('acme_missing:view') could not be loaded"
    assert broken in others.run("broken").fault
    assert "it is no click command, but of type int" in others.run("odd").fault
    assert others.run("--help").code == 0


def test_an_internal_error_is_reported_without_its_message(others: Desk) -> None:
    ran = others.run("view", "fail")
    assert ran.code == 70
    assert ran.err.startswith("Internal error: ValueError (acme_commands, line ")
    assert "secret" not in ran.err
    assert "Traceback" not in ran.err


def test_with_debug_an_internal_error_shows_all(others: Desk) -> None:
    ran = others.run("--debug", "view", "fail")
    assert ran.code == 70
    assert "Traceback" in ran.err
    assert "ValueError: secret of fail" in ran.err


@pytest.mark.parametrize("flag", ["before", "after"])
def test_with_debug_a_refusal_shows_where_it_comes_from(desk: Desk, flag: str) -> None:
    arguments = ["--debug", "run", "missing.toml"] if flag == "before" else ["run", "missing.toml", "--debug"]
    ran = desk.run(*arguments)
    assert ran.code == 2
    assert "Traceback" in ran.err
    assert ran.err.splitlines()[-1] == "Error: missing.toml: there is no such file."


def test_an_interruption_anywhere_is_130(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*given: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("steelyard_cli.opening.load", stopped)
    ran = desk.run("run", "x.toml")
    assert (ran.code, ran.err.strip()) == (130, "Interrupted.")


def test_whoever_calls_the_command_from_python_gets_its_errors(desk: Desk) -> None:
    with pytest.raises(click.UsageError):
        cli.main(["zzz"], standalone_mode=False)


def test_control_characters_of_others_do_not_reach_the_terminal(desk: Desk) -> None:
    desk.write("x.toml", '"\\u001b[31mred\\u0007" = 1\n')
    said = desk.run("run", "x.toml").fault
    assert "\x1b" not in said
    assert "\x07" not in said
    assert "red" in said


def test_the_readme_names_every_command() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    assert [name for name in OWN if f"`steelyard {name}" not in readme] == []
