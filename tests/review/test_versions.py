"""Versions, texts, blame and the words that differ."""

from __future__ import annotations

import pytest

from workbench.records import BadInput
from workbench.review import Author, blame, diff_texts, hunks, restore, save, text_at, versions

from .conftest import TEXT, Tree

CHANGED = TEXT.replace("Second step.", "Second step, changed.")


def told(old: str, new: str) -> list[str]:
    """Lines as mark and text, changed words in brackets."""
    return [
        {"same": " ", "removed": "-", "added": "+"}[line.kind.value]
        + "".join(f"[{piece.text}]" if piece.changed else piece.text for piece in line.pieces)
        for line in diff_texts(old, new)
    ]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("a\nb\n", "a\nb\n", [" a", " b"]),
        ("", "a\n", ["+[a]"]),
        ("a\n", "", ["-[a]"]),
        ("within 24 hours\n", "within 48 hours\n", ["-within [24] hours", "+within [48] hours"]),
        ("a b c\n", "a c\n", ["-a [b ]c", "+a c"]),
        ("one thing\n", "wholly else\n", ["-[one thing]", "+[wholly else]"]),
        ("x\ny\n", "x\nnew\ny\n", [" x", "+[new]", " y"]),
        ("a [b]\n", "a [c]\n", ["-a [[b]]", "+a [[c]]"]),
    ],
)
def test_lines_and_words(old: str, new: str, lines: list[str]) -> None:
    assert told(old, new) == lines


def test_a_line_feed_at_the_end_counts_and_no_other_character_ends_a_line() -> None:
    assert [(line.kind.value, line.ended) for line in diff_texts("a\n", "a")] == [
        ("removed", True),
        ("added", False),
    ]
    assert [line.text for line in diff_texts("a\u2028b\x0c\n", "a\u2028b\x0c\n")] == ["a\u2028b\x0c"]


def test_hunks_have_lines_around_and_numbers_of_both_texts() -> None:
    old = "".join(f"{number}\n" for number in range(1, 31))
    found = hunks(diff_texts(old, old.replace("5\n", "five\n", 1).replace("29\n", "")), around=1)
    assert [[(line.old, line.new) for line in hunk] for hunk in found] == [
        [(4, 4), (5, 0), (0, 5), (6, 6)],
        [(28, 28), (29, 0), (30, 29)],
    ]


def test_long_texts_without_a_common_line_are_not_compared_line_by_line() -> None:
    lines = diff_texts("a\n" * 5000, "b\n" * 5000)
    assert (len(lines), lines[0].old, lines[-1].new) == (10_000, 1, 5000)


def test_versions_are_those_that_changed_the_skill(tree: Tree) -> None:
    tree.write(CHANGED)
    save(tree.place(), "second", Author("C1", "c1@example.org"))
    tree.write("two\n", "notes.txt")
    tree.git("commit", "-qam", "elsewhere")
    found = versions(tree.place())
    assert [(item.subject, item.author, item.email) for item in found] == [
        ("second", "C1", "c1@example.org"),
        ("first", "Ada", "ada@example.org"),
    ]
    assert found[0].parents == (found[1].commit,)
    assert [text_at(tree.place(), item.short) for item in found] == [CHANGED, TEXT]
    assert [item.subject for item in versions(tree.place(), most=1)] == ["second"]
    assert [item.subject for item in versions(tree.place(), since="HEAD~2")] == ["second"]


@pytest.mark.parametrize("revision", ["nothing", "-x", "--output=x", "HEAD:notes.txt", "a b", "HEAD..HEAD"])
def test_revisions_that_are_none(tree: Tree, revision: str) -> None:
    with pytest.raises(BadInput, match="there is no version"):
        text_at(tree.place(), revision)


def test_blame_tells_who_and_what_is_not_saved(tree: Tree) -> None:
    tree.write(CHANGED)
    save(tree.place(), "second", Author("C1", "c1@example.org"))
    tree.write(CHANGED + "Not saved.\n")
    lines = {line.text: line for line in blame(tree.place())}
    assert lines["First step."].author == "Ada"
    assert (lines["Second step, changed."].author, lines["Second step, changed."].line) == ("C1", 8)
    assert (lines["Not saved."].commit, lines["Not saved."].subject) == ("", "not saved yet")
    assert "Not saved." not in {line.text for line in blame(tree.place(), "HEAD")}
    assert {line.author for line in blame(tree.place(), "HEAD~1")} == {"Ada"}


def test_a_skill_that_is_new_or_gone(tree: Tree) -> None:
    tree.write(TEXT, "skills/new/SKILL.md")
    assert versions(tree.place("new")) == []
    with pytest.raises(BadInput, match="no such version"):
        blame(tree.place("new"))
    tree.file.unlink()
    tree.file.parent.rmdir()
    assert text_at(tree.place()) == ""
    assert text_at(tree.place(), "HEAD") == TEXT
    save(tree.place(), "gone")
    assert text_at(tree.place("other"), "HEAD") != ""


def test_text_that_is_not_utf8_and_hostile_histories(tree: Tree) -> None:
    tree.file.write_bytes(b"\xff\n")
    with pytest.raises(BadInput, match="not UTF-8"):
        text_at(tree.place())
    tree.write(CHANGED)
    tree.git(
        "commit", "-qam", "\x1b]0;x\x07[red]\u202e", "--author=\x1b[31mE <e@x>", "--date=@99999999999 +0000"
    )
    version = versions(tree.place())[0]
    assert version.subject == "\x1b]0;x\x07[red]\u202e"
    assert version.author.endswith("E")


def test_a_renamed_skill_keeps_its_versions(tree: Tree) -> None:
    tree.write(CHANGED)
    save(tree.place(), "changed", Author("B", "b@example.org"))
    tree.git("mv", "skills/small", "skills/little")
    tree.git("commit", "-qm", "renamed")
    tree.write(CHANGED + "Ninth step.\n", "skills/little/SKILL.md")
    place = tree.place("little")
    save(place, "longer")
    tree.write(TEXT, "skills/small/SKILL.md")
    tree.git("add", "-A")
    tree.git("commit", "-qm", "another skill under the old name")
    found = versions(place)
    assert [version.subject for version in found] == ["longer", "renamed", "changed", "first"]
    assert [version.subject for version in versions(place, most=3)] == ["longer", "renamed", "changed"]
    assert [text_at(place, version.commit) for version in found[2:]] == [CHANGED, TEXT]
    restore(place, found[3].commit, "as at first")
    assert (tree.root / "skills" / "little" / "SKILL.md").read_text() == TEXT
    assert versions(tree.place("small"))[0].subject == "another skill under the old name"
    tree.clean()
