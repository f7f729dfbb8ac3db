"""``steelyard check``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from steelyard_cli.main import Session

if TYPE_CHECKING:
    from steelyard_cli._file.building import Built


@click.command("check")
@click.argument("file")
@click.option("--debug", is_flag=True, help="Show where an error comes from.")
@click.pass_obj
def command(session: Session, file: str, *, debug: bool) -> int:
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
        faults = list(_faults(built))
    for fault in faults:
        click.echo(visible(hide(without_folder(fault))))
    return ExitCode.REFUSED if faults else ExitCode.PASSED


def _faults(built: Built) -> list[str]:
    """What is wrong with the items, a line each; says what was looked at."""
    from steelyard_cli._data.places import DataFault, Skipped
    from steelyard_cli._file.checking import check_items, doubled_ids

    items = built.items
    if not items.again:
        click.echo(f"{built.place}: nothing is wrong. Its items come one by one and were not looked at.")
        return []
    bad = Skipped()
    found: list[DataFault] = []
    checked = check_items(built, items.read(bad))
    doubled = list(doubled_ids(items.read(Skipped()), checked)) if checked.doubled else []
    found = sorted([*bad, *checked.faults, *doubled], key=lambda fault: (fault.path, fault.line or 0))
    more = bad.count + checked.n_faults + len(doubled) - len(found)
    if found:
        return [*map(str, found), *([f"and {more} more"] if more else [])]
    if not checked.n_items:
        return [f"{items.name}: there are no items."]
    number = "1 item" if checked.n_items == 1 else f"{checked.n_items} items"
    click.echo(f"{built.place}: nothing is wrong ({number}).")
    return []
