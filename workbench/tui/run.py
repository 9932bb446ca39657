"""Start the app and take its end."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.tui.context import AppContext

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


def run_app(
    context: AppContext,
    *,
    debug: bool = False,
    lifeline: int | None = None,
    make: Callable[..., WorkbenchApp] | None = None,
) -> int:
    """Run the app on this process's terminal; returns the exit code. A crash is told below the prompt."""
    from workbench.tui.app import WorkbenchApp

    app = (make or WorkbenchApp)(context, lifeline=lifeline)
    app.run(mouse=not context.terminal.slow)
    if app.crash is not None:
        _log(context, app)
        with contextlib.suppress(OSError):
            if app.recovery.drafts:
                sys.stderr.write("Unsaved text is kept and offered at the next start.\n")
            sys.stderr.write(app.crash.text(debug=debug))
    return app.return_code or 0


def _log(context: AppContext, app: WorkbenchApp) -> None:
    from workbench.store import get_log

    if context.data.root.is_dir():
        get_log(context.data).error("terminal app failed", exc_info=app._exception)
