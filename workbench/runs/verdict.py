"""What a run may be used for, as one table of reasons."""

from __future__ import annotations

from workbench.records import (
    EgressSummary,
    Level,
    LintReport,
    RunPlan,
    SandboxReport,
    ScoreReport,
    TrajectorySummary,
    Verdict,
)

_ENDED = {
    "wall": "the time limit was reached",
    "memory": "the memory limit was reached",
    "disk": "the disk limit was reached",
    "output": "the limit on printed output was reached",
}


def decide(
    plan: RunPlan,
    sandbox: SandboxReport,
    egress: EgressSummary | None,
    score: ScoreReport,
    lint: LintReport,
    trajectory: TrajectorySummary,
    commands: int,
) -> tuple[Verdict, list[str]]:
    """Verdict and every reason for it. Interrupted and failed come before quarantined.

    A wrong answer is a result, never a failure; a missing output is a failure of the run. ``commands`` is the
    number of tool calls seen: what cannot be read cannot be linted, so it is quarantined.
    """
    if sandbox.ended_by == "cancelled":
        return Verdict.INTERRUPTED, ["cancelled"]
    failed = _failures(sandbox, score, trajectory.errors)
    quarantined = _quarantines(sandbox, egress, lint) + _unseen(trajectory, commands, score)
    if failed:
        return Verdict.FAILED, failed + quarantined
    if quarantined:
        return Verdict.QUARANTINED, quarantined
    note = (
        ["a demonstration: it shows how a run goes and says nothing about any model"]
        if plan.demonstration
        else []
    )
    return Verdict.PUBLISHABLE, note


def _failures(sandbox: SandboxReport, score: ScoreReport, agent_errors: list[str]) -> list[str]:
    reasons = []
    if sandbox.ended_by in _ENDED:
        reasons.append(_ENDED[sandbox.ended_by])
    elif sandbox.signal:
        reasons.append(f"the agent ended by signal {sandbox.signal}")
    elif sandbox.exit_code and not score.readable:
        reasons.append(f"the agent ended with exit code {sandbox.exit_code} and without a readable output")
    elif not score.readable:
        reasons.append(score.problem or "no readable output")
    if reasons and agent_errors:
        reasons.append(f"the agent reported {len(agent_errors)} errors")
    return reasons


def _quarantines(sandbox: SandboxReport, egress: EgressSummary | None, lint: LintReport) -> list[str]:
    reasons = []
    if lint.verdict == "fail":
        rules = sorted({item.rule for item in lint.violations if item.level == "fail"})
        reasons.append(f"contaminated: {', '.join(rules)}")
    unsure = sorted({item.rule for item in lint.violations if item.level is Level.QUARANTINE})
    if unsure:
        reasons.append(f"a person has to decide: {', '.join(unsure)}")
    if not_run := [outcome.rule for outcome in lint.outcomes if not outcome.ran]:
        reasons.append(f"lint not run: {', '.join(not_run)}")
    if sandbox.degraded:
        reasons.append("isolation degraded: " + "; ".join(sandbox.reasons))
    if egress is not None and not egress.chain_valid:
        reasons.append("the egress log's chain is broken")
    return reasons


def _unseen(trajectory: TrajectorySummary, commands: int, score: ScoreReport) -> list[str]:
    reasons = []
    if not trajectory.complete:
        reasons.append("the agent's log is cut off, so not all it did was linted")
    if trajectory.damaged_lines:
        reasons.append(f"{trajectory.damaged_lines} lines of the agent's log could not be read")
    if score.readable and not commands:
        reasons.append("the agent's log shows no command, so what it did could not be linted")
    return reasons
