"""Names that a person types for a family or a task: each means one thing."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.catalog import FamilyEntry
from workbench.checks.finding import Report


def check_names(entries: Sequence[FamilyEntry], report: Report) -> None:
    """An alias that another family or a task has, too, would never be looked up, or hide the other."""
    taken: dict[str, str] = {}
    for entry in entries:
        taken |= {task: f"the task {task}" for task in entry.tasks}
    for entry in entries:
        taken[entry.name] = f"the family {entry.name}"
    for entry in entries:
        for place, alias in enumerate(entry.family.aliases if entry.family is not None else []):
            other = taken.setdefault(alias, f"an alias of {entry.name}")
            if other != f"an alias of {entry.name}":
                report.add(
                    "names-apart", entry.paths.family, f"{alias} is {other}, too", line=("aliases", place)
                )
