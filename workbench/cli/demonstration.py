"""``workbench demonstration``: recordings of the real CLI driven by a scripted model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.output import JsonOption, open_context, print_table, say
from workbench.records import DemonstrationScript, RunEvent

app = typer.Typer(no_args_is_help=True, help="Recorded demonstrations; they say nothing about any model.")

COLUMNS = ["task", "condition", "label", "recorded", "source", "reward", "strict_pass"]
DROP = ["source", "recorded", "strict_pass"]


@app.command("list", help="Recordings that can be replayed, newest first.")
def list_command(as_json: JsonOption = False) -> None:
    """One line a recording."""
    from workbench import runs

    items = [item.model_dump(mode="json") for item in runs.list_demonstrations(open_context().content.paths)]
    print_table("demonstrations", items, COLUMNS, as_json=as_json, drop=DROP, shorten="task")


@app.command("record", help="Run Codex against a script's answers and keep its log as a demonstration.")
def record(
    script: Annotated[Path, typer.Argument(help="<condition>.<label>.script.toml")],
    source: Annotated[str, typer.Option(help="A synthetic source.")] = "",
) -> None:
    """The label is taken from the file's name."""
    from workbench import catalog, runs, sandbox

    context = open_context(source=source or None)
    label = script.name.removesuffix(".script.toml").split(".")[-1]
    backend = sandbox.choose_sandbox(context.settings.sandbox)

    def show(event: RunEvent) -> None:
        for text in runs.event_lines(event):
            say(text)

    item = runs.record_demonstration(
        context, catalog.read_toml(script, DemonstrationScript), label, backend.name, show
    )
    say(f"recorded {item.file}: reward {item.reward:.3f}")
