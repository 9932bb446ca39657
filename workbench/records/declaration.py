"""What an agent declared before it derived anything, and how its intermediate tables compare."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from workbench.records.base import Part
from workbench.records.score import MOST_COLUMNS, ColumnScore, KeyScore
from workbench.records.stages import MOST_STAGES

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
