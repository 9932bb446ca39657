"""Commits of review documents, made under a reviewer's identifier; and who may make them."""

from __future__ import annotations

from pathlib import Path

import tomlkit

from workbench.records import Record, Refused, read_regular
from workbench.review.authorship import Author, parse_author
from workbench.review.git_command import Git
from workbench.review.repository import SkillPlace
from workbench.review.saving import Saved, save
from workbench.review.skill_versions import versions
from workbench.store import atomic_write, writing


def commit_review(place: SkillPlace, path: Path, document: Record, reviewer: str, message: str) -> Saved:
    """Write a document beside the skill's other reviews and commit it; where that fails it is as before.

    Raises what ``save`` raises.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    before = read_regular(path) if path.exists() else None
    atomic_write(path, tomlkit.dumps(document.model_dump(mode="json", exclude_none=True)), mode=0o644)
    folder = place.below_top(path.parent)
    beside = SkillPlace(f"{place.name}-reviews", place.top, folder, place.git, place.data, path.name)
    try:
        return save(beside, message, Author(reviewer, f"{reviewer.lower()}@reviewers.invalid"))
    except BaseException:
        with writing(path):
            path.unlink() if before is None else atomic_write(path, before, mode=0o644)
        raise


def person_of(place: SkillPlace) -> Author:
    """Who git says sits at the keyboard. Raises BadInput where it does not know."""
    return identity_of(place.git)


def identity_of(git: Git) -> Author:
    """Who git says sits at the keyboard. Raises BadInput where it does not know."""
    told = git.text("var", "GIT_COMMITTER_IDENT")
    return parse_author(told[: told.rindex(">") + 1])


def require_no_author(place: SkillPlace, person: Author) -> None:
    """Raises Refused for who wrote a version of the skill, by e-mail address."""
    wrote = [version for version in versions(place) if version.email.casefold() == person.email.casefold()]
    if wrote:
        raise Refused(
            f"you wrote a version of this skill ({wrote[0].short}); a review is by somebody else",
            where=place.name,
            remedy="Ask two reviewers who did not write it.",
        )
