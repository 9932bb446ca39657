"""Proposals on branches and earlier versions restored: what is not saved stays, wherever it is."""

from __future__ import annotations

import pytest

from workbench.records import BadInput, Refused
from workbench.review import Author, compare, merge, proposals, propose, proposed, restore, save, text_at

from .conftest import TEXT, Maker, Tree, clone

CHANGED = TEXT.replace("Second step.", "Second step, changed.")


def test_a_proposal_leaves_everything_where_it_is(tree: Tree) -> None:
    tree.write("staged\n", "notes.txt")
    tree.git("add", "notes.txt")
    tree.write(CHANGED)
    before = tree.git("status", "--porcelain=v2", "--branch")
    made = propose(tree.place(), "wider-window", "Ask for more", Author("C2", "c2@example.org"))
    assert made.branch == "proposal/small/wider-window"
    assert tree.git("status", "--porcelain=v2", "--branch") == before
    assert tree.git("diff", "--name-only", "main", made.branch) == "skills/small/SKILL.md"
    found = proposals(tree.place())
    assert [(item.name, item.remote, item.author, item.versions, item.merged) for item in found] == [
        ("wider-window", "", "C2", 1, False)
    ]
    assert text_at(tree.place(), proposed(tree.place(), "wider-window")) == CHANGED
    assert proposals(tree.place("other")) == []
    tree.clean()


def test_on_a_detached_head_and_in_an_empty_repository(tree: Tree, make_tree: Maker) -> None:
    tree.git("checkout", "-q", "--detach")
    tree.write(CHANGED)
    propose(tree.place(), "kept", "keep it")
    assert text_at(tree.place(), proposed(tree.place(), "kept")) == CHANGED
    with pytest.raises(BadInput, match="no version yet"):
        propose(make_tree("empty", empty=True).place(), "x", "x")


@pytest.mark.parametrize("name", ["", "-x", "a b", "../x", "A", "a--b", "x.lock", "é", "a\x1bb", "x" * 65])
def test_names_that_no_proposal_has(tree: Tree, name: str) -> None:
    tree.write(CHANGED)
    with pytest.raises(BadInput, match="cannot name a proposal"):
        propose(tree.place(), name, "x")


def test_twice_the_same_name_and_branches_of_others(tree: Tree) -> None:
    tree.write(CHANGED)
    first = propose(tree.place(), "one", "x").commit
    tree.write(CHANGED + "more\n")
    with pytest.raises(Refused, match="already"):
        propose(tree.place(), "one", "y")
    assert tree.git("rev-parse", "proposal/small/one") == first
    tree.git("branch", 'x"$(touch${IFS}ran)"\u202ey\u2028refs/heads/proposal/small/two')
    tree.git("update-ref", "refs/remotes/evil/proposal/small/one", "HEAD")
    assert [(item.name, item.remote) for item in proposals(tree.place())] == [("one", ""), ("one", "evil")]
    assert proposed(tree.place(), "one") == "refs/heads/proposal/small/one"
    assert proposed(tree.place(), "evil/one") == "refs/remotes/evil/proposal/small/one"


def test_a_proposal_is_merged_and_foreign_changes_stay(tree: Tree) -> None:
    tree.write(CHANGED)
    propose(tree.place(), "one", "proposed")
    tree.write(TEXT)
    tree.write("own\n", "notes.txt")
    tree.write(TEXT.replace("Last step.", "Very last step."))
    save(tree.place(), "meanwhile")
    compared = compare(tree.place(), proposed(tree.place(), "one"))
    assert ([item.subject for item in compared.ours], [item.subject for item in compared.theirs]) == (
        ["meanwhile"],
        ["proposed"],
    )
    merge(tree.place(), compared)
    assert tree.file.read_text() == CHANGED.replace("Last step.", "Very last step.")
    assert tree.git("log", "-1", "--format=%P").split()[1] == compared.other
    assert tree.git("status", "--porcelain") == "M notes.txt"
    assert [item.merged for item in proposals(tree.place())] == [True]
    with pytest.raises(BadInput, match="nothing that is not here"):
        merge(tree.place(), compare(tree.place(), proposed(tree.place(), "one")))
    tree.clean()


