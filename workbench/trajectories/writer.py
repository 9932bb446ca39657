"""Steps into our own format; reading them back gives equal steps and summary."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from workbench.records import Step, TrajectorySummary
from workbench.store import atomic_write
from workbench.trajectories.readers.workbench import COUNTED, VERSION


def _line(document: dict[str, Any]) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode() + b"\n"


def start_line(*, session: str = "", model: str = "") -> bytes:
    """The first line of a log."""
    return _line({"kind": "start", "workbench": VERSION, "session": session, "model": model})


def step_line(step: Step) -> bytes:
    """One step."""
    return _line({"kind": "step", "step": step.model_dump(mode="json")})


def end_line(summary: TrajectorySummary) -> bytes:
    """The last line: the summary, but for what the reader counts itself."""
    return _line({"kind": "end", **summary.model_dump(mode="json", exclude=set(COUNTED))})


def trajectory_lines(steps: Iterable[Step], summary: TrajectorySummary) -> Iterator[bytes]:
    """A whole log in our own format, line by line."""
    yield start_line(session=summary.session, model=summary.model)
    yield from map(step_line, steps)
    yield end_line(summary)


def trajectory_bytes(steps: Iterable[Step], summary: TrajectorySummary) -> bytes:
    """A whole log in our own format."""
    return b"".join(trajectory_lines(steps, summary))


def write_trajectory(path: Path, steps: Iterable[Step], summary: TrajectorySummary) -> None:
    """Write a whole log, all or nothing."""
    atomic_write(path, trajectory_lines(steps, summary))
