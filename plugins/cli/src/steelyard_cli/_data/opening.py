"""The bytes of a data file: opened, known to be UTF-8, without the byte-order mark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from steelyard_cli._data.places import UnreadableFile

BOM: Final = "\N{BYTE ORDER MARK}"
_UTF8_BOM: Final = b"\xef\xbb\xbf"
# The longer marks first: that of UTF-32 begins with that of UTF-16.
_OTHER_MARKS: Final = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_POINTER: Final = b"version https://git-lfs.github.com/spec/"


def lines_of(path: str) -> Iterator[tuple[int, bytes]]:
    """Each physical line with its number, from 1, and its own line end; only a newline character ends a line.

    One line is in memory at a time. Raises ``UnreadableFile`` for a file that cannot be opened, is in another encoding,
    or is a mere pointer to a file that Git LFS keeps.
    """
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, start=1):
                yield number, _without_mark(path, line) if number == 1 else line
    except OSError as error:
        raise UnreadableFile(path, None, _told(error)) from error


def text_of(path: str) -> str:
    """The whole file as text, line ends as they are. Raises ``UnreadableFile`` as ``lines_of``, and for bytes that are
    no UTF-8."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise UnreadableFile(path, None, _told(error)) from error
    content = _without_mark(path, content)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        begin = content.rfind(b"\n", 0, error.start) + 1
        raise UnreadableFile(path, line, not_utf8(error.start - begin)) from None


def not_utf8(offset: int) -> str:
    """The reason that names the place, from 0, of the first bad byte of a line."""
    return f"byte {offset + 1} of the line is not UTF-8; data files are UTF-8 whatever the locale"


def _without_mark(path: str, start: bytes) -> bytes:
    for mark, encoding in _OTHER_MARKS:
        if start.startswith(mark):
            raise UnreadableFile(path, None, f"the file is {encoding}; save it as UTF-8")
    if b"\x00" in start.partition(b"\n")[0]:
        raise UnreadableFile(
            path,
            1,
            "it holds NUL bytes, as UTF-16 without a byte-order mark does and UTF-8 text does not; save it as UTF-8",
        )
    if start.startswith(_POINTER):
        raise UnreadableFile(
            path, None, "this is a pointer to a file in Git LFS, not the data; fetch it with: git lfs pull"
        )
    return start.removeprefix(_UTF8_BOM)


def _told(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, IsADirectoryError):
        return "this is a folder, not a file"
    return f"it cannot be read: {error.strerror or type(error).__name__}"
