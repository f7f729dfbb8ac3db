"""``steelyard schema``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click


@click.command("schema")
@click.option("--markdown", is_flag=True, help="Print the reference of all keys as a page in place of the schema.")
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write into a file (UTF-8)."
)
def command(*, markdown: bool, output: Path | None) -> None:
    """Print the JSON schema of evaluation files.

    It is made of the plugins that are installed, so that an editor knows
    their names, options and documentation. In YAML, let the first line be
    "# yaml-language-server: $schema=FILE"; in TOML, "#:schema FILE".
    """
    if output is not None and str(output) == "-":
        raise click.BadParameter("- is no file; leave --output out for the standard output.", param_hint="'--output'")
    if markdown:
        from steelyard_cli._file.reference_page import page

        text = page()
    else:
        from steelyard import Registry
        from steelyard_cli._file.schema import file_schema

        ascii_only = output is None and not _writes_all(getattr(sys.stdout, "encoding", None))
        text = json.dumps(file_schema(Registry()), indent=2, ensure_ascii=ascii_only) + "\n"
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise click.FileError(str(output), error.strerror or type(error).__name__) from error


def _writes_all(encoding: str | None) -> bool:
    return (encoding or "").lower().replace("-", "") in ("utf8", "utf8sig", "utf16", "utf32")
