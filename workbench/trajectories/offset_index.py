"""One pass over a large log: places from which any step can be read at once, and what the log sums up to."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

from workbench.records import (
    BadInput,
    Checkpoint,
    DataPaths,
    OffsetIndex,
    Progress,
    mark_length,
    open_regular,
    read_regular,
    silent,
)
from workbench.store import atomic_write, private_folder
from workbench.trajectories.formats import LINE_READERS
from workbench.trajectories.line_reader import LineReader

READER_VERSION = 1
"""Raised when a reader of lines cuts steps otherwise: indexes of another version are made anew."""
STRIDE_BYTES = 256 * 1024
"""Between two checkpoints: what is parsed at most to come to a step."""
MOST_STATE_CHARACTERS = 8 * 1024
"""A mark above is passed over until PATIENCE_BYTES have gone by without one."""
PATIENCE_BYTES = 4 * 1024 * 1024
_PIECE_BYTES = 1024 * 1024
_SAMPLES = 16
_SAMPLE_BYTES = 16 * 1024


def offset_index(path: Path, data: DataPaths, format: str, progress: Progress = silent) -> OffsetIndex:
    """The index of a log of lines: the kept one where the log is still the same, else made and kept.

    A log that has only grown is read on from where it ended. Raises BadInput where it cannot be read.
    """
    kept = data.offset_indexes / f"{name_of(path)}.json"
    known = _kept(kept, format)
    try:
        with open_regular(path) as file:
            size = file.seek(0, 2)
            if known is not None and known.size_bytes == size and known.sample == sample_of(file, size):
                return known
            made = _made(file, size, format, progress, known)
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None
    private_folder(kept.parent)
    atomic_write(kept, made.to_json())
    return made


def name_of(path: Path) -> str:
    """What is kept of a log is kept under this name."""
    return hashlib.sha256(str(path.absolute()).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _kept(path: Path, format: str) -> OffsetIndex | None:
    try:
        index = OffsetIndex.from_json(read_regular(path), where=str(path))
    except (OSError, BadInput):
        return None
    return index if (index.format, index.reader_version) == (format, READER_VERSION) else None


def sample_of(file: IO[bytes], size: int) -> str:
    """A hash of the size, the begin, the end, and places between: other contents give another one."""
    hashed = hashlib.blake2b(str(size).encode(), digest_size=16)
    for at in range(_SAMPLES):
        file.seek(max(size - _SAMPLE_BYTES, 0) * at // (_SAMPLES - 1))
        hashed.update(file.read(_SAMPLE_BYTES))
    return hashed.hexdigest()


def _made(
    file: IO[bytes], size: int, format: str, progress: Progress, known: OffsetIndex | None
) -> OffsetIndex:
    reader = LINE_READERS[format](counting=True)
    sample = sample_of(file, size)
    with ThreadPoolExecutor(1) as pool:
        going = _Pass(file, size, reader, pool, progress)
        checkpoints = going.run(going.after(known) if known is not None else [])
        digest = going.digest()
    reader.close()
    return OffsetIndex(
        format=format,
        reader_version=READER_VERSION,
        size_bytes=size,
        sample=sample,
        read_bytes=going.read_bytes,
        digest=digest,
        resume=going.resume,
        steps=reader.steps,
        summary=reader.summary(),
        checkpoints=checkpoints,
    )


class _Pass:
    """Reads pieces, counts their steps in this thread and hashes them in another."""

    def __init__(
        self, file: IO[bytes], size: int, reader: LineReader, pool: ThreadPoolExecutor, progress: Progress
    ) -> None:
        self._file, self._size, self._reader, self._pool, self._progress = file, size, reader, pool, progress
        self._hashed = hashlib.blake2b(digest_size=16)
        self._hashing: Future[None] | None = None
        self._at = 0
        self.read_bytes = 0
        self.resume = ""
        file.seek(0)

    def after(self, known: OffsetIndex) -> list[Checkpoint]:
        """Checkpoints of a log that has only grown, ready to read on; none where it is another one."""
        if known.resume and known.read_bytes <= self._size:
            while piece := self._read(known.read_bytes, _PIECE_BYTES):
                self._hash(piece)
            if self._at == known.read_bytes and self.digest() == known.digest:
                self._reader.resume(json.loads(known.resume))
                return list(known.checkpoints)
        self._hashed = hashlib.blake2b(digest_size=16)
        self._at = 0
        self._file.seek(0)
        return []

    def run(self, checkpoints: list[Checkpoint]) -> list[Checkpoint]:
        """Count to the end, and note where one can go on."""
        if not checkpoints:
            head = self._file.read(_SAMPLE_BYTES)
            self._at = self.read_bytes = mark_length(head)
            self._hash(head[: self._at])
            self._file.seek(self._at)
            self._add(checkpoints)
        held: list[bytes] = []
        while piece := self._read(self._size, STRIDE_BYTES):
            whole = piece.rfind(b"\n") + 1
            self._reader.feed(piece[:whole])
            if whole:
                for part in (*held, piece[:whole]):
                    self._hash(part)
                held = []
                self.read_bytes = self._at - len(piece) + whole
                self._add(checkpoints)
                if self._at >= self._size:
                    self.resume = _text(self._reader.mark(totals=True))
            held.append(piece[whole:])
            self._reader.feed(piece[whole:])
            self._progress("indexing", self._at, self._size, "bytes")
        return checkpoints

    def digest(self) -> str:
        """Of all whole lines so far."""
        if self._hashing is not None:
            self._hashing.result()
        return self._hashed.hexdigest()

    def _add(self, checkpoints: list[Checkpoint]) -> None:
        """A checkpoint at the line that begins now; a large one only where there was none for long."""
        mark = _text(self._reader.mark())
        if not mark:
            return
        large = len(mark) > MOST_STATE_CHARACTERS
        if large and checkpoints and self.read_bytes - checkpoints[-1].offset < PATIENCE_BYTES:
            return
        checkpoints.append(Checkpoint(offset=self.read_bytes, steps=self._reader.steps, mark=mark))

    def _read(self, end: int, most: int) -> bytes:
        piece = self._file.read(min(most, end - self._at))
        self._at += len(piece)
        return piece

    def _hash(self, piece: bytes) -> None:
        if self._hashing is not None:
            self._hashing.result()
        self._hashing = self._pool.submit(self._hashed.update, piece)


def _text(mark: dict[str, Any] | None) -> str:
    return json.dumps(mark) if mark is not None else ""
