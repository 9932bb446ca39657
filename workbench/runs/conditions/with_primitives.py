"""The task's skill, and tested SQL macros for time windows, temporal joins, units and items."""

from __future__ import annotations

from dataclasses import replace

from workbench.catalog import Content
from workbench.records import DATABASE_FILE, WORK_FOLDER, BadInput, Task
from workbench.runs.conditions import with_skill
from workbench.runs.conditions.delivery import Delivery

FILE = "primitives.sql"
ADDITION = f"""\
## Macros

`{WORK_FOLDER}/{FILE}` defines temporary macros for time windows, temporal joins, units and items; the
text says what each does. Using them is up to you:

    connection = duckdb.connect("{DATABASE_FILE}", read_only=True)
    connection.execute(open("{WORK_FOLDER}/{FILE}").read())
"""


def deliver(content: Content, task: Task) -> Delivery:
    """Skill and macros of the task's database. Raises BadInput where there are none."""
    path = content.paths.primitives(task.database)
    if not path.is_file():
        raise BadInput(
            f"there are no macros for {task.database}",
            where=str(path),
            remedy="Write them there (CREATE OR REPLACE TEMP MACRO …), or choose another condition.",
        )
    macros = content.text(path).encode("utf-8")
    return replace(with_skill.deliver(content, task), prompt_addition=ADDITION, work_files={FILE: macros})
