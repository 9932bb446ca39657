"""Where the steps of a large log begin: places from which its reader can go on."""

from __future__ import annotations

from workbench.records.base import Part, Record
from workbench.records.trajectory import TrajectorySummary


class Checkpoint(Part):
    """``steps`` were complete before the byte ``offset``; ``mark``: the reader's own state there, as JSON."""

    offset: int
    steps: int
    mark: str


class OffsetIndex(Record):
    """One log; the first checkpoint is its begin.

    ``sample``: hash of its size, its begin, its end and places between; ``digest``: of all its whole lines,
    which end at ``read_bytes``; ``resume``: the reader's state there with its totals, empty where it is too
    large. ``reader_version`` is raised when a reader cuts steps otherwise.
    """

    format: str
    reader_version: int
    size_bytes: int
    sample: str
    read_bytes: int
    digest: str
    resume: str
    steps: int
    summary: TrajectorySummary
    checkpoints: list[Checkpoint]
