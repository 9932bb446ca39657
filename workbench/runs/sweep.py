"""What dead runs left behind is removed; only our own, found by their run folders."""

from __future__ import annotations

from workbench.records import DataPaths, RunState
from workbench.sandbox import sweep_sandboxes
from workbench.store import RunStore


def sweep(data: DataPaths) -> list[str]:
    """Remove processes, control groups and scratch of runs whose own process is gone.

    Returns one line for each thing removed. Run folders and what was recorded in them stay.
    """
    store = RunStore(data)
    scratches = []
    for folder in sorted(data.runs.iterdir()) if data.runs.is_dir() else []:
        run = data.run(folder.name)
        if run.sandbox.exists() and store.state(folder.name) is not RunState.RUNNING:
            scratches.append(run.sandbox)
    return sweep_sandboxes(scratches)
