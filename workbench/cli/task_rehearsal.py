"""``workbench task rehearse`` and ``workbench task check-variant``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.output import (
    JsonOption,
    open_context,
    print_envelope,
    print_table,
    progress_line,
    say,
    say_wrapped,
)
from workbench.patterns import visible
from workbench.records import (
    BadInput,
    Condition,
    ExitCode,
    Problem,
    Rehearsal,
    SchemaVariant,
    Task,
    VariantCheck,
    WorkbenchError,
)

if TYPE_CHECKING:
    from workbench.runs import Context

NamesArgument = Annotated[list[str] | None, typer.Argument(help="Tasks, families or aliases.")]
AllOption = Annotated[bool, typer.Option("--all", help="All tasks.")]
SourceOption = Annotated[str, typer.Option(help="Source (workbench data list).")]
COLUMNS = ("task", "under", "seconds", "result")
REHEARSE_HELP = """Rehearse tasks: a scripted solver in the sandbox follows what an agent would get.

It reads prompt, dictionary and skills, runs the programs and SQL that it is given, declares where asked, and
writes an output that must score 1. Without --condition and --schema, under all of them.
"""
VARIANT_HELP = """Check that tasks in a schema variant are the same tasks under other names.

Every table that agents see is compared row by row, the reference is computed from it, and all that agents
get is searched for published names.
"""


def rehearse(
    names: NamesArgument = None,
    all_tasks: AllOption = False,
    condition: Annotated[list[Condition] | None, typer.Option(help="Condition; may be given again.")] = None,
    schema: Annotated[list[SchemaVariant] | None, typer.Option(help="Schema variant; again.")] = None,
    begin: Annotated[int, typer.Option("--from", min=1, help="Cell to begin with.")] = 1,
    source: SourceOption = "",
    as_json: JsonOption = False,
) -> None:
    """Exit code 1 where something does not fit. A cancelled one says what was done and how to go on."""
    from workbench import runs

    context = open_context(source=source or None)
    tasks = _tasks(context, names, all_tasks)
    cells = [
        (task, *cell)
        for task in tasks
        for cell in runs.cells_of(context, task, condition or list(Condition), schema or list(SchemaVariant))
    ]
    if begin > len(cells):
        raise BadInput(
            "there is nothing to rehearse"
            if not cells
            else f"there are only {len(cells)} cells, and --from says {begin}",
            remedy="A database without a dictionary has the native names only, and one without macros no "
            "with-primitives; leave --condition or --schema out for all that the tasks have.",
        )
    done: list[tuple[Rehearsal | VariantCheck, str]] = []
    problems: list[Problem] = []
    number = begin
    try:
        with progress_line() as progress:
            for number, (task, chosen, variant) in enumerate(cells[begin - 1 :], start=begin):
                under = f"{chosen}, {variant}"
                progress(f"{task.id}, {under}", number - 1, len(cells), "cells")
                try:
                    found = runs.rehearse(
                        context, task, context.settings.source, context.settings.sandbox,
                        condition=chosen, schema_variant=variant,
                    )  # fmt: skip
                    done.append((found, under))
                except WorkbenchError as error:
                    problems.append(
                        Problem(what=error.what, where=f"{task.id}, {under}", remedy=error.remedy)
                    )
    except KeyboardInterrupt:
        going_on = (
            f"cancelled at cell {number} of {len(cells)}: the same command with --from {number} goes on"
        )
        say(going_on, err=True)
        _report("rehearsals", done, problems, as_json)
        raise
    _report("rehearsals", done, problems, as_json)


def check_variant(
    names: NamesArgument = None,
    all_tasks: AllOption = False,
    schema: Annotated[list[SchemaVariant] | None, typer.Option(help="Schema variant; again.")] = None,
    source: SourceOption = "",
    as_json: JsonOption = False,
) -> None:
    """Exit code 1 where a task is not the same."""
    from workbench import runs
    from workbench.sandbox import choose_sandbox

    context = open_context(source=source or None)
    variants = schema or [variant for variant in SchemaVariant if variant is not SchemaVariant.NATIVE]
    tasks = _tasks(context, names, all_tasks)
    if all_tasks:
        tasks = [task for task in tasks if context.content.paths.dictionary(task.database).is_file()]
    sandbox = choose_sandbox(context.settings.sandbox)
    done: list[VariantCheck] = []
    problems: list[Problem] = []
    with progress_line() as progress:
        for variant in variants:
            for task in tasks:
                try:
                    done.append(
                        runs.check_variant(
                            context,
                            task,
                            runs.source_for(context.settings.source, task),
                            variant,
                            sandbox,
                            progress,
                        )
                    )
                except WorkbenchError as error:
                    problems.append(
                        Problem(what=error.what, where=f"{task.id}, {variant}", remedy=error.remedy)
                    )
    _report("variant-checks", [(item, str(item.schema_variant)) for item in done], problems, as_json)


def _tasks(context: Context, names: list[str] | None, all_tasks: bool) -> list[Task]:
    if bool(names) == all_tasks:
        raise BadInput("which tasks?", remedy="Name tasks or families, or give --all.")
    tasks = context.content.tasks() if all_tasks else []
    for name in names or []:
        tasks += [task for task in context.content.resolve(name) if task not in tasks]
    return tasks


def _report(
    kind: str, done: list[tuple[Rehearsal | VariantCheck, str]], problems: list[Problem], as_json: bool
) -> None:
    failed = sum(not item.passed for item, _ in done) + len(problems)
    if as_json:
        summary = {"cells": len(done) + len(problems), "failed": failed}
        print_envelope(kind, [item.model_dump(mode="json") for item, _ in done], summary, problems)
    else:
        rows = [
            {
                "task": item.task,
                "under": under,
                "seconds": f"{item.seconds:.1f}",
                "result": "ok" if item.passed else "FAILED",
            }
            for item, under in done
        ]
        print_table(
            kind, rows, ("task", "under", "seconds", "result"), as_json=False, empty="nothing was asked"
        )
        for item, under in done:
            for problem in item.problems:
                say_wrapped(visible(f"{item.task}, {under}: {problem}"), 2)
        for lacking in problems:
            say_wrapped(visible(f"{lacking.where}: not done: {lacking.what}. {lacking.remedy}"), 2)
        say(f"{len(done) + len(problems)} cells: {len(done) + len(problems) - failed} ok, {failed} failed")
    if failed:
        raise typer.Exit(ExitCode.FOUND)
