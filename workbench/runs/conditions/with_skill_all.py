"""Every skill there is: the right one has to be chosen."""

from __future__ import annotations

from workbench.catalog import Content
from workbench.records import Task
from workbench.runs.conditions.delivery import Delivery
from workbench.runs.conditions.with_skill import skill_delivery


def deliver(content: Content, task: Task) -> Delivery:
    """All skills of the content root, as written, in the order of their names."""
    return skill_delivery(content, sorted(content.skill_names()))
