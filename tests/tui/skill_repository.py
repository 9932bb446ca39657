"""A content root as a git repository whose hashes are always the same, for the screens of skills in git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from test_skill_screen import SKILL

DAY = "2030-05-01T12:00:00+00:00"
CHANGED = SKILL.replace("\x1b", "␛").replace("1. one\n", "1. one stay, counted by its begin\n", 1)


def git(root: Path, *words: str, check: bool = True, **variables: str) -> str:
    """git, as a person at the keyboard who has no settings."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    known |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    known |= {"GIT_AUTHOR_DATE": DAY, "GIT_COMMITTER_DATE": DAY}
    done = subprocess.run(
        ["git", *words], cwd=root, capture_output=True, text=True, env=known | variables, check=False
    )
    assert not check or done.returncode == 0, done.stderr
    return done.stdout.strip()


def make_repository(root: Path, skill: str, *, message: str = "First version", author: str = "Ada") -> None:
    """A first commit of that skill alone; everything else stays unknown to git."""
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "Ada")
    git(root, "config", "user.email", "ada@example.org")
    git(root, "add", "workbench.toml")
    commit(root, skill, message, author=author)


def commit(root: Path, skill: str, message: str, *, author: str = "Ada") -> str:
    """What the skill's folder holds as one more version; its hash."""
    git(root, "add", "-A", f"skills/{skill}")
    note = root / ".git" / "note"
    note.write_text(message, encoding="utf-8")
    git(root, "commit", "-q", "-F", str(note), GIT_AUTHOR_NAME=author, GIT_AUTHOR_EMAIL="a@example.org")
    return git(root, "rev-parse", "HEAD")


def make_proposal(root: Path, skill: str, text: str, message: str = "Another way") -> None:
    """The skill's text on the branch of a proposal named ``other``; the work tree is not touched."""
    work = root / ".git" / "proposed"
    git(root, "worktree", "add", "-q", "-b", f"proposal/{skill}/other", str(work))
    (work / "skills" / skill / "SKILL.md").write_text(text, encoding="utf-8", errors="surrogatepass")
    note = root / ".git" / "note"
    note.write_text(message, encoding="utf-8")
    git(work, "commit", "-q", "-a", "-F", str(note))
    git(root, "worktree", "remove", "--force", str(work))
