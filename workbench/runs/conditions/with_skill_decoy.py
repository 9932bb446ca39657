"""A skill of another family, as fixed in task.toml."""

from __future__ import annotations

from workbench.catalog import Content
from workbench.records import Task
from workbench.runs.conditions.delivery import Delivery
from workbench.runs.conditions.with_skill import skill_delivery


def deliver(content: Content, task: Task) -> Delivery:
    """The decoy skill, as written."""
    return skill_delivery(content, [task.decoy_skill])
