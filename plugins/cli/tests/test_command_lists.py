"""`steelyard plugins`, `steelyard scorers` and `steelyard schema`: what there is, and what can be told of it without
running it."""

from __future__ import annotations

import json

import pytest

from plugins.cli.tests.command_desk import Desk, declare
from steelyard import Registry
from steelyard_cli._file.reference_page import page
from steelyard_cli._file.schema import file_schema


@pytest.fixture
def acme(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Packages that bring scorers that work, and some that do not."""
    site = desk.folder / "site"
    monkeypatch.syspath_prepend(site)
    declare(
        site,
        "acme-scorers",
        "[steelyard.scorers]\nbrevity = acme_scorers:brevity\nneedy = acme_scorers:needy\nodd = acme_scorers:odd\n"
        "number = acme_scorers:number\nbroken = acme_missing:scorer\n",
    )
    declare(site, "acme-other", "[steelyard.scorers]\nneedy = acme_scorers:needy\n")
    (site / "acme_scorers.py").write_text(
        "from steelyard import Scale, from_item, scorer\n"
        "def brevity(words: int = 10, *, judge: object = None):\n"
        '    """How long the answer is, in words.\n\n    Score = words - limit. ``words`` is the limit.\n    """\n'
        "    @scorer(id='brevity', scale=Scale(0, 100, direction='lower'))\n"
        "    def check(run):\n        raise SystemExit('run')\n"
        "    return check\n"
        "def odd(thing: complex):\n    raise RuntimeError('no such thing')\n"
        "number = 5\n"
    )
    return desk


def test_plugins_are_listed_without_being_imported(acme: Desk) -> None:
    ran = acme.run("plugins")
    assert ran.code == 0
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert "brevity acme-scorers 1.0 unchecked" in lines
    assert "broken acme-scorers 1.0 unchecked" in lines
    assert "needy acme-other 1.0 clash" in lines
    assert any(line.startswith("includes steelyard-checks ") for line in lines)
    assert {"checks", "readers", "scorers"} <= set(ran.out.splitlines())


def test_plugins_that_are_checked_say_why_they_are_broken_and_end_with_2(acme: Desk) -> None:
    ran = acme.run("plugins", "--check")
    assert ran.code == 2
    lines = ran.out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.split()[:1] == ["broken"])
    assert lines[at].endswith("broken")
    assert "No module named 'acme_missing'" in lines[at + 1]
    assert "is declared by acme-other 1.0 (" in ran.out
    assert " ok\n" in ran.out


def test_every_plugin_of_this_environment_works(desk: Desk) -> None:
    ran = desk.run("plugins", "--check")
    assert ran.code == 0, ran.out


def test_scorers_are_listed_with_what_their_numbers_mean(acme: Desk) -> None:
    said = acme.run("scorers").said
    assert "scorer brevity (brevity) How long the answer is, in words. 0 to 100, lower is better; needs nothing" in said
    assert "check includes (check-includes) Whether the answer contains a text" in said
    assert "scorer odd" in said
    assert "range told by its options" in said
    assert "scorer broken The scorer 'broken' of acme-scorers 1.0 ('acme_missing:scorer') could not be loaded" in said
    assert "scorer number it is no function that makes a scorer, but of type int" in said
    assert "is declared by acme-other" in said


@pytest.mark.parametrize("name", Registry().names("checks"))
def test_everything_is_told_of_each_check(desk: Desk, name: str) -> None:
    ran = desk.run("scorers", name)
    assert ran.code == 0
    assert f"check {name} (check-" in ran.out or name == "not_"
    assert "options:" in ran.out or "It takes no options." in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_options_and_formula_of_one_are_told(acme: Desk) -> None:
    said = acme.run("scorers", "brevity").said
    assert "Score = words - limit." in said
    assert "options: words: a whole number; 10 if left out" in said
    assert "`words` is the limit." in said
    assert "It asks a judge." in said


def test_a_scorer_is_found_by_its_id_too(desk: Desk) -> None:
    assert desk.run("scorers", "check-includes").out == desk.run("scorers", "includes").out


def test_a_name_that_nothing_has_is_told_with_the_closest(desk: Desk) -> None:
    assert "Did you mean 'similarity'?" in desk.run("scorers", "simlarity").fault


@pytest.mark.parametrize("width", [40, 60, 100])
def test_lists_fit_the_width_of_the_terminal(desk: Desk, width: int) -> None:
    ran = desk.run("scorers", env={"COLUMNS": str(width)})
    assert max(map(len, ran.out.splitlines())) <= width


def test_the_schema_is_printed_or_written(desk: Desk) -> None:
    printed = desk.run("schema")
    assert printed.code == 0
    assert json.loads(printed.out) == file_schema(Registry())
    assert desk.run("schema", "--output", "x.json").out == ""
    assert desk.read("x.json") == printed.out


def test_the_reference_page_is_printed_or_written(desk: Desk) -> None:
    assert desk.run("schema", "--markdown").out == page()
    assert desk.run("schema", "--markdown", "--output", "x.md").code == 0
    assert desk.read("x.md") == page()


def test_a_schema_that_cannot_be_written_is_told(desk: Desk) -> None:
    assert desk.run("schema", "--output", "no/such/folder.json").code == 2
