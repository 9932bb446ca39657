"""Where the agent of a foreign log was at home: the folder that its log states, or that its writes show."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence

from workbench.contamination.places import is_sensitive
from workbench.patterns import resolve
from workbench.records import WORK_FOLDER, Step, StepSource, ToolCall, ToolKind

MAX_STATED = 4
"""Working folders taken from one log."""
LEAST_PARTS = 3
"""Of a folder that only writes show: a home, or all of a disk, is no work folder."""
_ARGUMENTS = ("workdir", "cwd", "working_dir", "working_directory")
_SAID = re.compile(
    r"<cwd>\s*(?P<a>/[^<\n]{1,300}?)\s*</cwd>"
    r"|\b(?:working|current|work|project) (?:working )?director(?:y|ies)(?: is)?:?\s+"
    r"[`'\"]?(?P<b>/[^\s`'\"),;]{1,300})"
    r"|\bworking in the directory:?\s+[`'\"]?(?P<c>/[^\s`'\"),;]{1,300})",
    re.IGNORECASE,
)
_SYSTEM = ("/etc", "/usr", "/bin", "/sbin", "/lib", "/proc", "/sys", "/dev", "/var", "/boot", "/run", "/opt")


def work_places(steps: Sequence[Step]) -> tuple[str, ...]:
    """Folders that count as the agent's own, most often stated first; else the one of all its writes."""
    counted: dict[str, int] = {}
    for folder in _stated(steps):
        counted[folder] = counted.get(folder, 0) + 1
    if counted:
        return tuple(sorted(counted, key=lambda folder: -counted[folder])[:MAX_STATED])
    common = _common(call.path for step in steps for call in step.calls if _writes(call) and call.path)
    return (common,) if common.count("/") >= LEAST_PARTS and _may_be(common) else ()


def _stated(steps: Sequence[Step]) -> Iterable[str]:
    for step in steps:
        told = [
            str(call.arguments[name])
            for call in step.calls
            for name in _ARGUMENTS
            if call.arguments.get(name)
        ]
        if step.source is not StepSource.AGENT:
            told += [found[found.lastgroup or 0] for found in _SAID.finditer(step.message[:100_000])]
        for text in told:
            folder = resolve(text.rstrip("."), None)
            if folder and folder != WORK_FOLDER and _may_be(folder):
                yield folder


def _writes(call: ToolCall) -> bool:
    return call.kind is ToolKind.FILE_CHANGE


def _common(paths: Iterable[str]) -> str:
    folders = {posixpath.dirname(path) for text in paths if (path := resolve(text, None))}
    return posixpath.commonpath(sorted(folders)) if folders else ""


def _may_be(folder: str) -> bool:
    """Whether a folder may be an agent's own; a system folder and a place for secrets is not."""
    system = any(folder == item or folder.startswith(f"{item}/") for item in _SYSTEM)
    return folder != "/" and not system and not is_sensitive(folder, strict=True)
