"""Proposals: a changed skill as a commit on a branch of its own, made without leaving the current one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from workbench.records import BadInput, Refused
from workbench.review.authorship import PROPOSALS, Author, proposal_branch
from workbench.review.commit import make_commit, tree_changes
from workbench.review.repository import SkillPlace, require_quiet, standing_of
from workbench.review.saving import Saved, check_seen, fill_index
from workbench.review.skill_versions import commit_of, versions
from workbench.store import owned_folder, private_folder


@dataclass(frozen=True)
class Proposal:
    """A branch with a proposed text. ``remote`` is empty for one of this clone; ``versions`` counts commits
    that changed the skill and that the current branch lacks; ``merged``: it lacks none at all.
    """

    name: str
    remote: str
    ref: str
    commit: str
    author: str
    time: datetime
    subject: str
    versions: int
    merged: bool


def propose(place: SkillPlace, name: str, message: str, author: Author | None = None) -> Saved:
    """Commit the skill's folder as it is in the work tree on the new branch ``proposal/<skill>/<name>``.

    Index, work tree and current branch stay as they are; a detached head will do. Raises BadInput for a name
    that none can have, before the first version, and what ``save`` raises it for; Refused where there is such
    a proposal already, while a merge is under way, and for hooks and signatures that fail.
    """
    branch = proposal_branch(place.name, name)
    now = standing_of(place)
    require_quiet(place, now)
    check_seen(place)
    if not now.commit:
        raise BadInput(
            "there is no version yet",
            where=str(place.top),
            remedy=f"First: workbench skill save {place.name} -m …",
        )
    ref = f"refs/heads/{branch}"
    if place.git.try_text("rev-parse", "--verify", "--quiet", ref):
        raise Refused(
            f"there is a proposal {name!r} of this skill already", where=branch, remedy="Take another name."
        )
    private_folder(place.data.root)
    with owned_folder(place.data, "commit") as scratch:
        index = scratch / "index"
        fill_index(place, index, now.commit)
        commit = make_commit(place, index, [now.commit], message, author)
        place.git.run("update-ref", "-m", f"propose: {place.name}", "--create-reflog", ref, commit, "")
    return Saved(commit, branch, tuple(change.path for change in tree_changes(place, now.commit, commit)))


def proposals(place: SkillPlace) -> list[Proposal]:
    """The proposals of the skill, in this clone and as last fetched from remotes, by name."""
    answer = place.git.run("for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes")
    pattern = re.compile(rf"refs/(?:heads|remotes/(.+))/{PROPOSALS}/{re.escape(place.name)}/([a-z0-9-]+)")
    found = [
        _proposal(place, ref, match[2], match[1] or "")
        for ref in answer.text.split("\n")
        if (match := pattern.fullmatch(ref))
    ]
    return sorted(found, key=lambda item: (item.name, item.remote))


def _proposal(place: SkillPlace, ref: str, name: str, remote: str) -> Proposal:
    newest = versions(place, ref, most=1)
    commit = commit_of(place, ref)
    head = place.git.try_text("rev-parse", "--verify", "--quiet", "HEAD")
    ahead = versions(place, ref, since=head) if head else versions(place, ref)
    merged = bool(head) and place.git.has("merge-base", "--is-ancestor", commit, head)
    epoch = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
    author, time, subject = (
        (newest[0].author, newest[0].time, newest[0].subject) if newest else ("", epoch, "")
    )
    return Proposal(name, remote, ref, commit, author, time, subject, len(ahead), merged)


def proposed(place: SkillPlace, name: str) -> str:
    """The revision that a person means by a proposal's name, or by any branch, tag or commit.

    Raises BadInput for none, and for a name that proposals of several remotes have.
    """
    here = [item for item in proposals(place) if name in (item.name, f"{item.remote}/{item.name}")]
    own = [item for item in here if not item.remote] or here
    if len({item.commit for item in own}) > 1:
        raise BadInput(
            f"several remotes have a proposal {name!r}",
            remedy=f"Say which: {' or '.join(f'{item.remote}/{item.name}' for item in own)}.",
        )
    return own[0].ref if own else commit_of(place, name)
