"""Fetch, push and pull of one's own branch, and of one's own proposals; never by force."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.records import BadInput, Refused
from workbench.review.authorship import proposal_branch
from workbench.review.comparison import Comparison, compare
from workbench.review.git_command import NETWORK_S
from workbench.review.git_errors import error_of
from workbench.review.repository import SkillPlace, Standing, require_branch


@dataclass(frozen=True)
class Upstream:
    """Where a branch goes to: the remote, the branch there, and the ref of what was last fetched of it."""

    remote: str
    branch: str
    tracking: str


@dataclass(frozen=True)
class Distance:
    """How many commits only we have, and only they."""

    ahead: int
    behind: int


def upstream_of(place: SkillPlace, now: Standing) -> Upstream:
    """As the branch is set up; else, with one remote only, its branch of the same name. Raises BadInput."""
    remotes = place.git.text("remote").split()
    remote = place.git.try_text("config", "--get", f"branch.{now.branch}.remote")
    branch = place.git.try_text("config", "--get", f"branch.{now.branch}.merge").removeprefix("refs/heads/")
    if not (remote in remotes and branch):
        if len(remotes) != 1:
            raise BadInput(
                f"the branch {now.branch!r} has no remote branch that it goes to",
                where=str(place.top),
                remedy="git push -u <remote> <branch> once, or git remote add.",
            )
        remote, branch = remotes[0], now.branch
    return Upstream(remote, branch, f"refs/remotes/{remote}/{branch}")


def fetch(place: SkillPlace) -> Distance:
    """Get what the remote of the current branch has; touches no branch and no file of ours."""
    now = require_branch(place)
    upstream = upstream_of(place, now)
    place.git.run(
        "fetch", "--quiet", "--no-recurse-submodules", "--end-of-options", upstream.remote, limit_s=NETWORK_S
    )
    return distance(place)


def distance(place: SkillPlace) -> Distance:
    """How far apart the current branch and its remote one are, as last fetched."""
    now = require_branch(place)
    there = _tracked(place, upstream_of(place, now))
    if not there or not now.commit:
        count = place.git.text("rev-list", "--count", now.commit or there) if now.commit or there else "0"
        return Distance(int(count), 0) if now.commit else Distance(0, int(count))
    ahead, behind = place.git.text("rev-list", "--left-right", "--count", f"{now.commit}...{there}").split()
    return Distance(int(ahead), int(behind))


def pull(place: SkillPlace) -> Comparison | None:
    """Fetch, and the current branch beside its remote one, for ``merge`` with ``whole``; None: no news."""
    fetch(place)
    there = _tracked(place, upstream_of(place, require_branch(place)))
    compared = compare(place, there) if there else None
    return None if compared is None or compared.nothing_new else compared


def push(place: SkillPlace, proposal: str = "") -> str:
    """Send the current branch, or one's own proposal; the branch there. Its hook ``pre-push`` runs.

    Raises Refused where the remote has versions that are not here, or does not take it.
    """
    if proposal:
        branch = proposal_branch(place.name, proposal)
        if not place.git.try_text("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}"):
            raise BadInput(
                f"there is no proposal {proposal!r} of yours", remedy="workbench skill proposals lists all."
            )
        remotes = place.git.text("remote").split()
        if not remotes:
            raise BadInput(
                "there is no remote", where=str(place.top), remedy="git remote add <name> <address>"
            )
        upstream = Upstream("origin" if "origin" in remotes else remotes[0], branch, "")
    else:
        now = require_branch(place)
        upstream, branch = upstream_of(place, now), now.branch
    spec = f"refs/heads/{branch}:refs/heads/{upstream.branch}"
    answer = place.git.run(
        *("push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no"),
        *("--end-of-options", upstream.remote, spec),
        accept=(0, 1, 128),
        limit_s=NETWORK_S,
    )
    if answer.code:
        if "[rejected]" in answer.text:
            raise Refused(
                "the remote has versions that are not here; nothing was sent",
                where=f"{upstream.remote}/{upstream.branch}",
                remedy=f"workbench skill pull {place.name}, then push again.",
            )
        refused = [line for line in answer.text.splitlines() if line.startswith("!")]
        raise error_of("push", "\n".join([answer.errors, *refused]), str(place.top))
    return f"{upstream.remote}/{upstream.branch}"


def _tracked(place: SkillPlace, upstream: Upstream) -> str:
    return place.git.try_text("rev-parse", "--verify", "--quiet", f"{upstream.tracking}^{{commit}}")
