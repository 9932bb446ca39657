"""What one run is to do."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from workbench.records.base import Part, Record, UtcTime


class Condition(StrEnum):
    """What the agent gets beyond instruction and database."""

    NO_SKILL = "no-skill"
    WITH_SKILL = "with-skill"
    WITH_SKILL_ALL = "with-skill-all"
    WITH_SKILL_DECOY = "with-skill-decoy"
    WITH_SKILL_RAWSQL = "with-skill-rawsql"
    OPERATIONAL_SPEC = "operational-spec"
    WITH_CHECKS = "with-checks"
    WITH_PRIMITIVES = "with-primitives"
    WITH_DECLARATION = "with-declaration"
    WITH_WORKED_EXAMPLE = "with-worked-example"


class SchemaVariant(StrEnum):
    """How the database's tables and columns are named."""

    NATIVE = "native"
    OBFUSCATED = "obfuscated"  # schemas, tables and columns renamed
    RESTRUCTURED = "restructured"  # and tables merged that hold the same kind of thing


class Limits(Part):
    """Bounds on one run; bytes, seconds, counts."""

    wall_s: float = Field(default=900.0, gt=0)
    memory_bytes: int = Field(default=4 * 1024**3, gt=0)
    processes: int = Field(default=512, gt=0)
    open_files: int = Field(default=4096, gt=0)
    work_bytes: int = Field(default=2 * 1024**3, gt=0)
    tmp_bytes: int = Field(default=256 * 1024**2, gt=0)
    home_bytes: int = Field(default=256 * 1024**2, gt=0)
    file_bytes: int = Field(default=1024**3, gt=0)
    output_bytes: int = Field(default=512 * 1024**2, gt=0)  # stdout and stderr together
    collect_bytes: int = Field(default=2 * 1024**3, gt=0)
    collect_entries: int = Field(default=10_000, gt=0)


class AgentChoice(Part):
    """Which agent, and how it is set."""

    name: str
    model: str = ""
    effort: str = ""
    version: str = ""
    file: str = ""  # script: file name; replay: recording's name; never a path
    file_sha256: str = ""
    template: list[str] = []  # command: argv with placeholders


class RunPlan(Record):
    """``plan.json``. ``run_id`` is also the folder's name."""

    run_id: str = Field(pattern=r"^[0-9a-z][0-9a-z-]{5,80}$")
    created: UtcTime
    task: str
    family: str
    condition: Condition
    schema_variant: SchemaVariant = SchemaVariant.NATIVE
    counterfactual: str = Field(default="", pattern=r"^([a-z0-9]+(-[a-z0-9]+)*)?$", max_length=60)
    source: str
    agent: AgentChoice
    trial: int = Field(default=1, ge=1)
    sandbox: str  # 'bubblewrap' …; resolved, never 'auto'
    limits: Limits = Limits()
    demonstration: bool = False

    @property
    def changed_rule(self) -> dict[str, str]:
        """For a person, under ``counterfactual``: its name and what the targets are; empty for other runs."""
        if not self.counterfactual:
            return {}
        meant = "public-code is the changed reference, unchanged the one without the change"
        return {"counterfactual": f"{self.counterfactual}: {meant}"}
