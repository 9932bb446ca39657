"""The documents of one run folder, read as what they claim to be: files of that folder, about that run."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TypeVar

from workbench.records import BadInput, LintRecord, RunIdentity, RunPaths, RunPlan, RunResult, read_regular

D = TypeVar("D", RunPlan, RunIdentity, RunResult, LintRecord)
_NUMBERED = re.compile(r"(\d{4,9})\.json")


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


def newest_number(paths: RunPaths) -> int:
    """The number of the newest re-lint; 0 where there is none."""
    try:
        with os.scandir(paths.lints) as entries:
            found = [_NUMBERED.fullmatch(entry.name) for entry in entries]
    except OSError:
        return 0
    return max((int(match[1]) for match in found if match), default=0)


def load_lint(paths: RunPaths, number: int) -> LintRecord:
    """One re-lint; as ``load_plan``. The error says how the run can be shown without it."""
    path = paths.lint(number)
    try:
        if paths.lints.is_symlink():
            raise BadInput("is a link, not a folder of this run", where=str(paths.lints))
        return _same_run(LintRecord.from_json(_read(path), str(path)), path)
    except BadInput as error:
        remedy = "Lint the run again, or remove that: the run's own result is as it was."
        raise BadInput(error.what, where=error.where, remedy=remedy) from None


def _read(path: Path) -> bytes:
    try:
        if path.is_symlink():
            raise BadInput("is a link, not a file of this run", where=str(path))
        return read_regular(path, follow_link=False)
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None


def _same_run(document: D, path: Path) -> D:
    folder = path.parent.parent if isinstance(document, LintRecord) else path.parent
    if document.run_id != folder.name:
        raise BadInput(f"{path.name} names another run", where=str(path))
    return document
