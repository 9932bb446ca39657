"""New families, tasks and skills from templates: small, complete, and clean in all checks."""

from workbench.scaffold.family import NewTask, new_family
from workbench.scaffold.skill import new_skill
from workbench.scaffold.task import new_task
from workbench.scaffold.writing import write_content

__all__ = ["NewTask", "new_family", "new_skill", "new_task", "write_content"]
