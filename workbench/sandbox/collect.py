"""Copying an agent's results out. Everything in the work folder is hostile.

Regular files only, opened relative to a directory descriptor without following links and without
waiting; sizes count as the file claims them, so that a sparse file counts in full (whoever reads the copy
reads that much), while its holes stay holes and take no disk. Entries, bytes, depth and name length are
bounded. Host programs never run in the folder.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from workbench.records import OUTPUT_NAME, Limits

MAX_DEPTH = 64
MAX_NAME_BYTES = 1024
_MAX_REFUSED = 200
_PIECE_BYTES = 1 << 20
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_KINDS = {
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFBLK: "device",
    stat.S_IFCHR: "device",
}


def collect_results(work_folder: int, into: Path, limits: Limits) -> list[str]:
    """Copy below ``into`` what may be copied out of the folder behind ``work_folder``.

    Returns what was refused as ``kind: relative/name``. The task's output comes first, then every
    folder's files before its subfolders, by name.
    """
    into.mkdir(mode=0o700, parents=True, exist_ok=True)
    collector = _Collector(limits.collect_bytes, limits.collect_entries)
    target = os.open(into, _FOLDER_FLAGS)
    try:
        collector.folder(work_folder, target, "", 0)
    finally:
        os.close(target)
    return collector.report()


@dataclass
class _Collector:
    left_bytes: int
    left_entries: int
    refused: list[str] = field(default_factory=list)
    unlisted: int = 0

    def report(self) -> list[str]:
        more = [f"more: {self.unlisted} entries"] if self.unlisted else []
        return self.refused + more

    def refuse(self, kind: str, name: str) -> None:
        if len(self.refused) < _MAX_REFUSED:
            self.refused.append(f"{kind}: {_inert(name)}")
        else:
            self.unlisted += 1

    def folder(self, source: int, target: int, prefix: str, depth: int) -> None:
        """One folder; ``prefix`` is its relative name with a trailing slash."""
        names, complete = self._names(source, first=OUTPUT_NAME if depth == 0 else "")
        subfolders = []
        for name in names:
            relative = prefix + name
            if not _plain(name) or len(relative.encode(errors="replace")) > MAX_NAME_BYTES:
                self.refuse("name", relative)
                continue
            try:
                kind = stat.S_IFMT(os.stat(name, dir_fd=source, follow_symlinks=False).st_mode)
            except OSError:
                self.refuse("unreadable", relative)
                continue
            if kind == stat.S_IFDIR:
                subfolders.append(name)
            elif kind == stat.S_IFREG:
                self._file(source, target, name, relative)
            else:
                self.refuse(_KINDS.get(kind, "special"), relative)
        for name in subfolders:
            self._subfolder(source, target, name, prefix + name, depth + 1)
        if not complete:
            self.refuse("too many", prefix or ".")

    def _names(self, source: int, first: str) -> tuple[list[str], bool]:
        """Names in order, and whether these are all that there are."""
        names: list[str] = []
        try:
            with os.scandir(source) as entries:
                for entry in entries:
                    if len(names) >= self.left_entries:
                        if first and first not in names and _exists(first, source):
                            names.append(first)
                        self.left_entries = 0
                        return sorted(names, key=lambda name: (name != first, name)), False
                    names.append(entry.name)
        except OSError:
            return [], False
        self.left_entries -= len(names)
        return sorted(names, key=lambda name: (name != first, name)), True

    def _subfolder(self, source: int, target: int, name: str, relative: str, depth: int) -> None:
        if depth > MAX_DEPTH:
            self.refuse("too deep", relative)
            return
        try:
            opened = os.open(name, _FOLDER_FLAGS, dir_fd=source)
        except OSError:
            self.refuse("unreadable", relative)
            return
        try:
            os.mkdir(name, 0o700, dir_fd=target)
            made = os.open(name, _FOLDER_FLAGS, dir_fd=target)
            try:
                self.folder(opened, made, f"{relative}/", depth)
            finally:
                os.close(made)
        finally:
            os.close(opened)

    def _file(self, source: int, target: int, name: str, relative: str) -> None:
        try:
            opened = os.open(name, _FILE_FLAGS, dir_fd=source)
        except OSError:
            self.refuse("unreadable", relative)
            return
        try:
            status = os.fstat(opened)
            if not stat.S_ISREG(status.st_mode):
                self.refuse("special", relative)
            elif status.st_size > self.left_bytes:
                self.refuse("too large", relative)
            else:
                self.left_bytes -= status.st_size
                _copy(opened, target, name, status.st_size)
        finally:
            os.close(opened)


def _copy(opened: int, target: int, name: str, size_bytes: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    copy = os.open(name, flags, 0o600, dir_fd=target)
    try:
        for begin, end in _extents(opened, size_bytes):
            _copy_extent(opened, copy, begin, end)
        os.ftruncate(copy, size_bytes)
    finally:
        os.close(copy)


def _extents(opened: int, size_bytes: int) -> Iterator[tuple[int, int]]:
    """Where the file has data, below ``size_bytes``; all of it where the file system knows no holes."""
    end = 0
    while end < size_bytes:
        try:
            begin = os.lseek(opened, end, os.SEEK_DATA)
            end = min(os.lseek(opened, begin, os.SEEK_HOLE), size_bytes)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
            if error.errno != errno.EINVAL:
                raise
            begin, end = end, size_bytes
        if begin >= size_bytes:
            return
        yield begin, end


def _copy_extent(opened: int, copy: int, begin: int, end: int) -> None:
    while begin < end and (piece := os.pread(opened, min(end - begin, _PIECE_BYTES), begin)):
        view = memoryview(piece)
        while view:
            written = os.pwrite(copy, view, begin)
            view, begin = view[written:], begin + written


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def _plain(name: str) -> bool:
    return name.isprintable() and _is_text(name)


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _inert(name: str) -> str:
    """The name with everything that is not printable spelled out, at most 200 characters."""
    text = "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in name)
    return text if len(text) <= 200 else f"{text[:197]}..."
