"""``manifest.json`` of a release: what it holds and what it was checked for. No value, and never the salt."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from workbench.records.base import Part, Record
from workbench.records.own_database import DatabaseName
from workbench.records.plan import Condition, SchemaVariant
from workbench.records.run import Verdict

ReleaseFormat = Literal["workbench", "atif"]
"""What released logs are written as."""


class ReleasedRun(Part):
    """The recorded run that a log is of, in names of the content only."""

    run_id: str
    task: str
    condition: Condition
    schema_variant: SchemaVariant
    source: str
    agent: str
    model: str
    trial: int
    verdict: Verdict | None = None


class ReleasedLog(Part):
    """One file. ``origin_mark``: keyed hash of the log that it was made from, which only who has the salt can
    compute; ``replaced``: kind of what was taken out to how often.
    """

    file: str
    format: ReleaseFormat
    sha256: str
    bytes: int
    steps: int
    origin_format: str
    origin_mark: str
    replaced: dict[str, int]
    run: ReleasedRun | None = None


class ReleaseSource(Part):
    """A source whose identifiers and times were looked for. ``content_hash`` is that of its manifest."""

    name: str
    database: DatabaseName
    content_hash: str


class ReleaseManifest(Record):
    """One release. It names no time, so that the same release made again is the same to the byte."""

    release: str = Field(pattern=r"^rel-[a-z2-7]{12}$")
    redaction_version: int
    check_version: int
    checks: list[str]
    small_count: int
    sources: list[ReleaseSource]
    files: list[ReleasedLog]
    replaced: dict[str, int]
