"""How long synthetic data takes and how much memory: 1,000 stays in 60 s, memory flat in their number."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

_ONE = """
import json, resource, sys, time
from pathlib import Path
from workbench.ehr import make_synthetic
from workbench.records import DataPaths, Settings
started = time.monotonic()
two_cores = Settings(duckdb_threads=2)
source = make_synthetic(DataPaths(Path(sys.argv[1])), int(sys.argv[2]), 1, settings=two_cores)
rows = {table.table: table.rows for table in source.tables}
peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([time.monotonic() - started, peak_mb, rows["mimiciv_icu.chartevents"]]))
"""


def _make(stays: int) -> tuple[float, float, float]:
    """Seconds, peak memory in MB and chart rows of one source, made in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", _ONE, str(Path(folder) / "home"), str(stays)],
            check=True,
            capture_output=True,
            text=True,
        )
    seconds, peak_mb, chart_rows = json.loads(done.stdout)
    return seconds, peak_mb, chart_rows


def measure() -> list[tuple[str, float, float, str]]:
    """(name, value, target, unit) of each figure; no figure may exceed its target."""
    half_seconds, half_mb, _ = _make(500)
    seconds, peak_mb, chart_rows = _make(1000)
    return [
        (f"synthetic, 1,000 stays ({chart_rows / 1e6:.1f} million chart rows)", seconds, 60.0, "s"),
        ("synthetic, 500 stays", half_seconds, 25.0, "s"),
        ("synthetic, peak memory of 1,000 stays over that of 500", peak_mb / half_mb, 1.25, "times"),
    ]
