"""The reference's SQL in a skill's shell, made from the reference at the moment of the run.

A control: for a raw task it names tables that are not there, so that it has to be rewritten.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.catalog import Content
from workbench.ehr.schema import DERIVED_SCHEMA
from workbench.records import Mode, Task
from workbench.runs.conditions.delivery import Delivery
from workbench.sql import reads

TARGET = "public-code"


def deliver(content: Content, task: Task) -> Delivery:
    """One skill under the name and description of the task's first; its body is SQL."""
    skill = content.skill(task.skills[0])
    sql = without_comments(content.reference_sql(task.family, TARGET, task.database))
    absent = absent_tables(sql, task, content.schema_name(DERIVED_SCHEMA))
    head = "\n".join(skill.text.split("\n")[: skill.body_line - 1]).rstrip()
    text = f"{head}\n\n# {task.title}\n\n{_absent(absent)}```sql\n{sql}\n```\n"
    return Delivery(skill_files={f"{skill.name}/SKILL.md": text.encode("utf-8")})


def without_comments(sql: str) -> str:
    """The statement without its lines of comment, which speak of this project to its readers."""
    return "\n".join(line for line in sql.split("\n") if not line.lstrip().startswith("--")).strip()


def absent_tables(sql: str, task: Task, derived: str = DERIVED_SCHEMA) -> list[str]:
    """What the statement reads and the task's database does not hold; qualified names.

    ``derived`` is the schema of derived tables.
    """
    removed = {f"{derived}.{name}" for name in task.removed_tables}
    return sorted(
        name
        for name in reads(sql)
        if name in removed or (task.mode is Mode.RAW and name.startswith(f"{derived}."))
    )


def _absent(names: Sequence[str]) -> str:
    if not names:
        return ""
    listed = "\n".join(f"- `{name}`" for name in names)
    return (
        "The statement below reads tables that are not in this database. What it takes from them has\n"
        f"to be derived from the tables that are there:\n\n{listed}\n\n"
    )
