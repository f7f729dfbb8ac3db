"""``steelyard run``."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from steelyard_cli.main import Session


def _seconds(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    if value is not None and (not math.isfinite(value) or value <= 0):
        raise click.BadParameter("give a number of seconds above 0.", ctx, param)
    return value


class _File(click.Path):
    """A file to write."""

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if os.fspath(value) == "-":
            from steelyard_cli._file.outputs import NO_STREAM

            self.fail(NO_STREAM, param, ctx)
        return super().convert(value, param, ctx)


_FILE = _File(path_type=Path, dir_okay=False)
_COUNT = click.IntRange(min=0)


@click.command("run")
@click.argument("file")
@click.option("--limit", type=_COUNT, metavar="N", help="Take the first N items of those that are chosen.")
@click.option("--sample", type=_COUNT, metavar="N", help="Choose N items by chance.")
@click.option(
    "--seed", type=int, default=0, metavar="S", show_default=True, help="The same seed chooses the same items."
)
@click.option("--id", "ids", multiple=True, metavar="ID", help="Choose the item with this id; may be given again.")
@click.option(
    "--where",
    multiple=True,
    metavar="PATH=VALUE",
    help="Choose items such as metadata.lang=de; may be given again: all must hold.",
)
@click.option("--fail-fast", is_flag=True, help="End with the first item that failed or could not be computed.")
@click.option("--skip-bad", is_flag=True, help="Leave out bad lines of the data, and count them.")
@click.option("--concurrency", type=click.IntRange(min=1), metavar="N", help="How many items are worked on at once.")
@click.option(
    "--timeout",
    type=float,
    callback=_seconds,
    metavar="SECONDS",
    help="A limit for each call of the target and each scorer.",
)
@click.option("--judge", metavar="JUDGE", help="The model that scorers ask: provider/model, or python:module:object.")
@click.option(
    "--target-option",
    "target_options",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option for the target; the value is read as JSON where it is JSON, else as a text. May be given again.",
)
@click.option("--json", "json_", type=_FILE, metavar="FILE", help="Write everything as one JSON document.")
@click.option("--jsonl", type=_FILE, metavar="FILE", help="Write a line of JSON for each item as it completes.")
@click.option("--junit", type=_FILE, metavar="FILE", help="Write JUnit XML, for CI servers.")
@click.option("--markdown", type=_FILE, metavar="FILE", help="Write a summary for a pull request.")
@click.option("--csv", type=_FILE, metavar="FILE", help="Write a row for each item and scorer.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@click.option("--allow-scored", is_flag=True, help="Exit with 0 also where a threshold was missed, if every gate held.")
@click.option("--debug", is_flag=True, help="Show where an error comes from.")
@click.pass_obj
def command(
    session: Session,
    file: str,
    *,
    limit: int | None,
    sample: int | None,
    seed: int,
    ids: Sequence[str],
    where: Sequence[str],
    fail_fast: bool,
    skip_bad: bool,
    concurrency: int | None,
    timeout: float | None,
    judge: str | None,
    target_options: Sequence[str],
    json_: Path | None,
    jsonl: Path | None,
    junit: Path | None,
    markdown: Path | None,
    csv: Path | None,
    quiet: bool,
    allow_scored: bool,
    debug: bool,
) -> int:
    """Run the evaluation that FILE describes.

    FILE is a TOML or YAML file, or Python: module:object or path.py:object.

    \b
    Exit codes: 0 passed; 1 failed, or a threshold was missed; 2 something is
    wrong with the options, the evaluation or the data; 3 nothing could be
    evaluated; 130 interrupted, with the results so far written; 70 internal
    error.
    """
    from steelyard_cli._data.selection import Selection
    from steelyard_cli._file.building import Overrides
    from steelyard_cli._file.checking import check_composition
    from steelyard_cli._file.outputs import reserved
    from steelyard_cli.opening import opened
    from steelyard_cli.running import How, run
    from steelyard_cli.termination import as_interrupt

    session.debug = session.debug or debug
    outputs = {"json": json_, "jsonl": jsonl, "junit": junit, "markdown": markdown, "csv": csv}
    how = How(
        selection=Selection(limit=limit, sample=sample, seed=seed, ids=ids, where=where),
        fail_fast=fail_fast,
        skip_bad=skip_bad,
        quiet=quiet,
        allow_scored=allow_scored,
        outputs={form: path for form, path in outputs.items() if path is not None},
    )
    overrides = Overrides(
        judge=judge, concurrency=concurrency, timeout=timeout, target_options=_options(target_options)
    )
    with opened(file, session, environ=os.environ, overrides=overrides) as (built, hide):
        check_composition(built, observers=False)
        with reserved(built, how.outputs), as_interrupt():
            return run(built, how, hide=hide, out=sys.stdout, err=sys.stderr)


def _options(given: Sequence[str]) -> dict[str, object]:
    from steelyard import ConfigurationError
    from steelyard_cli._file.typed import key_value

    try:
        return dict(map(key_value, given))
    except ConfigurationError as error:
        raise click.BadParameter(str(error), param_hint="'--target-option'") from error
