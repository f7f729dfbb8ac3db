"""Python objects that a file or the command line names: ``module:object`` or ``path.py:object``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from attrs import frozen

from steelyard_cli._file.places import FileFault, Place, nearest

PREFIX = "python:"
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_LONGEST_REASON = 500


@frozen
class Reference:
    """The name of a Python object. ``module`` is a dotted name, or the path of a file that ends in ``.py``."""

    module: str
    attribute: str
    place: Place

    @property
    def text(self) -> str:
        """The name as it is written."""
        return f"{self.module}:{self.attribute}"

    def load(self) -> object:
        """The object. Raises ``FileFault`` for a module that cannot be imported, whatever that raises, and for a name
        that it lacks."""
        module = self._module()
        found: object = module
        for name in self.attribute.split("."):
            try:
                found = getattr(found, name)
            except AttributeError as error:
                near = nearest(name, (each for each in dir(found) if not each.startswith("_")))
                hint = "" if near is None else f" Did you mean {near!r}?"
                raise FileFault(self.place, f"{self.module} has no {self.attribute}.{hint}") from error
        return found

    def _module(self) -> ModuleType:
        from importlib import import_module

        try:
            return _of_file(self._path()) if self.module.endswith(".py") else import_module(self.module)
        except FileFault:
            raise
        except (Exception, SystemExit) as error:
            said = f"{self.module} cannot be imported: {told(error)}"
            if isinstance(error, ModuleNotFoundError) and error.name == self.module.partition(".")[0]:
                said += ". Python looked beside the file, in the working directory and in what is installed"
            raise FileFault(self.place, f"{said}.") from error

    def _path(self) -> Path:
        path = self.place.source.path(self.module)
        if not path.is_file():
            raise FileFault(self.place, f"there is no file {self.module}.")
        return path


def is_reference(value: object) -> bool:
    """Whether a value of a file names a Python object."""
    return isinstance(value, str) and value.startswith(PREFIX)


def is_named(text: str) -> bool:
    """Whether a text has the form of the name of a Python object."""
    module, colon, attribute = text.removeprefix(PREFIX).rpartition(":")
    sound = module.endswith(".py") or _DOTTED.fullmatch(module)
    return bool(colon and sound and _DOTTED.fullmatch(attribute))


def read_reference(text: str, place: Place) -> Reference:
    """The reference in ``"module:object"``, with or without ``python:`` before it. Raises ``FileFault``."""
    if not is_named(text):
        raise FileFault(place, f'{text!r:.200} names no Python object; write "python:module:object".')
    module, _, attribute = text.removeprefix(PREFIX).rpartition(":")
    return Reference(module, attribute, place)


@contextmanager
def importable(folders: Sequence[Path]) -> Iterator[None]:
    """Lets Python find modules in these folders, the first one first, for as long as it is open."""
    added = [str(folder.resolve()) for folder in folders]
    before = list(sys.path)
    sys.path[:] = [*dict.fromkeys(added), *(each for each in before if each not in added)]
    try:
        yield
    finally:
        # What an evaluation put on the path itself stays there.
        kept = [each for each in sys.path if each not in added]
        sys.path[:] = [*before, *(each for each in kept if each not in before)]


def told(error: BaseException) -> str:
    """Type and message of an exception, cut where it is overlong."""
    try:
        message = " ".join(str(error).split())
    except Exception:  # other people's exceptions may be unable to tell
        message = ""
    return f"{type(error).__name__}: {message}"[:_LONGEST_REASON] if message else type(error).__name__


def _of_file(path: Path) -> ModuleType:
    """The module that a file holds, known by the file's name where no other module is."""
    from importlib.util import module_from_spec, spec_from_file_location

    path = path.resolve()
    name = path.stem
    known = sys.modules.get(name)
    if known is not None:
        if _file_of(known) == path:
            return known
        name = f"{name}@{path.parent}"
        if name in sys.modules:
            return sys.modules[name]
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"no loader for {path.name}")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _file_of(module: ModuleType) -> Path | None:
    file = getattr(module, "__file__", None)
    return None if file is None else Path(file).resolve()
