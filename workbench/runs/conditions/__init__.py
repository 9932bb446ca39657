"""Conditions: what an agent gets beyond instruction and database. One module each."""

from __future__ import annotations

from workbench.catalog import Content
from workbench.records import Condition, Task
from workbench.runs.conditions import no_skill, operational_spec, with_skill, with_skill_decoy
from workbench.runs.conditions.delivery import Delivery

_DELIVER = {
    Condition.NO_SKILL: no_skill.deliver,
    Condition.WITH_SKILL: with_skill.deliver,
    Condition.WITH_SKILL_DECOY: with_skill_decoy.deliver,
    Condition.OPERATIONAL_SPEC: operational_spec.deliver,
}


def deliver(condition: Condition, content: Content, task: Task) -> Delivery:
    """What ``condition`` adds for ``task``. Raises BadInput where the content lacks it."""
    return _DELIVER[condition](content, task)


__all__ = ["Delivery", "deliver"]
