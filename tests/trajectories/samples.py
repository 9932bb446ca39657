"""The real logs beside the project, and reading them in pieces."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.records import Step, TrajectorySummary
from workbench.trajectories import open_reader

SAMPLES = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "trajectories"


def sample(name: str) -> Path:
    """A real log by its path among the samples; skips the test where they are not there."""
    if not SAMPLES.is_dir():
        pytest.skip("the shared sample logs are not beside the project")
    return SAMPLES / name


def read_bytes(format: str, data: bytes, piece: int = 1 << 20) -> tuple[list[Step], TrajectorySummary]:
    """What a reader makes of a log that comes in pieces of so many bytes."""
    reader = open_reader(format)
    steps: list[Step] = []
    for start in range(0, len(data), piece):
        steps += reader.feed(data[start : start + piece])
    steps += reader.close()
    return steps, reader.summary()
