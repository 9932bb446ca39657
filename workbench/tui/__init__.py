"""The terminal app."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["action_keys", "key_refusal", "open_app", "theme_names"]


def action_keys() -> dict[str, tuple[str, str]]:
    """Id of every action to its usual keys (several with commas) and what it does."""
    from workbench.tui.actions import registry

    return {action.id: (action.key, action.help) for action in registry()}


def key_refusal(action_id: str, keys: str, remapped: Mapping[str, str]) -> str:
    """Why the action cannot have these keys (several with commas) beside those that are set; empty where it
    can.
    """
    from workbench.tui.actions import refusal

    return refusal(action_id, keys, remapped)


def theme_names() -> tuple[str, ...]:
    """What ``theme`` can be."""
    from workbench.tui.themes import THEMES

    return tuple(theme.name for theme in THEMES)


def open_app(home: Path | None = None, *, debug: bool = False) -> int:
    """Run the app until it is left; returns the exit code. ``home`` is the data directory.

    Raises Unavailable where the app cannot be drawn (no terminal, TERM=dumb, not UTF-8), naming the plain
    commands, and BadInput for a wrong configuration.
    """
    gc.disable()  # what is imported now is no garbage; the app collects again after its first paint
    _import_asyncio()
    from workbench.tui.context import find_context
    from workbench.tui.terminal import check_terminal, prepare_environment

    check_terminal()

    context = find_context(home)
    prepare_environment(context.terminal)
    from workbench.tui.guard import guarded
    from workbench.tui.run import run_app

    return guarded(lambda lifeline: run_app(context, debug=debug, lifeline=lifeline))


def _import_asyncio() -> None:
    """Without ``ssl``, which it can do without: the app's loop speaks to no server, and the first frame comes
    17 ms earlier. Whoever else imports ``ssl`` gets it.
    """
    if "ssl" in sys.modules:
        return
    sys.modules["ssl"] = None  # type: ignore[assignment]
    try:
        import asyncio  # noqa: F401
    finally:
        del sys.modules["ssl"]
