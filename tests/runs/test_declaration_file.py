"""An agent's declaration, whatever it is: which fields are filled, with words and without long numbers."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from workbench.records import DeclaredField, Step, StepSource, ToolCall, ToolKind
from workbench.runs.conditions.with_declaration import ASKED, form
from workbench.runs.declaration_file import MOST_BYTES, MOST_CHARACTERS, long_numbers, read_declaration

FULL = "".join(f'{field} = "as told"\n' for field in DeclaredField)


def step(number: int, **call: str) -> Step:
    tool = ToolCall(call_id="1", name="x", kind=ToolKind.COMMAND, **call)
    return Step(number=number, source=StepSource.AGENT, calls=[tool])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "declaration.toml"


def test_the_form_asks_for_every_field_and_is_empty(file: Path) -> None:
    assert tomllib.loads(form()) == dict.fromkeys(DeclaredField, "")
    assert list(ASKED) == list(DeclaredField)
    assert all(f"# {asked}\n" in form() for asked in ASKED.values())
    file.write_text(form())
    found = read_declaration(file, [])
    assert (found.filled, found.missing, found.problem) == ({}, list(DeclaredField), "")
    assert found.summary == f"0 of 8 fields; missing: {', '.join(DeclaredField)}"


def test_texts_lists_and_what_is_neither(file: Path) -> None:
    file.write_text(
        'grain = "one  row\\n a stay"\nkeys = ["stay_id", "", 7]\nwindows = 24.5\nunits = {a = "b"}\n'
        'missing = "  "\nties = []\nsources = [["x"]]\nother = 1\nmore = 2\n'
    )
    found = read_declaration(file, [])
    assert found.filled == {"grain": "one row a stay", "keys": "stay_id; 7", "windows": "24.5"}
    assert found.missing == ["missing", "ties", "contestable"]
    assert found.unusable == ["units", "sources"]
    assert found.others == 2
    assert found.summary == (
        "3 of 8 fields; missing: missing, ties, contestable; no text: units, sources; 2 other keys"
    )


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("item 220045 of stay 30000153", "item 220045 of stay [number]"),
        ("at 2180-03-04 10:30", "at [number] 10:30"),
        ("30.000.153 or 30_000_153", "[number] or [number]"),
        ("６００００１ and ٦٠٠٠٠١", "[number] and [number]"),
        ("6, 12 and 24 h; 1.73 m2; 10.2 to 18708 min", "6, 12 and 24 h; 1.73 m2; 10.2 to 18708 min"),
        ("x\u001b[31m\u202e", "x\u001b[31m\u202e"),
    ],
)
def test_long_numbers_are_left_out(file: Path, words: str, kept: str) -> None:
    file.write_text(FULL.replace("as told", words.replace("\u001b", "\\u001b"), 1))
    found = read_declaration(file, [], public_numbers=long_numbers("itemid IN (220045, 51)"))
    assert found.filled[DeclaredField.GRAIN] == kept


def test_a_long_text_is_cut(file: Path) -> None:
    file.write_text(FULL.replace("as told", "x" * 5_000, 1))
    cut = read_declaration(file, []).filled[DeclaredField.GRAIN]
    assert len(cut) == MOST_CHARACTERS and cut.endswith("x…")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"grain = \xff", "it is not UTF-8 text"),
        (b"\x7fELF\x00\x00", "it is not valid TOML"),
        (b"a = " + b"[" * 5_000, "it is not valid TOML"),
        (b"a." * 5_000 + b"a = 1", "it is not valid TOML"),
        (b"n = 1e999999\nm = " + b"9" * 6_000, "it is not valid TOML"),
        (b'grain = "secret"\ngrain = "twice"', "it is not valid TOML"),
        (b"#" * (MOST_BYTES + 1), "it is larger than 64 KiB"),
    ],
)
def test_hostile_bytes(file: Path, content: bytes, problem: str) -> None:
    file.write_bytes(content)
    found = read_declaration(file, [])
    assert (found.problem, found.filled, found.missing) == (problem, {}, list(DeclaredField))
    assert "secret" not in found.summary


def test_hostile_files(file: Path, tmp_path: Path) -> None:
    assert read_declaration(file, []).problem == "there is no declaration.toml"
    (tmp_path / "other").write_text(FULL)
    file.symlink_to(tmp_path / "other")
    assert read_declaration(file, []).problem == "it is a symbolic link"
    file.unlink()
    os.mkfifo(file)
    assert read_declaration(file, []).problem == "it is not a regular file"
    file.unlink()
    file.mkdir()
    assert read_declaration(file, []).problem == "it is a folder"


def test_the_first_step_that_names_it(file: Path) -> None:
    file.write_text(FULL)
    steps = [step(1, command="ls"), step(2, path="/workspace/declaration.toml"), step(3, command="x")]
    found = read_declaration(file, steps)
    assert (found.step, found.steps) == (2, 3)
    assert found.summary == "8 of 8 fields; first named in step 2 of 3"
    assert read_declaration(file, steps[:1]).step is None
