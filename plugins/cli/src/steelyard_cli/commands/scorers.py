"""``steelyard scorers``."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from steelyard_cli._file.listing import Listed


@click.command("scorers")
@click.argument("name", required=False)
def command(*, name: str | None) -> int:
    """List what can be measured; with a NAME, tell options and formula of that one.

    NAME is the name or the id of a check or scorer.
    """
    from steelyard import Registry
    from steelyard_cli._file.listing import find, listing
    from steelyard_cli._report import visible

    registry = Registry()
    lines = _all(list(listing(registry))) if name is None else _one(find(name, registry))
    for line in lines:
        click.echo(line[: len(line) - len(line.lstrip())] + visible(line.replace("``", "`")))
    return 0


def _all(found: list[Listed]) -> Iterator[str]:
    if not found:
        yield "No checks and no scorers are installed. pip install steelyard-checks brings some."
    for each in found:
        yield from _wrapped(f"{each.kind.removesuffix('s')} {each.name}{f' ({each.id})' if each.id else ''}", "")
        yield from _wrapped(each.broken or each.factory.summary, "    ")
        if each.broken is None:
            yield from _wrapped(_facts(each), "    ")


def _facts(each: Listed) -> str:
    scale = each.scale
    measured = (
        "range told by its options"
        if scale is None
        else f"{scale.low:g} to {scale.high:g}, {scale.direction} is better"
    )
    return f"{measured}; needs {', '.join(each.needs) or 'nothing of the items'}"


def _one(each: Listed) -> Iterator[str]:
    yield from _all([each])
    if each.broken is not None:
        return
    yield ""
    for paragraph in each.factory.doc.split("\n\n")[1:]:
        yield from _wrapped(" ".join(paragraph.split()), "")
        yield ""
    options = [option for option in each.factory.options.values() if option.name != "judge"]
    yield "options:" if options else "It takes no options."
    for option in options:
        from steelyard_cli._file.option_values import in_words
        from steelyard_cli._file.schema import about_option

        state = "must be given" if option.required else f"{option.default!r} if left out"
        yield from _wrapped(f"{option.name}: {in_words(option.schema)}; {state}", "  ")
        about = about_option(option.name, each.factory.doc)
        if about:
            yield from _wrapped(about, "      ")
    if "judge" in each.factory.options:
        yield "It asks a judge."


def _wrapped(text: str, indent: str) -> list[str]:
    width = max(40, min(shutil.get_terminal_size((80, 24)).columns, 120))
    return textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
