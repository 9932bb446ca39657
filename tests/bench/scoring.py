"""How long the largest task takes to score, and in how much memory; target 10 s and 1.5 GB on two cores.

The rows have the shape of mimic-urine-output-rate: two keys and eleven scored columns. They are made and
scored in processes of their own, so that peak memory is that of scoring alone; times include their start.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROWS = 4_126_485
TARGET_S = 10.0
TARGET_GB = 1.5
NUMBERS = (
    "weight",
    "uo",
    "urineoutput_6hr",
    "urineoutput_12hr",
    "urineoutput_24hr",
    "uo_mlkghr_6hr",
    "uo_mlkghr_12hr",
    "uo_mlkghr_24hr",
    "uo_tm_6hr",
    "uo_tm_12hr",
    "uo_tm_24hr",
)
MEASURED = """
SELECT
  30000000 + i // 44 AS stay_id,
  TIMESTAMP '2150-01-01' + to_seconds(i * 3660 + hash(i) % 3600) AS charttime,
  round(50 + (hash(i // 44) % 700) / 10, 1) AS weight,
  CAST(hash(i + 1) % 500 AS DOUBLE) AS uo,
  CAST(hash(i + 2) % 3000 AS DOUBLE) AS urineoutput_6hr,
  CAST(hash(i + 3) % 3000 AS DOUBLE) AS urineoutput_12hr,
  CAST(hash(i + 4) % 3000 AS DOUBLE) AS urineoutput_24hr,
  CASE WHEN hash(i) % 10 > 2 THEN CAST((hash(i + 5) % 90000) / 10000 AS DECIMAL(18, 4)) END AS uo_mlkghr_6hr,
  CASE WHEN hash(i) % 10 > 3 THEN CAST((hash(i + 6) % 90000) / 10000 AS DECIMAL(18, 4)) END AS uo_mlkghr_12hr,
  CASE WHEN hash(i) % 10 > 4 THEN CAST((hash(i + 7) % 90000) / 10000 AS DECIMAL(18, 4)) END AS uo_mlkghr_24hr,
  CAST((hash(i + 8) % 600) / 100 AS DECIMAL(18, 2)) AS uo_tm_6hr,
  CAST((hash(i + 9) % 1200) / 100 AS DECIMAL(18, 2)) AS uo_tm_12hr,
  CAST((hash(i + 10) % 2400) / 100 AS DECIMAL(18, 2)) AS uo_tm_24hr
FROM range(?) AS charted (i)
"""
IMPERFECT = """
SELECT * REPLACE (uo + CAST(hash(charttime) % 5 = 0 AS INTEGER) AS uo)
FROM measured
WHERE hash(charttime, stay_id) % 50 > 0
UNION ALL
SELECT * REPLACE (charttime + INTERVAL 1 SECOND AS charttime)
FROM measured
WHERE hash(charttime, stay_id) % 50 = 0
UNION ALL
SELECT *
FROM measured
WHERE hash(charttime, stay_id) % 100 = 1
"""


def measure(rows: int = ROWS) -> list[tuple[str, float, float, str]]:
    """(name, value, target, unit) for a right output, shuffled, and for an imperfect one.

    The latter has 2 % other keys, 1 % repeated ones, and a column in which a fifth is wrong.
    """
    figures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _child("make", folder, rows)
        for output in ("right", "imperfect"):
            seconds, answer = _child("score", folder, rows, output)
            if (answer["reward"] == 1.0) is not (output == "right"):
                raise AssertionError(f"the {output} output got the reward {answer['reward']}")
            label = f"score {rows} rows x {len(NUMBERS)} columns, {output}"
            figures.append((label, seconds, TARGET_S, "s"))
            figures.append((f"{label}, peak memory", answer["peak_gb"], TARGET_GB, "GB"))
    return figures


def _child(action: str, folder: Path, rows: int, output: str = "") -> tuple[float, dict[str, Any]]:
    """Run this file as a process; its wall time in seconds and what it says."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, __file__, action, str(folder), str(rows), output],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return time.perf_counter() - started, json.loads(done.stdout)


def make(folder: Path, rows: int) -> None:
    """The reference in random order with a canary, and two outputs."""
    from workbench.ehr import connect

    connection = connect(temp_folder=folder / "spill")
    connection.execute(f"CREATE TABLE measured AS {MEASURED}", [rows])
    for query, file, options in (
        (
            "SELECT *, md5(charttime || '/') AS _canary_00 FROM measured ORDER BY hash(charttime)",
            "ref.parquet",
            "",
        ),
        ("SELECT * FROM measured ORDER BY hash(charttime, 1)", "right.csv", "(HEADER)"),
        (IMPERFECT, "imperfect.csv", "(HEADER)"),
    ):
        connection.execute(f"COPY ({query}) TO '{folder / file}' {options}")
    connection.close()


def score(folder: Path, output: str) -> dict[str, float]:
    """Reward, and the peak memory of this process in GB."""
    from workbench.records import Task
    from workbench.scoring import score_output

    task = Task.model_validate(
        {
            "id": "mimic-urine-output-rate",
            "family": "urine-output-rate",
            "title": "Urine output rate",
            "database": "mimic-iv",
            "mode": "standard",
            "keys": [{"name": "stay_id"}, {"name": "charttime", "type": "time"}],
            "scored_columns": [{"name": name, "type": "ordered", "tolerance": 0.01} for name in NUMBERS],
            "value_columns": NUMBERS,
            "thresholds": {"key_coverage": 0.95, "column_accuracy": 1.0},
            "removed_tables": ["urine_output_rate"],
            "skills": ["urine-output-rate"],
            "decoy_skill": "gcs",
            "reference_concept": "urine_output_rate",
        }
    )
    report = score_output(folder / f"{output}.csv", task, {"public-code": folder / "ref.parquet"})
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    unit = 1 if sys.platform == "darwin" else 1024
    return {"reward": report.reward, "peak_gb": peak * unit / 1e9}


if __name__ == "__main__":
    _, asked, where, count, which = sys.argv
    said = score(Path(where), which) if asked == "score" else make(Path(where), int(count))
    sys.stdout.write(json.dumps(said))
