"""Who last changed each line of a skill, in which version."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from workbench.records import BadInput
from workbench.review.repository import SkillPlace
from workbench.review.skill_versions import WORK_TREE, commit_of

_LAST_YEAR = 253_402_300_799


@dataclass(frozen=True)
class BlamedLine:
    """A line and its origin; ``commit`` is empty for a line that is not saved yet."""

    line: int
    commit: str
    author: str
    time: datetime
    subject: str
    text: str


def blame(place: SkillPlace, revision: str = WORK_TREE) -> list[BlamedLine]:
    """The lines of the SKILL.md in a version, or as it is now. Raises BadInput where it is not there."""
    at = [] if revision == WORK_TREE else [commit_of(place, revision)]
    if not at and not place.git.try_text("rev-parse", "--verify", "--quiet", "HEAD"):
        raise BadInput(
            "there is no version yet", where=place.file, remedy=f"workbench skill save {place.name} …"
        )
    answer = place.git.run("blame", "--line-porcelain", *at, "--", place.file, accept=(0, 128))
    if answer.code:
        raise BadInput(
            "is in no such version",
            where=place.file,
            remedy=f"workbench skill log {place.name} lists its versions.",
        )
    found = []
    told: dict[str, str] = {}
    for raw in answer.data.decode("utf-8", "replace").split("\n"):
        if raw.startswith("\t"):
            found.append(_line(told, raw[1:].removesuffix("\r")))
            told = {}
        elif not told:
            told = dict(zip(("commit", "_", "line"), raw.split(" "), strict=False))
        else:
            key, _, value = raw.partition(" ")
            told[key] = value
    return found


def _line(told: dict[str, str], text: str) -> BlamedLine:
    seconds = int(told.get("author-time", "0"))
    saved = bool(told["commit"].strip("0"))
    return BlamedLine(
        line=int(told["line"]),
        commit=told["commit"] if saved else "",
        author=told.get("author", "") if saved else "",
        time=datetime.fromtimestamp(min(max(seconds, 0), _LAST_YEAR), UTC),
        subject=told.get("summary", "") if saved else "not saved yet",
        text=text,
    )
