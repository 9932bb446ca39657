"""What a terminal would act on, in every text of a recorded run: no command prints it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workbench.cli.progress import ProgressLine
from workbench.records import (
    AgentChoice,
    Condition,
    DataPaths,
    EgressSummary,
    FixedClock,
    InputHashes,
    Level,
    LintReport,
    Observation,
    RunIdentity,
    RunPlan,
    RunResult,
    SandboxReport,
    ScoreReport,
    Step,
    StepSource,
    ToolCall,
    TrajectorySummary,
    Verdict,
    Violation,
)
from workbench.store import EventLog, RunStore

EVIL = "bad\x1b[2J\x9b31m\u202e\u2066\u200b\x07\x7f"
ACTED_ON = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
RUN_ID = "20260101-000000-abcdef"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
COMMANDS = [
    ("runs", "list"), ("runs", "list", "--json"), ("runs", "stats", "--by", "task"),
    ("runs", "stats", "--by", "source", "--json"), ("runs", "rebuild"), ("runs", "show", RUN_ID),
    ("runs", "show", RUN_ID, "--details"), ("runs", "show", RUN_ID, "--events", "--details"),
    ("runs", "show", RUN_ID, "--events", "--json"), ("runs", "log", RUN_ID),
    ("runs", "log", RUN_ID, "--file", "events"), ("runs", "log", RUN_ID, "--file", "stderr"),
    ("run", "attach", RUN_ID), ("run", "cancel", RUN_ID), ("run", "sweep"), ("runs", "mismatches", RUN_ID),
]  # fmt: skip
Command = Callable[..., Any]


@pytest.fixture
def _recorded(home: Path) -> None:
    store = RunStore(DataPaths(home))
    agent = AgentChoice(name=EVIL, model=EVIL, effort=EVIL, version=EVIL, file=EVIL, template=[EVIL])
    run = store.create(
        RunPlan(
            run_id=RUN_ID, created=NOON, task=EVIL, family=EVIL, condition=Condition.NO_SKILL, source=EVIL,
            agent=agent, sandbox=EVIL,
        )
    )  # fmt: skip
    inputs = InputHashes(
        task=EVIL, instruction=EVIL, prompt=EVIL, skills={EVIL: EVIL}, operational_spec=EVIL,
        references={EVIL: EVIL}, database=EVIL, runtime=EVIL, code=EVIL,
    )  # fmt: skip
    run.identity.write_text(RunIdentity(run_id=RUN_ID, cell=EVIL, inputs=inputs).to_json())
    violation = Violation(rule=EVIL, level=Level.WARN, message=EVIL, excerpt=EVIL)
    result = RunResult(
        run_id=RUN_ID, started=NOON, finished=NOON, verdict=Verdict.QUARANTINED, reasons=[EVIL],
        score=ScoreReport(task=EVIL, readable=True, reward=0.5, strict_pass=False),
        lint=LintReport(verdict="clean", violations=[violation]),
        sandbox=SandboxReport(
            backend=EVIL, degraded=True, reasons=[EVIL], enforced={EVIL: EVIL}, ended_by=EVIL,
            refused_results=[EVIL],
        ),
        egress=EgressSummary(head_hash=EVIL), output_sha256=EVIL, stage_s={EVIL: 1.0},
        trajectory=TrajectorySummary(
            format=EVIL, steps=1, model=EVIL, session=EVIL, final_message=EVIL, errors=[EVIL],
        ),
    )  # fmt: skip
    log = EventLog(run.events)
    log.stage(EVIL, "begin")
    log.stage(EVIL, "end", EVIL)
    call = ToolCall(call_id=EVIL, name=EVIL, command=EVIL, path=EVIL, content=EVIL, arguments={EVIL: EVIL})
    log.step(
        Step(
            number=1, source=StepSource.AGENT, message=EVIL, reasoning=EVIL, calls=[call], model=EVIL,
            observations=[Observation(call_id=EVIL, text=EVIL)], timestamp=EVIL,
        )
    )  # fmt: skip
    log.violation(violation)
    log.note(EVIL)
    log.finished(result)
    log.close()
    run.result.write_text(result.to_json())
    for path in (run.trajectory, run.stderr):
        path.write_text(EVIL + "\n")
    (run.folder.parent / EVIL).mkdir()


@pytest.mark.usefixtures("_recorded")
def test_nothing_reaches_the_terminal(command: Command) -> None:
    for words in COMMANDS:
        ended = command(*words)
        printed = ended.out + ended.err
        assert ACTED_ON.search(printed) is None, (words, ACTED_ON.findall(printed))
        assert "fault of the workbench" not in printed, words
    for words in COMMANDS[:1] + COMMANDS[5:9] + COMMANDS[12:13]:
        ended = command(*words)
        assert "bad" in ended.out, words


@pytest.mark.usefixtures("_recorded")
def test_json_keeps_the_values(command: Command) -> None:
    shown = command("runs", "show", RUN_ID, "--json")
    assert json.loads(shown.out)["items"][0]["plan"]["task"] == EVIL


@pytest.mark.parametrize("in_place", [True, False])
def test_progress(in_place: bool) -> None:
    stream = io.StringIO()
    line = ProgressLine(stream, FixedClock(NOON), in_place=in_place)
    line._draw(EVIL)
    assert "bad" in stream.getvalue()
    printed = stream.getvalue().replace("\r\x1b[K", "")
    assert ACTED_ON.search(printed) is None
