"""An evaluation as it is written down: a TOML or YAML file, or a Python object."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from attrs import evolve, frozen

from steelyard_cli._file.places import FileFault, Place, Source, nearest
from steelyard_cli._file.references import read_reference, told

TOML = (".toml",)
YAML = (".yaml", ".yml")
_AT = re.compile(r"\s*\(at (?:line (?P<line>\d+), column \d+|end of document)\)")


@frozen
class Loaded:
    """The keys and values of an evaluation, not looked at yet, and where they came from. ``name`` is what to call it
    unless it says."""

    values: Mapping[str, object]
    source: Source
    name: str

    @property
    def place(self) -> Place:
        """The whole of it."""
        return Place(self.source)


def source_of(spec: str, directory: Path) -> Source:
    """What the command's FILE names, before it is read; ``directory`` is where relative paths on the command line
    start."""
    if _is_file(spec):
        path = directory / spec
        return Source(spec, path.parent)
    file = spec.rpartition(":")[0]
    folder = (directory / file).parent if file.endswith(".py") else directory
    return Source(spec, folder, python=True)


def load(spec: str, directory: Path) -> Loaded:
    """The evaluation that FILE names: ``x.toml``, ``x.yaml``, ``module:object`` or ``path.py:object``. Raises
    ``FileFault``."""
    source = source_of(spec, directory)
    if source.python:
        return _of_python(spec, source, directory)
    path = directory / spec
    text = _text(path, Place(source))
    if path.suffix.lower() in TOML:
        values, source = _of_toml(text, source)
    else:
        values, source = _of_yaml(text, source)
    return Loaded(values, source, path.stem)


def _is_file(spec: str) -> bool:
    return Path(spec).suffix.lower() in (*TOML, *YAML) or ":" not in spec


def _text(path: Path, place: Place) -> str:
    if path.is_dir():
        raise FileFault(place, "this is a folder; name an evaluation file in it.")
    if not path.is_file():
        raise FileFault(place, f"there is no such file.{_hint(path)}")
    if path.suffix.lower() not in (*TOML, *YAML):
        raise FileFault(place, "an evaluation file ends in .toml, .yaml or .yml; Python is named as module:object.")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = path.read_bytes().count(b"\n", 0, error.start) + 1
        raise FileFault(Place(evolve(place.source, line=line)), "this is not UTF-8 text.") from error
    except OSError as error:
        raise FileFault(place, f"it cannot be read: {error.strerror or told(error)}.") from error


def _hint(path: Path) -> str:
    try:
        beside = [each.name for each in path.parent.iterdir() if each.suffix.lower() in (*TOML, *YAML)]
    except OSError:
        return ""
    near = nearest(path.name, beside)
    return "" if near is None else f" Did you mean {near!r}?"


def _of_toml(text: str, source: Source) -> tuple[Mapping[str, object], Source]:
    from steelyard_cli._file.toml_lines import toml_lines

    try:
        values = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        said = _AT.search(str(error))
        line = None if said is None else int(said["line"] or text.rstrip().count("\n") + 1)
        at = Place(evolve(source, line=line))
        raise FileFault(at, f"this is not valid TOML: {_AT.sub('', str(error))}.") from error
    return values, evolve(source, lines=toml_lines(text))


def _of_yaml(text: str, source: Source) -> tuple[Mapping[str, object], Source]:
    from steelyard_cli._file.yaml_text import read_yaml

    values, lines = read_yaml(text, source)
    if not isinstance(values, dict):
        found = "nothing" if values is None else "a list" if isinstance(values, list) else "a single value"
        raise FileFault(Place(source), f"an evaluation has keys such as data: and gates:, this holds {found}.")
    return values, evolve(source, lines=lines)


def _of_python(spec: str, source: Source, directory: Path) -> Loaded:
    # A path on the command line starts at the working directory, not at the folder of the file that it names.
    named = read_reference(spec, Place(evolve(source, folder=directory)))
    found = named.load()
    if callable(found) and not isinstance(found, Mapping):
        try:
            found = found()
        except (Exception, SystemExit) as error:
            raise FileFault(Place(source), f"calling it failed: {told(error)}.") from error
    if not isinstance(found, Mapping):
        raise FileFault(
            Place(source), f"an evaluation is a mapping, or a function that gives one; found {type(found).__name__}."
        )
    for key in found:
        if not isinstance(key, str):
            raise FileFault(Place(source), f"the keys of an evaluation are texts, found {type(key).__name__}.")
    return Loaded(cast("Mapping[str, object]", found), source, named.attribute.rpartition(".")[2])
