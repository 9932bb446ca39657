"""The task's own skill or skills."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.catalog import Content
from workbench.records import Task
from workbench.runs.conditions.delivery import Delivery


def deliver(content: Content, task: Task) -> Delivery:
    """The skills that ``task.toml`` names, as written."""
    return skill_delivery(content, task.skills)


def skill_delivery(content: Content, names: Iterable[str]) -> Delivery:
    """All files of the named skills. Raises BadInput for an unknown skill, or a file that is no text."""
    return Delivery(
        skill_files={
            f"{name}/{file}": text.encode("utf-8")
            for name in names
            for file, text in content.skill_files(name).items()
        }
    )
