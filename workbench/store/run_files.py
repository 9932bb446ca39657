"""The files of a run's folder that a person may read as they are."""

from __future__ import annotations

from pathlib import Path

from workbench.records import RunPaths

RUN_FILES = {
    "trajectory": "what the agent printed",
    "stderr": "the agent's errors",
    "process_log": "the run's process",
    "events": "events",
    "egress": "egress",
    "output": "the output",
}
"""Name to what it holds; ``output`` holds patients' values."""


def run_file(run: RunPaths, name: str) -> Path:
    """The path behind a name of ``RUN_FILES``."""
    paths = {
        "trajectory": run.trajectory,
        "stderr": run.stderr,
        "process_log": run.process_log,
        "events": run.events,
        "egress": run.egress,
        "output": run.output,
    }
    return paths[name]
