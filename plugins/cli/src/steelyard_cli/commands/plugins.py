"""``steelyard plugins``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from steelyard import PluginRecord


@click.command("plugins")
@click.option("--check", is_flag=True, help="Import each one, and say which are broken.")
def command(*, check: bool) -> int:
    """List what is installed beside the core: kind, name, distribution, version, state.

    Nothing is imported unless --check says so; then the command exits with 2
    where something is broken or declared twice.
    """
    from steelyard import Registry
    from steelyard_cli.exit_codes import ExitCode

    records = Registry().listing(check=check)
    if not records:
        click.echo("No plugins are installed.")
    for line in _lines(records):
        click.echo(line)
    bad = any(record.state in ("broken", "clash") for record in records)
    return ExitCode.REFUSED if check and bad else ExitCode.PASSED


def _lines(records: Sequence[PluginRecord]) -> Iterator[str]:
    from steelyard_cli._report import visible

    for kind, group in groupby(records, key=lambda record: record.kind):
        yield visible(kind) or "(no kind)"
        listed = list(group)
        names = [visible(record.name) or "-" for record in listed]
        width = max(map(len, names))
        for name, record in zip(names, listed, strict=True):
            yield f"  {name.ljust(width)}  {visible(record.origin)}  {record.state}"
            if record.reason:
                yield f"      {visible(record.reason)}"
