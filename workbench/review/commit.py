"""One commit out of a temporary index: hooks, only the skill's files, signature. No branch is moved here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.records import BadInput, Refused, read_regular
from workbench.review.authorship import Author, checked_message, require_identity
from workbench.review.git_command import NETWORK_S
from workbench.review.git_errors import error_of
from workbench.review.hooks import run_hook
from workbench.review.repository import SkillPlace
from workbench.store import atomic_write

_FILE_MODES = ("100644", "100755", "000000")
_MOST_MESSAGE_BYTES = 1_000_000


@dataclass(frozen=True)
class TreeChange:
    """A file that differs between two trees; mode and blob are zeros where it is not there."""

    path: str
    mode: str
    old: str
    new: str


def tree_changes(place: SkillPlace, old: str, new: str) -> list[TreeChange]:
    """What differs between two commits or trees, everywhere; ``old`` empty: everything is new."""
    start = old or place.git.run("hash-object", "-t", "tree", "--stdin").text
    fields = place.git.run(
        "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--end-of-options", start, new
    ).fields
    found = []
    for told, path in zip(fields[::2], fields[1::2], strict=True):
        _, mode, before, after, _ = told.split(" ")
        found.append(TreeChange(path, mode, before, after))
    return found


def make_commit(
    place: SkillPlace,
    index: Path,
    parents: Sequence[str],
    message: str,
    author: Author | None,
    *,
    first_hook: str = "pre-commit",
    own_only: bool = True,
) -> str:
    """Write the commit of what is in ``index``; its id. Hooks may change the index and the message.

    Signed where the user's configuration says so. Raises BadInput for no identity, a bad message and nothing
    new; Refused where a hook fails, a signature fails, or files of other folders or links would go in.
    """
    require_identity(place.git)
    message = checked_message(message)
    variables = author.variables() if author else {}
    file = index.with_name("COMMIT_EDITMSG")
    atomic_write(file, message)
    run_hook(place, first_hook, index, variables)
    run_hook(place, "prepare-commit-msg", index, variables, str(file), "message")
    run_hook(place, "commit-msg", index, variables, str(file))
    atomic_write(file, checked_message(read_regular(file, _MOST_MESSAGE_BYTES).decode("utf-8", "replace")))
    tree = place.git.with_index(index).text("write-tree")
    _check_tree(place, tree, parents, own_only)
    sign = place.git.try_text("config", "--type=bool", "--get", "commit.gpgsign") == "true"
    words = [word for parent in parents for word in ("-p", parent)]
    answer = place.git.run(
        *("commit-tree", *words, "-S" if sign else "--no-gpg-sign", "-F", str(file), tree),
        accept=(0, 1, 128),
        environment=variables,
        limit_s=NETWORK_S,
    )
    if answer.code:
        said = "error: failed to sign\n" if sign else ""
        raise error_of("commit-tree", answer.errors + said, str(place.top))
    return answer.text


def _check_tree(place: SkillPlace, tree: str, parents: Sequence[str], own_only: bool) -> None:
    changes = tree_changes(place, parents[0] if parents else "", tree)
    if not changes and len(parents) < 2:
        raise BadInput(
            "nothing differs from the last version", where=place.file, remedy="There is nothing to save."
        )
    foreign = [change.path for change in changes if not place.own(change.path)]
    if foreign and own_only:
        raise Refused(
            f"files of other folders would be committed too ({', '.join(foreign[:3])}); nothing was done",
            where=place.folder,
            remedy="A hook added them. Commit those with git itself.",
        )
    odd = [change.path for change in changes if place.own(change.path) and change.mode not in _FILE_MODES]
    if odd:
        raise Refused(
            "is a link or a repository of its own, not a file",
            where=odd[0],
            remedy="A skill's folder holds plain files only: put the file itself there.",
        )


def move_branch(place: SkillPlace, ref: str, new: str, old: str, why: str) -> None:
    """Let ``ref`` be ``new``, only if it still is ``old`` (empty: does not exist), and forget that this was
    under way. Raises Refused where it is not.
    """
    moved = f"update {ref}\0{new}\0{old}\0" if old else f"create {ref}\0{new}\0"
    moved += f"delete {under_way(place)}\0\0"
    place.git.run("update-ref", "-m", f"{why}: {place.name}", "-z", "--stdin", stdin=moved.encode())


def under_way(place: SkillPlace) -> str:
    """The ref, of this work tree alone, of a commit whose branch is still to be moved; stays after a kill."""
    return f"refs/worktree/workbench/{place.name}"
