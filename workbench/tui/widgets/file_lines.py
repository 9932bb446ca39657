"""Lines of a file of any size: an index of checkpoints, and blocks read when they are looked at.

The file is read by position and never mapped into memory: a mapped log that another process cuts short
kills whoever looks at it (SIGBUS).
"""

from __future__ import annotations

import os
import stat
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from workbench.patterns import visible
from workbench.records import BadInput
from workbench.tui.widgets.line_index import BLOCK_ROWS, ROW_BYTES, LineIndex, split_rows, whole_lines
from workbench.tui.widgets.line_source import TAB_CELLS, Line, Place, Stop, one_line
from workbench.tui.widgets.search import Query

FIRST_BYTES = 1 << 16
"""Indexed before the first screen; the rest in a thread."""
CHUNK_BYTES = 1 << 20
KEPT_BLOCKS = 64
"""Blocks of 64 rows held decoded."""
POLL_S = 0.2
CUT_LABEL = "·"
"""In place of a line number where a row goes on with a line that was cut."""
_GROUP_BLOCKS = 16
_GROUP_ROWS = _GROUP_BLOCKS * BLOCK_ROWS


class FileLines:
    """A file that is read to its end once."""

    def __init__(self, path: Path) -> None:
        """Raises BadInput: not a regular file, or not readable."""
        self.path = path
        self.revision = 0
        self._descriptor = _open(path)
        self._index = LineIndex()
        self._size = 0
        self._done = False
        self._blocks: OrderedDict[int, list[tuple[str, str]]] = OrderedDict()
        self._reading = threading.Lock()
        self._extend(FIRST_BYTES)

    @property
    def complete(self) -> bool:
        return self._done

    def __len__(self) -> int:
        index = self._index
        return index.rows + (self._size > index.end)

    def line(self, row: int) -> Line:
        if not 0 <= row < len(self):
            raise IndexError(row)
        rows = self._block(row // BLOCK_ROWS)
        at = row % BLOCK_ROWS
        if at >= len(rows):  # the file was cut short behind our back
            return Line(one_line(""))
        label, text = rows[at]
        return Line(one_line(text), label=label)

    def close(self) -> None:
        """Give the file back; lines not held are empty from now on."""
        with self._reading:
            descriptor, self._descriptor = self._descriptor, -1
            if descriptor >= 0:
                os.close(descriptor)

    def load(self, stop: threading.Event) -> None:
        """Index to the end."""
        while not stop.is_set():
            if not self._extend(CHUNK_BYTES):
                self._done = True
                return

    def place(self, row: int) -> Place:
        return Place(row)

    def reveal(self, place: Place) -> int:
        return min(place.major, max(len(self) - 1, 0))

    def row_of(self, number: int) -> int:
        """The first row of line ``number``."""
        block = self._index.block_of_number(number)
        for row in range(block * BLOCK_ROWS, len(self)):
            at = row % BLOCK_ROWS
            rows = self._block(row // BLOCK_ROWS)
            if at < len(rows) and rows[at][0].isdecimal() and int(rows[at][0]) >= number:
                return row
        return max(len(self) - 1, 0)

    def find(
        self, query: Query, start: Place, *, backwards: bool = False, stop: Stop | None = None
    ) -> Place | None:
        """Many rows are searched at once; where one matches, and where lines were cut, row by row."""
        last = (len(self) - 1) // _GROUP_ROWS
        group = min(max(start.major // _GROUP_ROWS, 0), last)
        for at in range(group, -1, -1) if backwards else range(group, last + 1):
            if stop is not None and stop.is_set():
                return None
            text = self._group_text(query, at)
            if text is not None and not query.matches(text):
                continue
            rows = [visible(_text(row).expandtabs(TAB_CELLS)) for row in split_rows(self._group_bytes(at))]
            numbered = list(enumerate(rows, at * _GROUP_ROWS))
            for row, shown in reversed(numbered) if backwards else numbered:
                beyond = row < start.major if backwards else row > start.major
                if beyond and query.matches(shown):
                    return Place(row)
        return None

    def _group_text(self, query: Query, group: int) -> str | None:
        """The rows of a group as they are shown, in one text; None where lines were cut."""
        first = group * _GROUP_BLOCKS
        end = first + _GROUP_BLOCKS
        if query.bounded or end >= len(self._index.starts) or not whole_lines(self._index, first, end):
            return None
        text = self._group_bytes(group).decode("utf-8", "backslashreplace").replace("\r\n", "\n")
        text = text.expandtabs(TAB_CELLS)
        return visible(text) if query.needs_rows or not text.isascii() else text

    def _group_bytes(self, group: int) -> bytes:
        return self._bytes_of(group * _GROUP_BLOCKS, _GROUP_BLOCKS)

    def _extend(self, most: int) -> bool:
        """Index up to ``most`` more bytes; False at the end of what there is."""
        data = self._read(self._index.end, most)
        self._size = max(self._size, self._index.end + len(data))
        if not data:
            return False
        self._index.feed(data)
        return len(data) == most

    def _read(self, start: int, most: int) -> bytes:
        with self._reading:
            if self._descriptor < 0:
                return b""
            try:
                return os.pread(self._descriptor, most, start)
            except OSError:
                return b""

    def _bytes_of(self, block: int, blocks: int = 1) -> bytes:
        """The rows of a block, or of several; the last block has no checkpoint after it."""
        starts = self._index.starts
        start = starts[block]
        if block + blocks < len(starts):
            return self._read(start, starts[block + blocks] - start)
        return self._read(start, starts[-1] - start + BLOCK_ROWS * (ROW_BYTES + 1))

    def _block(self, block: int) -> list[tuple[str, str]]:
        """Label and text of each row; kept, unless the block may still grow."""
        if block in self._blocks:
            self._blocks.move_to_end(block)
            return self._blocks[block]
        whole = block + 1 < len(self._index.starts)
        number = self._index.numbers[block]
        continued = block > 0 and self._read(self._index.starts[block] - 1, 1) != b"\n"
        rows: list[tuple[str, str]] = []
        for row in split_rows(self._bytes_of(block))[:BLOCK_ROWS]:
            rows.append((CUT_LABEL if continued else str(number), _text(row)))
            continued = not row.endswith(b"\n")
            number += not continued
        if whole:
            self._blocks[block] = rows
            if len(self._blocks) > KEPT_BLOCKS:
                self._blocks.popitem(last=False)
        return rows


class FollowedFile(FileLines):
    """A file that others append to; it may be cut short or replaced, and is then read anew.

    ``alive``: whether more can come; asked in the thread.
    """

    def __init__(self, path: Path, alive: Callable[[], bool] = lambda: True) -> None:
        super().__init__(path)
        self._alive = alive

    def line(self, row: int) -> Line:
        """As of any file; a row that went between being counted and being asked for is empty."""
        try:
            return super().line(row)
        except IndexError:
            if row < 0:
                raise
            return Line(one_line(""))

    def load(self, stop: threading.Event) -> None:
        """Read on until ``alive`` says no, or ``stop`` is set."""
        while not stop.is_set():
            living = self._alive()
            self._check_same()
            while not stop.is_set() and self._extend(CHUNK_BYTES):
                pass
            if not living:
                self._done = True
                return
            stop.wait(POLL_S)

    def _check_same(self) -> None:
        try:
            ours = os.fstat(self._descriptor)
            there = self.path.stat()
        except OSError:
            return
        if (ours.st_ino, ours.st_dev) == (there.st_ino, there.st_dev) and there.st_size >= self._index.end:
            return
        try:
            descriptor = _open(self.path)
        except BadInput:
            return
        with self._reading:
            if self._descriptor < 0:
                os.close(descriptor)
                return
            os.close(self._descriptor)
            self._descriptor = descriptor
            self._index = LineIndex()
            self._size = 0
            self._blocks.clear()
        self.revision += 1


def _open(path: Path) -> int:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BadInput("is not a file", where=str(path))
    return descriptor


def _text(row: bytes) -> str:
    return row.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "backslashreplace")
