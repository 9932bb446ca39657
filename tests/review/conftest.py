"""Real repositories on the disk, each with two skills, and a user whom git knows."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from workbench.records import ContentPaths, DataPaths
from workbench.review import SkillPlace, place_of

BODY = "# Small\n\nFirst step.\nSecond step.\nThird step.\nFourth step.\nFifth step.\nLast step.\n"
TEXT = "---\nname: small\ndescription: Use when small.\n---\n" + BODY


@dataclass(frozen=True)
class Tree:
    """A work tree with a content root in it."""

    top: Path
    home: Path
    root: Path

    def git(self, *words: str, check: bool = True, **variables: str) -> str:
        """git, as a person at the keyboard."""
        done = subprocess.run(
            ["git", *words],
            cwd=self.top,
            capture_output=True,
            text=True,
            env=os.environ | variables,
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.strip()

    @property
    def file(self) -> Path:
        return self.root / "skills" / "small" / "SKILL.md"

    def write(self, text: str, path: str = "skills/small/SKILL.md") -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())

    def place(self, name: str = "small") -> SkillPlace:
        return place_of(ContentPaths(self.root), DataPaths(self.home), name)

    def clean(self) -> None:
        """Nothing is broken in the repository."""
        done = subprocess.run(
            ["git", "fsck", "--strict", "--no-dangling"],
            cwd=self.top,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")

    def hook(self, name: str, script: str) -> None:
        path = self.top / ".git" / "hooks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)


@pytest.fixture(autouse=True)
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's configuration but this one."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "WORKBENCH_"))]:
        monkeypatch.delenv(name)
    config = tmp_path / "gitconfig"
    config.write_text("[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


Maker = Callable[..., Tree]


@pytest.fixture
def make_tree(tmp_path: Path) -> Maker:
    """``make_tree('a')`` has a first commit; ``make_tree('b', empty=True)`` has none."""

    def make(name: str, *, empty: bool = False, below: str = "") -> Tree:
        top = tmp_path / name
        top.mkdir()
        tree = Tree(top, tmp_path / f"{name}-home", top / below if below else top)
        tree.git("init", "-q")
        tree.write("", "workbench.toml")
        tree.write(TEXT)
        tree.write("---\nname: other\ndescription: Use when other.\n---\n# Other\n", "skills/other/SKILL.md")
        tree.write("one\n", "notes.txt")
        if not empty:
            tree.git("add", "-A")
            tree.git("commit", "-q", "-m", "first")
        return tree

    return make


@pytest.fixture
def tree(make_tree: Maker) -> Tree:
    return make_tree("tree")


def clone(origin: Tree, name: str, *words: str) -> Tree:
    """A clone beside it."""
    top = origin.top.parent / name
    subprocess.run(
        ["git", "clone", "-q", *words, f"file://{origin.top}", str(top)], check=True, capture_output=True
    )
    return Tree(top, top.parent / f"{name}-home", top)
