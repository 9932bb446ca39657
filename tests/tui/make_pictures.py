"""The README's pictures: what the app draws over made-up runs.

``python tests/tui/make_pictures.py`` writes them to docs/pictures; the tests hold them equal to what is
drawn, and write them anew with the other pictures.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

if __name__ == "__main__":
    os.environ.pop("NO_COLOR", None)
    sys.path.insert(0, str(Path(__file__).parent))

from made_up import make_content, open_home, until
from recorded_runs import (
    NOON,
    STEPS,
    NoonClock,
    begin_log,
    command,
    make_identity,
    make_plan,
    make_result,
    make_score,
)
from snapshots import svg
from textual.pilot import Pilot

from workbench.records import (
    ColumnScore,
    Condition,
    DataPaths,
    EgressSummary,
    KeyScore,
    Level,
    LintReport,
    Place,
    RuleOutcome,
    SandboxReport,
    ScoreReport,
    Settings,
    Step,
    StepSource,
    StrictCheck,
    TargetScore,
    Usage,
    Verdict,
    Violation,
)
from workbench.store import FileLock, RunStore, atomic_write
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screens.run_detail import RunDetailScreen
from workbench.tui.screens.runs import RunsScreen
from workbench.tui.screens.trajectory import TrajectoryScreen
from workbench.tui.terminal import Terminal

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
SIZE = (100, 30)
RAW = "mimic-suspicion-infection-raw"
SHOWN = "20300501-123000-c0ffee"

QUERY = """duckdb /data/ehr.duckdb -c "
  SELECT hadm_id, charttime, spec_type_desc, org_name IS NOT NULL AS positive
  FROM mimiciv_hosp.microbiologyevents
  WHERE charttime IS NOT NULL
  ORDER BY hadm_id, charttime
  LIMIT 3" """.strip()
DERIVED = 'duckdb /data/ehr.duckdb -c "SELECT * FROM mimiciv_derived.suspicion_of_infection LIMIT 3"'
COPY = 'duckdb /data/ehr.duckdb -c ".read answer.sql"'
DONE = (
    "Antibiotic starts are matched with cultures taken up to 72 hours before or 24 hours after. Derived "
    "tables are not here, so the query rests on prescriptions and microbiologyevents."
)


def picture_steps() -> list[Step]:
    """What a made-up agent did."""
    return [
        Step(number=1, source=StepSource.USER, message="Derive suspicion of infection for every antibiotic."),
        command(2, 'duckdb /data/ehr.duckdb -c "SHOW ALL TABLES"',
                "mimiciv_hosp.microbiologyevents\nmimiciv_hosp.prescriptions\nmimiciv_icu.icustays\n"),
        command(3, QUERY,
                "20000017 | 2150-03-02 08:15:00 | BLOOD CULTURE | false\n"
                "20000017 | 2150-03-03 11:40:00 | URINE         | true\n"
                "20000021 | 2148-11-19 02:05:00 | BLOOD CULTURE | false\n"),
        command(4, DERIVED,
                "Catalog Error: Table with name suspicion_of_infection does not exist!\n", 1),
        command(5, "pip download m4-infra", "ERROR: Could not find a version that satisfies m4-infra\n", 1),
        command(6, COPY, ""),
        Step(number=7, source=StepSource.AGENT, message=DONE),
    ]  # fmt: skip


VIOLATIONS = [
    Violation(
        rule="removed-tables", level=Level.WARN, place=Place(step=4), excerpt=DERIVED,
        message="SQL reads the hidden table mimiciv_derived.suspicion_of_infection",
    ),
    Violation(
        rule="network", level=Level.WARN, place=Place(step=5), excerpt="pip download m4-infra",
        message="pip download reaches for the network",
    ),
]  # fmt: skip


def picture_score() -> ScoreReport:
    """A good output with three kinds of faults: late cultures, other specimens, rows too few."""
    rates = (
        ("suspected_infection", "ordered", 1.0),
        ("specimen", "text", 0.942),
        ("culture_time", "time", 0.671),
    )
    columns = [
        ColumnScore(
            column=name,
            type=kind,
            present=True,
            matched=round(507 * rate),
            match_rate=rate,
            nmae=0.0 if kind == "ordered" else None,
        )
        for name, kind, rate in rates
    ]
    keys = KeyScore(
        reference_rows=512,
        output_rows=509,
        matched=507,
        missing=5,
        extra=2,
        duplicates=0,
        unreadable=0,
        precision=0.996,
        recall=0.990,
        f1=0.993,
    )
    check = StrictCheck(check="key coverage", passed=False, detail="507 of 512 keys")
    target = TargetScore(
        target="public-code",
        reward=0.871,
        ordered_nmae=0.0,
        keys=keys,
        columns=columns,
        strict_pass=False,
        strict_checks=[check],
    )
    return ScoreReport(task=RAW, readable=True, reward=0.871, strict_pass=False, targets=[target])


