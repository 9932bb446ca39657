"""The task's skill, and a few made-up stays followed from their rows to the derived values."""

from __future__ import annotations

from dataclasses import replace

from workbench.catalog import Content, example_markdown
from workbench.records import WORK_FOLDER, Task
from workbench.runs.conditions import with_skill
from workbench.runs.conditions.delivery import Delivery

FILE = "worked-example.md"
ADDITION = f"""\
## A worked example

`{WORK_FOLDER}/{FILE}` follows a few made-up cases from their input rows over intermediate steps to the values
expected. None of them is in the database. A derivation that gives other values for them is wrong.
"""


def deliver(content: Content, task: Task) -> Delivery:
    """Skill and example. Raises BadInput where the family has no example for the task's database."""
    example = example_markdown(content.files(task.family).worked_example(task.database))
    return replace(
        with_skill.deliver(content, task),
        prompt_addition=ADDITION,
        work_files={FILE: example.encode("utf-8")},
    )
