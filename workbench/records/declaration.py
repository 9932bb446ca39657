"""What an agent declared before it derived anything, and how its intermediate tables compare."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from workbench.records.base import Part
from workbench.records.score import MOST_COLUMNS, ColumnScore, KeyScore
from workbench.records.stages import MOST_STAGES, RESULT_STAGE

MOST_FIELDS = 20


class DeclaredField(StrEnum):
    """The fields of ``declaration.toml``."""

    GRAIN = "grain"
    KEYS = "keys"
    WINDOWS = "windows"
    UNITS = "units"
    MISSING = "missing"
    TIES = "ties"
    SOURCES = "sources"
    CONTESTABLE = "contestable"


class Declaration(Part):
    """``declaration.toml`` as it was found.

    ``filled``: field to its text, cut and without long numbers and dates; ``missing``: fields that are absent
    or empty; ``unusable``: fields that hold something else than text; ``others``: further keys.
    ``problem``: why there is nothing at all. ``step``: the first of ``steps`` steps that names the file.
    """

    problem: str = ""
    filled: dict[DeclaredField, str] = Field(default={}, max_length=MOST_FIELDS)
    missing: list[DeclaredField] = Field(default=[], max_length=MOST_FIELDS)
    unusable: list[DeclaredField] = Field(default=[], max_length=MOST_FIELDS)
    others: int = 0
    step: int | None = None
    steps: int = 0

    @property
    def summary(self) -> str:
        """Counts, what is missing, and at which step the file first turns up."""
        if self.problem:
            return f"nothing: {self.problem}"
        total = len(self.filled) + len(self.missing) + len(self.unusable)
        told = [f"{len(self.filled)} of {total} fields"]
        if self.missing:
            told.append(f"missing: {', '.join(self.missing)}")
        if self.unusable:
            told.append(f"no text: {', '.join(self.unusable)}")
        if self.others:
            told.append(f"{self.others} other keys")
        if self.step is not None:
            told.append(f"first named in step {self.step} of {self.steps}")
        return "; ".join(told)


class StageStatus(StrEnum):
    """How a stage came out; only the first two were compared."""

    EQUAL = "equal"
    DIFFERS = "differs"
    MISSING = "missing"  # no such file
    UNREADABLE = "unreadable"
    NOT_COMPUTED = "not-computed"  # the reference's own table could not be had


class StageScore(Part):
    """One intermediate table beside the reference's. ``rate``: mean share of equal cells, else of keys."""

    name: str
    status: StageStatus
    rate: float | None = Field(default=None, ge=0, le=1)
    problem: str = ""
    keys: KeyScore | None = None
    columns: list[ColumnScore] = Field(default=[], max_length=MOST_COLUMNS)

    @property
    def compared(self) -> bool:
        return self.status in (StageStatus.EQUAL, StageStatus.DIFFERS)

    @property
    def summary(self) -> str:
        """Status, share of equal cells, and why."""
        rate = "" if self.rate is None else f"  {self.rate:.3f}"
        return f"{self.status}{rate}{f'  ({self.problem})' if self.problem else ''}"

    @property
    def details(self) -> list[str]:
        """Keys of a stage that differs, and its columns that do, a line each."""
        if self.status is not StageStatus.DIFFERS or self.keys is None:
            return []
        keys = self.keys
        return [
            f"keys: {keys.matched} of {keys.reference_rows} matched, {keys.missing} missing, "
            f"{keys.extra} extra, {keys.duplicates} duplicate",
            *(
                f"{column.column} {column.match_rate:.3f}{'' if column.present else ', column missing'}"
                for column in self.columns
                if column.match_rate < 1
            ),
        ]


class StageReport(Part):
    """All stages in order. ``sql_sha256``: of the SQL that the reference's tables came from.

    ``first_diverging_stage``: the first that was compared and differs, else ``result`` where the output does;
    empty where nothing differs.
    """

    sql_sha256: str
    stages: list[StageScore] = Field(max_length=MOST_STAGES)
    first_diverging_stage: str = ""

    @property
    def unseen(self) -> list[str]:
        """Stages ahead of the first diverging one (else all) that could not be compared."""
        names = [stage.name for stage in self.stages]
        first = self.first_diverging_stage
        until = names.index(first) if first in names else len(names)
        return [stage.name for stage in self.stages[:until] if not stage.compared]

    @property
    def summary(self) -> str:
        """Which stage diverges first, and what could not be compared ahead of it."""
        first = self.first_diverging_stage
        if first == RESULT_STAGE:
            told = "the first that diverges is the result itself"
        else:
            told = f"the first that diverges is {first}" if first else "none diverges"
        return f"{told} (not compared: {', '.join(self.unseen)})" if self.unseen else told
