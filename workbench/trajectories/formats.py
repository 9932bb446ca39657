"""Which format a log has, and the reader for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from workbench.records import BadInput, Step, TrajectorySummary, open_regular
from workbench.trajectories.reader import TrajectoryReader
from workbench.trajectories.readers import codex_exec, plain, workbench
from workbench.trajectories.values import json_object, text_of

AUTO = "auto"
HEAD_BYTES = 64 * 1024
"""How much of a log the format is told from."""
PIECE_BYTES = 1024 * 1024

READERS: dict[str, Callable[[], TrajectoryReader]] = {
    codex_exec.FORMAT: codex_exec.CodexExecReader,
    workbench.FORMAT: workbench.WorkbenchReader,
    plain.FORMAT: plain.PlainReader,
}


def detect_format(head: bytes) -> str:
    """The format of a log that begins with ``head``; text that is nothing known is ``plain``.

    Lines that are no JSON are passed over, since wrappers mix stderr in.
    """
    for line in head[:HEAD_BYTES].splitlines():
        document = json_object(line) if line.lstrip().startswith(b"{") else None
        if document is None:
            continue
        if document.get("kind") in workbench.KINDS and ("workbench" in document or "step" in document):
            return workbench.FORMAT
        if text_of(document.get("type")) in codex_exec.EVENTS:
            return codex_exec.FORMAT
    return plain.FORMAT


class AutoReader:
    """Holds the head of a log back until its format shows, then reads like that format's reader."""

    def __init__(self) -> None:
        self._head = b""
        self._seen = 0
        self._reader: TrajectoryReader | None = None

    def feed(self, data: bytes) -> list[Step]:
        if self._reader is not None:
            return self._reader.feed(data)
        self._head += data
        whole = self._head.rfind(b"\n") + 1
        found = detect_format(self._head[self._seen : whole])
        self._seen = whole
        if found == plain.FORMAT and len(self._head) < HEAD_BYTES:
            return []
        return self._begin(found)

    def close(self) -> list[Step]:
        steps = [] if self._reader is not None else self._begin(detect_format(self._head))
        return steps + (self._reader.close() if self._reader is not None else [])

    def summary(self) -> TrajectorySummary:
        return (self._reader or plain.PlainReader()).summary()

    def _begin(self, name: str) -> list[Step]:
        self._reader = READERS[name]()
        head, self._head = self._head, b""
        return self._reader.feed(head)


def open_reader(name: str) -> TrajectoryReader:
    """A reader for a format's name; ``auto`` tells it from the content. Raises BadInput."""
    if name == AUTO:
        return AutoReader()
    if name not in READERS:
        raise BadInput(
            f"unknown trajectory format {name!r}", remedy=f"Known formats: {', '.join([*READERS, AUTO])}."
        )
    return READERS[name]()


def read_trajectory(path: Path, format: str = "") -> tuple[list[Step], TrajectorySummary]:
    """Read a whole log; without ``format``, told from its content. Raises BadInput if it cannot be read."""
    reader = open_reader(format or AUTO)
    steps: list[Step] = []
    try:
        with open_regular(path) as file:
            while piece := file.read(PIECE_BYTES):
                steps += reader.feed(piece)
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None
    steps += reader.close()
    return steps, reader.summary()
