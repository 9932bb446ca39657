"""Incremental reading of an agent's log: bytes in, steps out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from workbench.records import Step, TrajectorySummary

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LINE_LIMIT_BYTES = 64 * 1024 * 1024
"""A longer line is counted as damaged and not kept."""


class TrajectoryReader(Protocol):
    """Reads one log. Never raises on what the log contains: hostile input is counted, not trusted."""

    def feed(self, data: bytes) -> list[Step]:
        """Steps that these bytes completed; pieces may cut lines and characters anywhere."""
        ...

    def close(self) -> list[Step]:
        """The log has ended: what the last, unterminated bytes still complete."""
        ...

    def summary(self) -> TrajectorySummary:
        """What the log says about itself so far."""
        ...


class Lines:
    """Bytes to whole lines, with a cap on what is held in memory; a file's byte order mark is taken off.

    ``overlong``: lines that were longer. ``begun``: whether the file's first line is behind.
    """

    def __init__(self, limit_bytes: int = LINE_LIMIT_BYTES) -> None:
        self._limit = limit_bytes
        self._parts: list[bytes] = []
        self._held = 0
        self._skipping = False
        self.overlong = 0
        self.begun = False

    @property
    def at_start(self) -> bool:
        """Whether no part of a line is held."""
        return not self._held and not self._skipping

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The lines that ``data`` ends, without their line end."""
        first, *rest = data.split(b"\n")
        self._keep(first)
        if not rest:
            return
        line = self._take()
        if line is not None:
            yield line
        last = rest.pop()
        for line in rest:
            if len(line) > self._limit:
                self.overlong += 1
            else:
                yield line.removesuffix(b"\r")
        self._keep(last)

    def close(self) -> Iterator[bytes]:
        """The unterminated last line, if there is one."""
        if self._held or self._skipping:
            line = self._take()
            if line is not None:
                yield line

    def _keep(self, piece: bytes) -> None:
        if self._skipping or not piece:
            return
        if self._held + len(piece) > self._limit:
            self._skipping = True
            self.overlong += 1
            self._parts = []
            self._held = 0
            return
        self._parts.append(piece)
        self._held += len(piece)

    def _take(self) -> bytes | None:
        skipped, self._skipping = self._skipping, False
        line = b"".join(self._parts)
        self._parts, self._held = [], 0
        if not self.begun:
            self.begun = True
            line = line.removeprefix(BYTE_ORDER_MARK)
        return None if skipped else line.removesuffix(b"\r")
