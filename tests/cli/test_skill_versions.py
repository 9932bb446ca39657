"""The versions of a skill on the command line."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from .conftest import Command

TEXT = "---\nname: small\ndescription: Use when small.\n---\n# Small\n\nWithin 24 hours.\n"


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one skill, in which the commands are given."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    config = tmp_path / "gitconfig"
    config.write_text("[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    folder = tmp_path / "project"
    (folder / "skills" / "small").mkdir(parents=True)
    (folder / "workbench.toml").touch()
    (folder / "skills" / "small" / "SKILL.md").write_text(TEXT)
    monkeypatch.chdir(folder)
    for words in ("init -q", "add -A", "commit -q -m first"):
        subprocess.run(["git", *words.split()], check=True)
    return folder


def change(project: Path, old: str, new: str) -> None:
    path = project / "skills" / "small" / "SKILL.md"
    path.write_text(path.read_text().replace(old, new))


def test_change_look_save_look(project: Path, command: Command) -> None:
    change(project, "24", "48")
    assert "not saved yet: skills/small/SKILL.md" in command("skill", "log", "small").err
    assert "-Within [-24-] hours.\n+Within {+48+} hours.\n" in command("skill", "diff", "small").out
    saved = command("skill", "save", "small", "-m", "Two days", "--author", "C1 <c1@example.org>", "--json")
    assert saved.envelope["items"] == [{"file": "skills/small/SKILL.md"}]
    assert saved.envelope["summary"]["branch"] == "main"
    assert command("skill", "diff", "small").out == "no difference\n"
    items = command("skill", "log", "small", "--json").envelope["items"]
    assert [(item["subject"], item["author"]) for item in items] == [("Two days", "C1"), ("first", "Ada")]
    blamed = command("skill", "blame", "small", "--json").envelope["items"]
    assert [line["author"] for line in blamed] == ["Ada"] * 6 + ["C1"]
    pieces = command("skill", "diff", "small", "HEAD~1", "HEAD", "--json").envelope["items"][-1]["pieces"]
    assert [piece["text"] for piece in pieces if piece["changed"]] == ["48"]


def test_exit_codes(project: Path, command: Command) -> None:
    assert command("skill", "save", "small", "-m", "x").code == 2
    assert command("skill", "log", "nothing").code == 2
    assert command("skill", "diff", "small", "nothing").code == 2
    change(project, "24", "48")
    subprocess.run(["git", "checkout", "-q", "--detach"], check=True)
    ended = command("skill", "save", "small", "-m", "x")
    assert (ended.code, "skill propose small" in ended.err) == (3, True)


def test_hostile_text_is_inert(project: Path, command: Command) -> None:
    change(project, "24", "\x1b[31m[bold]24\u202e")
    command("skill", "save", "small", "-m", "x")
    subprocess.run(["git", "commit", "-q", "--allow-empty", "--amend", "-m", "\x1b]0;title\x07"], check=True)
    for words in (
        ("log", "small"),
        ("diff", "small", "HEAD~1"),
        ("blame", "small"),
        ("log", "small", "--json"),
    ):
        ended = command("skill", *words)
        assert ended.code == 0
        assert not {"\x1b", "\x07", "\u202e"} & set(ended.out)
