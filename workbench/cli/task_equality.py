"""``workbench task equality``: all references beside the pinned concepts."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.cli.output import JsonOption, open_context, print_table, progress_line, say
from workbench.records import BadInput, ExitCode

EQUALITY_HELP = """All references beside the pinned public concepts, on one or more sources: counts only.

'workbench task compare FAMILY' shows one of them closer. --markdown prints the page docs/equality-report.md.
"""
COLUMNS = ("family", "source", "keys", "equal", "tied", "deviating", "unexplained")


def equality(
    source: Annotated[list[str] | None, typer.Option(help="Source; may be given again.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown page.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Exit code 1 if anything is unexplained."""
    from workbench import runs

    if markdown and as_json:
        raise BadInput("--markdown and --json are two forms of one answer", remedy="Give one of them.")
    context = open_context()
    with progress_line() as progress:
        rows = runs.equality_rows(context, source or [context.settings.source], progress)
    if markdown:
        say(runs.equality_markdown(rows).rstrip())
    else:
        items = [
            {
                "family": row.family,
                "source": row.source,
                "keys": row.report.rows,
                "equal": row.report.equal,
                "tied": row.report.tied,
                "deviating": sum(row.report.deviating.values()),
                "unexplained": row.report.unexplained,
            }
            for row in rows
        ]
        print_table("equality", items, COLUMNS, as_json=as_json, empty="no families")
    if any(row.report.unexplained for row in rows):
        raise typer.Exit(ExitCode.FOUND)
