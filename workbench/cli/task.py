"""``workbench task``: the derivation tasks there are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.catalog import Content
from workbench.cli.output import JsonOption, open_session, print_envelope, print_pairs, print_table, say
from workbench.cli.task_checks import CHECK_HELP, SELFTEST_HELP, check_output, selftest
from workbench.cli.task_compare import COMPARE_HELP, compare
from workbench.cli.task_equality import EQUALITY_HELP, equality
from workbench.cli.task_example import EXAMPLE_HELP, example
from workbench.cli.task_new import NEW_HELP, new
from workbench.cli.task_parts import (
    FAMILY_HELP,
    REFERENCE_HELP,
    caveats,
    checks,
    deviations,
    family,
    reference,
    spec,
    stages,
)
from workbench.cli.task_rehearsal import REHEARSE_HELP, VARIANT_HELP, check_variant, rehearse
from workbench.patterns import visible
from workbench.records import Problem, Task

app = typer.Typer(no_args_is_help=True, help="Derivation tasks.")
app.command("check-output", help=CHECK_HELP)(check_output)
app.command("selftest", help=SELFTEST_HELP)(selftest)
app.command("rehearse", help=REHEARSE_HELP)(rehearse)
app.command("check-variant", help=VARIANT_HELP)(check_variant)

COLUMNS = ("id", "family", "mode", "database", "skills", "title")
DROP = ("skills", "database", "mode", "family")


@app.command("list", help="All tasks by family. Exit code 1 if a family or a task cannot be read.")
def list_command(as_json: JsonOption = False) -> None:
    """One line a task; what cannot be read is a note with what to do."""
    entries = open_session().content.entries()
    items = [
        task.model_dump(mode="json") | {"collection": entry.paths.collection}
        for entry in entries
        for task in entry.readable_tasks
    ]
    problems = [
        Problem(what=error.what, where=error.where, remedy=error.remedy)
        for entry in entries
        for error in entry.problems.values()
    ]
    unreadable = [name for entry in entries for name in entry.problems]
    summary = {"tasks": len(items), "unreadable": unreadable}
    print_table(
        "tasks", items, COLUMNS, as_json=as_json, summary=summary, problems=problems, empty="no tasks",
        drop=DROP,
    )  # fmt: skip


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
            task.model_dump(mode="json")
            | {"instruction": content.instruction(task.id), "files": _files(content, task)}
            for task in tasks
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
                "told by": task.report_by,
                "removed": task.removed_tables,
                "targets": [f"{target.name} ({target.status})" for target in task.targets],
                "skills": task.skills,
                "decoy": task.decoy_skill,
            }
            | _files(content, task)
        )
        if instruction:
            say("\n" + content.instruction(task.id).rstrip())


@app.command("instruction", help="What the agent of a task is told, and nothing else.")
def instruction_command(task: Annotated[str, typer.Argument(help="Task id.")]) -> None:
    """The instruction as it is written."""
    content = open_session().content
    say(visible(content.instruction(content.task(task).id)).rstrip())


app.command("new", help=NEW_HELP)(new)
app.command("family", help=FAMILY_HELP)(family)
app.command("spec", help="The complete specification of a task, given in one condition only.")(spec)
app.command("reference", help=REFERENCE_HELP)(reference)
app.command("deviations", help="Where a family's reference departs from the pinned concept.")(deviations)
app.command("caveats", help="A family's caveats with their witness cases.")(caveats)
app.command("checks", help="What a family's outputs must satisfy without a reference.")(checks)
app.command("stages", help="The intermediate tables of a family's derivation.")(stages)
app.command("compare", help=COMPARE_HELP)(compare)
app.command("equality", help=EQUALITY_HELP)(equality)
app.command("example", help=EXAMPLE_HELP)(example)


def _files(content: Content, task: Task) -> dict[str, str | list[str]]:
    """Where the texts of a task are, from the content root."""
    paths, root = content.family_paths(task.family), content.paths.root
    references = [paths.reference(target.name, task.database) for target in task.targets]

    def told(path: Path) -> str:
        return path.relative_to(root).as_posix()

    return {
        "instruction file": told(paths.instruction(task.id)),
        "operational spec": told(paths.operational_spec(task.id)),
        "reference": [told(path) for path in references if path.exists()],
        "skill files": [told(content.paths.skill(name)) for name in task.skills],
    }
