"""Which screens are open and how they stand: out of the app for the session file, and back into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.tui.screen_table import SCREENS
from workbench.tui.screens.base import WorkbenchScreen

if TYPE_CHECKING:
    from workbench.records import ScreenState, TerminalSession
    from workbench.tui.app import WorkbenchApp


def kept_session(app: WorkbenchApp) -> TerminalSession:
    """The standing screens that were opened, and what is open above the current one."""
    from workbench.records import TerminalSession

    modes = []
    for entry in SCREENS:
        stack = app._screen_stacks.get(entry.name, []) if entry.mode else []
        if stack and isinstance(stack[0], WorkbenchScreen) and stack[0].is_mounted:
            modes.append(_state(stack[0]))
    modes += app.left_states.values()
    above = [screen for screen in app.screen_stack[1:] if isinstance(screen, WorkbenchScreen) and screen.kept]
    above = [screen for screen in above if screen.is_there]
    return TerminalSession(mode=app.current_mode, modes=modes, stack=[_state(screen) for screen in above])


def restore_session(app: WorkbenchApp, session: TerminalSession | None, *, stay: bool = False) -> None:
    """Open the screens again that there still are; the others are left out.

    ``stay``: the screen in front stays, and standing screens take up their place when they are opened.
    """
    if session is None:
        return
    standing = {entry.name: entry.mode for entry in SCREENS}
    if standing.get(session.mode) and not stay:
        app.switch_mode(session.mode)
    app.left_states = {state.name: state for state in session.modes if standing.get(state.name)}
    screen = app.current
    if screen is not None and screen.screen_name in app.left_states:
        screen.take_up(app.left_states.pop(screen.screen_name).state)
    for state in () if stay else session.stack:
        if standing.get(state.name) is False:
            app.open_screen(state.name, **state.arguments)
            opened = app.current
            if opened is not None:
                opened.take_up(state.state)


def _state(screen: WorkbenchScreen) -> ScreenState:
    from workbench.records import ScreenState

    return ScreenState(name=screen.screen_name, arguments=screen.arguments, state=screen.state())
