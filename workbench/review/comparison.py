"""The current branch beside another one: who has which versions of a skill, and where they conflict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.records import BadInput, Refused
from workbench.review.repository import SkillPlace, Standing, require_branch
from workbench.review.skill_versions import Version, commit_of, versions
from workbench.review.three_way import Conflict, MergedText, merge_texts
from workbench.store import owned_folder, private_folder

_STAGES = ("base", "ours", "theirs")


@dataclass(frozen=True)
class FileConflict:
    """A file of the skill that does not merge by itself; ``missing``: sides that have no such file."""

    path: str
    merged: MergedText
    missing: tuple[str, ...]

    @property
    def reason(self) -> str:
        """What happened to the file, where it is more than its lines."""
        if "ours" in self.missing:
            return "you removed the file, they changed it"
        if "theirs" in self.missing:
            return "they removed the file, you changed it"
        return "both sides added the file" if "base" in self.missing else "both sides changed the file"


@dataclass(frozen=True)
class Comparison:
    """``base``: the last version in common. ``ours`` and ``theirs``: versions of the skill since then that
    only one side has. ``tree`` is the merged tree, complete where there are no conflicts."""

    now: Standing
    other: str
    base: str
    ours: tuple[Version, ...]
    theirs: tuple[Version, ...]
    tree: str
    conflicts: tuple[FileConflict, ...]

    @property
    def nothing_new(self) -> bool:
        """Whether we have all of theirs."""
        return self.base == self.other

    @property
    def forward(self) -> bool:
        """Whether they have all of ours, so that there is nothing to merge."""
        return self.base == self.now.commit and not self.nothing_new


def compare(place: SkillPlace, revision: str) -> Comparison:
    """The current branch beside ``revision``; changes nothing.

    Raises BadInput for an unknown revision and before the first version; Refused on a detached head, for two
    histories without a version in common, and where files of other folders are in conflict.
    """
    now = require_branch(place)
    if not now.commit:
        raise BadInput(
            "there is no version here yet", where=str(place.top), remedy="git pull brings the first."
        )
    other = commit_of(place, revision)
    base = place.git.try_text("merge-base", now.commit, other)
    if not base:
        raise Refused(
            "the two have no version in common",
            where=str(place.top),
            remedy="In a shallow clone: git fetch --unshallow. Else they are two projects.",
        )
    tree = ""
    stages: dict[str, dict[str, str]] = {}
    if base not in (now.commit, other):
        tree, stages = _merged(place, now.commit, other)
    foreign = sorted(path for path in stages if not place.own(path))
    if foreign:
        raise Refused(
            f"files of other folders are in conflict too ({', '.join(foreign[:3])}); nothing was changed",
            where=place.folder,
            remedy="Merge with git itself (git merge), or let their authors settle these first.",
        )
    return Comparison(
        now=now,
        other=other,
        base=base,
        ours=tuple(versions(place, now.commit, since=base)),
        theirs=tuple(versions(place, other, since=base)),
        tree=tree,
        conflicts=_conflicts(place, stages),
    )


def _merged(place: SkillPlace, ours: str, theirs: str) -> tuple[str, dict[str, dict[str, str]]]:
    """The merged tree, and the blobs of each file in conflict by side. Needs git 2.38."""
    fields = place.git.run(
        "merge-tree", "--write-tree", "-z", "--no-messages", ours, theirs, accept=(0, 1)
    ).fields
    stages: dict[str, dict[str, str]] = {}
    for told in fields[1:]:
        if told:
            entry, _, path = told.partition("\t")
            _, blob, stage = entry.split(" ")
            stages.setdefault(path, {})[_STAGES[int(stage) - 1]] = blob
    return fields[0], stages


def _conflicts(place: SkillPlace, stages: Mapping[str, Mapping[str, str]]) -> tuple[FileConflict, ...]:
    found: list[FileConflict] = []
    for path, blobs in sorted(stages.items()):
        first = 1 + sum(len(conflict.merged.conflicts) for conflict in found)
        found.append(_conflict(place, path, blobs, first))
    return tuple(found)


def _conflict(place: SkillPlace, path: str, blobs: Mapping[str, str], first: int) -> FileConflict:
    texts = []
    for side in _STAGES:
        data = place.git.run("cat-file", "blob", blobs[side]).data if side in blobs else b""
        try:
            texts.append(data.decode("utf-8"))
        except UnicodeDecodeError:
            raise Refused(
                "both sides changed a file that is no text", where=path, remedy="Merge with git itself."
            ) from None
    missing = tuple(side for side in _STAGES if side not in blobs)
    if {"ours", "theirs"} & set(missing):
        base, ours, theirs = texts
        whole = Conflict(first, base, ours, theirs, 1, "")
        return FileConflict(path, MergedText((whole,)), missing)
    private_folder(place.data.root)
    with owned_folder(place.data, "merge") as scratch:
        return FileConflict(path, merge_texts(place.git, scratch, *texts, first=first), missing)
