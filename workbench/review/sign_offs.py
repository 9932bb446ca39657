"""Sign-offs of a skill: filed sealed, opened when two are in, void as soon as what was signed is changed."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from workbench.catalog import Content, read_toml
from workbench.patterns import visible
from workbench.records import (
    Affiliation,
    BadInput,
    Clock,
    DataPaths,
    Decision,
    Opening,
    Refused,
    ReviewVerdict,
    SealedVerdict,
    SignOff,
    SystemClock,
)
from workbench.review.repository import SkillPlace, place_of
from workbench.review.review_commit import commit_review, person_of, require_no_author
from workbench.review.reviewers import require_reviewer
from workbench.review.saving import Saved
from workbench.review.signed_content import UPSTREAM, ContentChange, content_changes, signed_content
from workbench.store import atomic_write, private_folder

NEEDED = 2
"""Reviewers who are not the author."""


class ReviewState(StrEnum):
    """Where a skill stands: no sign-off; too few, or sealed ones; two open ones that accept, that do not, or
    that do not agree; and sign-offs that a later change made void.
    """

    DRAFT = "draft"
    IN_REVIEW = "in review"
    SIGNED = "signed"
    REJECTED = "not accepted"
    DISPUTED = "disputed"
    STALE = "stale"


@dataclass(frozen=True)
class KnownSignOff:
    """A sign-off, and what was changed since: it is void where that is not empty."""

    sign_off: SignOff
    changes: tuple[ContentChange, ...]

    @property
    def holds(self) -> bool:
        return not self.changes

    @property
    def verdict(self) -> ReviewVerdict | None:
        """None while it is sealed."""
        return self.sign_off.opening.verdict if self.sign_off.opening else None


def sign_offs_of(content: Content, skill: str) -> list[KnownSignOff]:
    """All sign-offs of the skill, by reviewer. Raises BadInput for one that cannot be read or was forged."""
    now = signed_content(content, skill)
    found = []
    for path in sorted(content.paths.reviews(skill).glob("C*.toml")):
        read = read_toml(path, SignOff)
        if (read.skill, read.reviewer) != (skill, path.stem):
            raise BadInput(
                "is not the sign-off that its name says", where=str(path), remedy="Put it where it was."
            )
        found.append(KnownSignOff(read, tuple(content_changes(read.content, now))))
    return sorted(found, key=lambda item: int(item.sign_off.reviewer[1:]))


def review_state(found: Sequence[KnownSignOff]) -> ReviewState:
    """The state that these sign-offs come to."""
    holding = [item for item in found if item.holds]
    if not holding:
        return ReviewState.STALE if found else ReviewState.DRAFT
    decisions = {item.verdict.decision for item in opened(found) if item.verdict}
    if len(opened(found)) < NEEDED:
        return ReviewState.IN_REVIEW
    if len(decisions) > 1:
        return ReviewState.DISPUTED
    return ReviewState.SIGNED if decisions == {Decision.ACCEPT} else ReviewState.REJECTED


def opened(found: Sequence[KnownSignOff]) -> list[KnownSignOff]:
    """Those that hold and are open."""
    return [item for item in found if item.holds and item.verdict is not None]


def file_sign_off(
    content: Content,
    data: DataPaths,
    skill: str,
    reviewer: str,
    affiliation: Affiliation,
    verdict: ReviewVerdict,
    *,
    clock: Clock | None = None,
) -> Saved:
    """Seal a verdict on the skill as it is, and commit the seal; the verdict stays in the data directory.

    Raises BadInput for no reviewer's identifier and hidden characters; Refused for an author of the skill, an
    identifier that is somebody else's, files that are in no version yet, verdicts on this content that are
    open already, and what ``save`` refuses for.
    """
    if visible(verdict.comment) != verdict.comment:
        raise BadInput("the comment holds control or hidden characters", remedy="Write it in plain text.")
    place = place_of(content.paths, data, skill)
    person = person_of(place)
    require_no_author(place, person)
    signed = signed_content(content, skill)
    _require_saved(place, content, [name for name in signed if name != UPSTREAM])
    before = {item.sign_off.reviewer: item for item in sign_offs_of(content, skill)}
    if any(item.holds and item.verdict is not None for item in before.values()):
        raise Refused(
            "verdicts on this content are open already", where=skill, remedy="A late one was no own one."
        )
    own = before.get(reviewer)
    if own is not None and own.holds and not _unsaved(place, content, [_path(content, own.sign_off)]):
        raise Refused(
            f"{reviewer} has signed this content already", where=skill, remedy="Open it: skill open-seal."
        )
    require_reviewer(data, reviewer, person)
    opening = Opening(salt=secrets.token_hex(32), verdict=verdict)
    draft = SignOff(
        skill=skill,
        reviewer=reviewer,
        affiliation=affiliation,
        filed=(clock or SystemClock()).now(),
        content=signed,
        seal="0" * 64,
    )
    sealed = draft.model_copy(update={"seal": draft.seal_of(opening)})
    private_folder(data.sealed_verdicts)
    private = SealedVerdict(skill=skill, reviewer=reviewer, seal=sealed.seal, opening=opening)
    atomic_write(data.sealed_verdict(skill, reviewer, sealed.seal), private.to_json())
    return commit_review(
        place,
        content.paths.review(skill, reviewer),
        sealed,
        reviewer,
        f"Sign-off of {skill} by {reviewer}, sealed",
    )


def open_seal(content: Content, data: DataPaths, skill: str, reviewer: str) -> Saved:
    """Open one's own seal and commit that.

    Raises Refused before two have filed on the same content, for a void sign-off, and where the private copy
    is not on this machine; BadInput where there is nothing to open.
    """
    place = place_of(content.paths, data, skill)
    found = {item.sign_off.reviewer: item for item in sign_offs_of(content, skill)}
    own = found.get(reviewer)
    if own is None or own.verdict is not None:
        state = "is open already" if own else "has not been filed"
        raise BadInput(
            f"the sign-off of {reviewer} {state}", where=skill, remedy="See workbench skill sign-offs."
        )
    if not own.holds:
        raise Refused(f"the sign-off of {reviewer} is void: {own.changes[0].path} is {own.changes[0].what}",
                      where=skill, remedy="Review it anew, and sign again.")  # fmt: skip
    if sum(item.holds for item in found.values()) < NEEDED:
        raise Refused(
            "nobody else has filed a sign-off of this content yet; yours stays sealed",
            where=skill,
            remedy=f"Pull when the other reviewer has pushed (workbench skill pull {skill}), then open it.",
        )
    _require_saved(place, content, [_path(content, item.sign_off) for item in found.values()])
    path = data.sealed_verdict(skill, reviewer, own.sign_off.seal)
    if not path.is_file():
        raise Refused(
            "the sealed verdict is not on this machine", where=skill, remedy="Open it where it was filed."
        )
    opening = SealedVerdict.load(path).opening
    open_now = SignOff.from_raw(own.sign_off.model_dump() | {"opening": opening.model_dump()}, str(path))
    return commit_review(
        place,
        content.paths.review(skill, reviewer),
        open_now,
        reviewer,
        f"Sign-off of {skill} by {reviewer}, opened",
    )


def _require_saved(place: SkillPlace, content: Content, names: Sequence[str]) -> None:
    unsaved = _unsaved(place, content, names)
    if unsaved:
        raise Refused(
            "is in no version as it is now; nothing was signed",
            where=unsaved[0],
            remedy="Save it first (workbench skill save, or git commit): a sign-off is of a version.",
        )


def _unsaved(place: SkillPlace, content: Content, names: Sequence[str]) -> list[str]:
    """Those of the files, named by their paths below the content root, that no version has as they are."""
    paths = [place.below_top(content.paths.root / name) for name in names]
    told = place.git.run("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", *paths)
    return [line[3:] for line in told.fields]


def _path(content: Content, sign_off: SignOff) -> str:
    path = content.paths.review(sign_off.skill, sign_off.reviewer)
    return path.relative_to(content.paths.root).as_posix()
