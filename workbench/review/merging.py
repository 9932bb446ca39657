"""Merge another branch's versions of a skill into the current one; conflicts are settled before."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from workbench.records import BadInput, Refused
from workbench.review.advance import advance
from workbench.review.authorship import Author
from workbench.review.commit import make_commit, tree_changes
from workbench.review.comparison import Comparison
from workbench.review.hooks import tell_hook
from workbench.review.repository import SkillPlace, require_unlocked
from workbench.review.restoring import require_saved
from workbench.review.saving import Saved
from workbench.review.three_way import Choice
from workbench.store import owned_folder, private_folder


def merge(
    place: SkillPlace,
    compared: Comparison,
    message: str = "",
    author: Author | None = None,
    *,
    settled: Mapping[str, str | None] | None = None,
    whole: bool = False,
    wait_s: float = 2.0,
) -> Saved:
    """Make the merge that ``compared`` tells of.

    ``settled``: the text of each file in conflict, None to remove it. ``whole``: files of other folders that
    they changed come along (a pull); without it they are refused. Where they have all of ours the branch just
    goes forward. Raises BadInput for nothing new and for a conflict that is not settled; Refused where
    changes that are not committed would be written over, and what ``save`` refuses for.
    """
    now = compared.now
    if compared.nothing_new:
        raise BadInput(
            "has nothing that is not here", where=compared.other[:10], remedy="There is nothing to merge."
        )
    require_unlocked(place, wait_s=wait_s)
    require_saved(place)
    if not whole:
        _require_own(place, compared)
    private_folder(place.data.root)
    with owned_folder(place.data, "commit") as scratch:
        index = scratch / "index"
        commit = compared.other
        if not compared.forward:
            _fill(place, index, compared, settled or {})
            told = message or f"Merge {len(compared.theirs)} versions of {place.name} ({commit[:10]})"
            parents = [now.commit, commit]
            commit = make_commit(
                place, index, parents, told, author, first_hook="pre-merge-commit", own_only=not whole
            )
        advance(place, now, commit, "merge")
    note = tell_hook(place, "post-merge", "0")
    files = tuple(change.path for change in tree_changes(place, now.commit, commit))
    return Saved(commit, now.branch, files, (note,) if note else ())


def settle(
    compared: Comparison, choices: Mapping[int, str], *, given: Mapping[str, str] | None = None
) -> dict[str, str | None]:
    """The texts for ``merge`` as far as they are settled: a file that is not, is left out.

    ``choices``: by the number of a conflict (they count on from file to file), 0 for all others; ``given``:
    whole texts. A file that one side removed is settled by its one choice: that side's.
    """
    found: dict[str, str | None] = dict(given or {})
    for conflict in compared.conflicts:
        numbers = [place.number for place in conflict.merged.conflicts]
        chosen = {number: choices.get(number, choices.get(0, "")) for number in numbers}
        if conflict.path in found or not all(chosen.values()):
            continue
        picked = set(chosen.values())
        removed = set(conflict.missing) & picked
        text = conflict.merged.settled({number: Choice(choice) for number, choice in chosen.items()})
        found[conflict.path] = None if removed and len(picked) == 1 else text
    return found


def _require_own(place: SkillPlace, compared: Comparison) -> None:
    changes = tree_changes(place, compared.base, compared.other)
    foreign = [change.path for change in changes if not place.own(change.path)]
    if foreign:
        raise Refused(
            f"changes files of other folders too ({', '.join(foreign[:3])}); nothing was merged",
            where=compared.other[:10],
            remedy="Merge it with git itself, or ask for a proposal that changes this skill only.",
        )


def _fill(place: SkillPlace, index: Path, compared: Comparison, settled: Mapping[str, str | None]) -> None:
    git = place.git.with_index(index)
    git.run("read-tree", compared.tree)
    for conflict in compared.conflicts:
        if conflict.path not in settled:
            raise BadInput(
                f"is in conflict: {conflict.reason}; nothing was changed",
                where=conflict.path,
                remedy="Settle each place first: ours, theirs, both, base, or the whole text.",
            )
        text = settled[conflict.path]
        if text is None:
            git.run("rm", "-q", "-f", "--cached", "--", conflict.path)
            continue
        blob = git.run("hash-object", "-w", "--stdin", stdin=text.encode()).text
        told = git.run("ls-files", "-z", "--stage", "--", conflict.path).fields
        mode = told[0].split(" ")[0] if told else "100644"
        entry = f"{mode} {blob} 0\t{conflict.path}\0".encode("utf-8", "surrogateescape")
        git.run("update-index", "-z", "--index-info", stdin=entry)
