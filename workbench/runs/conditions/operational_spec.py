"""The full rules without item ids and without a dataset recipe, appended to the prompt."""

from __future__ import annotations

from workbench.catalog import Content
from workbench.records import Task
from workbench.runs.conditions.delivery import Delivery


def deliver(content: Content, task: Task) -> Delivery:
    """The operational spec as a section of the prompt."""
    return Delivery(prompt_addition=content.operational_spec(task.id).strip())
