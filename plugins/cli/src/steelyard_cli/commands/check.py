"""``steelyard check``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from steelyard_cli.main import Session

if TYPE_CHECKING:
    from steelyard_cli._file.building import Built
    from steelyard_cli._report import Hide


@click.command("check")
@click.argument("file")
@click.option("--skip-bad", is_flag=True, help="Leave out bad lines of the data, and count them.")
@click.option("--debug", is_flag=True, help="Show where an error comes from.")
@click.pass_obj
def command(session: Session, file: str, *, skip_bad: bool, debug: bool) -> int:
    """Find what is wrong with the evaluation that FILE describes, without running it.

    Looked at is everything that can be before a call: keys, what is named and
    its options, and every item: that it is one, and brings what its scorers
    need. Exits with 0 where nothing is wrong, else with 2.
    """
    from steelyard_cli._file.checking import check_composition
    from steelyard_cli._file.places import without_folder
    from steelyard_cli._report import visible
    from steelyard_cli.exit_codes import ExitCode
    from steelyard_cli.opening import opened

    session.debug = session.debug or debug
    with opened(file, session, environ=os.environ) as (built, hide):
        check_composition(built, observers=True)
        faults = list(_faults(built, skip_bad=skip_bad, hide=hide))
    for fault in faults:
        click.echo(visible(hide(without_folder(fault))))
    return ExitCode.REFUSED if faults else ExitCode.PASSED


def _faults(built: Built, *, skip_bad: bool, hide: Hide) -> list[str]:
    """What is wrong with the items, a line each; says what was looked at."""
    from steelyard_cli._data.places import DataFault, Skipped
    from steelyard_cli._file.checking import check_items, doubled_ids
    from steelyard_cli._file.places import without_folder
    from steelyard_cli._report import visible

    items = built.items
    if not items.again:
        click.echo(f"{built.place}: nothing is wrong. Its items come one by one and were not looked at.")
        return []
    bad = Skipped()
    found: list[DataFault] = []
    checked = check_items(built, items.read(bad))
    doubled = list(doubled_ids(items.read(Skipped()), checked)) if checked.doubled else []
    left_out = bad if skip_bad else Skipped()
    bad = Skipped() if skip_bad else bad
    found = sorted([*bad, *checked.faults, *doubled], key=lambda fault: (fault.path, fault.line or 0))
    more = bad.count + checked.n_faults + len(doubled) - len(found)
    if found:
        return [*map(str, found), *([f"and {more} more"] if more else [])]
    if not checked.n_items:
        return [f"{items.name}: there are no items."]
    checked.groups.check(built)
    for fault in left_out:
        click.echo(visible(hide(f"left out: {without_folder(str(fault))}")), err=True)
    number = "1 item" if checked.n_items == 1 else f"{checked.n_items} items"
    without = f"; {left_out.count} bad left out" if left_out.count else ""
    click.echo(f"{built.place}: nothing is wrong ({number}{without}).")
    return []
