"""Saving what a screen of text shows to a file that a person names."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.records import WorkbenchError
from workbench.tui.inert import Inert
from workbench.tui.saving import Exists, save_text, target_of
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.line_view import LineView

SAVE = "save as"
REPLACE = "replace"
YES = "yes"
READING_S = 0.02
"""Rows are read for at most so long, then keys are heard."""


@dataclass(frozen=True)
class _Asked:
    """What is to be saved, and where to."""

    view: LineView
    rows: Sequence[int]
    path: Path | None = None


class SavingScreen(WorkbenchScreen):
    """A screen of LineViews."""

    _to_save: _Asked | None = None

    def keeps_back(self) -> str:
        """Why nothing of this screen may be saved; empty where it may."""
        return ""

    def left_out(self, row: int) -> str:
        """What a row is that must not be saved; empty for all others."""
        return ""

    def on_line_view_save_wanted(self, message: LineView.SaveWanted) -> None:
        reason = self.keeps_back()
        if reason:
            self.tell(Inert.of("not saved ", "bold $warning") + Inert.of(reason))
            return
        view = message.view
        rows = view.selected if len(view.selected) > 1 else range(len(view.source))
        self._to_save = _Asked(view, rows)
        lines = f"{len(rows):,} line{'s' if len(rows) != 1 else ''}"
        AskLine.of(self).ask(SAVE, Inert.of(f"file to write {lines} to"))

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        asked = self._to_save
        if asked is None or message.name not in (SAVE, REPLACE):
            return
        asked.view.focus()
        try:
            if message.name == SAVE:
                self._begin(_Asked(asked.view, asked.rows, target_of(message.value)), replace=False)
            elif message.value.strip().lower() == YES:
                self._begin(asked, replace=True)
            else:
                self.tell(Inert.of("nothing is written"))
        except WorkbenchError as error:
            self.failed(error)

    def on_ask_line_left(self) -> None:
        if self._to_save is not None and AskLine.of(self).name_asked in (SAVE, REPLACE):
            self._to_save.view.focus()

    def _begin(self, asked: _Asked, *, replace: bool) -> None:
        self._to_save = asked
        if not replace and asked.path is not None and asked.path.exists():
            self._ask_to_replace(asked)
            return
        self.run_worker(self._save(asked, replace=replace), group="save", exclusive=True)

    def _ask_to_replace(self, asked: _Asked) -> None:
        self._to_save = asked
        hint = Inert.line(f"{asked.path} is there: type {YES} to replace it")
        AskLine.of(self).ask(REPLACE, hint)

    async def _save(self, asked: _Asked, *, replace: bool) -> None:
        """Rows are read where they are drawn from, a little at a time; the file is written in a thread."""
        path = asked.path
        if path is None:
            return
        kept: list[str] = []
        missing: set[str] = set()
        until = time.perf_counter() + READING_S
        source = asked.view.source
        for row in asked.rows:
            if time.perf_counter() > until:
                await asyncio.sleep(0)
                until = time.perf_counter() + READING_S
            if source is not asked.view.source or row >= len(source):
                break
            what = self.left_out(row)
            if what:
                missing.add(what)
            else:
                kept.append(source.line(row).text.plain + "\n")
        text = Inert.of("".join(kept)).plain

        def write() -> bool:
            try:
                save_text(path, text, replace=replace)
            except Exists:
                return False
            return True

        def done(written: bool) -> None:
            if not written:
                self._ask_to_replace(asked)
                return
            lines = f"{len(kept):,} line{'s' if len(kept) != 1 else ''}"
            said = f"{lines} written to {path}, for you alone to read"
            left = f"; left out: {', '.join(sorted(missing))}" if missing else ""
            self.tell(Inert.line(said + left))

        self.in_background(write, done, group="write")
