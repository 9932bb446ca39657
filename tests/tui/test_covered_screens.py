"""Screens that lie below others when a session is taken up: each where it was left."""

from __future__ import annotations

from typing import Any

import pytest
from recorded_runs import RUN, record_run
from waiting import until

from workbench.records import ScreenState, TerminalSession
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screens.text import OutlinedScreen
from workbench.tui.session import write_session

Left = tuple[str, dict[str, Any], dict[str, Any]]
DOCUMENT = {"part": "sofa/reference:adjudicated, mimic-iv"}
AT_THE_TOP: list[Left] = [
    ("live", {"run": RUN}, {"step": 0}),
    ("trajectory", {"run": RUN}, {"step": 1}),
    ("log", {"run": RUN}, {}),
    ("document", DOCUMENT, {"line": 1}),
    ("help", {"scope": "home"}, {}),
]
FURTHER_DOWN: list[Left] = [
    ("live", {"run": RUN}, {"step": 3}),
    ("trajectory", {"run": RUN}, {"step": 4}),
    ("log", {"run": RUN}, {}),
    ("document", DOCUMENT, {"line": 40}),
    ("help", {"scope": "home"}, {}),
]


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize("left", [AT_THE_TOP, FURTHER_DOWN], ids=["at the top", "further down"])
async def test_covered_texts_are_where_they_were_left(
    tui_context: AppContext, left: list[Left], width: int
) -> None:
    """The list of its parts, which is mounted first, does not lead a text elsewhere."""
    record_run(tui_context.data)
    stack = [ScreenState(name=name, arguments=arguments, state=state) for name, arguments, state in left]
    write_session(tui_context.data, TerminalSession(mode="home", stack=stack))
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(width, 24), notifications=True, tooltips=True) as pilot:
        await until(pilot, lambda: len(app.screen_stack) == len(left) + 1)
        opened = [screen for screen in app.screen_stack if isinstance(screen, OutlinedScreen)]
        await until(pilot, lambda: all(len(screen.view.source) > 0 for screen in opened))
        for name, _, state in reversed(left):
            assert app.current is not None and app.current.screen_name == name
            if isinstance(app.current, OutlinedScreen):
                view = app.current.view
                await until(pilot, lambda view=view: view.source.complete)
                assert view.has_focus
                assert app.current.state() == state
            await pilot.press("escape")
            await pilot.pause()
        assert len(opened) == 3
