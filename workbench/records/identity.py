"""What a prepared run is made of: its cell, its attempt, the hashes of everything that went in."""

from __future__ import annotations

import hashlib

from pydantic import Field

from workbench.records.base import Part, Record
from workbench.records.plan import RunPlan


class InputHashes(Part):
    """A changed input makes another cell. Text hashes are git blob hashes."""

    task: str
    instruction: str
    prompt: str
    skills: dict[str, str] = {}
    operational_spec: str = ""
    added_files: dict[str, str] = {}  # what a condition puts into the work folder
    references: dict[str, str] = {}  # target to hash of its rows
    database: str = ""
    runtime: str = ""
    code: str = ""  # the project's commit, with '+dirty' where the tree differs; not part of the cell

    def named(self) -> dict[str, str]:
        """What is set, by the name a person reads."""
        named = {
            "task": self.task,
            "instruction": self.instruction,
            "prompt": self.prompt,
            **{f"skill {name}": text for name, text in self.skills.items()},
            "operational spec": self.operational_spec,
            **{f"file {name}": text for name, text in self.added_files.items()},
            **{f"reference {target}": text for target, text in self.references.items()},
            "database": self.database,
            "runtime": self.runtime,
            "code": self.code,
        }
        return {name: text for name, text in named.items() if text}


class RunIdentity(Record):
    """``identity.json``, written when preparing is done.

    ``canary``: the run's own token, which stands in its record and nowhere in its sandbox; empty in runs of
    before there were any.
    """

    run_id: str
    cell: str
    attempt: int = Field(default=1, ge=1)  # counted under the store's lock
    inputs: InputHashes
    canary: str = Field(default="", pattern=r"^(wbc-[a-z2-7]{16})?$")


def cell_of(plan: RunPlan, inputs: InputHashes) -> str:
    """Identity of the cell that a run is an attempt of; 16 hex digits.

    A kind of input that came later counts only where there is any, so that earlier cells stay the same.
    """
    later = {name for name in ("added_files",) if not getattr(inputs, name)}
    parts: tuple[str, ...] = (
        plan.task, plan.condition, plan.schema_variant, plan.source, plan.agent.model_dump_json(),
        str(plan.trial), plan.limits.model_dump_json(),
        inputs.model_copy(update={"code": ""}).model_dump_json(exclude=later),
    )  # fmt: skip
    if plan.counterfactual:
        parts = (*parts, plan.counterfactual)
    return hashlib.sha256("\x00".join(parts).encode()).hexdigest()[:16]
