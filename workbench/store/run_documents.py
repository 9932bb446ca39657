"""The documents of one run folder, read as what they claim to be: files of that folder, about that run."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TypeVar

from workbench.records import BadInput, RunIdentity, RunPaths, RunPlan, RunResult

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


D = TypeVar("D", RunPlan, RunIdentity, RunResult)


def load_plan(paths: RunPaths) -> RunPlan:
    """Raises BadInput where it is missing, damaged, a link, or names another run."""
    return _same_run(RunPlan.from_json(_read(paths.plan), str(paths.plan)), paths.plan)


def load_identity(paths: RunPaths) -> RunIdentity | None:
    """None where there is none; else as ``load_plan``."""
    if not os.path.lexists(paths.identity):
        return None
    return _same_run(RunIdentity.from_json(_read(paths.identity), str(paths.identity)), paths.identity)


def load_result(paths: RunPaths) -> RunResult | None:
    """None where there is none; else as ``load_plan``."""
    if not os.path.lexists(paths.result):
        return None
    return _same_run(RunResult.from_json(_read(paths.result), str(paths.result)), paths.result)


def _read(path: Path) -> bytes:
    try:
        if path.is_symlink():
            raise BadInput("is a link, not a file of this run", where=str(path))
        opened = os.open(path, _FLAGS)
        with os.fdopen(opened, "rb") as file:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise BadInput("is not a regular file", where=str(path))
            return file.read()
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None


def _same_run(document: D, path: Path) -> D:
    if document.run_id != path.parent.name:
        raise BadInput(f"{path.name} names another run", where=str(path))
    return document
