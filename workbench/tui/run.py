"""Start the app and take its end."""

from __future__ import annotations

from workbench.tui.context import AppContext


def run_app(context: AppContext, *, debug: bool = False) -> int:
    """Run the app on this process's terminal; returns the exit code."""
    from workbench.tui.app import WorkbenchApp

    app = WorkbenchApp(context)
    app.run(mouse=not context.terminal.slow)
    return app.return_code or 0
