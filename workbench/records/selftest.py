"""What a task's selftest came to on one source: shares and counts, never a value."""

from __future__ import annotations

from workbench.records.base import Part, Record
from workbench.records.plan import Condition, SchemaVariant


class SelfTest(Part):
    """One task on one source; ``problems`` is empty where all holds."""

    task: str
    source: str
    rows: int  # of the reference
    empty_reward: float | None  # None, as all that follow: the source has no rows for the task
    reference_reward: float | None
    reference_strict: bool
    naive_reward: float | None  # None: there is no naive SQL
    solvable: bool  # the reference, computed from the task database alone, has the same rows
    checks_passed: bool | None = None  # the reference through the reference-free checks; None: there are none
    constant_columns: list[str] = []  # scored columns with one value: they measure coverage only
    notes: list[str] = []
    problems: list[str] = []
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return not self.problems


class Rehearsal(Part):
    """One cell followed by the scripted solver; ``problems`` is empty where all fits."""

    task: str
    source: str
    condition: Condition
    schema_variant: SchemaVariant
    counterfactual: str = ""
    reward: float | None
    followed: list[str] = []
    problems: list[str] = []
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return not self.problems


class VariantCheck(Part):
    """One task in one schema variant; ``problems`` is empty where it is the same task under other names.

    ``added_share``: bytes that the variant's files add, against the source with its concepts.
    """

    task: str
    source: str
    schema_variant: SchemaVariant
    tables: int
    added_share: float
    problems: list[str] = []
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return not self.problems


class SelfTestReport(Record):
    """All that were asked for."""

    tests: list[SelfTest]
