"""What changed from one run to another: what was asked, the reward a column, the lint."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from workbench.records import (
    BadInput,
    Level,
    RunIdentity,
    RunPlan,
    RunResult,
    TargetScore,
    Violation,
    relinted,
)
from workbench.store import LocalRuns

_ASKED = ("condition", "schema_variant", "counterfactual", "source", "trial", "sandbox", "demonstration")
_AGENT = ("name", "model", "effort")
REWARD = "reward"


@dataclass(frozen=True)
class Changed:
    """Something that is not the same in both runs, as text."""

    what: str
    before: str
    after: str


@dataclass(frozen=True)
class ColumnChange:
    """``column`` is ``reward`` for the target's whole; a share is None where there is none in that run."""

    target: str
    column: str
    before: float | None
    after: float | None

    @property
    def difference(self) -> float | None:
        """None unless both runs have one."""
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True)
class ViolationChange:
    """How often a rule said something at a level, in each run."""

    rule: str
    level: Level
    before: int
    after: int


@dataclass(frozen=True)
class RunChange:
    """``notes`` say why something cannot be compared. ``violations`` leaves out what is in both as often."""

    before: str
    after: str
    asked: list[Changed]
    inputs: list[Changed]
    verdict: Changed
    columns: list[ColumnChange]
    violations: list[ViolationChange]
    notes: list[str]


def change_between(runs: LocalRuns, before: str, after: str) -> RunChange:
    """Two runs of one task by their ids, each by its newest lint. Raises BadInput for runs of two tasks.

    Columns of every target that one of them was scored against; ``inputs`` are hashes of what a run was made
    from, cut to eight digits.
    """
    plans = runs.plan(before), runs.plan(after)
    if plans[0].task != plans[1].task:
        raise BadInput(
            f"the runs are of two tasks: {plans[0].task} and {plans[1].task}",
            remedy="Compare runs of one task: workbench runs list --task TASK shows them.",
        )
    results = _newest(runs, before), _newest(runs, after)
    told = [
        f"{run} has no result yet" for run, result in zip((before, after), results, strict=True) if not result
    ]
    told += [
        f"{run} was not scored: {result.why_not_scored}"
        for run, result in zip((before, after), results, strict=True)
        if result is not None and result.why_not_scored
    ]
    inputs = _inputs(runs.identity(before), runs.identity(after))
    if any(change.what.startswith("reference ") for change in inputs):
        told.append("the references differ: a reward that changed need not be the agent's doing")
    return RunChange(
        before, after, _asked(*plans), inputs, Changed("verdict", _verdict(results[0]), _verdict(results[1])),
        _columns(*results), _violations(*results), told,
    )  # fmt: skip


def _newest(runs: LocalRuns, run: str) -> RunResult | None:
    result = runs.result(run)
    return relinted(result, runs.lint(run)) if result is not None else None


def _verdict(result: RunResult | None) -> str:
    return str(result.verdict) if result is not None else "none"


def _asked(before: RunPlan, after: RunPlan) -> list[Changed]:
    pairs = [(name, getattr(before, name), getattr(after, name)) for name in _ASKED]
    pairs += [(f"agent {name}", getattr(before.agent, name), getattr(after.agent, name)) for name in _AGENT]
    limits = before.limits.model_dump(), after.limits.model_dump()
    pairs += [(f"limit {name}", limits[0][name], limits[1][name]) for name in limits[0]]
    return [Changed(name, str(old), str(new)) for name, old, new in pairs if old != new]


def _inputs(before: RunIdentity | None, after: RunIdentity | None) -> list[Changed]:
    if before is None or after is None:
        return []
    named = before.inputs.named(), after.inputs.named()
    return [
        Changed(name, _short(named[0].get(name)), _short(named[1].get(name)))
        for name in dict.fromkeys([*named[0], *named[1]])
        if named[0].get(name) != named[1].get(name)
    ]


def _short(text: str | None) -> str:
    return text[:8] if text else "none"


def _columns(before: RunResult | None, after: RunResult | None) -> list[ColumnChange]:
    rates = _rates(before), _rates(after)
    return [
        ColumnChange(target, column, rates[0].get((target, column)), rates[1].get((target, column)))
        for target, column in dict.fromkeys([*rates[0], *rates[1]])
    ]


def _rates(result: RunResult | None) -> dict[tuple[str, str], float]:
    if result is None or result.score is None or result.why_not_scored:
        return {}
    rates: dict[tuple[str, str], float] = {}
    for target in result.score.targets:
        rates[target.target, REWARD] = target.reward
        rates |= {(target.target, column): rate for column, rate in _of_columns(target)}
    return rates


def _of_columns(target: TargetScore) -> list[tuple[str, float]]:
    return [(column.column, column.match_rate) for column in target.columns]


def _violations(before: RunResult | None, after: RunResult | None) -> list[ViolationChange]:
    counted = _counted(before), _counted(after)
    return [
        ViolationChange(rule, level, counted[0][rule, level], counted[1][rule, level])
        for rule, level in sorted({*counted[0], *counted[1]})
        if counted[0][rule, level] != counted[1][rule, level]
    ]


def _counted(result: RunResult | None) -> Counter[tuple[str, Level]]:
    said: list[Violation] = result.lint.violations if result is not None and result.lint is not None else []
    return Counter((item.rule, item.level) for item in said)
