"""Whole text: one text of a step, of any length: prose wrapped, else from a file that is gone afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from pydantic import JsonValue

from workbench.patterns import visible
from workbench.records import BadInput, StepEvent
from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.editor import private_copy
from workbench.tui.inert import Inert
from workbench.tui.raw_logs import how_shown, source_of
from workbench.tui.screens.text import TextScreen
from workbench.tui.step_blocks import step_blocks
from workbench.tui.widgets.file_lines import CUT_LABEL, FileLines
from workbench.tui.widgets.line_source import TAB_CELLS, Line, TextLines
from workbench.tui.widgets.wrap import word_rows

MOST_WRAPPED = 200_000
"""Characters of prose that are wrapped; a longer text is shown as the file it is, a row a line."""


@dataclass
class Copied:
    """A text in a file, and what removes that; prose is held in memory and wrapped."""

    lines: FileLines | ProseLines
    cleaning: ExitStack

    def close(self) -> None:
        if isinstance(self.lines, FileLines):
            self.lines.close()
        self.cleaning.close()


class ProseLines(TextLines):
    """A text with its lines broken between words; a row knows its line's number."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._texts = [visible(line.expandtabs(TAB_CELLS)) for line in text.split("\n")]
        self._width = 0

    def lay_out(self, width: int) -> None:
        if width != self._width:
            self._width = width
            self.replace(list(self._rows(width)))

    def _rows(self, width: int) -> Iterator[Line]:
        for number, text in enumerate(self._texts, 1):
            label = str(number)
            for start, end in word_rows(text, width):
                yield Line(Inert(text[start:end]), label=label, origin=number)
                label = CUT_LABEL

    def row_of(self, number: int) -> int:
        rows = (row for row, line in enumerate(self.lines) if (line.origin or 0) >= number)
        return next(rows, max(len(self) - 1, 0))


class WholeScreen(TextScreen):
    """``run``: its id; ``step``: its number; ``part``: which of the step's blocks, from 0."""

    screen_name = "whole"
    title_text = "Whole text"
    BINDINGS = [*bindings("whole")]
    numbers = True

    def __init__(self, run: JsonValue = "", step: JsonValue = 0, part: JsonValue = 0) -> None:
        super().__init__()
        self._run = str(run)
        self._step = step if isinstance(step, int) else 0
        self._part = part if isinstance(part, int) else 0
        self._copied: Copied | None = None
        self._left = False

    @property
    def heading(self) -> Inert:
        return Inert.line(f"Step {self._step}: {self._run}")

    @property
    def plain_twin(self) -> str:
        return f"workbench runs show {self._run} --events --details"

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"run": self._run, "step": self._step, "part": self._part}

    def on_mount(self) -> None:
        self.view.focus()
        context = self.workbench.context

        def copied() -> Copied:
            made = copy_part(context, self._run, self._step, self._part)
            if self._left:
                made.close()
            else:
                self._copied = made
            return made

        self.in_background(copied, self._show)

    def on_unmount(self) -> None:
        self._left = True
        if self._copied is not None:
            self._copied.close()

    def _show(self, copied: Copied) -> None:
        self.pane.show(copied.lines)
        self.moved()


def copy_part(context: AppContext, run_id: str, step: int, part: int) -> Copied:
    """The text of one block of a step as a file. Raises BadInput: no such run or text; Unavailable."""
    from workbench.store import EventLines, RunStore

    lines = EventLines(RunStore(context.data, context.clock).paths(run_id).events)
    events = (event for event in lines.new() if isinstance(event, StepEvent))
    found = next((event.step for event in events if event.step.number == step), None)
    shown = how_shown(context, source_of(context, run_id))
    if found is not None and shown is not None:
        with shown() as show:
            found = show(found)
    blocks = step_blocks(found) if found is not None else []
    if not 0 <= part < len(blocks):
        raise BadInput(f"step {step} has no such text", where=run_id)
    cleaning, block = ExitStack(), blocks[part]
    if block.words and block.characters <= MOST_WRAPPED:
        return Copied(ProseLines(block.body), cleaning)
    file = cleaning.enter_context(private_copy(context.data, "text", block.body))
    return Copied(FileLines(file), cleaning)
