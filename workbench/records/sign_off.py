"""Sign-offs: what a reviewer found, sealed first, opened when the others are in."""

from __future__ import annotations

import hashlib
import hmac
import json
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from workbench.records.base import Part, Record, UtcTime

ReviewerId = Annotated[str, StringConstraints(pattern=r"^C[1-9][0-9]{0,3}$")]
"""``C1``, ``C2``, …: who that is, stands in a private file only."""
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_SkillName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]


class Affiliation(StrEnum):
    """Whether a reviewer belongs to those who wrote the skills and tasks."""

    AUTHOR_TEAM = "author-team"
    EXTERNAL = "external"


class Decision(StrEnum):
    """What a reviewer says of a skill as a whole."""

    ACCEPT = "accept"
    CHANGE = "change"  # acceptable when the comment is met
    REJECT = "reject"


class Rating(StrEnum):
    """An answer of the checklist."""

    YES = "yes"
    NO = "no"
    UNSURE = "unsure"


class ReviewVerdict(Part):
    """What a reviewer found.

    ``definition_source``: the skill follows the definition that it names; ``task_framing``: the tasks ask for
    what is clinically meant; ``plausibility``: values that follow would be believed at the bedside;
    ``minutes``: time that the review took.
    """

    decision: Decision
    definition_source: Rating
    task_framing: Rating
    plausibility: Rating
    comment: str = Field(default="", max_length=20_000)
    minutes: float = Field(ge=0, le=100_000)


class Opening(Part):
    """What makes a seal readable: its salt and the verdict."""

    salt: Digest
    verdict: ReviewVerdict


class SignOff(Record):
    """``audits/reviews/<skill>/<reviewer>.toml``.

    ``content``: git blob hash of every file that was reviewed, by its path below the content root. ``seal``:
    SHA-256 over the salt and everything else here and in the verdict; the verdict stays private until it is
    opened, and cannot be another one then.
    """

    skill: _SkillName
    reviewer: ReviewerId
    affiliation: Affiliation
    filed: UtcTime
    content: dict[str, str] = Field(min_length=1)
    seal: Digest
    opening: Opening | None = None

    @model_validator(mode="after")
    def _opens(self) -> Self:
        if self.opening is not None and not self.fits(self.opening):
            raise ValueError("the opening does not fit the seal: one of them was changed afterwards")
        return self

    def fits(self, opening: Opening) -> bool:
        """Whether this is what was sealed."""
        return hmac.compare_digest(self.seal_of(opening), self.seal)

    def seal_of(self, opening: Opening) -> str:
        """The seal over this sign-off with that opening."""
        sealed = self.model_dump(mode="json", exclude={"seal", "opening", "schema_version"})
        sealed["verdict"] = opening.verdict.model_dump(mode="json")
        text = json.dumps(sealed, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(f"{opening.salt}\n{text}".encode()).hexdigest()


class Adjudication(Record):
    """``audits/reviews/<skill>/adjudication.toml``: a decision between verdicts that do not agree.

    ``seals``: those of the sign-offs it is between, sorted; with others it does not hold.
    """

    skill: _SkillName
    by: ReviewerId
    decision: Decision
    reason: str = Field(min_length=1, max_length=20_000)
    seals: list[Digest] = Field(min_length=2)
    filed: UtcTime


class SealedVerdict(Record):
    """A reviewer's own, private copy of a verdict that is sealed and not opened yet."""

    skill: _SkillName
    reviewer: ReviewerId
    seal: Digest
    opening: Opening


class ReviewerNames(Record):
    """Who the reviewers are. Private: never below a tracked folder."""

    names: dict[ReviewerId, str] = {}
