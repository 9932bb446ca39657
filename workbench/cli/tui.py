"""``workbench tui``: the terminal app."""

from __future__ import annotations

import typer

from workbench.cli.session import GLOBAL

app = typer.Typer(help="The terminal app.")


@app.callback(invoke_without_command=True)
def tui() -> None:
    """Open the app; it needs a terminal with UTF-8. Every screen has a plain command, too."""
    from workbench.tui import open_app

    code = open_app(GLOBAL.home, debug=GLOBAL.debug)
    if code:
        raise typer.Exit(code)
