"""Bring index, work tree and current branch to a commit, where nothing uncommitted is in the way."""

from __future__ import annotations

from workbench.review.commit import move_branch, under_way
from workbench.review.repository import SkillPlace, Standing


def advance(place: SkillPlace, now: Standing, commit: str, why: str) -> None:
    """From ``now`` to ``commit``: files that differ between both are written, all others stay as they are.

    Raises Refused, with everything as it was, where such a file has somebody's changes, is untracked, or
    where the branch was moved meanwhile. After a kill in the middle the files are the new ones and the branch
    the old one, which git shows as changes.
    """
    place.git.run("update-index", "-q", "--refresh", accept=(0, 1))
    place.git.run("update-ref", under_way(place), commit)
    try:
        place.git.run("read-tree", "-m", "-u", now.commit, commit)
    except BaseException:
        place.git.run("update-ref", "-d", under_way(place))
        raise
    try:
        move_branch(place, now.ref, commit, now.commit, why)
    except BaseException:
        place.git.run("read-tree", "-m", "-u", commit, now.commit)
        raise
