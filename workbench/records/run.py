"""State, verdict and result of one run."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pydantic import model_validator

from workbench.records.base import Part, Record, UtcTime
from workbench.records.declaration import Declaration, StageReport
from workbench.records.score import ScoreReport
from workbench.records.trajectory import TrajectorySummary, Usage
from workbench.records.violation import Level, LintReport


class RunState(StrEnum):
    """Where a run stands; ``interrupted`` is seen from outside when its process is gone."""

    PLANNED = "planned"
    RUNNING = "running"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"


class Verdict(StrEnum):
    """What a run may be used for."""

    PUBLISHABLE = "publishable"  # the lint failed nothing; its warnings are for a person to look at
    QUARANTINED = "quarantined"  # contaminated, or lint could not be run, or isolation degraded
    FAILED = "failed"
    INTERRUPTED = "interrupted"


def said_verdict(verdict: str, fails: int, warns: int) -> str:
    """``publishable, 5 warns``: a verdict or state with what the lint counted."""
    counted = ((fails, "fail"), (warns, "warn"))
    told = [f"{number} {level}{'s' * (number > 1)}" for number, level in counted if number]
    return ", ".join([verdict, *told])


class SandboxReport(Part):
    """What the sandbox enforced and how it ended."""

    backend: str
    degraded: bool
    reasons: list[str] = []
    enforced: dict[str, str] = {}  # e.g. memory = 'cgroup v1'
    exit_code: int | None = None
    signal: int | None = None
    ended_by: str = ""  # '' = by itself; 'wall', 'memory', 'disk', 'output', 'cancelled'
    wall_s: float = 0.0
    peak_memory_bytes: int | None = None
    refused_results: list[str] = []  # 'link', 'fifo', 'too large' … with relative name


class EgressSummary(Part):
    """What passed the gateway."""

    requests: int = 0
    refused: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    usage: Usage = Usage()
    chain_valid: bool = True
    head_hash: str = ""  # of the closing line: a log written anew as a whole does not have it


class RunResult(Record):
    """``result.json``, written once at the end. An interrupted run has no score."""

    run_id: str
    started: UtcTime
    finished: UtcTime
    verdict: Verdict
    reasons: list[str] = []
    score: ScoreReport | None = None
    lint: LintReport | None = None
    sandbox: SandboxReport | None = None
    egress: EgressSummary | None = None
    trajectory: TrajectorySummary | None = None
    output_sha256: str = ""
    declaration: Declaration | None = None  # where the condition asks for one, and for stages
    stages: StageReport | None = None
    stage_s: dict[str, float] = {}

    @property
    def why_not_scored(self) -> str:
        """Empty for a run with a score: one that ended without an output has the reward 0."""
        if self.verdict is Verdict.INTERRUPTED:
            return "the run was stopped before it ended"
        return "" if self.score is not None else "the run failed before its output was scored"

    @property
    def without_output(self) -> bool:
        """Whether its reward is 0 because it left no output."""
        return self.score is not None and not self.score.readable and not self.output_sha256

    @property
    def warns(self) -> int:
        """Warnings of the lint, and what it leaves to a person."""
        return self._counted(Level.WARN) + self._counted(Level.QUARANTINE)

    @property
    def fails(self) -> int:
        """What the lint found that must not be."""
        return self._counted(Level.FAIL)

    def _counted(self, level: Level) -> int:
        return sum(item.level is level for item in self.lint.violations) if self.lint is not None else 0

    @property
    def said(self) -> str:
        """The verdict with what the lint counted."""
        return said_verdict(self.verdict, self.fails, self.warns)

    @property
    def to_look_at(self) -> str:
        """How many warnings there are, and what they are for."""
        counted = f"{self.warns} warning{'s' * (self.warns != 1)}"
        what = "it" if self.warns == 1 else "them"
        return (
            f"{counted}: look at {what} before publishing" if self.verdict is Verdict.PUBLISHABLE else counted
        )

    @model_validator(mode="before")
    @classmethod
    def _not_scored(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and given.get("verdict") == Verdict.INTERRUPTED:
            return {**given, "score": None}
        return given


class RunRow(Part):
    """One line of a listing, from the index.

    Verdict and counts are those of the newest re-lint where there is one; ``first_verdict`` is then the
    result's own.
    """

    run_id: str
    created: str
    task: str
    family: str
    condition: str
    schema_variant: str
    counterfactual: str = ""
    source: str
    agent: str
    model: str
    trial: int
    attempt: int
    cell: str
    state: str
    verdict: str
    reward: float | None
    strict_pass: bool | None
    warns: int
    fails: int
    wall_s: float | None
    input_tokens: int | None
    output_tokens: int | None
    demonstration: bool
    first_verdict: str = ""

    @property
    def said(self) -> str:
        """The verdict, or the state where there is none yet, with what the lint counted."""
        said = said_verdict(self.verdict or self.state, self.fails, self.warns)
        return f"{said}, {self.said_again}" if self.said_again else said

    @property
    def said_again(self) -> str:
        """That a re-lint is shown, with the first verdict where that was another; empty without one."""
        if not self.first_verdict:
            return ""
        return "re-lint" if self.verdict == self.first_verdict else f"re-lint, was {self.first_verdict}"
