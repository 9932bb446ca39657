"""Other settings, while the app runs: all of them take effect at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import textual.screen
from textual.drivers.linux_driver import LinuxDriver
from textual.timer import Timer
from textual.widget import Widget

from workbench.tui.actions import check_keys
from workbench.tui.ascii_filter import AsciiFilter
from workbench.tui.terminal import Terminal, adapted
from workbench.tui.themes import THEMES, theme_for

if TYPE_CHECKING:
    from workbench.records import Configured
    from workbench.tui.app import WorkbenchApp


def apply_settings(app: WorkbenchApp, configured: Configured, problem: str = "") -> None:
    """Take over what is configured now; ``problem`` as in ``AppContext``."""
    settings = configured.settings
    before, terminal = app.context.terminal, adapted(app.context.terminal, settings)
    app.context = replace(
        app.context, settings=settings, origins=configured.origins, terminal=terminal, problem=problem
    )
    if not check_keys(settings.keys):
        app.keys.remap(settings.keys)
    app.theme = theme_for(settings.theme, terminal)
    app.output.change(enabled=terminal.diff_output, bytes_a_second=terminal.bytes_a_second)
    if terminal.ascii != before.ascii:
        for kept in app._filters:
            if isinstance(kept, AsciiFilter):
                kept.enabled = terminal.ascii
        _draw_anew(app)
    if terminal.slow != before.slow:
        _change_pace(app, terminal)
    app.refresh_bindings()
    app.refresh(layout=True)


def problem_of(settings_problem: str, theme: str, keys: Mapping[str, str]) -> str:
    """The first thing that is wrong with the configuration, as far as the app is concerned; or empty."""
    if settings_problem:
        return settings_problem
    if theme and theme not in {known.name for known in THEMES}:
        return f"no theme is called {theme}: the usual one is shown"
    return next((f"keys in the configuration: {problem}" for problem in check_keys(keys)), "")


def _draw_anew(app: WorkbenchApp) -> None:
    """No line that was drawn before is shown again."""
    for stack in app._screen_stacks.values():
        for screen in stack:
            for node in screen.walk_children(Widget, with_self=True):
                node.notify_style_update()
                node._styles_cache.clear()
                node.refresh()


def _change_pace(app: WorkbenchApp, terminal: Terminal) -> None:
    """Mouse and frames of the SSH profile, or the usual ones."""
    driver = app._driver
    if isinstance(driver, LinuxDriver):
        if terminal.slow:
            driver._disable_mouse_support()
            driver._mouse = False
        else:
            driver._mouse = True
            driver._enable_mouse_support()
    period_s = 1 / terminal.frames_a_second
    setattr(textual.screen, "UPDATE_PERIOD", period_s)  # noqa: B010 - of screens that are still to come
    for stack in app._screen_stacks.values():
        for screen in stack:
            timer: Timer = screen._update_timer
            timer._interval = period_s
