"""One log of any format and size: its first steps at once, any step by number, what it sums up to."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path

from workbench.records import (
    BadInput,
    DataPaths,
    OffsetIndex,
    Progress,
    Step,
    TrajectorySummary,
    mark_length,
    open_regular,
    silent,
)
from workbench.store import atomic_write, private_folder
from workbench.trajectories.detect import HEAD_BYTES
from workbench.trajectories.formats import (
    AUTO,
    FROM_PATH,
    LINE_READERS,
    format_of_head,
    log_files,
    open_reader,
    read_log,
)
from workbench.trajectories.offset_index import name_of, offset_index, sample_of
from workbench.trajectories.reader import TrajectoryReader
from workbench.trajectories.readers.workbench import WorkbenchReader
from workbench.trajectories.writer import end_line, start_line, step_line, trajectory_lines

SMALL_BYTES = 4 * 1024 * 1024
"""A smaller log is read whole, and has no index."""
_PIECE_BYTES = 64 * 1024


class StepFile:
    """Reads from one log what is asked for.

    ``begin`` needs no index. ``steps`` and ``summary`` of a large log make one, which is kept in the data
    directory; a large log of a format that is one document is first written there as lines. Raises BadInput
    where the log cannot be read.
    """

    def __init__(self, path: Path, data: DataPaths, format: str = "", progress: Progress = silent) -> None:
        self.path = path
        self._data = data
        self._progress = progress
        self._told: TrajectorySummary | None = None
        try:
            with open_regular(path) as file:
                head = file.read(HEAD_BYTES)
                self.size_bytes = file.seek(0, 2)
        except OSError as error:
            raise BadInput(_why(error), where=str(path)) from None
        self._mark_bytes = mark_length(head)
        told = format if format != AUTO else ""
        self.format = told or format_of_head(head[self._mark_bytes :], path)

    def begin(self, count: int) -> list[Step]:
        """The first steps."""
        return list(islice(self, count))

    def steps(self, first: int, count: int) -> list[Step]:
        """Steps from the number ``first`` on; fewer where the log ends."""
        if self._is_small:
            return self._whole[0][max(first, 1) - 1 : max(first, 1) - 1 + count]
        path, index = self._indexed
        at = bisect_right(index.checkpoints, max(first, 1) - 1, key=lambda item: item.steps) - 1
        place = index.checkpoints[max(at, 0)]
        reader = LINE_READERS[index.format]()
        reader.resume(json.loads(place.mark))
        found = _fed(reader, path, place.offset, index.size_bytes)
        return list(islice((step for step in found if step.number >= first), count))

    def __iter__(self) -> Iterator[Step]:
        """All steps, one after the other."""
        if self._is_small or self._only_whole:
            return iter(self._whole[0])
        return self._passed()

    def _passed(self) -> Iterator[Step]:
        reader = open_reader(self.format)
        yield from _fed(reader, self.path, self._mark_bytes, self.size_bytes, self._progress)
        self._told = reader.summary()

    @property
    def count(self) -> int:
        """How many steps there are."""
        return len(self._whole[0]) if self._is_small else self._indexed[1].steps

    @property
    def summary(self) -> TrajectorySummary:
        """What the log says about itself; after a whole pass over the steps nothing is read for it."""
        if self._is_small:
            return self._whole[1]
        if self._told is not None:
            return self._told.model_copy(update={"format": self.format})
        return self._indexed[1].summary.model_copy(update={"format": self.format})

    @property
    def _is_small(self) -> bool:
        return self.size_bytes <= SMALL_BYTES

    @cached_property
    def _only_whole(self) -> bool:
        """Whether it has to be read at once: a file to seek in, or one with files of nested agents."""
        return self.format in FROM_PATH or len(log_files(self.path)) > 1

    @cached_property
    def _whole(self) -> tuple[list[Step], TrajectorySummary]:
        return read_log(self.path, self.format)

    @cached_property
    def _indexed(self) -> tuple[Path, OffsetIndex]:
        if self.format in LINE_READERS and not self._only_whole:
            return self.path, offset_index(self.path, self._data, self.format, self._progress)
        path = self._rewritten
        return path, offset_index(path, self._data, WorkbenchReader.format, self._progress)

    @cached_property
    def _rewritten(self) -> Path:
        """The log as lines of our own format, written once as long as it stays the same."""
        with open_regular(self.path) as file:
            name = f"{name_of(self.path)}-{sample_of(file, self.size_bytes)}.jsonl"
        path = self._data.offset_indexes / name
        if not path.exists():
            private_folder(path.parent)
            for old in path.parent.glob(f"{name_of(self.path)}-*.jsonl"):
                old.unlink(missing_ok=True)
            atomic_write(path, self._as_lines())
        return path

    def _as_lines(self) -> Iterator[bytes]:
        if self._only_whole:
            steps, summary = self._whole
            yield from trajectory_lines(steps, summary)
            return
        reader = open_reader(self.format)
        yield start_line()
        for step in _fed(reader, self.path, self._mark_bytes, self.size_bytes, self._progress):
            yield step_line(step)
        yield end_line(reader.summary())


def _fed(
    reader: TrajectoryReader, path: Path, offset: int, end: int, progress: Progress = silent
) -> Iterator[Step]:
    """Steps of the bytes from ``offset`` on, as they are complete."""
    try:
        with open_regular(path) as file:
            file.seek(offset)
            while piece := file.read(_PIECE_BYTES):
                offset += len(piece)
                yield from reader.feed(piece)
                progress("reading", offset, end, "bytes")
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None
    yield from reader.close()


def _why(error: OSError) -> str:
    """Why a file cannot be read, as a person says it."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, IsADirectoryError):
        return "is a folder; name the log in it"
    return f"cannot be read ({error.strerror})"
