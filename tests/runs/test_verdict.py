"""The verdict table."""

from datetime import UTC, datetime

import pytest

from workbench.records import (
    AgentChoice,
    Condition,
    EgressSummary,
    Level,
    LintReport,
    RuleOutcome,
    RunPlan,
    SandboxReport,
    ScoreReport,
    TrajectorySummary,
    Verdict,
    Violation,
)
from workbench.runs.verdict import decide

PLAN = RunPlan(
    run_id="20260101-000000-abcdef",
    created=datetime(2026, 1, 1, tzinfo=UTC),
    task="t",
    family="f",
    condition=Condition.NO_SKILL,
    source="s",
    agent=AgentChoice(name="script"),
    sandbox="bubblewrap",
)
READABLE = ScoreReport(task="t", readable=True, reward=0.4, strict_pass=False)
UNREADABLE = ScoreReport(task="t", readable=False, problem="no output.csv", reward=0.0, strict_pass=False)
CLEAN = LintReport(verdict="clean", outcomes=[RuleOutcome(rule="network", ran=True)])
DIRTY = LintReport(
    verdict="fail",
    violations=[Violation(rule="network", level=Level.FAIL, message="m")],
    outcomes=[RuleOutcome(rule="network", ran=True, worst=Level.FAIL)],
)
SEEN = TrajectorySummary(format="workbench", steps=3)
NOT_RUN = LintReport(verdict="not-run", outcomes=[RuleOutcome(rule="secrets", ran=False, reason="boom")])


def sandbox(**changes: object) -> SandboxReport:
    return SandboxReport.model_validate({"backend": "b", "degraded": False, "exit_code": 0, **changes})


CASES = [
    ("clean run", sandbox(), None, READABLE, CLEAN, Verdict.PUBLISHABLE, ""),
    ("wrong answer is a result", sandbox(exit_code=1), None, READABLE, CLEAN, Verdict.PUBLISHABLE, ""),
    ("no output", sandbox(), None, UNREADABLE, CLEAN, Verdict.FAILED, "no output.csv"),
    ("crash", sandbox(exit_code=3), None, UNREADABLE, CLEAN, Verdict.FAILED, "exit code 3"),
    ("time", sandbox(ended_by="wall"), None, READABLE, CLEAN, Verdict.FAILED, "time limit"),
    ("memory", sandbox(ended_by="memory"), None, READABLE, CLEAN, Verdict.FAILED, "memory"),
    ("signal", sandbox(exit_code=None, signal=9), None, READABLE, CLEAN, Verdict.FAILED, "signal 9"),
    ("cancelled", sandbox(ended_by="cancelled"), None, READABLE, DIRTY, Verdict.INTERRUPTED, "cancelled"),
    ("contaminated", sandbox(), None, READABLE, DIRTY, Verdict.QUARANTINED, "network"),
    ("lint not run", sandbox(), None, READABLE, NOT_RUN, Verdict.QUARANTINED, "secrets"),
    (
        "degraded",
        sandbox(degraded=True, reasons=["no memory limit"]),
        None,
        READABLE,
        CLEAN,
        Verdict.QUARANTINED,
        "no memory limit",
    ),
    (
        "log edited",
        sandbox(),
        EgressSummary(chain_valid=False),
        READABLE,
        CLEAN,
        Verdict.QUARANTINED,
        "chain",
    ),
    ("failed and dirty", sandbox(ended_by="disk"), None, READABLE, DIRTY, Verdict.FAILED, "network"),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_verdict(case: tuple) -> None:
    _, box, egress, score, lint, expected, words = case
    verdict, reasons = decide(PLAN, box, egress, score, lint, SEEN, 3)
    assert verdict is expected
    assert words in "; ".join(reasons)


def test_a_demonstration_says_so() -> None:
    plan = PLAN.model_copy(update={"demonstration": True})
    verdict, reasons = decide(plan, sandbox(), None, READABLE, CLEAN, SEEN, 3)
    assert verdict is Verdict.PUBLISHABLE
    assert "demonstration" in reasons[0]


@pytest.mark.parametrize(
    ("trajectory", "commands", "words"),
    [
        (SEEN.model_copy(update={"complete": False}), 3, "cut off"),
        (SEEN.model_copy(update={"damaged_lines": 2}), 3, "2 lines"),
        (SEEN, 0, "no command"),
    ],
)
def test_what_could_not_be_read_is_not_publishable(
    trajectory: TrajectorySummary, commands: int, words: str
) -> None:
    verdict, reasons = decide(PLAN, sandbox(), None, READABLE, CLEAN, trajectory, commands)
    assert verdict is Verdict.QUARANTINED
    assert words in "; ".join(reasons)
