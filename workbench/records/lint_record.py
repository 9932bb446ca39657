"""A recorded run linted again; kept beside its result, which stays what it was."""

from __future__ import annotations

from workbench.records.base import Record, UtcTime
from workbench.records.run import RunResult, Verdict
from workbench.records.violation import LintReport


class LintRecord(Record):
    """``lints/<number>.json``, written once; the newest one is what listings and screens show.

    ``code``: which code linted; the versions of its rules are in the ``report``. ``log_sha256``: of the event
    log that the steps were read from. ``notes``: what was not as it was when the run was made.
    """

    run_id: str
    made: UtcTime
    code: str
    log_sha256: str
    first_verdict: Verdict
    verdict: Verdict
    reasons: list[str] = []
    notes: list[str] = []
    report: LintReport

    @property
    def differs(self) -> bool:
        """Whether the run may be used for something else than it was recorded with."""
        return self.verdict is not self.first_verdict

    def says_as(self, other: LintRecord) -> bool:
        """Whether both say the same of the same log by the same rules; when and by which commit aside."""
        mine, theirs = (one.model_dump(exclude={"made", "code"}) for one in (self, other))
        return mine == theirs

    @property
    def said(self) -> str:
        """One line for a person: that this is a re-lint, of when, and what the verdict was first."""
        then = f"the verdict was {self.first_verdict} first" if self.differs else "the verdict is the same"
        return f"linted again on {self.made:%Y-%m-%d %H:%M} UTC: {then}"


def relinted(result: RunResult, lint: LintRecord | None) -> RunResult:
    """The result with the verdict, the reasons and the lint of a re-lint; itself without one."""
    if lint is None:
        return result
    changes = {"verdict": lint.verdict, "reasons": list(lint.reasons), "lint": lint.report}
    return result.model_copy(update=changes)
