"""The repository a skill is in, and the state that it is in: branch, what is going on, locks, changes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from workbench.catalog import did_you_mean, nfc
from workbench.records import BadInput, ContentPaths, DataPaths, Refused
from workbench.review.git_command import Git
from workbench.store import half_written

_GOING_ON = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "sequencer": "cherry-pick or revert",
}
_LOCK_POLL_S = 0.05


@dataclass(frozen=True)
class SkillPlace:
    """A skill's folder in its repository. ``folder`` and ``file`` are paths below ``top``, with ``/``."""

    name: str
    top: Path
    folder: str
    git: Git
    data: DataPaths
    main: str = "SKILL.md"

    @property
    def file(self) -> str:
        return f"{self.folder}/{self.main}"

    @property
    def path(self) -> Path:
        """The SKILL.md in the work tree."""
        return self.top / self.file

    def own(self, path: str) -> bool:
        """Whether a path below ``top`` is in the skill's folder."""
        return path.startswith(f"{self.folder}/")

    def below_top(self, path: Path) -> str:
        """A path of the work tree as git has it. Raises Refused for one of another repository."""
        try:
            return path.resolve().relative_to(self.top.resolve()).as_posix()
        except ValueError:
            raise Refused(
                "is not in the repository of the skill",
                where=str(path),
                remedy="Keep skills, tasks and audits in one repository, to sign what belongs together.",
            ) from None

    def git_path(self, name: str) -> Path:
        """A file of the repository, wherever this work tree has it."""
        return self.top / self.git.text("rev-parse", "--git-path", name)


@dataclass(frozen=True)
class Standing:
    """Where the work tree stands. ``branch`` is empty on a detached head, ``commit`` before the first one."""

    branch: str
    commit: str
    going_on: str
    shallow: bool

    @property
    def ref(self) -> str:
        return f"refs/heads/{self.branch}"


@dataclass(frozen=True)
class FileChange:
    """A file of the skill's folder that differs: ``staged`` and ``unstaged`` as git's letters, '.' for none;
    both are '?' for a file that git does not know."""

    path: str
    staged: str
    unstaged: str

    @property
    def unmerged(self) -> bool:
        return "U" in (self.staged + self.unstaged)


def place_of(content: ContentPaths, data: DataPaths, name: str) -> SkillPlace:
    """The skill's place. A folder that is gone is known as long as a version has it.

    Raises BadInput for an unknown skill or no repository; Refused for a link and for the installed copy.
    """
    name = nfc(name)
    if not content.writable:
        raise Refused(
            "the installed copy of the skills has no versions",
            remedy="Work in a clone of the project, or in a folder of your own with a workbench.toml.",
        )
    main = content.skill(name)
    _check_name(content, name)
    if main.parent.is_symlink() or main.is_symlink():
        raise Refused(
            "is a link; a skill is a folder of its own",
            where=str(main),
            remedy="Put the files there themselves.",
        )
    start = main.parent if main.parent.is_dir() else content.skills
    git = Git(start)
    top = Path(git.text("rev-parse", "--show-toplevel"))
    prefix = git.text("rev-parse", "--show-prefix").strip("/")
    folder = prefix if start == main.parent else "/".join(part for part in (prefix, name) if part)
    if not folder:
        raise Refused("is a repository of its own", where=str(start), remedy="Review it with git itself.")
    place = SkillPlace(name, top, folder, Git(top), data, main.name)
    if start != main.parent and not place.git.try_text("ls-tree", "HEAD", "--", folder):
        known = [path.name for path in content.skills.iterdir() if path.is_dir()]
        raise BadInput(
            f"there is no skill {name!r}",
            where=str(content.root),
            remedy=did_you_mean(name, known, "`workbench skill list` shows what there is."),
        )
    return place


def _check_name(content: ContentPaths, name: str) -> None:
    if not name or not all(
        part.isascii() and part.isalnum() and part == part.lower() for part in name.split("-")
    ):
        raise BadInput(
            f"there is no skill {name!r}",
            where=str(content.root),
            remedy="A skill's name has lower-case letters, digits and hyphens; see workbench skill list.",
        )


def standing_of(place: SkillPlace) -> Standing:
    """Where the work tree stands now."""
    branch = place.git.try_text("symbolic-ref", "--quiet", "HEAD").removeprefix("refs/heads/")
    commit = place.git.try_text("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    going_on = next((what for name, what in _GOING_ON.items() if place.git_path(name).exists()), "")
    shallow = place.git.text("rev-parse", "--is-shallow-repository") == "true"
    return Standing(branch, commit, going_on, shallow)


def require_branch(place: SkillPlace) -> Standing:
    """The standing, where a commit on the current branch is possible. Raises Refused, with what to do."""
    now = standing_of(place)
    require_quiet(place, now)
    if not now.branch:
        raise Refused(
            "the head is detached: a commit here would belong to no branch",
            where=str(place.top),
            remedy=f"workbench skill propose {place.name} … keeps your text on a branch of its own; "
            "or go to a branch first (git switch <branch>). Your file stays as it is.",
        )
    return now


def require_quiet(place: SkillPlace, now: Standing) -> None:
    """Raises Refused while a merge, rebase or the like is under way."""
    if now.going_on:
        raise Refused(
            f"a {now.going_on} is under way in this repository",
            where=str(place.top),
            remedy=f"Finish or abort it first (git status says how; git {now.going_on.split()[0]} --abort).",
        )


def require_unlocked(place: SkillPlace, *, wait_s: float = 2.0) -> None:
    """Raises Refused where somebody holds the index for longer than ``wait_s`` seconds."""
    lock = place.git_path("index.lock")
    deadline = time.monotonic() + wait_s
    while lock.exists():
        if time.monotonic() >= deadline:
            raise Refused(
                "another git process holds the repository's index; nothing was changed",
                where=str(lock),
                remedy="Wait until it is done and try again. If no git process runs, it is left from one "
                "that was killed: remove that file.",
            )
        time.sleep(_LOCK_POLL_S)


def changes_of(place: SkillPlace) -> list[FileChange]:
    """The files of the skill's folder that differ from the last commit, new ones too, ignored ones not."""
    answer = place.git.run(
        *(
            "status",
            "--porcelain=v2",
            "-z",
            "--untracked-files=all",
            "--no-renames",
            "--ignore-submodules=none",
        ),
        *("--", place.folder),
    )
    found = []
    for line in answer.fields:
        kind = line[:1]
        if kind == "?" and half_written(line.rsplit("/", 1)[-1]):
            continue
        if kind == "?":
            found.append(FileChange(line[2:], "?", "?"))
        elif kind in ("1", "u"):
            parts = line.split(" ", 8 if kind == "1" else 10)
            found.append(FileChange(parts[-1], parts[1][0], parts[1][1]) if kind == "1" else
                         FileChange(parts[-1], "U", "U"))  # fmt: skip
    return sorted(found, key=lambda change: change.path)
