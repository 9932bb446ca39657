"""Who reviews, and with what at hand."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.catalog import Content
from workbench.records import Clock, DataPaths, SystemClock
from workbench.redaction import IdentifierLookup
from workbench.review.git_command import Git
from workbench.review.review_commit import identity_of
from workbench.review.reviewers import require_reviewer


@dataclass(frozen=True)
class ReviewDesk:
    """Who changes audits, and with what.

    ``reviewer``: C1, C2, …; ``lookup``: the source that words are held against, if there is one; ``allowed``:
    why numbers that look like identifiers are none.
    """

    content: Content
    data: DataPaths
    reviewer: str
    lookup: IdentifierLookup | None = None
    allowed: str = ""
    clock: Clock = field(default_factory=SystemClock)


def require_desk(desk: ReviewDesk) -> None:
    """Note that the desk's reviewer is who git says sits here.

    Raises BadInput for no identifier or no identity, Refused where it is somebody else's.
    """
    require_reviewer(desk.data, desk.reviewer, identity_of(Git(desk.content.paths.root)))
