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


def test_two_people_change_one_line(project: Path, command: Command, tmp_path: Path) -> None:
    change(project, "24 hours", "48 hours")
    ended = command(
        "skill", "propose", "small", "two-days", "-m", "Two days", "--author", "C2 <c2@example.org>"
    )
    assert "on proposal/small/two-days: skills/small/SKILL.md" in ended.out
    change(project, "48 hours", "12 hours")
    command("skill", "save", "small", "-m", "Half a day")
    listed = command("skill", "proposals", "small", "--json").envelope["items"]
    assert [(item["proposal"], item["author"], item["versions"]) for item in listed] == [
        ("two-days", "C2", 1)
    ]

    ended = command("skill", "merge", "small", "two-days")
    assert (
        ended.code,
        command("skill", "log", "small", "--most", "1", "--json").envelope["items"][0]["subject"],
    ) == (1, "Half a day")
    assert "conflict 1: line 7, section Small: both sides changed the same lines" in ended.out
    assert "+Within {+48+} hours." in ended.out and "+Within {+12+} hours." in ended.out
    assert "they: " in ended.out and "C2: Two days" in ended.out
    conflicts = command("skill", "merge", "small", "two-days", "--json").envelope
    assert (conflicts["kind"], conflicts["items"][0]["theirs"]) == ("conflicts", "Within 48 hours.\n")
    assert command("skill", "merge", "small", "two-days", "--take", "1=mine").code == 2

    assert command("skill", "merge", "small", "two-days", "--take", "1=theirs").code == 0
    assert "Within 48 hours." in (project / "skills" / "small" / "SKILL.md").read_text()
    assert command("skill", "restore", "small", "HEAD~1", "--json").code == 0
    assert "Within 12 hours." in (project / "skills" / "small" / "SKILL.md").read_text()


def test_push_and_pull(
    project: Path, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare, other = tmp_path / "bare.git", tmp_path / "other"
    subprocess.run(["git", "clone", "-q", "--bare", str(project), str(bare)], check=True)
    subprocess.run(["git", "clone", "-q", str(bare), str(other)], check=True)
    subprocess.run(["git", "remote", "add", "origin", str(bare)], check=True)
    change(project, "24", "48")
    command("skill", "save", "small", "-m", "Two days")
    assert command("skill", "push", "small").out == "sent to origin/main\n"
    monkeypatch.chdir(other)
    assert "skills/small/SKILL.md" in command("skill", "pull", "small").out
    assert command("skill", "pull", "small").out == "nothing new\n"
    assert "48" in (other / "skills" / "small" / "SKILL.md").read_text()


def test_sign_and_list(project: Path, command: Command) -> None:
    words = (
        "--affiliation external --decision accept --definition yes --framing yes --plausible no --minutes 5"
    )
    ended = command("skill", "sign", "small", "--as", "C1", *words.split())
    assert (ended.code, "you wrote a version" in ended.err) == (3, True)
    subprocess.run(["git", "config", "user.email", "other@example.org"], check=True)
    assert command("skill", "sign", "small", "--as", "C1", *words.split()).code == 0
    listed = command("skill", "sign-offs", "small", "--json").envelope
    assert listed["summary"]["state"] == "in review"
    assert [(item["reviewer"], item["decision"]) for item in listed["items"]] == [("C1", "sealed")]
    assert command("skill", "open-seal", "small", "--as", "C1").code == 3
    assert command("skill", "states", "--json").envelope["items"][0]["state"] == "in review"
    assert "decision: 0 of 0 pairs equal, alpha none" in command("skill", "states").out
    change(project, "24", "48")
    assert "C1 is void: skills/small/SKILL.md is changed" in command("skill", "sign-offs", "small").out
    assert command("check").code in (0, 1)
    assert "audits/reviews" not in command("check").out
