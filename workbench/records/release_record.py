"""The private record of a release, kept in the data directory: its salt, and how far its making is."""

from __future__ import annotations

from pydantic import Field

from workbench.records.base import Record, UtcTime
from workbench.records.release_manifest import ReleasedLog


class ReleaseRecord(Record):
    """``salt``: 64 hex digits, made for this release, never part of it. ``asked``: hash over what was asked,
    by which an interrupted release is found again. ``done``: files that were written and checked.
    """

    release: str
    salt: str = Field(pattern=r"^[0-9a-f]{64}$")
    created: UtcTime
    asked: str
    done: list[ReleasedLog] = []
    published: bool = False
