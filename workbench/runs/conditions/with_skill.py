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
    """The named skills' files, unchanged. Raises BadInput for an unknown skill."""
    return Delivery(
        skill_files={f"{name}/SKILL.md": content.skill(name).text.encode("utf-8") for name in names}
    )
