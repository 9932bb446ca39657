"""SKILL.md: what is read, and where it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.catalog import read_skill
from workbench.catalog.frontmatter import split_frontmatter
from workbench.records import BadInput


def front(*lines: str) -> str:
    return "\n".join(["---", *lines, "---", "body", ""])


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a: plain text"], "plain text"),
        (["a: plain # comment"], "plain"),
        (["a: C#-like, 10:30 and http://x/y"], "C#-like, 10:30 and http://x/y"),
        (["a: first", "  second", "", "  third"], "first second third"),
        (["a:", "  on the next line", "  and on"], "on the next line and on"),
        (['a: "quoted: \\"x\\" \\u00e9"'], 'quoted: "x" é'),
        (['a: "over', '  two lines"'], "over two lines"),
        (["a: 'it''s: one' # comment"], "it's: one"),
        (["a: >", "  folded", "  text", "", "  paragraph"], "folded text\nparagraph\n"),
        (["a: >-", "  folded", "  text"], "folded text"),
        (["a: |", "  one", "    two"], "one\n  two\n"),
        (["a: |-", "  # kept", "  two: 2"], "# kept\ntwo: 2"),
        (["a: -dash"], "-dash"),
        (["a: 1.0"], "1.0"),
        (["a:"], ""),
        (["", "# comment", "a: x"], "x"),
        (["a:", "  b: 1", "  'c': two  ", "", "  d: >-", "    e"], {"b": "1", "c": "two", "d": "e"}),
    ],
)  # fmt: skip
def test_values(lines: list[str], expected: object) -> None:
    found = split_frontmatter(front(*lines, "z: last"), "f")
    assert found.values == {"a": expected, "z": "last"}
    assert found.body == "body\n"
    assert found.body_line == len(lines) + 4


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "does not start with a frontmatter line"),
        ("# Title\n", 1, "does not start with a frontmatter line"),
        ("---\na: b\n", 3, "not closed"),
        (front("a: b", "c"), 3, "not of the form 'key: value'"),
        (front("a:b"), 2, "not of the form 'key: value'"),
        (front("a: b", "a: c"), 3, "'a' is given twice"),
        (front("a: [b, c]"), 2, "a list is not allowed"),
        (front("a:", "  - b"), 3, "a list is not allowed"),
        (front("a: {b: c}"), 2, "an inline map is not allowed"),
        (front("a: &x y"), 2, "an anchor is not allowed"),
        (front("a: *x"), 2, "an alias is not allowed"),
        (front("a: !!python/object x"), 2, "a tag is not allowed"),
        (front("a: use when: x"), 2, "the value holds ': '"),
        (front('a: "open', "b: c"), 2, "the quote is not closed"),
        (front('a: "b" c'), 2, "text follows the closing quote"),
        (front('a: "\\q"'), 2, "an escape in the quotes is not known"),
        (front("\ta: b"), 2, "indented by a tab"),
        (front("  a: b", "c: d"), 2, "indented where no key is open"),
        (front("a:", "  b:", "    c: d"), 4, "nested too deep"),
    ],
)
def test_errors_have_their_line(text: str, line: int, words: str) -> None:
    with pytest.raises(BadInput) as raised:
        split_frontmatter(text, "f")
    assert words in raised.value.what
    assert raised.value.where == f"f, line {line}"


GOOD = (
    "name: my-skill",
    "description: >-",
    "  Use when",
    "  asked.",
    "license: MIT",
    "compatibility: any",
    "allowed-tools: Bash Read",
    "metadata:",
    "  version: 1.0",
)


def written(tmp_path: Path, *lines: str, folder: str = "my-skill") -> Path:
    path = tmp_path / folder / "SKILL.md"
    path.parent.mkdir()
    path.write_text(front(*lines), encoding="utf-8")
    return path


def test_a_whole_skill(tmp_path: Path) -> None:
    skill = read_skill(written(tmp_path, *GOOD))
    assert skill.name == "my-skill"
    assert skill.frontmatter.description == "Use when asked."
    assert skill.frontmatter.allowed_tools == "Bash Read"
    assert skill.frontmatter.metadata == {"version": "1.0"}
    assert skill.text.split("\n")[skill.body_line - 1] == skill.body.split("\n")[0] == "body"


@pytest.mark.parametrize(
    ("lines", "line", "words", "remedy"),
    [
        (GOOD[1:], 1, "key 'name' is missing", "Add it"),
        (GOOD[:1], 1, "key 'description' is missing", "Add it"),
        (("name: My Skill", *GOOD[1:]), 2, "name is not in lower-case letters", "Rename"),
        (("name: other", *GOOD[1:]), 2, "name 'other' is not the folder's name 'my-skill'", "equal"),
        ((*GOOD, "licence: MIT"), 11, "unknown key 'licence'", "Did you mean license?"),
        ((*GOOD, "zzz: 1"), 11, "unknown key 'zzz'", "Known: name, description"),
        (("name: my-skill", "description:"), 3, "description: String should have at least 1", "Correct"),
        (
            ("name: my-skill", f"description: {'x' * 1025}"),
            3,
            "description: String should have at most",
            "Correct",
        ),
        ((*GOOD[:2], "  x", "metadata: text"), 5, "metadata: Input should be a valid dict", "Correct"),
    ],
)
def test_what_a_skill_must_have(
    tmp_path: Path, lines: tuple[str, ...], line: int, words: str, remedy: str
) -> None:
    path = written(tmp_path, *lines)
    with pytest.raises(BadInput) as raised:
        read_skill(path)
    assert words in raised.value.what
    assert raised.value.where == f"{path}, line {line}"
    assert remedy in raised.value.remedy
