"""Record: the result is written once, the index hears of it, the last event closes the log."""

from __future__ import annotations

from workbench.records import RunPaths, RunResult
from workbench.store import EventLog, RunStore, atomic_write


def record(run: RunPaths, result: RunResult, store: RunStore, events: EventLog) -> None:
    """``result.json`` first (atomic), then index, then the closing event."""
    atomic_write(run.result, result.to_json())
    store.refresh(result.run_id)
    events.finished(result)
