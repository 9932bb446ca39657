"""Blame: who last changed each line of a skill, in which version."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from pydantic import JsonValue

from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.screens.text import TextScreen
from workbench.tui.skill_texts import NOTHING, place_in, told_name
from workbench.tui.widgets.folding import Block, OpenLines
from workbench.tui.widgets.line_source import Tone, as_line

if TYPE_CHECKING:
    from workbench.review import BlamedLine

_ALL = 1_000_000


class BlameScreen(TextScreen):
    """``version``: as in ``skill_texts``; empty for the file as it is now. Enter shows what a version did."""

    screen_name = "blame"
    title_text = "Blame"
    BINDINGS = [*bindings("blame")]

    def __init__(self, skill: JsonValue = "", version: JsonValue = "") -> None:
        super().__init__()
        self._skill, self._version = str(skill), str(version)
        self._lines: list[BlamedLine] = []

    @property
    def heading(self) -> Inert:
        return Inert.line(f"{self._skill}: who wrote {told_name(self._version)}")

    @property
    def plain_twin(self) -> str:
        return f"workbench skill blame {self._skill}" + (f" --at {self._version}" if self._version else "")

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"skill": self._skill, "version": self._version}

    def on_mount(self) -> None:
        self.view.focus()
        context, skill, version = self.workbench.context, self._skill, self._version
        self.in_background(lambda: read_blame(context, skill, version), self._show)

    def _show(self, lines: list[BlamedLine]) -> None:
        self._lines = lines
        self.pane.show(OpenLines(blame_blocks(lines)))
        self.moved()

    def _here(self) -> BlamedLine | None:
        source = self.view.source
        if not isinstance(source, OpenLines) or not self._lines:
            return None
        number = source.blocks[source.block_at(self.view.cursor)].key
        return self._lines[number - 1] if 0 < number <= len(self._lines) else None

    def position(self) -> Inert:
        line = self._here()
        if line is None:
            return Inert.of(f"{len(self._lines)} lines" if self._lines else "reading")
        return Inert.line(f"line {line.line} of {len(self._lines)}  {line.subject[:40]}")

    def on_line_view_chosen(self, message: object) -> None:
        line = self._here()
        if line is None or not line.commit:
            self.tell(Inert.of("this line is in no version yet"))
            return
        context, skill, commit = self.workbench.context, self._skill, line.commit
        self.in_background(
            lambda: parent_of(context, skill, commit),
            lambda old: self.workbench.open_screen("difference", skill=skill, old=old, new=commit),
            group="open",
        )


def read_blame(context: AppContext, skill: str, version: str) -> list[BlamedLine]:
    """Raises WorkbenchError."""
    from workbench.review import blame

    return blame(place_in(context, skill), version)


def parent_of(context: AppContext, skill: str, commit: str) -> str:
    """What the version changed: the one before it, or nothing."""
    from workbench.review import versions

    found = versions(place_in(context, skill), commit, most=1)
    return found[0].parents[0] if found and found[0].parents else NOTHING


def blame_blocks(lines: list[BlamedLine]) -> list[Block]:
    """A head a stretch of lines of one version, the lines below it."""
    width = len(str(len(lines)))
    blocks: list[Block] = []
    for commit, group in groupby(lines, lambda line: line.commit):
        for at, line in enumerate(group):
            head = None
            if at == 0:
                told = f"{commit[:10]}  {line.time:%Y-%m-%d}  {line.author}: {line.subject}"
                head = as_line(told if commit else "not saved yet", Tone.HEADING)
            blocks.append(
                Block(
                    head=head,
                    body=line.text,
                    first=f"  {line.line:>{width}}  ",
                    rest=" " * (width + 4),
                    words=True,
                    kept=_ALL,
                    key=line.line,
                )
            )
    return blocks
