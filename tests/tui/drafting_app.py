"""The app with a screen that keeps drafts; run as a script by the tests of signals and crashes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from textual.widget import Widget

from workbench.records import Draft
from workbench.tui import guard
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext, find_context
from workbench.tui.editor import edit
from workbench.tui.inert import Inert
from workbench.tui.run import run_app
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.terminal import prepare_environment
from workbench.tui.widgets.base import Field


class DraftScreen(WorkbenchScreen):
    screen_name = "home"
    title_text = "Draft"

    def body(self) -> Iterable[Widget]:
        yield Field(id="text")

    def on_mount(self) -> None:
        draft = self.workbench.recovery.draft("note")
        self.query_one(Field).value = draft.text if draft else ""
        self.query_one(Field).focus()
        self.status(Inert.of("ready"))

    def on_input_changed(self, event: Field.Changed) -> None:
        patient_value = f"lactate {event.value}"
        if event.value.endswith("crash"):
            raise ValueError(patient_value)
        if event.value.endswith("hang"):
            self.set_timer(0.5, hang)
        clock = self.workbench.context.clock
        self.workbench.recovery.keep(
            Draft(key="note", title="Note", screen="home", text=event.value, changed=clock.now())
        )
        if event.value.endswith("edit"):
            edit(self.workbench, Path(__file__))
        self.status(Inert.of(f"typed {len(event.value)}"))


def hang() -> None:
    """Hold the main thread, as a fault of the app or of a library might."""
    os.write(1, b"hanging")
    while True:
        time.sleep(60)


class DraftingApp(WorkbenchApp):
    def _make(self, name: str, **arguments: Any) -> WorkbenchScreen:
        return DraftScreen() if name == "home" else super()._make(name, **arguments)


def main() -> int:
    context: AppContext = find_context(None)
    prepare_environment(context.terminal)
    guard.PATIENCE_S = float(os.environ.get("GUARD_PATIENCE_S", guard.PATIENCE_S))
    return guard.guarded(lambda lifeline: run_app(context, lifeline=lifeline, make=DraftingApp))


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main())
