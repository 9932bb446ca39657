"""What dead runs left behind is removed; only our own, found by their run folders."""

from __future__ import annotations

import shutil

from workbench.records import DataPaths, RunState
from workbench.sandbox import sweep_sandboxes
from workbench.store import RunStore, abandoned


def sweep(data: DataPaths) -> list[str]:
    """Remove processes, control groups and scratch of runs whose own process is gone, and what dead makers of
    anything else left half-made in the scratch folder or as a probe in the temporary folder.

    Returns one line for each thing removed. Run folders and what was recorded in them stay.
    """
    store = RunStore(data)
    scratches = []
    for folder in sorted(data.runs.iterdir()) if data.runs.is_dir() else []:
        run = data.run(folder.name)
        if run.sandbox.exists() and store.state(folder.name) is not RunState.RUNNING:
            scratches.append(run.sandbox)
    left = abandoned(data)
    for entry in left:
        scratches += [entry / name for name in ("sandbox", "scratch")]
    removed = sweep_sandboxes(scratches)
    for entry in left:
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)
        if not entry.exists():
            removed.append(f"half-made {entry.name.partition('@')[0]}")
    return removed
