"""Starting the app for a measurement, always at Home."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def fresh(emulator: Any, home: Path, size: tuple[int, int] = (80, 24), **changes: str) -> Any:
    """The app in a terminal, without what the session before it left open."""
    (home / "data" / "terminal" / "session.json").unlink(missing_ok=True)
    return emulator.Emulated(emulator.TUI, size=size, environment=emulator.environment(home, **changes))


def ready(app: Any) -> None:
    """Wait until Home has all it shows and nothing goes on any more."""
    app.wait_for(" tasks, ", 30)
    app.wait_for("Last of", 30)
    app.settle(1.0)


def open_runs(app: Any) -> None:
    """From Home to Runs, until the rows are there."""
    app.send("2")
    app.wait_for(" runs  newest first", 30)
    app.settle(0.5)


def leave(app: Any) -> None:
    """Quit, and wait for the end."""
    app.send("\x11")
    app.wait()
