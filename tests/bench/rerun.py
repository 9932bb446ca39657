"""`make rerun` on a fresh clone, set-up included, and once more."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIRST_TARGET_S = 240.0
LATER_TARGET_S = 20.0


def rerun_s(folder: Path) -> float:
    """Seconds of one `make rerun`; raises where it does not end with both tasks scored."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
    began = time.monotonic()
    done = subprocess.run(
        ["make", "rerun", "TASK=suspected_infection"], cwd=folder, env=kept, capture_output=True, text=True
    )
    if done.returncode or done.stdout.count("verdict  ") != 2:
        raise RuntimeError(
            f"make rerun ended with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"
        )
    return time.monotonic() - began


def measure() -> list[tuple[str, float, float, str]]:
    """First and later run, in seconds of wall time."""
    with tempfile.TemporaryDirectory() as scratch:
        clone = Path(scratch) / "clone"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        first = rerun_s(clone)
        later = min(rerun_s(clone) for _ in range(2))
    return [
        ("make rerun on a fresh clone, set-up included", first, FIRST_TARGET_S, "s"),
        ("make rerun later", later, LATER_TARGET_S, "s"),
    ]
