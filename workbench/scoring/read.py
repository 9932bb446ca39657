"""An output file: opened without trust, its header read, its rows left to the engine."""

from __future__ import annotations

import csv
import errno
import io
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

HEADER_LIMIT_BYTES = 1 << 20
UTF8_MARK = b"\xef\xbb\xbf"
GZIP_MARK = b"\x1f\x8b"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
OTHER_DELIMITERS = (";", "\t", "|")


class NotReadable(Exception):
    """Why an output cannot be read. ``found`` is false where there is no regular file to look at.

    The message holds counts and line numbers, never a value.
    """

    def __init__(self, reason: str, *, found: bool = True) -> None:
        self.reason = reason
        self.found = found
        super().__init__(reason)


@dataclass(frozen=True)
class OutputFile:
    """An open output. ``header`` as written; ``starts_plain`` is false where lines precede the header."""

    descriptor: int
    header: tuple[str, ...]
    starts_plain: bool

    @property
    def path(self) -> str:
        """A path to the very file that was opened, whatever its name points to by now."""
        return f"/dev/fd/{self.descriptor}"

    def position(self, name: str) -> int | None:
        """Where the column ``name`` is; the first of several. Names are exact."""
        return self.header.index(name) if name in self.header else None

    def under(self, column_names: Mapping[str, str]) -> OutputFile:
        """The same with the names of ``column_names`` (asked for, and the task's own) put right.

        A name that was to be another one is none of the task's columns.
        """
        if not column_names:
            return self
        own = set(column_names.values())
        header = [column_names.get(name, "" if name in own else name) for name in self.header]
        return replace(self, header=tuple(header))

    @property
    def looks_delimited_otherwise(self) -> bool:
        """A header of one field that holds another usual delimiter."""
        return len(self.header) == 1 and any(mark in self.header[0] for mark in OTHER_DELIMITERS)

    def near_names(self, wanted: Sequence[str]) -> list[str]:
        """Those of ``wanted`` that the header has with other letter case or with blanks around."""
        loose = {name.strip().casefold() for name in self.header}
        return [name for name in wanted if name.casefold() in loose]


@contextmanager
def open_output(path: Path | None) -> Iterator[OutputFile]:
    """Open a regular file, following no link and waiting for no pipe. Raises NotReadable."""
    if path is None:
        raise NotReadable("there is no output file", found=False)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise NotReadable("there is no output file", found=False) from None
    except OSError as error:
        linked = error.errno == errno.ELOOP
        reason = "it is a symbolic link" if linked else f"it cannot be opened ({error.strerror})"
        raise NotReadable(reason, found=not linked) from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotReadable("it is not a regular file", found=False)
        yield _with_header(descriptor)
    finally:
        os.close(descriptor)


def missing_columns(file: OutputFile, missing: Sequence[str]) -> str:
    """Columns that are not there, in words, and what may be behind it; nothing where none is missing."""
    if not missing:
        return ""
    text = f"missing: {', '.join(missing)}"
    near = file.near_names(missing)
    if near:
        text += f" (there, but in other letter case or with blanks: {', '.join(near)})"
    if file.looks_delimited_otherwise:
        text += " (the header is one field; fields are separated by commas)"
    return text


def text_stream(descriptor: int) -> io.TextIOWrapper:
    """The whole file as text, newlines kept; bytes that are not UTF-8 become lone surrogates."""
    copy = os.dup(descriptor)
    os.lseek(copy, 0, os.SEEK_SET)
    return io.TextIOWrapper(
        io.BufferedReader(io.FileIO(copy, "rb"), 1 << 20),
        encoding="utf-8-sig",
        errors="surrogateescape",
        newline="",
    )


def _with_header(descriptor: int) -> OutputFile:
    head = os.pread(descriptor, HEADER_LIMIT_BYTES, 0)
    if not head:
        raise NotReadable("it is empty")
    if head.startswith(GZIP_MARK):
        raise NotReadable("it is compressed, not plain CSV")
    if head.startswith(UTF16_MARKS):
        raise NotReadable("it is UTF-16, not UTF-8")
    body = head.removeprefix(UTF8_MARK)
    text = body.decode("utf-8", errors="surrogateescape")
    try:
        record = next((row for row in csv.reader(io.StringIO(text, newline="")) if not is_blank(row)), None)
    except csv.Error:
        raise NotReadable("its header is not CSV") from None
    if record is None:
        raise NotReadable("it has no header")
    if any(ord(letter) < ord(" ") and letter not in "\t\r\n" for name in record for letter in name):
        raise NotReadable("it is not text")
    return OutputFile(descriptor, tuple(record), starts_plain=not text.lstrip(" \t").startswith(("\r", "\n")))


def is_blank(row: Sequence[str]) -> bool:
    """A line without anything but blanks."""
    return not row or (len(row) == 1 and not row[0].strip())
