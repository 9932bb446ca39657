"""What reviewers add to a caveat: anchors, evidence, who said what, and the status that follows."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator

from workbench.records.base import Part, UtcTime
from workbench.records.sign_off import ReviewerId

CONFIRMATIONS = 2
"""Reviewers who must say independently that a caveat is right."""
BlobHash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]


class CaveatStatus(StrEnum):
    """How far the review of a caveat is."""

    PROPOSED = "proposed"
    CONFIRMED = "confirmed"  # by two reviewers, of whom neither proposed or edited it
    DISPUTED = "disputed"
    RESOLVED = "resolved"  # the reference, skill or source no longer has the fault
    RETAINED = "retained"  # a known departure, kept on purpose


class CaveatAct(StrEnum):
    """What an entry of the discussion does."""

    PROPOSE = "propose"
    COMMENT = "comment"
    EDIT = "edit"
    CONFIRM = "confirm"
    DISPUTE = "dispute"
    RESOLVE = "resolve"
    RETAIN = "retain"


class CaveatEntry(Part):
    """One entry of a caveat's discussion; entries are added, never changed.

    ``content``: hash of what the caveat said after the entry. ``allowed``: why numbers that look like
    identifiers are none.
    """

    act: CaveatAct
    by: ReviewerId
    at: UtcTime
    text: str = Field(default="", max_length=20_000)
    content: BlobHash
    allowed: str = Field(default="", max_length=2_000)


class CaveatAnchor(Part):
    """A line that the caveat is about: of SQL, a skill or a specification.

    ``file`` is a path below the content root, ``content`` the git blob hash of its text then, ``line`` counts
    from 1, ``before`` and ``after`` are the lines around.
    """

    file: str = Field(min_length=1, max_length=400)
    content: BlobHash
    line: int = Field(ge=1)
    text: str = Field(max_length=4_000)
    before: str = Field(default="", max_length=4_000)
    after: str = Field(default="", max_length=4_000)

    @field_validator("file")
    @classmethod
    def _below_the_root(cls, file: str) -> str:
        path = PurePosixPath(file)
        if path.is_absolute() or ".." in path.parts or "\\" in file or "\0" in file:
            raise ValueError("a path below the content root, with /")
        return file


class EvidenceLink(Part):
    """Something that speaks for or against the caveat; ``step`` is one of a run."""

    kind: Literal["run", "witness", "paper", "issue"]
    target: str = Field(min_length=1, max_length=400)
    step: int | None = Field(default=None, ge=1)
    note: str = Field(default="", max_length=2_000)


def status_after(entries: Iterable[CaveatEntry], begin: CaveatStatus, content: str) -> CaveatStatus:
    """The status that the entries come to for a caveat that says ``content`` now.

    An edit, also one by hand, opens the review anew; a dispute takes back what was confirmed before it.
    """
    status, said = begin, ""
    for entry in entries:
        said = entry.content
        if entry.act in (CaveatAct.PROPOSE, CaveatAct.EDIT):
            status = CaveatStatus.PROPOSED
        elif entry.act in _SETS:
            status = _SETS[entry.act]
    if said and said != content:
        return CaveatStatus.PROPOSED
    waiting = status in (CaveatStatus.PROPOSED, CaveatStatus.DISPUTED)
    return CaveatStatus.CONFIRMED if waiting and enough(confirmed_by(entries, content)) else status


_SETS = {
    CaveatAct.DISPUTE: CaveatStatus.DISPUTED,
    CaveatAct.RESOLVE: CaveatStatus.RESOLVED,
    CaveatAct.RETAIN: CaveatStatus.RETAINED,
}


def confirmed_by(entries: Iterable[CaveatEntry], content: str) -> list[str]:
    """Reviewers whose confirmation counts: of this content, after the last dispute, not of own words."""
    found: list[str] = []
    kept = list(entries)
    wrote = {entry.by for entry in kept if entry.act in (CaveatAct.PROPOSE, CaveatAct.EDIT)}
    for entry in kept:
        if entry.act in (CaveatAct.DISPUTE, CaveatAct.EDIT, CaveatAct.PROPOSE):
            found = []
        elif entry.act == CaveatAct.CONFIRM and entry.content == content and entry.by not in (*wrote, *found):
            found.append(entry.by)
    return found


def enough(reviewers: list[str]) -> bool:
    """Whether so many reviewers confirm a caveat."""
    return len(reviewers) >= CONFIRMATIONS
