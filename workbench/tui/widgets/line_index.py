"""Where the rows of a large file begin: a checkpoint every 64 rows, found without decoding."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import accumulate

ROW_BYTES = 4096
"""A longer line becomes several rows, cut between characters, so that all of it can be reached."""
BLOCK_ROWS = 64
"""Rows from one checkpoint to the next."""


class LineIndex:
    """Fed with a file's bytes in order; one thread feeds, others may read."""

    def __init__(self) -> None:
        self.starts = array("Q", [0])  # byte at which row 64 k begins
        self.numbers = array("Q", [1])  # line of the file that row belongs to
        self.rows = 0  # whole rows: ended by a line feed, or cut
        self.end = 0  # bytes they take
        self._number = 1  # line of the next row

    def feed(self, data: bytes) -> bool:
        """Take bytes that begin at ``end``; an unfinished last row is left for the next call.

        Returns whether a whole row was found.
        """
        pieces = data.split(b"\n")
        tail = pieces.pop()
        if len(tail) <= ROW_BYTES and max(map(len, pieces), default=0) <= ROW_BYTES:
            if not pieces:
                return False
            lengths = list(accumulate(map(len, pieces)))
            checkpoints = range(BLOCK_ROWS - self.rows % BLOCK_ROWS, len(pieces) + 1, BLOCK_ROWS)
            self.numbers.extend(self._number + rows for rows in checkpoints)
            self.starts.extend(self.end + lengths[rows - 1] + rows for rows in checkpoints)
            self._number += len(pieces)
            self.end += lengths[-1] + len(pieces)
            self.rows += len(pieces)
            return True
        return self._feed_long(data)

    def _feed_long(self, data: bytes) -> bool:
        rows = split_rows(data)
        if rows and not rows[-1].endswith(b"\n"):
            rows.pop()
        for row in rows:
            self.end += len(row)
            self._number += row.endswith(b"\n")
            if (self.rows + 1) % BLOCK_ROWS == 0:
                self.numbers.append(self._number)
                self.starts.append(self.end)
            self.rows += 1
        return bool(rows)

    def block_of_byte(self, byte: int) -> int:
        """The block whose rows contain a byte."""
        return bisect_right(self.starts, byte) - 1

    def block_of_number(self, number: int) -> int:
        """The last block that begins in a line before ``number``, or in it with its first row."""
        block = max(bisect_right(self.numbers, number) - 1, 0)
        while block and self.numbers[block] >= number:
            block -= 1
        return block


def split_rows(data: bytes) -> list[bytes]:
    """Rows of bytes that begin at a row; without a line feed, the last is unfinished."""
    rows: list[bytes] = []
    for line in _lines(data):
        content = len(line) - line.endswith(b"\n")
        at = 0
        while content - at > ROW_BYTES:
            cut = _boundary(line, at + ROW_BYTES)
            rows.append(line[at:cut])
            at = cut
        rows.append(line[at:] if at else line)
    return rows


def _lines(data: bytes) -> list[bytes]:
    """Lines with their line feeds; only ``\\n`` ends a line."""
    pieces = data.split(b"\n")
    tail = pieces.pop()
    lines = [piece + b"\n" for piece in pieces]
    if tail:
        lines.append(tail)
    return lines


def _boundary(line: bytes, cut: int) -> int:
    """The nearest place at or before ``cut`` that does not split a UTF-8 character."""
    for back in range(4):
        if line[cut - back] & 0xC0 != 0x80:
            return cut - back
    return cut


def whole_lines(index: LineIndex, first: int, end: int) -> bool:
    """Whether every row of blocks ``first`` to ``end`` (exclusive, with a checkpoint there) is one line."""
    return index.numbers[end] - index.numbers[first] == (end - first) * BLOCK_ROWS
