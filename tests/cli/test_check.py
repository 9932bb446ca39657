"""``workbench check``: what is found, where, as lines and as an envelope."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .conftest import ROOT, Command


@pytest.fixture
def copy(tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "content"
    for name in ("tasks", "skills", "audits"):
        shutil.copytree(ROOT / name, root / name)
    (root / "workbench.toml").touch()
    skill = root / "skills" / "suspicion-infection" / "SKILL.md"
    skill.write_text(skill.read_text() + "\nAlways use a LEFT JOIN.\n")
    monkeypatch.chdir(root)
    return root


def test_a_finding_is_a_line_and_an_exit_status(copy: Path, command: Command) -> None:
    ended = command("check", "skills/suspicion-infection")
    assert ended.code == 1
    assert "skills/suspicion-infection/SKILL.md: words of SQL: LEFT JOIN [skill-sql]" in ended.out
    assert ended.out.splitlines()[-1] == "1 findings"


def test_as_an_envelope(copy: Path, command: Command) -> None:
    ended = command("check", "skills/suspicion-infection/SKILL.md", "--json")
    assert (ended.code, ended.envelope["kind"]) == (1, "findings")
    assert [item["rule"] for item in ended.envelope["items"]] == ["skill-sql"]


def test_a_clean_part(copy: Path, command: Command) -> None:
    (copy / "notes").mkdir()
    ended = command("check", "notes")
    assert (ended.code, ended.out) == (0, "clean\n")


def test_paths_that_are_not_there_or_outside(copy: Path, command: Command, tmp_path: Path) -> None:
    assert command("check", "nowhere").code == 2
    ended = command("check", tmp_path)
    assert ended.code == 2
    assert "outside the content" in ended.err
