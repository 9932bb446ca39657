"""``workbench counterfactual``: rules changed on purpose, to tell following the text from recalling code."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from workbench.cli.output import JsonOption, open_context, open_session, print_table, progress_line, say
from workbench.patterns import visible
from workbench.records import BadInput, ExitCode

app = typer.Typer(
    no_args_is_help=True, help="Counterfactuals: one rule changed in all texts and in the reference."
)

NameArgument = Annotated[str, typer.Argument(help="Task, family or alias; all without one.")]


@app.command("list", help="The counterfactuals that tasks can be run under (run TASK --counterfactual NAME).")
def list_command(name: NameArgument = "", as_json: JsonOption = False) -> None:
    """One line each; with --json what is changed and what it declares, too."""
    from workbench.runs import list_counterfactuals

    listed, problems = list_counterfactuals(open_session().content, name)
    items = [
        {
            "name": found.item.name,
            "family": found.family,
            "database": found.item.database,
            "says": found.item.says,
            "tasks": found.tasks,
        }
        | (found.item.model_dump(mode="json", by_alias=True) if as_json else {})
        for found in listed
    ]
    print_table(
        "counterfactuals", items, ("family", "database", "name", "says"), as_json=as_json,
        summary={"counterfactuals": len(items)}, problems=problems, empty="no counterfactuals",
        drop=("database",),
    )  # fmt: skip


@app.command("show", help="What a family's counterfactuals change where, and the rows that change for it.")
def show(name: Annotated[str, typer.Argument(help="Family.")]) -> None:
    """The part of the family that the app shows, too."""
    from workbench.catalog import PartKind, part_text

    content = open_session().content
    family = content.entry(name).name
    if not content.family_paths(family).counterfactuals.exists():
        raise BadInput(f"family {family} has no counterfactuals", remedy="workbench counterfactual list")
    found = part_text(content, family, f"{PartKind.COUNTERFACTUALS}:{family}")
    say(visible(found.text).rstrip())


@app.command("verify", help="Whether a reference changes on a source exactly where it is declared to.")
def verify(
    name: NameArgument = "",
    source: Annotated[str, typer.Option(help="Source of the data (workbench data list).")] = "",
    as_json: JsonOption = False,
) -> None:
    """Counts only. Exit code 1 where something else changes, or not all that is declared."""
    from workbench.runs import list_counterfactuals, on_source, verify_counterfactual

    context = open_context(source=source or None)
    listed, unreadable = list_counterfactuals(context.content, name)
    items: list[dict[str, Any]] = []
    with progress_line() as progress:
        for found in on_source(context, listed, context.settings.source):
            difference = verify_counterfactual(context, found, context.settings.source, progress)
            items.append(
                {
                    "family": found.family,
                    "database": found.item.database,
                    "name": found.item.name,
                    "rows": difference.rows,
                    "changed": difference.changed,
                    "columns": difference.columns,
                    "problems": difference.problems,
                }
            )
    wrong = sum(bool(item["problems"]) for item in items)
    print_table(
        "counterfactual-differences", items,
        ("family", "database", "name", "rows", "changed", "columns", "problems"), as_json=as_json,
        summary={"counterfactuals": len(items), "with_problems": wrong}, problems=unreadable,
        empty="no counterfactuals", drop=("columns", "database"),
    )  # fmt: skip
    if wrong:
        raise typer.Exit(ExitCode.FOUND)
