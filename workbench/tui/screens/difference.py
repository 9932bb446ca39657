"""Difference: two texts of a skill held against each other, line by line, word by word."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from workbench.tui.actions import bindings
from workbench.tui.changed_lines import CHANGE, changed_blocks, changed_counts
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.screens.text import TextScreen
from workbench.tui.skill_texts import NOW, named_text, place_in, told_name
from workbench.tui.widgets.folding import Block, OpenLines
from workbench.tui.widgets.line_source import as_line

AROUND = 3
_ALL = -1


@dataclass(frozen=True)
class Difference:
    """Rows, and how many lines came and went."""

    blocks: list[Block]
    added: int
    removed: int


class DifferenceScreen(TextScreen):
    """``old`` and ``new``: names as in ``skill_texts``."""

    screen_name = "difference"
    title_text = "Difference"
    BINDINGS = [*bindings("difference")]

    def __init__(self, skill: JsonValue = "", old: JsonValue = "", new: JsonValue = "") -> None:
        super().__init__()
        self._skill, self._old, self._new = str(skill), str(old), str(new)
        self._around = AROUND
        self._found: Difference | None = None

    @property
    def heading(self) -> Inert:
        return Inert.line(f"{self._skill}: {told_name(self._old)} -> {told_name(self._new)}")

    @property
    def plain_twin(self) -> str:
        named = [name for name in (self._old, self._new) if name != NOW and ":" not in name]
        return " ".join(["workbench skill diff", self._skill, *named])

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"skill": self._skill, "old": self._old, "new": self._new}

    def on_mount(self) -> None:
        self.view.focus()
        self._read()

    def _read(self) -> None:
        context, skill, names, around = (
            self.workbench.context, self._skill, (self._old, self._new), self._around,
        )  # fmt: skip
        self.in_background(lambda: difference(context, skill, *names, around=around), self._show)

    def _show(self, found: Difference) -> None:
        self._found = found
        empty = Block(head=as_line("the two are the same"))
        self.pane.show(OpenLines(found.blocks or [empty]))
        self.moved()

    def position(self) -> Inert:
        found = self._found
        if found is None:
            return Inert.of("reading")
        return Inert.of(f"{found.added} lines came, {found.removed} went")

    def action_next_change(self) -> None:
        if not self.view.go_to_mark(CHANGE):
            self.tell(Inert.of("no change after this line"))

    def action_previous_change(self) -> None:
        if not self.view.go_to_mark(CHANGE, backwards=True):
            self.tell(Inert.of("no change before this line"))

    def action_context(self) -> None:
        """All lines, or only those around the changes."""
        self._around = AROUND if self._around == _ALL else _ALL
        self._read()


def difference(context: AppContext, skill: str, old: str, new: str, *, around: int = AROUND) -> Difference:
    """Both texts compared. Raises WorkbenchError."""
    place = place_in(context, skill)
    before, after = named_text(context, place, old), named_text(context, place, new)
    return Difference(changed_blocks(before, after, around=around), *changed_counts(before, after))
