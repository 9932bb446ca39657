"""A content root as a git repository whose hashes are always the same, for the screens of skills in git."""

from __future__ import annotations

import os
import subprocess
from datetime import datetime
from pathlib import Path

from test_skill_screen import SKILL

from workbench.catalog import Content
from workbench.records import Affiliation, Decision, Opening, Rating, ReviewVerdict, SignOff
from workbench.review import signed_content

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


def put_sign_offs(content: Content, skill: str, *, comment: str = "Fine.") -> None:
    """Two open sign-offs that differ, as files alone."""
    import tomlkit

    signed = signed_content(content, skill)
    for reviewer, decision in (("C1", Decision.ACCEPT), ("C2", Decision.REJECT)):
        verdict = ReviewVerdict(
            decision=decision, definition_source=Rating.YES, task_framing=Rating.UNSURE,
            plausibility=Rating.NO, comment=comment, minutes=12,
        )  # fmt: skip
        opening = Opening(salt="5" * 64, verdict=verdict)
        sealed = SignOff(
            skill=skill, reviewer=reviewer, affiliation=Affiliation.EXTERNAL,
            filed=datetime.fromisoformat(DAY), content=signed, seal="0" * 64,
        )  # fmt: skip
        sealed = sealed.model_copy(update={"seal": sealed.seal_of(opening), "opening": opening})
        path = content.paths.review(skill, reviewer)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(tomlkit.dumps(sealed.model_dump(mode="json", exclude_none=True)), encoding="utf-8")
