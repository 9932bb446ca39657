"""Save one skill: what its folder holds becomes a commit on the current branch; nothing else is touched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.records import BadInput, Refused, blob_hash, read_regular
from workbench.review.authorship import Author
from workbench.review.commit import TreeChange, make_commit, move_branch, tree_changes, under_way
from workbench.review.git_command import Git
from workbench.review.hooks import tell_hook
from workbench.review.repository import SkillPlace, Standing, changes_of, require_branch, require_unlocked
from workbench.store import atomic_write, half_written, owned_folder, private_folder


@dataclass(frozen=True)
class Saved:
    """A commit that was made: where it went, which files it has, and what did not work afterwards."""

    commit: str
    branch: str
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()


def save(place: SkillPlace, message: str, author: Author | None = None, *, wait_s: float = 2.0) -> Saved:
    """Commit the skill's folder as it is in the work tree.

    Staged and unstaged changes elsewhere stay as they are. Order: hooks and commit on a temporary index, the
    skill's entries in the real index, then the branch, so that a kill leaves the old or the new version and
    at most the skill staged. Raises Refused (detached head, something under way, a lock, a hook, a signature,
    staged text that is not the file's, a branch moved meanwhile) and BadInput (no identity, nothing new).
    """
    now = require_branch(place)
    require_unlocked(place, wait_s=wait_s)
    check_staged(place)
    private_folder(place.data.root)
    with owned_folder(place.data, "commit") as scratch:
        index = scratch / "index"
        fill_index(place, index, now.commit)
        commit = make_commit(place, index, [now.commit] if now.commit else [], message, author)
    return publish(place, now, commit)


def publish(place: SkillPlace, now: Standing, commit: str) -> Saved:
    """Make ``commit`` the current branch's newest one; the work tree already holds its files."""
    changes = tree_changes(place, now.commit, commit)
    before = _entries(place)
    place.git.run("update-ref", under_way(place), commit)
    _stage(place.git, changes)
    try:
        move_branch(place, now.ref, commit, now.commit, "save")
    except BaseException:
        place.git.run("update-index", "-z", "--index-info", stdin=before + _gone(changes, before))
        raise
    note = tell_hook(place, "post-commit")
    return Saved(commit, now.branch, tuple(change.path for change in changes), (note,) if note else ())


def fill_index(place: SkillPlace, index: Path, commit: str) -> None:
    """A temporary index: everything as in ``commit``, the skill's folder as it is in the work tree."""
    git = place.git.with_index(index)
    git.run("read-tree", commit or "--empty")
    known = git.run("ls-files", "-z", "--", place.folder).data
    if not known and not (place.top / place.folder).is_dir():
        raise BadInput("is gone, and no version has it", where=place.folder)
    git.run("add", "--all", "--", place.folder)
    paths = git.run("ls-files", "-z", "--", place.folder).fields
    parts = [path for path in paths if half_written(path.rsplit("/", 1)[-1])]
    if parts:  # what a kill left of a write is no file of the skill
        git.run("update-index", "--force-remove", "--", *parts)


def check_staged(place: SkillPlace) -> None:
    """Raises Refused where the index holds text of the skill that is in neither the last version nor the
    file: committing the file would throw that text away. What a killed save staged is kept by its commit.
    """
    check_seen(place)
    interrupted = place.git.try_text("rev-parse", "--verify", "--quiet", under_way(place))
    for change in changes_of(place):
        both = change.staged not in ".?" and change.unstaged not in ".?"
        if both and interrupted and _staged_by(place, change.path, interrupted):
            continue
        if change.unmerged or both:
            state = "is in conflict" if change.unmerged else "has staged changes that differ from the file"
            raise Refused(
                f"{state}; nothing was changed",
                where=change.path,
                remedy="git diff and git diff --staged show both. Stage the file as it is (git add), or "
                "unstage it (git restore --staged), then save again.",
            )


def check_seen(place: SkillPlace) -> None:
    """Raises Refused for files of the skill that git was told not to look at: they would be taken for removed
    or changed.
    """
    fields = place.git.run("ls-files", "-v", "-z", "--", place.folder).fields
    hidden = [told[2:] for told in fields if told[0] == "S" or told[0].islower()]
    if hidden:
        raise Refused(
            "git was told not to look at this file (skip-worktree, assume-unchanged, or a sparse checkout)",
            where=hidden[0],
            remedy="git sparse-checkout add its folder, or git update-index --no-skip-worktree "
            "--no-assume-unchanged it.",
        )


def put_text(place: SkillPlace, text: str, expected: str) -> None:
    """Write a new text into the SKILL.md, if it still is what the editor began with.

    ``expected`` is the git blob hash of the file's bytes then, empty if there was none. Raises Refused when
    somebody else changed it meanwhile: nothing is written.
    """
    try:
        found = blob_hash(read_regular(place.path, follow_link=False))
    except FileNotFoundError:
        found = ""
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(place.path)) from None
    if found != expected:
        raise Refused(
            "was changed by somebody else since you opened it; nothing was written",
            where=str(place.path),
            remedy="Your text is kept as a draft. Compare it with the file, then save again.",
        )
    place.path.parent.mkdir(exist_ok=True)
    atomic_write(place.path, text, mode=_mode(place.path))


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777 if path.exists() else 0o644


def _staged_by(place: SkillPlace, path: str, commit: str) -> bool:
    """Whether the index has the file as a commit has it."""
    return place.git.has("diff", "--cached", "--quiet", "--no-ext-diff", commit, "--", path)


def _entries(place: SkillPlace) -> bytes:
    """The skill's entries in the real index, in the form that ``update-index --index-info`` reads."""
    return place.git.run("ls-files", "-z", "--stage", "--", place.folder).data


def _stage(git: Git, changes: list[TreeChange]) -> None:
    lines = [f"{change.mode} {change.new} 0\t{change.path}\0" for change in changes]
    git.run("update-index", "-z", "--index-info", stdin="".join(lines).encode("utf-8", "surrogateescape"))


def _gone(changes: list[TreeChange], before: bytes) -> bytes:
    """Lines that take out of the index what was not in it before."""
    there = {line.split(b"\t", 1)[-1] for line in before.split(b"\0")}
    paths = [change.path.encode("utf-8", "surrogateescape") for change in changes]
    nothing = b"000000 " + b"0" * len(changes[0].new) + b" 0\t"
    return b"".join(nothing + path + b"\0" for path in paths if path not in there)
