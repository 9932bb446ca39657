"""An earlier version of a skill once more, as a new commit: no version is ever taken away."""

from __future__ import annotations

from workbench.records import BadInput, Refused
from workbench.review.advance import advance
from workbench.review.authorship import Author
from workbench.review.commit import make_commit, tree_changes
from workbench.review.hooks import tell_hook
from workbench.review.repository import SkillPlace, changes_of, require_branch, require_unlocked
from workbench.review.saving import Saved
from workbench.review.skill_versions import commit_of, folder_at
from workbench.store import owned_folder, private_folder


def restore(
    place: SkillPlace, revision: str, message: str = "", author: Author | None = None, *, wait_s: float = 2.0
) -> Saved:
    """Commit the skill's folder as it was in a version, and write its files.

    Raises Refused where the folder has changes that are not saved, and what ``save`` refuses for; BadInput
    for an unknown version, one without the skill, and one that is the same as the last.
    """
    now = require_branch(place)
    require_unlocked(place, wait_s=wait_s)
    require_saved(place)
    version = commit_of(place, revision)
    named = folder_at(place, version) or place.folder
    folder = place.git.try_text("rev-parse", "--verify", "--quiet", f"{version}:{named}")
    if not folder:
        raise BadInput(
            f"the skill is not in {revision[:80]!r}",
            where=place.folder,
            remedy=f"workbench skill log {place.name} lists its versions.",
        )
    private_folder(place.data.root)
    with owned_folder(place.data, "commit") as scratch:
        index = scratch / "index"
        git = place.git.with_index(index)
        git.run("read-tree", now.commit)
        git.run("rm", "-r", "-q", "-f", "--cached", "--ignore-unmatch", "--", place.folder)
        git.run("read-tree", f"--prefix={place.folder}/", folder)
        told = message or f"Restore {place.name} as of {version[:10]}"
        commit = make_commit(place, index, [now.commit], told, author)
        advance(place, now, commit, "restore")
        files = tuple(change.path for change in tree_changes(place, now.commit, commit))
    note = tell_hook(place, "post-commit")
    return Saved(commit, now.branch, files, (note,) if note else ())


def require_saved(place: SkillPlace) -> None:
    """Raises Refused where files of the skill have changes that no version has; new files do not count."""
    changed = [change.path for change in changes_of(place) if change.unstaged != "?"]
    if changed:
        raise Refused(
            f"has changes that are not saved ({', '.join(changed[:3])}); nothing was changed",
            where=place.folder,
            remedy=f"Keep them first: workbench skill save {place.name} …, or skill propose {place.name} ….",
        )
