"""An error in a hand-written file names the file, the line and the right key."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.catalog import read_text, read_toml
from workbench.catalog.toml_lines import line_of
from workbench.records import BadInput, ContentPaths, Task


def task_file(root: ContentPaths) -> Path:
    return root.benchmark_tasks / "small-family" / "mimic-small" / "task.toml"


TITLE, MODE, TEXT_TYPE, KEYS = (
    'title = "t"',
    'mode = "standard"',
    'type = "text"',
    'keys = [{ name = "stay_id" }]',
)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (TITLE, "title = ", 3, "not valid TOML: Invalid value"),
        (TITLE, 'title = "t', 3, "not valid TOML"),
        (TITLE, 'title = "t"\ntitle = "u"', 4, "not valid TOML: Cannot overwrite a value"),
        (TITLE, 'titel = "t"', 3, "unknown key 'titel'. Did you mean title?; key 'title' is missing"),
        (MODE, 'mode = "hard"', 5, "mode: Input should be 'standard' or 'raw'"),
        (TEXT_TYPE, 'type = "words"', 19, "scored_columns.1.type: Input should be"),
        (TEXT_TYPE, 'typ = "text"', 19, "unknown key 'scored_columns.1.typ'. Did you mean type?"),
        ("key_coverage = 0.9", "key_coverage = 1.9", 22, "thresholds.key_coverage: Input should be less"),
        (KEYS, "keys = []", 6, "keys: List should have at least 1 item"),
        (KEYS, "keys = [\n  { nam = 1 },\n]", 7, "unknown key 'keys.0.nam'"),
        ('value_columns = ["value"]', 'value_columns = ["x"]', 1, "value_columns not in scored_columns: x"),
        (MODE, f"{MODE}\nschema_version = 9", None, "schema_version 9"),
    ],
)  # fmt: skip
def test_problem_with_its_line(root: ContentPaths, old: str, new: str, line: int | None, words: str) -> None:
    path = task_file(root)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(BadInput) as raised:
        read_toml(path, Task)
    assert words in raised.value.what
    assert raised.value.where == (f"{path}, line {line}" if line else str(path))


@pytest.mark.parametrize(
    ("content", "where", "words"),
    [
        (b"a\nb\nc \xff d\n", ", line 3", "not UTF-8"),
        (b"\xef\xbb\xbfa\n", ", line 1", "byte order mark"),
        (b"a" * 8_000_001, "", "too large"),
    ],
)
def test_unreadable_text(tmp_path: Path, content: bytes, where: str, words: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=words) as raised:
        read_text(path)
    assert raised.value.where == f"{path}{where}"


def test_a_folder_and_a_missing_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="Is a directory"):
        read_text(tmp_path)
    with pytest.raises(BadInput, match="no such file"):
        read_text(tmp_path / "none")


def test_line_ends_are_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"a\r\nb\n")
    assert read_text(tmp_path / "file") == "a\nb\n"


TEXT = '''\
a = 1
"b c" = 2
long = """
a = 5
"""
d.e = 3
list = [
  # note
  "x",
  { y = 1 },
]
[t]
a = 1
[[t.u]]
a = 1
[[t.u]]
a = 1
[t.u.v]
a = 1
[[w]]
'''


@pytest.mark.parametrize(
    ("location", "line"),
    [
        (("a",), 1), (("b c",), 2), (("long",), 3), (("d", "e"), 6), (("list",), 7), (("list", 0), 9),
        (("list", 1, "y"), 10), (("t",), 12), (("t", "a"), 13), (("t", "u", 0, "a"), 15), (("t", "u", 1), 16),
        (("t", "u", 1, "v", "a"), 19), (("w", 0, "none"), 20), (("none",), 1), ((), 1),
    ],
)  # fmt: skip
def test_lines_of_keys(location: tuple[str | int, ...], line: int) -> None:
    assert line_of(TEXT, location) == line
