"""Steps of nested agents, out of the session files that they left in a run's home and work folder."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.records import BadInput, RunPaths, Step, open_regular
from workbench.trajectories import detect_format, read_log

FORMATS = frozenset({
    "claude-session", "claude-stream", "codex-exec", "codex-rollout", "gemini-json", "gemini-session",
    "gemini-stream",
})  # fmt: skip
"""Of the tools that an agent may start; other logs are results like any other file."""
MOST_LOGS = 50
MOST_LOG_BYTES = 32 * 1024**2
MOST_STEPS = 20_000
_HEAD_BYTES = 64 * 1024
_NAMED = re.compile(r"\.jsonl?$", re.IGNORECASE)
_BESIDE = re.compile(r"/subagents/.*agent-[^/]*\.jsonl$")
"""Read with the session in whose folder they are."""


@dataclass(frozen=True)
class Nested:
    """``steps``: numbered through over all logs, each with its agent's name; ``left_out``: logs that were too
    many, too large or not to be read."""

    steps: list[Step]
    left_out: int = 0

    @property
    def note(self) -> str:
        """For a person; empty where all was read."""
        logs = "1 log" if self.left_out == 1 else f"{self.left_out} logs"
        return f"not read whole: {logs} of nested agents" if self.left_out else ""


def nested_logs(run: RunPaths, session: str) -> Nested:
    """What nested agents did. ``session``: the run's own, of which only what its nested agents did counts."""
    steps: list[Step] = []
    read = left_out = 0
    for path, name in _logs(run):
        if read == MOST_LOGS or path.lstat().st_size > MOST_LOG_BYTES or len(steps) >= MOST_STEPS:
            left_out += 1
            continue
        read += 1
        try:
            found, summary = read_log(path)
        except BadInput:
            left_out += 1
            continue
        own = bool(session) and summary.session == session
        for step in found:
            if own and not step.agent:
                continue
            number = len(steps) + 1
            changes = {
                "number": number,
                "agent": step.agent or name,
                "session": step.session or summary.session,
            }
            steps.append(step.model_copy(update=changes))
    return Nested(steps[:MOST_STEPS], left_out + (len(steps) > MOST_STEPS))


def _logs(run: RunPaths) -> Iterator[tuple[Path, str]]:
    """Session files, with their names below the home or the work folder; no link is followed."""
    for folder in (run.home, run.collected):
        for parent, below, names in os.walk(folder):
            below.sort()
            for name in sorted(names):
                path = Path(parent) / name
                shown = path.relative_to(folder).as_posix()
                if _NAMED.search(name) and not _BESIDE.search(f"/{shown}") and _is_session(path):
                    yield path, shown


def _is_session(path: Path) -> bool:
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return False
        with open_regular(path, follow_link=False) as file:
            return detect_format(file.read(_HEAD_BYTES)) in FORMATS
    except OSError:
        return False