def test_a_branch_that_changes_other_files_too_is_not_merged(tree: Tree) -> None:
    tree.git("switch", "-q", "-c", "wide")
    tree.write(CHANGED)
    tree.write("two\n", "notes.txt")
    tree.git("commit", "-qam", "wide")
    tree.git("switch", "-q", "main")
    with pytest.raises(Refused, match=r"other folders too \(notes.txt\)"):
        merge(tree.place(), compare(tree.place(), "wide"))
    assert tree.file.read_text() == TEXT


def test_an_earlier_version_becomes_a_new_commit(tree: Tree) -> None:
    tree.write(CHANGED)
    tree.write("aside\n", "skills/small/beside.md")
    save(tree.place(), "second")
    tree.write("own\n", "notes.txt")
    tree.write("mine\n", "skills/small/untracked.md")
    saved = restore(tree.place(), "HEAD~1")
    assert saved.files == ("skills/small/SKILL.md", "skills/small/beside.md")
    assert tree.file.read_text() == TEXT
    assert tree.git("log", "--format=%s").splitlines()[0].startswith("Restore small as of ")
    assert tree.git("status", "--porcelain") == "M notes.txt\n?? skills/small/untracked.md"
    restore(tree.place(), "HEAD~1", "back again")
    assert (tree.root / "skills/small/beside.md").read_text() == "aside\n"
    tree.clean()


def test_restoring_writes_over_nothing(tree: Tree) -> None:
    tree.write("aside\n", "skills/small/beside.md")
    save(tree.place(), "second")
    (tree.root / "skills/small/beside.md").unlink()
    save(tree.place(), "third")
    head = tree.git("rev-parse", "HEAD")
    tree.write("mine, in no version\n", "skills/small/beside.md")
    with pytest.raises(Refused, match="would be written over"):
        restore(tree.place(), "HEAD~1")
    assert (tree.root / "skills/small/beside.md").read_text() == "mine, in no version\n"
    tree.write(CHANGED)
    with pytest.raises(Refused, match="not saved"):
        restore(tree.place(), "HEAD~1")
    assert (tree.file.read_text(), tree.git("rev-parse", "HEAD")) == (CHANGED, head)
    assert tree.git("for-each-ref", "refs/worktree") == ""


def test_restoring_what_is_not_there_or_the_same(tree: Tree) -> None:
    with pytest.raises(BadInput, match="nothing differs"):
        restore(tree.place(), "HEAD")
    with pytest.raises(BadInput, match="there is no version"):
        restore(tree.place(), "nothing")
    tree.write(TEXT, "skills/new/SKILL.md")
    save(tree.place("new"), "new")
    with pytest.raises(BadInput, match="is not in"):
        restore(tree.place("new"), "HEAD~1")


def test_restoring_follows_the_attributes(tree: Tree) -> None:
    tree.write("* text=auto eol=crlf\n", ".gitattributes")
    tree.git("add", "-A")
    tree.git("commit", "-qm", "attributes")
    tree.write(CHANGED.replace("\n", "\r\n"))
    save(tree.place(), "change")
    restore(tree.place(), "HEAD~1")
    assert tree.file.read_bytes() == TEXT.replace("\n", "\r\n").encode()
    assert tree.git("status", "--porcelain") == ""


def test_a_shallow_clone_without_a_common_version(tree: Tree) -> None:
    tree.write(CHANGED)
    propose(tree.place(), "one", "proposed")
    save(tree.place(), "second")
    shallow = clone(tree, "shallow", "--depth=1", "--no-single-branch")
    with pytest.raises(Refused, match="no version in common") as caught:
        compare(shallow.place(), proposed(shallow.place(), "one"))
    assert "--unshallow" in caught.value.remedy
