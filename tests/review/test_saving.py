"""Saving one skill commits its folder and nothing else, whatever state the repository is in."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from workbench.records import BadInput, Refused, WorkbenchError, blob_hash
from workbench.review import Author, changes_of, parse_author, put_text, save, text_at, versions

from .conftest import TEXT, Maker, Tree, clone

CHANGED = TEXT.replace("Second step.", "Second step, changed.")


def refused(tree: Tree, match: str, kind: type[WorkbenchError] = Refused) -> WorkbenchError:
    """Saving fails so, and nothing has moved or been lost."""
    head, index = tree.git("rev-parse", "HEAD", check=False), tree.git("ls-files", "-s")
    text = tree.file.read_bytes()
    with pytest.raises(kind, match=match) as caught:
        save(tree.place(), "change", wait_s=0)
    assert tree.git("rev-parse", "HEAD", check=False) == head
    assert tree.git("ls-files", "-s") == index
    assert tree.file.read_bytes() == text
    tree.clean()
    return caught.value


def test_one_commit_with_message_and_author(tree: Tree) -> None:
    tree.write(CHANGED)
    saved = save(tree.place(), "Say more of the second step\n\nBecause.", Author("C1", "c1@example.org"))
    assert saved.files == ("skills/small/SKILL.md",)
    assert tree.git("log", "-1", "--format=%an|%ae|%cn|%B") == (
        "C1|c1@example.org|Ada|Say more of the second step\n\nBecause."
    )
    assert tree.git("show", "HEAD:skills/small/SKILL.md") == CHANGED.strip()
    assert tree.git("status", "--porcelain") == ""
    assert tree.git("reflog", "-1", "--format=%gs") == "save: small"
    tree.clean()


def test_foreign_changes_stay_as_they_are(tree: Tree) -> None:
    tree.write("staged\n", "notes.txt")
    tree.git("add", "notes.txt")
    tree.write("staged and more\n", "notes.txt")
    tree.write("new\n", "untracked.txt")
    tree.write("# Other, changed\n", "skills/other/SKILL.md")
    tree.git("rm", "-q", "--cached", "workbench.toml")
    before = tree.git("status", "--porcelain=v2")
    tree.write(CHANGED)
    tree.write("aside\n", "skills/small/references/beside.md")
    saved = save(tree.place(), "change")
    assert saved.files == ("skills/small/SKILL.md", "skills/small/references/beside.md")
    assert tree.git("status", "--porcelain=v2") == before
    assert tree.git("show", ":notes.txt") == "staged"


def test_the_skill_may_be_staged_already_and_files_may_go(tree: Tree) -> None:
    tree.write("aside\n", "skills/small/beside.md")
    save(tree.place(), "add")
    tree.write(CHANGED)
    tree.git("add", "skills/small/SKILL.md")
    (tree.root / "skills/small/beside.md").unlink()
    assert save(tree.place(), "remove").files == ("skills/small/SKILL.md", "skills/small/beside.md")
    assert tree.git("status", "--porcelain") == ""


def test_staged_text_that_is_not_the_files_is_not_thrown_away(tree: Tree) -> None:
    tree.write(TEXT + "staged\n")
    tree.git("add", "skills/small/SKILL.md")
    tree.write(CHANGED)
    assert "git add" in refused(tree, "staged changes that differ").remedy


def test_nothing_to_save_and_unknown_skill(tree: Tree) -> None:
    refused(tree, "nothing differs", BadInput)
    for name in ("smal", "../small", "-x", "", "Small", "a//b"):
        with pytest.raises(BadInput, match="there is no skill"):
            tree.place(name)


def test_hooks_run_and_a_failing_one_stops_it(tree: Tree) -> None:
    tree.write(CHANGED)
    tree.hook("pre-commit", "git diff --cached --name-only; echo no >&2; exit 3")
    assert "skills/small/SKILL.md\nno" in refused(tree, r"hook pre-commit stopped it \(exit 3\)").remedy
    tree.hook("pre-commit", "exit 0")
    tree.hook("commit-msg", 'grep -q ticket "$1" || exit 1')
    refused(tree, "commit-msg")
    tree.hook("prepare-commit-msg", 'echo "ticket 7" >> "$1"')
    tree.hook("post-commit", "exit 4")
    saved = save(tree.place(), "change")
    assert tree.git("log", "-1", "--format=%B") == "change\nticket 7"
    assert saved.notes == ("the hook post-commit ended with 4",)


def test_a_hook_may_change_the_skill_but_nothing_else(tree: Tree) -> None:
    tree.write(CHANGED)
    tree.hook("pre-commit", "echo two > notes.txt; git add notes.txt")
    with pytest.raises(Refused, match="other folders"):
        save(tree.place(), "change")
    assert tree.git("show", ":notes.txt") == "one"
    tree.hook("pre-commit", "echo formatted >> skills/small/SKILL.md; git add skills/small/SKILL.md")
    save(tree.place(), "change")
    assert text_at(tree.place(), "HEAD") == CHANGED + "formatted\n"


def test_hooks_of_another_folder(tree: Tree) -> None:
    tree.write(CHANGED)
    tree.git("config", "core.hooksPath", "own-hooks")
    tree.write("exit 1\n", "own-hooks/pre-commit")  # without #!: git gives it to sh
    save(tree.place(), "not executable: not run")
    (tree.root / "own-hooks/pre-commit").chmod(0o755)
    tree.write(TEXT)
    refused(tree, "pre-commit")


def test_signed_where_the_user_signs(tree: Tree, tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    for name, value in (("gpg.format", "ssh"), ("commit.gpgsign", "true"), ("user.signingkey", str(key))):
        tree.git("config", name, value)
    tree.write(CHANGED)
    save(tree.place(), "signed")
    assert "BEGIN SSH SIGNATURE" in tree.git("cat-file", "commit", "HEAD")
    key.unlink()
    tree.write(TEXT)
    refused(tree, "could not be signed")


def test_a_lock_held_by_someone_else(tree: Tree) -> None:
    tree.write(CHANGED)
    lock = tree.top / ".git" / "index.lock"
    lock.touch()
    assert "try again" in refused(tree, "holds the repository's index").remedy
    assert lock.exists()
    lock.unlink()
    lock = tree.top / ".git" / "refs" / "heads" / "main.lock"
    lock.touch()
    refused(tree, "holds a lock")
    lock.unlink()
    save(tree.place(), "change")


def test_a_branch_that_moves_meanwhile(tree: Tree) -> None:
    tree.write(CHANGED)
    tree.hook("commit-msg", "unset GIT_INDEX_FILE; git commit -q --allow-empty --no-verify -m theirs")
    with pytest.raises(Refused, match="moved by somebody else"):
        save(tree.place(), "change")
    assert tree.git("log", "--format=%s") == "theirs\nfirst"
    assert tree.git("diff", "--cached", "--name-only") == ""
    (tree.top / ".git/hooks/commit-msg").unlink()
    save(tree.place(), "change")
    tree.clean()


def test_detached_head_and_a_merge_under_way(tree: Tree) -> None:
    tree.git("checkout", "-q", "--detach")
    tree.write(CHANGED)
    assert "skill propose small" in refused(tree, "detached").remedy
    tree.git("checkout", "-q", "main")
    (tree.top / ".git" / "MERGE_HEAD").write_text(tree.git("rev-parse", "HEAD") + "\n")
    assert "git merge --abort" in refused(tree, "a merge is under way").remedy


def test_an_empty_repository(make_tree: Maker) -> None:
    tree = make_tree("empty", empty=True)
    assert versions(tree.place()) == []
    save(tree.place(), "the very first")
    assert tree.git("ls-tree", "-r", "--name-only", "HEAD") == "skills/small/SKILL.md"
    assert [version.subject for version in versions(tree.place())] == ["the very first"]
    tree.clean()


def test_no_identity(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.write(CHANGED)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    assert "user.email" in refused(tree, "does not know who you are", BadInput).remedy


def test_a_repository_of_another_user(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.hook("pre-commit", "touch ran")
    tree.write(CHANGED)
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(Refused, match="belongs to another user"):
        tree.place()
    assert not (tree.top / "ran").exists()


def test_no_repository_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    tree = Tree(tmp_path / "bare", tmp_path / "home", tmp_path / "bare")
    tree.write(TEXT)
    with pytest.raises(BadInput, match="no git work tree"):
        tree.place()


def test_a_surrounding_git_command_leads_nowhere_else(
    tree: Tree, make_tree: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_tree("surrounding")
    monkeypatch.setenv("GIT_DIR", str(other.top / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.top / ".git" / "index"))
    tree.write(CHANGED)
    save(tree.place(), "change")
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert other.git("log", "--format=%s") == "first"
    assert tree.git("log", "-1", "--format=%s") == "change"


def test_line_ends_follow_the_attributes(tree: Tree) -> None:
    tree.write("* text=auto eol=crlf\n", ".gitattributes")
    tree.git("add", "-A")
    tree.git("commit", "-qm", "attributes")
    tree.write(CHANGED.replace("\n", "\r\n"))
    save(tree.place(), "change")
    assert tree.git("cat-file", "blob", "HEAD:skills/small/SKILL.md") + "\n" == CHANGED
    assert tree.file.read_bytes() == CHANGED.replace("\n", "\r\n").encode()
    assert text_at(tree.place()) == text_at(tree.place(), "HEAD") == CHANGED


def test_names_beyond_ascii_and_with_odd_characters(tree: Tree) -> None:
    for name in ("\u00e9.md", "e\u0301.md", "two\nlines.md", "*.md", ":(top)x.md"):
        tree.write("text\n", f"skills/small/{name}")
    saved = save(tree.place(), "names")
    assert len(saved.files) == 5
    assert tree.git("status", "--porcelain") == ""


def test_what_a_kill_left_of_a_write_is_not_saved(tree: Tree) -> None:
    tree.write("half", "skills/small/.SKILL.md.0123456789ab.part")
    assert changes_of(tree.place()) == []
    refused(tree, "nothing differs", BadInput)
    tree.write(CHANGED)
    assert save(tree.place(), "change").files == ("skills/small/SKILL.md",)
    assert (tree.root / "skills/small/.SKILL.md.0123456789ab.part").read_text() == "half"


def test_links_and_repositories_within_are_refused(tree: Tree, make_tree: Maker) -> None:
    (tree.root / "skills/small/link.md").symlink_to("/etc/hostname")
    refused(tree, "is a link")
    (tree.root / "skills/small/link.md").unlink()
    (tree.root / "skills/linked").symlink_to("small")
    with pytest.raises(Refused, match="is a link"):
        tree.place("linked")


def test_skills_in_a_submodule_and_beside_one(tree: Tree, make_tree: Maker) -> None:
    module = make_tree("module")
    tree.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(module.top), "inner")
    tree.git("commit", "-qm", "submodule")
    tree.write("dirty\n", "inner/notes.txt")
    tree.write(CHANGED)
    save(tree.place(), "beside")
    assert tree.git("status", "--porcelain") == "M inner"
    inner = Tree(tree.top / "inner", tree.home, tree.top / "inner")
    inner.git("switch", "-q", "main")
    inner.write(CHANGED)
    save(inner.place(), "within")
    assert inner.git("log", "-1", "--format=%s") == "within"
    assert tree.git("log", "-1", "--format=%s") == "beside"


def test_worktree_shallow_clone_and_content_below_the_top(tree: Tree, make_tree: Maker) -> None:
    tree.write(CHANGED)
    save(tree.place(), "second")
    tree.git("worktree", "add", "-q", "-b", "side", str(tree.top.parent / "side"))
    side = Tree(tree.top.parent / "side", tree.home, tree.top.parent / "side")
    side.write(TEXT)
    save(side.place(), "on the side")
    assert tree.git("log", "--format=%s", "side") == "on the side\nsecond\nfirst"
    assert tree.git("status", "--porcelain") == ""
    shallow = clone(tree, "shallow", "--depth=1")
    shallow.write(TEXT)
    save(shallow.place(), "third")
    assert [version.subject for version in versions(shallow.place())] == ["third", "second"]
    below = make_tree("below", below="deep/content")
    below.write(CHANGED)
    assert save(below.place(), "change").files == ("deep/content/skills/small/SKILL.md",)


@pytest.mark.parametrize("text", ["", "  \n", "a\x1b[31mb", "a\u202eb", "a\0b", "x" * 20_001])
def test_messages_that_are_none(tree: Tree, text: str) -> None:
    tree.write(CHANGED)
    with pytest.raises(BadInput, match="message"):
        save(tree.place(), text)


@pytest.mark.parametrize("text", ["-n", "$(touch ran)", "# heading", "[bold]x[/bold]", "--author=x", "ü"])
def test_odd_messages_stay_as_they_are(tree: Tree, text: str) -> None:
    tree.write(CHANGED)
    save(tree.place(), text)
    assert tree.git("log", "-1", "--format=%B") == text


@pytest.mark.parametrize(
    "text", ["Ada", "Ada <ada>", "A\x1b[1m <a@b>", "A\n<a@b>", "A <a@b> <c@d>", "- <a@b>"]
)
def test_authors_that_are_none(text: str) -> None:
    with pytest.raises(BadInput):
        parse_author(text)


def test_an_author_in_one_form() -> None:
    assert parse_author(" René  <r@x.org> ") == Author("René", "r@x.org")


def test_a_text_is_put_only_over_what_the_editor_began_with(tree: Tree) -> None:
    place = tree.place()
    put_text(place, CHANGED, blob_hash(TEXT.encode()))
    assert tree.file.read_text() == CHANGED
    with pytest.raises(Refused, match="changed by somebody else"):
        put_text(place, TEXT, blob_hash(TEXT.encode()))
    assert tree.file.read_text() == CHANGED


def test_files_that_git_does_not_look_at_are_not_taken_for_removed(tree: Tree) -> None:
    tree.git("sparse-checkout", "set", "skills/other")
    assert not tree.file.exists()
    refused_without_text(tree, "not to look at")
    tree.git("sparse-checkout", "disable")
    tree.git("update-index", "--assume-unchanged", "skills/small/SKILL.md")
    tree.write(CHANGED)
    refused(tree, "not to look at")


def refused_without_text(tree: Tree, match: str) -> None:
    with pytest.raises(Refused, match=match):
        save(tree.place(), "change", wait_s=0)
    assert tree.git("log", "--format=%s") == "first"


def test_files_are_as_open_as_the_repository(tree: Tree) -> None:
    tree.top.chmod(0o755)
    before = os.umask(0o077)
    try:
        tree.write(CHANGED)
        tree.hook("post-commit", "git diff --cached --quiet && touch aside")
        commit = save(tree.place(), "change").commit
    finally:
        os.umask(before)
    assert (tree.top / ".git" / "objects" / commit[:2] / commit[2:]).stat().st_mode & 0o777 == 0o444
    assert (tree.top / "aside").stat().st_mode & 0o777 == 0o644


def test_a_repository_with_longer_hashes_and_another_encoding(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "long", tmp_path / "home", tmp_path / "long")
    tree.write("", "workbench.toml")
    tree.write(TEXT)
    tree.git("init", "-q", "--object-format=sha256")
    tree.git("config", "i18n.commitEncoding", "ISO-8859-1")
    save(tree.place(), "first")
    tree.write(CHANGED)
    saved = save(tree.place(), "Größe")
    assert len(saved.commit) == 64
    assert [version.subject for version in versions(tree.place())] == ["Größe", "first"]
    assert tree.git("status", "--porcelain") == "?? workbench.toml"
    tree.clean()
