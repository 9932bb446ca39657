"""Every skill there is: the right one has to be chosen."""

from __future__ import annotations

from workbench.catalog import Content
from workbench.records import Task
from workbench.runs.conditions.delivery import Delivery
from workbench.runs.conditions.with_skill import skill_delivery


def deliver(content: Content, task: Task) -> Delivery:
    """All skills of the content root, as written, in the order of their names.

    A published task gets those of the published benchmark, so that the condition stays what it was however
    many extensions there are. Raises BadInput where a family of the benchmark cannot be read.
    """
    if not content.family_paths(task.family).published:
        return skill_delivery(content, sorted(content.skill_names()))
    names: set[str] = set()
    for entry in content.entries():
        if entry.paths.published:
            for problem in entry.problems.values():
                raise problem
            names.update(skill for own in entry.readable_tasks for skill in own.skills)
    return skill_delivery(content, sorted(names))
