"""The task's skill, and a program that checks an output without knowing the answer."""

from __future__ import annotations

from dataclasses import replace

from workbench.catalog import Content
from workbench.records import OUTPUT_NAME, WORK_FOLDER, BadInput, Task
from workbench.runs.conditions import with_skill
from workbench.runs.conditions.delivery import Delivery
from workbench.scoring import check_script

PROGRAM = "check_output.py"
ADDITION = f"""\
## Checking the result

`python3 {WORK_FOLDER}/{PROGRAM} {WORK_FOLDER}/{OUTPUT_NAME}` looks at a written result: columns, keys,
cohort, ranges, relations between columns, and counts of intermediate steps to compare with your own. It
does not know the answer; a result that passes can still be wrong. Run it, and mend what it finds before
you finish.
"""


def deliver(content: Content, task: Task) -> Delivery:
    """Skill, program, and what the program is for. Raises BadInput where the family has no checks."""
    checks = content.files(task.family).output_checks().of(task.database)
    if checks is None:
        raise BadInput(
            f"the family {task.family} has no output checks for {task.database}",
            where="output-checks.toml",
            remedy="Write them, or choose another condition.",
        )
    program = check_script(task, checks).encode("utf-8")
    return replace(with_skill.deliver(content, task), prompt_addition=ADDITION, work_files={PROGRAM: program})
