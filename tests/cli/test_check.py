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
    line = (copy / "skills/suspicion-infection/SKILL.md").read_text().count("\n")
    told = f"skills/suspicion-infection/SKILL.md:{line}: words of SQL: LEFT JOIN [skill-sql]"
    assert ended.out.splitlines()[:2] == [told, "  Say in words what the statement does."]
    assert ended.out.splitlines()[-1] == "1 findings"


def test_as_an_envelope(copy: Path, command: Command) -> None:
    ended = command("check", "skills/suspicion-infection/SKILL.md", "--json")
    assert (ended.code, ended.envelope["kind"]) == (1, "findings")
    (item,) = ended.envelope["items"]
    assert (item["rule"], item["warning"], item["what"]) == ("skill-sql", False, "words of SQL: LEFT JOIN")
    assert item["remedy"] and item["line"] > 1
    assert ended.envelope["summary"] == {"findings": 1, "warnings": 0}


def test_a_warning_is_told_as_one(copy: Path, command: Command) -> None:
    (copy / "skills" / "suspicion-infection" / "references").mkdir()
    (copy / "skills" / "suspicion-infection" / "references" / "units.md").write_text("# Units\n")
    ended = command("check", "skills/suspicion-infection/references")
    what = "warning: is not mentioned in SKILL.md [skill-orphan]"
    told = f"skills/suspicion-infection/references/units.md:1: {what}"
    assert (ended.code, ended.out.splitlines()[0]) == (1, told)


def test_a_clean_part(copy: Path, command: Command) -> None:
    (copy / "notes").mkdir()
    ended = command("check", "notes")
    assert (ended.code, ended.out) == (0, "clean\n")


def test_paths_that_are_not_there_or_outside(copy: Path, command: Command, tmp_path: Path) -> None:
    assert command("check", "nowhere").code == 2
    ended = command("check", tmp_path)
    assert ended.code == 2
    assert "outside the content" in ended.err


def test_rules_are_listed(copy: Path, command: Command) -> None:
    ended = command("check", "--rules", "--json")
    assert (ended.code, ended.envelope["kind"]) == (0, "rules")
    told = {item["rule"]: item for item in ended.envelope["items"]}
    assert told["skill-sql"]["asks"] == "a skill holds no SQL"
    assert told["skill-orphan"]["warning"] and not told["skill-sql"]["warning"]
    assert all(item["asks"] and item["remedy"] for item in told.values())
