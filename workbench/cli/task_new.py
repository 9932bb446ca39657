"""``workbench task new``: a family, or a further task of one, from templates."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.cli.output import JsonOption, open_session, print_envelope, say, say_wrapped
from workbench.patterns import visible
from workbench.records import PUBLISHED_DATABASES

NEW_HELP = """Make a family of your own with all that a family has, or a further task of one that is there.

The new files are small, say what to write, and can be checked and run at once. Nothing is written over.
"""


def new(
    family: Annotated[str, typer.Argument(help="The family; its skill has the same name.")],
    database: Annotated[
        str, typer.Option(help="mimic-iv, eicu, or the name of your own (workbench data schema).")
    ] = "mimic-iv",
    task: Annotated[str, typer.Option(help="The task's id; <database>-<family> unless given.")] = "",
    title: Annotated[str, typer.Option(help="What people call it; the name in words unless given.")] = "",
    table: Annotated[str, typer.Option(help="The table that the first derivation reads.")] = "",
    key: Annotated[str, typer.Option(help="Its column that says whose a row is.")] = "",
    value: Annotated[str, typer.Option(help="Its column of numbers.")] = "",
    decoy: Annotated[str, typer.Option(help="The skill that the condition with-skill-decoy gives.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Prints the files, and what to do next."""
    from workbench import scaffold

    content = open_session().content
    asked = scaffold.NewTask(family, task, title, database, table, key, value, decoy)
    there = any(entry.name == family for entry in content.entries())
    files = (scaffold.new_task if there else scaffold.new_family)(content, asked)
    written = [path.relative_to(content.paths.root).as_posix() for path in files]
    source = "" if database in PUBLISHED_DATABASES else f" --source {database}"
    following = [
        f"workbench task family {family}",
        "workbench check",
        f"workbench witness run --family {family}",
        f"workbench task selftest {asked.task_id}{source}",
    ]
    if as_json:
        summary = {"family": family, "task": asked.task_id, "database": database, "next": following}
        print_envelope("files", [{"file": name} for name in written], summary)
        return
    for name in written:
        say(name)
    say_wrapped(visible(f"Task {asked.task_id}. Open the files and write what is yours; then:"), 2)
    for line in following:
        say(visible(f"  {line}"))