def make_runs(data: DataPaths) -> None:
    """Four finished runs, the one of the pictures among them."""
    others = (
        ("20300501-120000-0a0a0a", Condition.NO_SKILL, 0.612, Verdict.PUBLISHABLE),
        ("20300501-121000-0b0b0b", Condition.WITH_SKILL, 0.934, Verdict.PUBLISHABLE),
        ("20300501-122000-0c0c0c", Condition.WITH_SKILL_DECOY, 0.598, Verdict.QUARANTINED),
        (SHOWN, Condition.WITH_SKILL, 0.871, Verdict.PUBLISHABLE),
    )
    for at, (run_id, condition, reward, verdict) in enumerate(others):
        begun = NOON + timedelta(minutes=10 * at)
        run = RunStore(data).create(make_plan(run_id, task=RAW, condition=condition, created=begun))
        with FileLock(run.lock, f"run {run_id}"):
            identity = make_identity(run_id)
            atomic_write(run.identity, identity.model_copy(update={"attempt": 1}).to_json())
            shown = run_id == SHOWN
            lint = LintReport(
                verdict="warn" if shown else "clean",
                violations=VIOLATIONS if shown else [],
                outcomes=[
                    RuleOutcome(rule=rule, ran=True, worst=Level.WARN if shown else None)
                    for rule in ("removed-tables", "network")
                ],
            )
            result = make_result(
                run_id, started=begun, finished=begun + timedelta(seconds=94), verdict=verdict, lint=lint,
                score=picture_score() if shown else make_score(reward),
                reasons=["isolation was degraded"] if verdict is Verdict.QUARANTINED else [],
                egress=EgressSummary(
                    requests=7, refused=0, bytes_in=48_211, bytes_out=9_904,
                    usage=Usage(input_tokens=21_480, cached_input_tokens=14_336, output_tokens=1_902),
                ),
                sandbox=SandboxReport(
                    backend="bubblewrap", degraded=False, exit_code=0, wall_s=88.1,
                    peak_memory_bytes=412 * 1024**2,
                    enforced={"memory": "cgroup v2", "network": "none"},
                ),
                stage_s={"prepare": 1.9, "execute": 88.1, "score": 2.7, "lint": 1.3},
            )  # fmt: skip
            log = begin_log(run)
            for step in picture_steps() if shown else STEPS[:2]:
                log.step(step)
                for violation in VIOLATIONS if shown else ():
                    if violation.place.step == step.number:
                        log.violation(violation)
            atomic_write(run.result, result.to_json())
            log.finished(result)
            log.close()


async def _runs(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("runs")
    await until(pilot, lambda: isinstance(app.screen, RunsScreen) and bool(app.screen._rows))


async def _detail(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("run-detail", run=SHOWN)
    await until(pilot, lambda: isinstance(app.screen, RunDetailScreen) and len(app.screen.lines) > 0)
    await pilot.press("v")


async def _trajectory(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("trajectory", run=SHOWN)
    await until(pilot, lambda: isinstance(app.screen, TrajectoryScreen) and app.screen.lines.complete)
    await pilot.press("home", "v")


PICTURES = {"home": open_home, "runs": _runs, "run-detail": _detail, "trajectory": _trajectory}


@contextmanager
def picture_context(folder: Path) -> Iterator[AppContext]:
    """Made-up content and runs below ``folder``, which no picture names."""
    data = DataPaths(folder / "data")
    make_runs(data)
    context = AppContext(make_content(folder / "content"), data, Settings(), Terminal(), NoonClock())
    name = "workbench.tui.screens.run_detail.folder_name"
    with patch(name, lambda run: f".workbench/runs/{run.folder.name}"):
        yield context


async def draw(context: AppContext, name: str) -> str:
    """One of ``PICTURES`` as SVG."""
    app = WorkbenchApp(context)
    async with app.run_test(size=SIZE, notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await PICTURES[name](app, pilot)
        await pilot.pause()
        return svg(app)


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, picture_context(Path(folder)) as context:
        for name in PICTURES:
            (FOLDER / f"{name}.svg").write_text(asyncio.run(draw(context, name)), encoding="utf-8")


if __name__ == "__main__":
    main()
