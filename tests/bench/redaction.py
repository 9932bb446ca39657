"""How fast logs are redacted: seconds for a gigabyte of raw logs on two cores, the source asked.

Once as a person does it: the whole command over all the logs, which checks what it wrote; and once the
redaction alone, in two processes. And how much memory the command takes for one large log.

The logs have the shape of real ones: per step some sentences, a statement of SQL or a file, and what came
back, with identifiers and times of the source in all of them.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOURCE = "synthetic-40-1"
FORMATS = ("codex-exec", "codex-rollout", "claude-stream", "claude-session", "gemini-session", "workbench")
LOG_BYTES = 6_000_000
MOST_S = 1000 / 8
"""8 MB/s."""
WORKERS = 2
LARGE_BYTES = 60_000_000
MOST_MB = 500.0
Figure = tuple[str, float, float, str]
_COMMAND = """
import os, resource, sys

if __name__ == "__main__":
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    from workbench.cli import main

    home, *rest = sys.argv[1:]
    sys.argv = ["workbench", "--home", home, "trajectory", "redact", *rest]
    code = main()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    worked_s = sum(one.ru_utime + one.ru_stime for one in used)
    print(worked_s, max(one.ru_maxrss for one in used) / 1000, file=sys.stderr)
    sys.exit(code)
"""
_SEED = 5
_SQL = """WITH first_stay AS (
  SELECT ie.subject_id, ie.stay_id, ie.intime,
    ROW_NUMBER() OVER (PARTITION BY ie.subject_id ORDER BY ie.intime) AS n
  FROM mimiciv_icu.icustays ie JOIN mimiciv_hosp.patients p USING (subject_id)
  WHERE p.anchor_age >= 18 AND ie.los >= 0.25
)
SELECT ce.stay_id, MAX(CASE WHEN ce.itemid = 220045 THEN ce.valuenum END) AS heart_rate
FROM mimiciv_icu.chartevents ce JOIN first_stay fs ON fs.stay_id = ce.stay_id
WHERE ce.itemid IN (220045, 220052, 220181) AND ce.stay_id <> {stay}
  AND ce.charttime BETWEEN fs.intime AND fs.intime + INTERVAL {hours} HOUR
GROUP BY 1 ORDER BY 1 LIMIT {limit};"""


def borrowed(name: str) -> ModuleType:
    """A module beside the tests of redaction."""
    folder = str(HERE.parent / "redaction")
    sys.path.insert(0, folder)
    try:
        return import_module(name)
    finally:
        sys.path.remove(folder)


def made_log(format: str, size_bytes: int) -> bytes:
    """A log of at least half of that size."""
    emitters = borrowed("emitters")
    chance = random.Random(_SEED)
    moves = []
    written = 0
    while written < size_bytes:
        stay = 30_000_000 + chance.randrange(60)
        day = f"21{chance.randrange(10, 90)}-0{chance.randrange(1, 9)}-1{chance.randrange(10)}"
        rows = [
            f"{stay + at},{day} {at % 24:02d}:{chance.randrange(60):02d}:00,HR,{chance.random() * 90:.1f},bpm"
            for at in range(90)
        ]
        value = rows[0].split(",")[3]
        prose = (
            f"Step {len(moves)}: stay_id {stay} has two rows on {day}, one of them {value}. The threshold of "
            "2 mmol/L stays as the specification says, so the join is by hour and not by day."
        )
        command = _SQL.format(stay=stay, hours=chance.choice((6, 12, 24)), limit=chance.randrange(500))
        command = f"duckdb /data/mimic.duckdb <<'SQL'\n{command}\nSQL"
        output = "\n".join(["stay_id,charttime,label,valuenum,valueuom", *rows])
        moves.append(emitters.Move(prose=prose, command=command, output=output))
        written += len(prose) + len(command) + len(output)
    session = emitters.Session("Derive one row a stay.", tuple(moves), "Done.")
    made: bytes = borrowed("benchmark_emitters").EMITTERS[format](session)
    return made


def work(home: Path, paths: list[Path]) -> tuple[float, int]:
    """Redact logs one after the other: seconds of the processor, bytes. The first is done once before."""
    from workbench.catalog import Content
    from workbench.ehr import open_identifiers
    from workbench.records import ContentPaths, DataPaths, load_settings
    from workbench.redaction import Redactor, redacted_atif
    from workbench.runs import Context, ensure_source

    context = Context(Content(ContentPaths(ROOT)), DataPaths(home), load_settings(None, {}, source=SOURCE))
    with open_identifiers(context.data, [ensure_source(context, SOURCE)]) as lookup:
        began, done = 0.0, 0
        for path in [paths[0], *paths] if paths else []:
            redactor = Redactor(lookup, b"the salt of a measurement")
            path.with_suffix(".json").write_bytes(redacted_atif(path, redactor))
            assert sum(redactor.replaced.values()) > 100, redactor.replaced
            if began:
                done += path.stat().st_size
            else:
                began = time.process_time()
        return time.process_time() - began, done


def released(home: Path, paths: list[Path]) -> tuple[float, float, float]:
    """The whole command over these logs, on two cores where there are more: seconds by the clock, seconds of
    the processors for each core, and the largest memory of one of its processes in MB."""
    out = home / "released"
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-c", _COMMAND, str(home / "data"), *map(str, paths)]
    command += ["--out", str(out), "--source", SOURCE, "--json"]
    began = time.perf_counter()
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    took_s = time.perf_counter() - began
    assert json.loads(told.stdout)["kind"] == "released"
    worked_s, memory_mb = told.stderr.split()[-2:]
    return took_s, float(worked_s) / WORKERS, float(memory_mb)


def measure(size_bytes: int = LOG_BYTES, large_bytes: int = LARGE_BYTES) -> list[Figure]:
    """(name, value, target, unit) of each figure; of the redaction alone the time of the processor that had
    more to do."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "data").mkdir(mode=0o700)
        work(home / "data", [])
        for number, format in enumerate(FORMATS):
            for worker in range(WORKERS):
                (home / f"{worker}-{number}.log").write_bytes(made_log(format, size_bytes))
        started = [
            subprocess.Popen(
                [
                    sys.executable,
                    __file__,
                    str(home / "data"),
                    *map(str, sorted(home.glob(f"{worker}-*.log"))),
                ],
                stdout=subprocess.PIPE,
            )
            for worker in range(WORKERS)
        ]
        told = [json.loads(process.communicate()[0]) for process in started]
        logs = sorted(home.glob("*-*.log"))
        command_s, worked_s, _ = released(home, logs)
        raw_bytes = sum(path.stat().st_size for path in logs)
        large = home / "large.log"
        large.write_bytes(made_log(FORMATS[0], large_bytes))
        _, _, memory_mb = released(home, [large])
        large_mb = large.stat().st_size // 1_000_000
    of = f"a GB of raw logs, {len(FORMATS)} formats, on {WORKERS} cores"
    core_s = max(took_s for took_s, _ in told) / sum(done for _, done in told)
    return [
        (f"the whole command with its check, {of}", command_s / raw_bytes * 1e9, MOST_S, "s"),
        ("the same, in time of the processors for each core", worked_s / raw_bytes * 1e9, MOST_S, "s"),
        (f"redaction alone, {of}", core_s * 1e9, MOST_S, "s"),
        (f"memory of the command, one log of {large_mb} MB", memory_mb, MOST_MB, "MB"),
    ]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(work(Path(sys.argv[1]), [Path(path) for path in sys.argv[2:]])))
