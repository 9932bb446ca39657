"""Collected files, read as hostile bytes: every name, every suffix, packed ones unpacked."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, Protocol

PIECE_BYTES = 1 << 20
OVERLAP_BYTES = 512
"""Pieces of a file overlap, so that a mark on the seam is seen."""
MAX_UNPACKED_BYTES = 512 << 20
"""Bytes read out of one packed file."""
MAX_TEXT_BYTES = 1_000_000
"""A longer file is searched for marks only, not read as code."""

_UNPACK_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, ValueError, RuntimeError,
                  NotImplementedError)  # fmt: skip


class Readable(Protocol):
    """What is read in pieces."""

    def read(self, size: int = -1, /) -> bytes: ...


@dataclass(frozen=True)
class CollectedFile:
    """A regular file below the collected folder; ``name`` is relative, with ``/``."""

    name: str
    path: Path

    @cached_property
    def size_bytes(self) -> int:
        return self.path.lstat().st_size

    def open(self) -> BinaryIO:
        """Open for reading; a link is refused with OSError."""
        return os.fdopen(os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")

    def pieces(self) -> Iterator[bytes]:
        """The bytes in overlapping pieces; then, for gzip, bzip2, xz and zip, what is packed in it."""
        with self.open() as file:
            yield from _overlapping(file)
        try:
            with self.open() as file:
                for unpacked in _unpacked(file):
                    yield from _overlapping(unpacked, MAX_UNPACKED_BYTES)
        except _UNPACK_ERRORS:
            return

    @cached_property
    def text(self) -> str | None:
        """The whole text; None for a file that is binary or larger than MAX_TEXT_BYTES."""
        if self.size_bytes > MAX_TEXT_BYTES:
            return None
        with self.open() as file:
            data = file.read(MAX_TEXT_BYTES + 1)
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return data.decode("utf-16", "replace")
        return None if b"\x00" in data else data.decode("utf-8-sig", "replace")

    @cached_property
    def looks_textual(self) -> bool:
        """Whether the beginning has no zero byte."""
        with self.open() as file:
            return b"\x00" not in file.read(8192)


def collected_files(folder: Path | None, output: Path | None = None) -> list[CollectedFile]:
    """Regular files below ``folder`` by name, dot-folders included, and ``output`` if it lies elsewhere."""
    found: list[CollectedFile] = []
    if folder is not None and folder.is_dir():
        for parent, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                path = Path(parent) / name
                if stat.S_ISREG(path.lstat().st_mode):
                    found.append(CollectedFile(path.relative_to(folder).as_posix(), path))
    if output is not None and all(item.path != output for item in found) and output.is_file():
        found.append(CollectedFile(output.name, output))
    return found


def _overlapping(file: Readable, limit: int | None = None) -> Iterator[bytes]:
    tail = b""
    total = 0
    while limit is None or total < limit:
        piece = file.read(PIECE_BYTES)
        if not piece:
            return
        total += len(piece)
        yield tail + piece
        tail = piece[-OVERLAP_BYTES:]


def _unpacked(file: BinaryIO) -> Iterator[Readable]:
    head = file.read(6)
    file.seek(0)
    if head.startswith(b"\x1f\x8b"):
        yield gzip.GzipFile(fileobj=file)
    elif head.startswith(b"BZh"):
        yield bz2.BZ2File(file)
    elif head.startswith(b"\xfd7zXZ"):
        with lzma.LZMAFile(file) as unpacked:
            yield unpacked
    elif head.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(file) as archive:
            for member in archive.infolist()[:1000]:
                with archive.open(member) as packed:
                    yield packed
