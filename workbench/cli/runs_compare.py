"""``workbench runs compare``: what changed from one run of a task to another."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from workbench.cli.output import JsonOption, open_session, print_envelope, print_table, say
from workbench.patterns import visible

COMPARE_HELP = "What changed from one run of a task to another: reward a column, violations, what was asked."


def compare(
    before: Annotated[str, typer.Argument(help="Run id or its beginning.")],
    after: Annotated[str, typer.Argument(help="The run that is held against it.")],
    every: Annotated[bool, typer.Option("--every", help="Columns that did not change, too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Rewards and shares of the newest lint of each; nothing is computed again."""
    from workbench import runs, store

    kept = store.RunStore(open_session().data)
    change = runs.change_between(store.LocalRuns(kept), kept.find(before), kept.find(after))
    columns = [asdict(column) | {"difference": column.difference} for column in change.columns]
    if as_json:
        print_envelope("run-change", [asdict(change) | {"columns": columns}])
        return
    for note in change.notes:
        say(f"note: {visible(note)}")
    told = [*change.asked, *change.inputs]
    if change.verdict.before != change.verdict.after:
        told.append(change.verdict)
    if told:
        print_table("changed", [asdict(item) for item in told], ("what", "before", "after"), as_json=False)
        say("")
    moved = [item for item in columns if every or item["difference"] != 0]
    shown = [
        item | {name: _share(item[name], name) for name in ("before", "after", "difference")}
        for item in moved
    ]
    print_table(
        "columns", shown, ("target", "column", "before", "after", "difference"), as_json=False,
        shorten="target", empty=f"no column changed (--every shows all {len(columns)})",
    )  # fmt: skip
    say("")
    print_table(
        "violations", [asdict(item) for item in change.violations], ("rule", "level", "before", "after"),
        as_json=False, empty="the lint says the same of both",
    )  # fmt: skip


def _share(value: Any, name: str) -> str:
    if value is None:
        return "none"
    return f"{value:+.3f}" if name == "difference" else f"{value:.3f}"
