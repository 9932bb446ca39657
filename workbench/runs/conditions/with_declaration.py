"""The task's skill, a form to declare choices in before they are made, and tables to write on the way."""

from __future__ import annotations

from dataclasses import replace

from workbench.catalog import Content, stages_for_agents
from workbench.records import DECLARATION_NAME, STAGES_FOLDER, WORK_FOLDER, DeclaredField, Task
from workbench.runs.conditions import with_skill
from workbench.runs.conditions.delivery import Delivery

FORM = "declaration-form.toml"
ASKED = {
    DeclaredField.GRAIN: "What one row of the result stands for, and which cases have a row.",
    DeclaredField.KEYS: "The columns that tell rows apart, and where each is taken from.",
    DeclaredField.WINDOWS: "Every window: from what to what, which ends belong to it, by which clock.",
    DeclaredField.UNITS: "The unit of every quantity, what is converted, and which values are not accepted.",
    DeclaredField.MISSING: "What a missing value becomes, and a case without any.",
    DeclaredField.TIES: "Which of several equal or simultaneous candidates counts.",
    DeclaredField.SOURCES: "The tables, columns and items that each quantity is taken from.",
    DeclaredField.CONTESTABLE: "Choices that another person might make otherwise, with the reason for each.",
}
ADDITION = f"""\
## Before deriving anything

Look around in the database as you like, then write down what you decided, and only then derive: copy
`{WORK_FOLDER}/{FORM}` to `{WORK_FOLDER}/{DECLARATION_NAME}` and fill every field; the form explains them.
Derive what you declared; if you change your mind, change the declaration too. Write rules into it, never
rows, values or identifiers of patients.

## Intermediate tables

Besides the result write each table below to `{WORK_FOLDER}/{STAGES_FOLDER}/<name>.csv`, in the form of the
result: comma-separated, UTF-8, one header line, an empty field for a missing value. They are steps on the
way to the result, in this order: derive the result from them. A row whose values are all empty may be left
out.
"""


def deliver(content: Content, task: Task) -> Delivery:
    """Skill, form, and what to write. Raises BadInput where the family has no stages for the database."""
    stages = content.files(task.family).stages().required(task.database)
    return replace(
        with_skill.deliver(content, task),
        prompt_addition=f"{ADDITION}\n{stages_for_agents(stages)}",
        work_files={FORM: form().encode("utf-8")},
    )


def form() -> str:
    """The empty form as TOML: each field below what belongs there."""
    head = "# Each field takes a text, or a list of texts.\n"
    return "\n".join([head, *(f'# {asked}\n{field} = ""\n' for field, asked in ASKED.items())])
