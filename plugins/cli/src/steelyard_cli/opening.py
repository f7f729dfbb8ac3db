"""An evaluation opened for a command: found, checked, everything that it names imported, its secrets known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard_cli._file.building import NO_OVERRIDES, Built, Overrides, build, open_evaluation
from steelyard_cli._file.loading import load, source_of
from steelyard_cli._file.references import importable
from steelyard_cli._report import Hide

if TYPE_CHECKING:
    from steelyard_cli.main import Session


@contextmanager
def opened(
    file: str, session: Session, *, environ: Mapping[str, str], overrides: Overrides = NO_OVERRIDES
) -> Iterator[tuple[Built, Hide]]:
    """The evaluation, and what hides its secrets. While it is open, Python finds modules beside the file and in the
    working directory.

    Raises ``FileFault`` for whatever is wrong with it.
    """
    directory = Path.cwd()
    with importable([source_of(file, directory).folder, directory]):
        opening = open_evaluation(load(file, directory))
        hide = Hide(opening.secrets(environ))
        session.hide = hide
        yield build(opening, overrides=overrides), hide
