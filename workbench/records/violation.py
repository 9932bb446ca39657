"""What the contamination lint says."""

from __future__ import annotations

from enum import StrEnum

from workbench.records.base import Part, Record


class Level(StrEnum):
    """An attempt warns; content obtained fails; information never accuses."""

    INFORMATION = "information"
    WARN = "warn"
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
    """That a rule ran over the whole run, and what it found at worst (None: nothing)."""

    rule: str
    ran: bool
    reason: str = ""
    worst: Level | None = None


class LintReport(Record):
    """The whole lint of one run. ``verdict`` is the worst of fail, not-run, warn; ``clean`` otherwise."""

    verdict: str
    violations: list[Violation] = []
    outcomes: list[RuleOutcome] = []
