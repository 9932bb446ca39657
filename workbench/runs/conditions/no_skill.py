"""Instruction and database only."""

from __future__ import annotations

from workbench.catalog import Content
from workbench.records import Task
from workbench.runs.conditions.delivery import Delivery


def deliver(content: Content, task: Task) -> Delivery:
    """Nothing is added."""
    return Delivery()
