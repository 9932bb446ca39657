"""The repository's own commit hooks, run as ``git commit`` runs them: a failing one stops the commit."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path

from workbench.records import Refused
from workbench.review.git_command import Answer, own_environment, run_process
from workbench.review.repository import SkillPlace

HOOK_S = 300.0
_MOST_CHARACTERS = 1500


def run_hook(place: SkillPlace, name: str, index: Path, variables: Mapping[str, str], *words: str) -> None:
    """Run a hook if there is an executable one. Raises Refused with its last words where it fails."""
    answer = _run(place, name, index, variables, words)
    if answer is not None and answer.code:
        said = (answer.data.decode("utf-8", "replace") + answer.errors).strip()[-_MOST_CHARACTERS:]
        raise Refused(
            f"the hook {name} stopped it (exit {answer.code}); nothing was committed",
            where=str(place.top),
            remedy=f"It said: {said or 'nothing'}\nYour text is unchanged in its file.",
        )


def tell_hook(place: SkillPlace, name: str, *words: str) -> str:
    """Run a hook that comes after the fact, on the real index; what went wrong with it, or nothing."""
    answer = _run(place, name, place.git_path("index"), {}, words)
    return f"the hook {name} ended with {answer.code}" if answer is not None and answer.code else ""


def _run(
    place: SkillPlace, name: str, index: Path, variables: Mapping[str, str], words: tuple[str, ...]
) -> Answer | None:
    hook = place.git_path(f"hooks/{name}")
    if not hook.is_file() or not os.access(hook, os.X_OK):
        return None
    environment = own_environment() | {"GIT_INDEX_FILE": str(index), "GIT_EDITOR": ":"} | dict(variables)
    try:
        return run_process([str(hook), *words], place.top, environment, b"", HOOK_S)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
        return run_process(["sh", str(hook), *words], place.top, environment, b"", HOOK_S)
