"""Two clones edit the same skill: both texts survive; conflicts are explained first, then settled."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.records import BadInput, Refused, Unavailable
from workbench.review import (
    Comparison,
    Distance,
    compare,
    distance,
    fetch,
    merge,
    propose,
    proposed,
    pull,
    push,
    save,
    settle,
    text_at,
)

from .conftest import TEXT, Tree, clone

Pair = tuple[Tree, Tree]
OURS = TEXT.replace("Second step.", "Second step of ours.")
THEIRS = TEXT.replace("Second step.", "Second step of theirs.")


@pytest.fixture
def pair(tree: Tree) -> Pair:
    """Two clones of a bare repository."""
    bare = tree.top.parent / "bare.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(tree.top), str(bare)], check=True)
    origin = Tree(bare, tree.home, bare)
    return clone(origin, "ours"), clone(origin, "theirs")


def pulled(tree: Tree) -> Comparison:
    found = pull(tree.place())
    assert found is not None
    return found


def sent(tree: Tree, text: str) -> None:
    tree.write(text)
    save(tree.place(), "theirs")
    push(tree.place())


def test_changes_at_different_places_merge_by_themselves(pair: Pair) -> None:
    ours, theirs = pair
    sent(theirs, THEIRS)
    ours.write(TEXT.replace("Last step.", "Last step of ours."))
    save(ours.place(), "ours")
    with pytest.raises(Refused, match="versions that are not here") as caught:
        push(ours.place())
    assert "skill pull small" in caught.value.remedy
    assert distance(ours.place()) == Distance(1, 0)
    assert fetch(ours.place()) == Distance(1, 1)
    compared = pulled(ours)
    assert compared.conflicts == ()
    merge(ours.place(), compared, whole=True)
    assert push(ours.place()) == "origin/main"
    merge(theirs.place(), pulled(theirs), whole=True)
    both = THEIRS.replace("Last step.", "Last step of ours.")
    assert ours.file.read_text() == theirs.file.read_text() == both
    assert pull(theirs.place()) is None
    for side in pair:
        assert side.git("status", "--porcelain") == ""
        side.clean()


def test_a_conflict_is_told_and_settled_and_both_texts_stay_in_the_history(pair: Pair) -> None:
    ours, theirs = pair
    sent(theirs, THEIRS)
    ours.write(OURS)
    save(ours.place(), "ours")
    compared = pulled(ours)
    (file,) = compared.conflicts
    (conflict,) = file.merged.conflicts
    assert (conflict.reason, conflict.section, conflict.line) == (
        "both sides changed the same lines",
        "Small",
        8,
    )
    assert (conflict.base, conflict.ours, conflict.theirs) == (
        "Second step.\n",
        "Second step of ours.\n",
        "Second step of theirs.\n",
    )
    assert [item.subject for item in compared.theirs] == ["theirs"]
    with pytest.raises(BadInput, match="is in conflict: both sides changed the file"):
        merge(ours.place(), compared, whole=True)
    assert (ours.file.read_text(), ours.git("status", "--porcelain")) == (OURS, "")
    merge(ours.place(), compared, whole=True, settled=settle(compared, {1: "both"}))
    assert ours.file.read_text() == OURS.replace("of ours.\n", "of ours.\nSecond step of theirs.\n")
    push(ours.place())
    merge(theirs.place(), pulled(theirs), whole=True)
    assert theirs.file.read_text() == ours.file.read_text()
    assert {text_at(theirs.place(), f"HEAD^{parent}") for parent in (1, 2)} == {OURS, THEIRS}
    ours.clean()


@pytest.mark.parametrize(("choice", "text"), [("ours", OURS), ("theirs", THEIRS), ("base", TEXT)])
def test_one_choice_for_all(pair: Pair, choice: str, text: str) -> None:
    ours, theirs = pair
    sent(theirs, THEIRS)
    ours.write(OURS)
    save(ours.place(), "ours")
    compared = pulled(ours)
    assert settle(compared, {}) == {}
    merge(ours.place(), compared, whole=True, settled=settle(compared, {0: choice}))
    assert ours.file.read_text() == text


def test_a_whole_text_settles_too_and_conflict_marks_in_texts_are_text(pair: Pair) -> None:
    ours, theirs = pair
    marks = "<<<<<<< ours\n=======\n>>>>>>>>>> theirs\n"
    sent(theirs, TEXT.replace("Second step.\n", marks))
    ours.write(OURS + marks)
    save(ours.place(), "ours")
    compared = pulled(ours)
    assert [place.theirs for place in compared.conflicts[0].merged.conflicts] == [marks]
    settled = settle(compared, {}, given={"skills/small/SKILL.md": "whole\n"})
    merge(ours.place(), compared, whole=True, settled=settled)
    assert ours.file.read_text() == "whole\n"


Change = Callable[[Tree], None]


@pytest.mark.parametrize(("choice", "there"), [("ours", False), ("theirs", True)])
def test_a_file_that_one_side_removed(pair: Pair, choice: str, there: bool) -> None:
    ours, theirs = pair
    sent(theirs, THEIRS)
    ours.write("more\n", "skills/small/more.md")
    ours.file.unlink()
    ours.git("commit", "-qam", "ours")
    compared = compare_fetched(ours)
    assert [conflict.reason for conflict in compared.conflicts] == ["you removed the file, they changed it"]
    merge(ours.place(), compared, whole=True, settled=settle(compared, {0: choice}))
    assert ours.file.exists() is there


def compare_fetched(tree: Tree) -> Comparison:
    return compared if (compared := pull(tree.place())) else compare(tree.place(), "HEAD")


def test_what_is_not_saved_is_never_written_over(pair: Pair) -> None:
    ours, theirs = pair
    theirs.write("theirs\n", "notes.txt")
    theirs.git("commit", "-qam", "notes")
    sent(theirs, THEIRS)
    ours.write(OURS)
    with pytest.raises(Refused, match="not saved"):
        merge(ours.place(), pulled(ours), whole=True)
    ours.write(TEXT)
    ours.write("mine\n", "notes.txt")
    with pytest.raises(Refused, match="would be written over"):
        merge(ours.place(), pulled(ours), whole=True)
    assert (ours.file.read_text(), (ours.root / "notes.txt").read_text()) == (TEXT, "mine\n")
    ours.git("checkout", "-q", "notes.txt")
    ours.write("mine\n", "workbench.toml")
    merge(ours.place(), pulled(ours), whole=True)
    assert ours.git("status", "--porcelain") == "M workbench.toml"
    assert ours.git("rev-parse", "HEAD") == theirs.git("rev-parse", "HEAD")


def test_conflicts_of_other_folders_are_for_git(pair: Pair) -> None:
    ours, theirs = pair
    theirs.write("theirs\n", "notes.txt")
    theirs.git("commit", "-qam", "notes")
    push(theirs.place())
    ours.write("ours\n", "notes.txt")
    ours.git("commit", "-qam", "notes")
    with pytest.raises(Refused, match=r"other folders are in conflict too \(notes.txt\)"):
        pull(ours.place())


def test_a_proposal_goes_to_the_other_clone(pair: Pair) -> None:
    ours, theirs = pair
    theirs.write(THEIRS)
    propose(theirs.place(), "two", "proposed")
    assert push(theirs.place(), "two") == "origin/proposal/small/two"
    fetch(ours.place())
    assert text_at(ours.place(), proposed(ours.place(), "two")) == THEIRS
    merge(ours.place(), compare(ours.place(), proposed(ours.place(), "two")))
    assert ours.file.read_text() == THEIRS
    with pytest.raises(BadInput, match="no proposal 'three'"):
        push(ours.place(), "three")


def test_hooks_of_push_and_merge(pair: Pair) -> None:
    ours, theirs = pair
    sent(theirs, THEIRS)
    ours.write(TEXT + "ours\n")
    save(ours.place(), "ours")
    ours.hook("pre-merge-commit", "exit 1")
    compared = pulled(ours)
    with pytest.raises(Refused, match="pre-merge-commit"):
        merge(ours.place(), compared, whole=True)
    ours.hook("pre-merge-commit", "exit 0")
    merge(ours.place(), compared, whole=True)
    ours.hook("pre-push", "echo not today >&2; exit 1")
    with pytest.raises(Exception, match="push"):
        push(ours.place())
    assert theirs.git("ls-remote", "origin", "main").split()[0] == theirs.git("rev-parse", "HEAD")


def test_no_remote_and_one_that_is_gone(tree: Tree, pair: Pair, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no remote branch"):
        push(tree.place())
    pair[0].git("remote", "set-url", "origin", str(tmp_path / "nowhere"))
    with pytest.raises(Unavailable, match="cannot be reached"):
        fetch(pair[0].place())
