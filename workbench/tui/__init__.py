"""The terminal app."""

from __future__ import annotations

import gc
from pathlib import Path

__all__ = ["open_app"]


def open_app(home: Path | None = None, *, debug: bool = False) -> int:
    """Run the app until it is left; returns the exit code. ``home`` is the data directory.

    Raises Unavailable where the app cannot be drawn (no terminal, TERM=dumb, not UTF-8), naming the plain
    commands, and BadInput for a wrong configuration.
    """
    from workbench.tui.terminal import check_terminal, prepare_environment

    check_terminal()
    gc.disable()  # what is imported now is no garbage; the app collects again after its first paint
    from workbench.tui.context import find_context

    context = find_context(home)
    prepare_environment(context.terminal)
    from workbench.tui.guard import guarded
    from workbench.tui.run import run_app

    return guarded(lambda lifeline: run_app(context, debug=debug, lifeline=lifeline))
