"""The files that a run writes: none that it reads, all of them writable, and no other run's while it writes them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path

from steelyard import ConfigurationError
from steelyard_cli._file.building import Built

NO_STREAM = "- is no file; write /dev/stdout for the standard output."


@contextmanager
def reserved(built: Built, flags: Mapping[str, Path]) -> Iterator[None]:
    """Keeps the files that results go to for one run: those of the evaluation, and in their place those of the flags.

    Folders that are missing are made, and go again if nothing was written into them. Raises ``ConfigurationError`` for
    a file that the evaluation reads, one that cannot be written, and one that another run is writing.
    """
    directory = Path.cwd()
    outputs = {form: path for form, (path, _) in built.outputs.items()}
    outputs.update({form: directory / path for form, path in flags.items()})
    for form, path in outputs.items():
        if "\0" in str(path):
            raise ConfigurationError(f"{form}: {str(path)!r}: a file's name cannot hold the character NUL.")
    files = {form: path for form, path in outputs.items() if path.is_file() or not path.exists()}
    read = _read(built, directory)
    for form, path in files.items():
        _refuse_read(form, path, read)
    with ExitStack() as kept:
        taken: set[Path] = set()
        for form, path in files.items():
            whole = Path(os.path.realpath(path))
            if whole not in taken:
                taken.add(whole)
                kept.enter_context(_locked(form, path, whole))
        yield


def _read(built: Built, directory: Path) -> dict[Path, str]:
    """The files that the evaluation is made of, as far as they are known, and what each is."""
    source = built.place.source
    read: dict[Path, str] = {}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str):
            read[Path(file)] = "a Python module that the evaluation is made with"
    if source.python:
        file = source.name.rpartition(":")[0]
        if file.endswith(".py"):
            read[directory / file] = "the evaluation file"
    else:
        read[directory / source.name] = "the evaluation file"
    read[directory / built.items.name] = "the data"
    return read


def _refuse_read(form: str, path: Path, read: Mapping[Path, str]) -> None:
    """Raises ``ConfigurationError`` where the file is one of these, whatever links lead to it."""
    if not path.exists():
        return
    for each, what in read.items():
        if _same(path, each):
            raise ConfigurationError(f"{form}: {path} is {what}, which would be lost.")


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):  # there is no such file
        return False


@contextmanager
def _locked(form: str, path: Path, whole: Path) -> Iterator[None]:
    """Holds the file's lock, which lies beside it. The system lets go of it with the process, however that ends."""
    made: list[Path] = []
    try:
        made = _made_folders(whole.parent)
        if form == "jsonl" and whole.exists():  # the others are put in its place
            with whole.open("ab"):
                pass
        name = f".{whole.name[:40]}.{blake2b(os.fsencode(whole.name), digest_size=6).hexdigest()}.lock"
        lock = whole.with_name(name)
        held = _hold(lock)
    except OSError as error:
        _remove(made)
        above = next((each for each in whole.parents if each.exists()), whole.parent)
        what = f"{path} cannot be written" if whole.exists() else f"nothing can be written into {above}"
        raise ConfigurationError(f"{form}: {what}: {error.strerror or type(error).__name__}.") from error
    if held is None:
        raise ConfigurationError(f"{form}: {path} is being written by another run. Wait for its end, or name another.")
    try:
        yield
    finally:
        _let_go(lock, held)
        _remove(made)


def _made_folders(folder: Path) -> list[Path]:
    """Makes the folder; gives those that were missing, the innermost first."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def _remove(folders: list[Path]) -> None:
    for folder in folders:
        with suppress(OSError):  # there is something in it
            folder.rmdir()


def _hold(lock: Path) -> int | None:
    """An open file that has the lock, None where another one has it."""
    while True:
        number = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if not _is_free(number):
                os.close(number)
                return None
            if os.path.samestat(os.fstat(number), os.stat(lock)):
                return number
        except FileNotFoundError:
            pass  # the one before has just taken it away
        except BaseException:
            os.close(number)
            raise
        os.close(number)


def _is_free(number: int) -> bool:
    """Locks the open file unless somebody else has."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True  # a file system without locks must not keep anybody from working
    return True


def _let_go(lock: Path, number: int) -> None:
    if sys.platform == "win32":
        os.close(number)  # an open file cannot be taken away there
    with suppress(OSError):
        lock.unlink()
    if sys.platform != "win32":
        os.close(number)
