"""What the contamination lint says."""

from __future__ import annotations

from enum import StrEnum

from workbench.records.base import Part, Record


class Level(StrEnum):
    """An attempt warns; content obtained fails; unsure waits for a person; information accuses nobody."""

    INFORMATION = "information"
    WARN = "warn"
    QUARANTINE = "quarantine"  # unsure: the run waits for a person
    FAIL = "fail"
    NOT_RUN = "not-run"  # the rule could not be run; says why


class Place(Part):
    """Where: a step, or a file, or a line of the egress log."""

    step: int | None = None
    file: str | None = None
    line: int | None = None


class Violation(Part):
    """One statement of one rule. ``excerpt`` is at most 200 characters, without values of data rows."""

    rule: str
    level: Level
    message: str
    place: Place = Place()
    excerpt: str = ""


class RuleOutcome(Part):
    """That a rule ran over the whole run, and what it found at worst (None: nothing).

    ``steps_only``: it did not run whole, yet looked at the steps, as of a log without a recorded run.
    ``version`` is the rule's own: it is raised when the rule says something else of the same run.
    """

    rule: str
    version: int = 1
    ran: bool
    reason: str = ""
    steps_only: bool = False
    worst: Level | None = None


class LintReport(Record):
    """The whole lint of one run. ``verdict``: the worst of fail, quarantine, not-run, warn, or ``clean``."""

    verdict: str
    violations: list[Violation] = []
    outcomes: list[RuleOutcome] = []
