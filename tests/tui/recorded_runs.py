"""Small real runs for the screens' tests, made as a run's process makes them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from workbench.records import (
    AgentChoice,
    ColumnScore,
    Condition,
    DataPaths,
    EgressSummary,
    InputHashes,
    KeyScore,
    Level,
    LintReport,
    Observation,
    Place,
    RuleOutcome,
    RunIdentity,
    RunPaths,
    RunPlan,
    RunResult,
    SandboxReport,
    ScoreReport,
    Step,
    StepSource,
    StrictCheck,
    TargetScore,
    ToolCall,
    ToolKind,
    TrajectorySummary,
    Usage,
    Verdict,
    Violation,
)
from workbench.store import EventLog, FileLock, RunStore, atomic_write
from workbench.trajectories import trajectory_bytes

NOON = datetime(2030, 5, 1, 12, tzinfo=UTC)
TASK = "mimic-suspicion-infection"
RUN = "20300501-120000-abcdef"
BEFORE, AFTER = "20300501-140000-cccccc", "20300501-150000-dddddd"
HOSTILE = "\x1b[2J[bold]x[/bold] [/foo] arr[0] \u202eabc"


class NoonClock:
    """Stands still, so that pictures do."""

    def now(self) -> datetime:
        return NOON

    def monotonic_s(self) -> float:
        return 0.0


def command(number: int, text: str, output: str = "", code: int = 0) -> Step:
    return Step(
        number=number,
        source=StepSource.AGENT,
        calls=[ToolCall(call_id=f"c{number}", name="shell", kind=ToolKind.COMMAND, command=text)],
        observations=[Observation(call_id=f"c{number}", text=output, exit_code=code)],
    )


STEPS = (
    Step(number=1, source=StepSource.USER, message="Derive suspicion of infection."),
    command(2, "ls /data", "ehr.duckdb\nparquet\n"),
    command(3, "cat /references/answer.csv", f"cat: no such file {HOSTILE}\n", 1),
    command(4, 'duckdb /data/ehr.duckdb -c "SELECT stay_id FROM mimiciv_icu.icustays"', "1\n2\n"),
    Step(number=5, source=StepSource.AGENT, message="Done."),
)
OTHERWISE = (
    command(4, 'duckdb /data/ehr.duckdb -c "SELECT stay_id, hadm_id FROM mimiciv_icu.icustays"', "1\n2\n"),
)
AT_STEP = Violation(
    rule="reads-references",
    level=Level.WARN,
    message=f"looked for the references {HOSTILE}",
    place=Place(step=3),
    excerpt="cat /references/answer.csv",
)
AT_END = Violation(
    rule="hidden-copies", level=Level.FAIL, message="a hidden file's rows", place=Place(step=4)
)


def make_plan(run_id: str = RUN, **changes: Any) -> RunPlan:
    fields: dict[str, Any] = {
        "created": NOON,
        "task": TASK,
        "family": "suspicion-infection",
        "condition": Condition.NO_SKILL,
        "source": "synthetic-500-1",
        "agent": AgentChoice(name="replay", file="no-skill.codex"),
        "sandbox": "bubblewrap",
    }
    return RunPlan(run_id=run_id, **(fields | changes))


def make_score(reward: float = 0.75) -> ScoreReport:
    columns = [
        ColumnScore(column=name, type=kind, present=present, matched=8, match_rate=rate, nmae=nmae)
        for name, kind, present, rate, nmae in (
            ("suspected_infection", "ordered", True, 1.0, 0.0),
            ("specimen", "text", True, 0.5, None),
            ("culture_time", "time", False, 0.0, None),
        )
    ]
    keys = KeyScore(
        reference_rows=10,
        output_rows=11,
        matched=9,
        missing=1,
        extra=2,
        duplicates=0,
        unreadable=0,
        precision=0.82,
        recall=0.9,
        f1=0.857,
    )
    target = TargetScore(
        target="public-code",
        reward=reward,
        ordered_nmae=0.1,
        keys=keys,
        columns=columns,
        strict_pass=False,
        strict_checks=[StrictCheck(check="key coverage", passed=False, detail="9 of 10 keys")],
    )
    return ScoreReport(task=TASK, readable=True, reward=reward, strict_pass=False, targets=[target])


def make_result(run_id: str = RUN, **changes: Any) -> RunResult:
    fields: dict[str, Any] = {
        "started": NOON,
        "finished": NOON + timedelta(seconds=21),
        "verdict": Verdict.QUARANTINED,
        "reasons": ["contaminated: hidden-copies"],
        "score": make_score(),
        "lint": LintReport(
            verdict="fail",
            violations=[AT_STEP, AT_END],
            outcomes=[
                RuleOutcome(rule="hidden-copies", ran=True, worst=Level.FAIL),
                RuleOutcome(rule="network", ran=False, reason="no egress log"),
            ],
        ),
        "sandbox": SandboxReport(
            backend="bubblewrap",
            degraded=False,
            enforced={"memory": "cgroup v1", "network": "none"},
            exit_code=0,
            wall_s=12.5,
            peak_memory_bytes=200 * 1024**2,
            refused_results=["link passwd"],
        ),
        "egress": EgressSummary(
            requests=3,
            refused=1,
            bytes_in=5000,
            bytes_out=700,
            usage=Usage(input_tokens=4200, cached_input_tokens=100, output_tokens=310),
        ),
        "trajectory": TrajectorySummary(format="codex-exec", steps=5),
        "output_sha256": "0" * 64,
        "stage_s": {"prepare": 1.0, "execute": 12.5, "score": 0.4, "lint": 0.2},
    }
    return RunResult(run_id=run_id, **(fields | changes))


def make_identity(run_id: str = RUN) -> RunIdentity:
    inputs = InputHashes(
        task="1" * 40,
        instruction="2" * 40,
        prompt="3" * 40,
        skills={"suspicion-infection/SKILL.md": "4" * 40},
        references={"public-code": "5" * 64},
        database="6" * 64,
        runtime="python3.11",
        code="0.1.0",
    )
    return RunIdentity(run_id=run_id, cell="0123456789abcdef", attempt=2, inputs=inputs)


def begin_log(run: RunPaths) -> EventLog:
    """Preparing is done, executing begins."""
    log = EventLog(run.events, NoonClock())
    log.stage("prepare", "begin")
    log.stage("prepare", "end")
    log.stage("execute", "begin")
    return log


def tell_steps(log: EventLog, steps: Sequence[Step] = STEPS) -> None:
    """Steps, and the violation that is seen while they come."""
    for step in steps:
        log.step(step)
        if step.number == AT_STEP.place.step:
            log.violation(AT_STEP)


def tell_end(log: EventLog, result: RunResult | None = None) -> None:
    """What comes after the last step."""
    log.stage("execute", "end", "exit 0")
    log.stage("lint", "begin")
    log.violation(AT_END)
    log.finished(result or make_result())
    log.close()


def record_run(data: DataPaths, run_id: str = RUN, **changes: Any) -> RunPaths:
    """A finished run; ``changes`` are of its plan."""
    run = RunStore(data).create(make_plan(run_id, **changes))
    with FileLock(run.lock, f"run {run_id}"):
        atomic_write(run.identity, make_identity(run_id).to_json())
        log = begin_log(run)
        tell_steps(log)
        result = make_result(run_id)
        atomic_write(run.result, result.to_json())
        tell_end(log, result)
    return run


def record_pair(data: DataPaths) -> None:
    """Two runs of one task with their logs, the second with a skill, other steps and a higher reward."""
    if data.run(BEFORE).plan.exists():
        return
    before = record_run(data, BEFORE, created=NOON + timedelta(hours=2))
    write_steps(before, STEPS)
    after = record_run(data, AFTER, created=NOON + timedelta(hours=3), condition=Condition.WITH_SKILL)
    write_steps(after, (STEPS[0], STEPS[1], *(command(3, f"cat skill{HOSTILE}"), *OTHERWISE), STEPS[4]))
    lint = LintReport(verdict="warn", violations=[AT_STEP])
    result = make_result(AFTER, score=make_score(0.9), lint=lint, verdict=Verdict.PUBLISHABLE, reasons=[])
    atomic_write(after.result, result.to_json())


def write_steps(run: RunPaths, steps: Sequence[Step]) -> None:
    """The run's log, in our own format."""
    numbered = [step.model_copy(update={"number": number}) for number, step in enumerate(steps, 1)]
    summary = TrajectorySummary(format="workbench", steps=len(numbered))
    atomic_write(run.trajectory, trajectory_bytes(numbered, summary))
