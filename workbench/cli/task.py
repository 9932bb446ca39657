"""``workbench task``: the derivation tasks there are."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.cli.output import JsonOption, open_session, print_envelope, print_pairs, print_table, say

app = typer.Typer(no_args_is_help=True, help="Derivation tasks.")

COLUMNS = ("id", "family", "mode", "database", "skills", "title")


@app.command("list", help="All tasks by family.")
def list_command(as_json: JsonOption = False) -> None:
    """One line a task; what cannot be read is a note."""
    tasks, problems = open_session().content.readable_tasks()
    items = [task.model_dump(mode="json") for task in tasks]
    print_table("tasks", items, COLUMNS, as_json=as_json, problems=problems, empty="no tasks")


@app.command("show", help="A task, or the tasks of a family or alias.")
def show(
    name: Annotated[str, typer.Argument(help="Task, family or alias.")],
    instruction: Annotated[
        bool, typer.Option("--instruction", help="Print what the agent is told, too.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """What is asked, how it is scored, what is removed."""
    content = open_session().content
    tasks = content.resolve(name)
    if as_json:
        items = [
            task.model_dump(mode="json") | {"instruction": content.instruction(task.id)} for task in tasks
        ]
        print_envelope("tasks", items)
        return
    for number, task in enumerate(tasks):
        family = content.family(task.family)
        if number:
            say("")
        print_pairs(
            {
                "task": task.id,
                "title": task.title,
                "family": f"{family.name} ({family.title})",
                "aliases": family.aliases,
                "database": f"{task.database}, {task.mode}",
                "grain": family.grain,
                "keys": [key.name for key in task.keys],
                "scored": [f"{column.name} ({column.type})" for column in task.scored_columns],
                "also required": task.further_columns,
                "removed": task.removed_tables,
                "targets": [f"{target.name} ({target.status})" for target in task.targets],
                "skills": task.skills,
                "decoy": task.decoy_skill,
            }
        )
        if instruction:
            say("\n" + content.instruction(task.id).rstrip())
