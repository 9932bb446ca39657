"""The full rules without item ids and without a dataset recipe, appended to the prompt."""

from __future__ import annotations

import re

from workbench.catalog import Content
from workbench.records import Task
from workbench.runs.conditions.delivery import Delivery

_TITLE = re.compile(r"\A# Operational specification:")


def deliver(content: Content, task: Task) -> Delivery:
    """The operational spec as a section of the prompt, whose title does not name the condition."""
    return Delivery(prompt_addition=_TITLE.sub("# The rules:", content.operational_spec(task.id).strip()))
