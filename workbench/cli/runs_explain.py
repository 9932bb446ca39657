"""``workbench runs explain``: which rules explain that columns of a run's output are wrong."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.cli.output import JsonOption, open_context, print_envelope, say, say_wrapped
from workbench.patterns import visible

EXPLAIN_HELP = "Which rules explain a run's wrong columns: its SQL held against the reference."
_TITLES = {"conflict": "conflict", "first-only": "only the agent", "second-only": "only the reference"}


def explain(
    run: Annotated[str, typer.Argument(help="Run id or its beginning.")],
    target: Annotated[str, typer.Option(help="Which reference.")] = "public-code",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Rules a column.")] = 6,
    show_sql: Annotated[bool, typer.Option("--sql", help="Print the SQL that gave the answer.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Told from the texts alone: nothing is run, no value is read."""
    from workbench import rules, runs, store

    context = open_context()
    found = runs.explain_run(context, store.RunStore(context.data).find(run), target)
    if as_json:
        items = [
            {
                "column": column.column,
                "share": column.share,
                "rules": [rules.row_cells(row, {}) for row in column.rows[:limit]],
                "more": max(len(column.rows) - limit, 0),
            }
            for column in found.columns
        ]
        summary = {"step": found.answer.step, "sql": found.answer.sql, "notes": found.notes, "target": target}
        print_envelope("explained-run", items, summary=summary)
        return
    for note in found.notes:
        say_wrapped(f"note: {visible(note)}", 6)
    lines = found.answer.sql.splitlines()
    say(f"answer   SQL of step {found.answer.step}, {len(lines)} lines, against {visible(target)}")
    if show_sql:
        for line in lines:
            say(f"    {line}")
    if not found.columns:
        say("every scored column is right everywhere")
    for column in found.columns:
        say(f"{visible(column.column)}: right in {column.share:.1%}")
        for row in column.rows[:limit]:
            cells = rules.row_cells(row, {})
            both = [
                f"{cells[side]} [{cells[f'{side}_place']}]" for side in ("first", "second") if cells[side]
            ]
            say_wrapped(visible(f"  {_TITLES[cells['status']]}, {cells['kind']}: {' / '.join(both)}"), 4)
        if not column.rows:
            say("  no rule that differs has a part in it")
        if len(column.rows) > limit:
            say(f"  {len(column.rows) - limit} more: --limit {len(column.rows)}")
