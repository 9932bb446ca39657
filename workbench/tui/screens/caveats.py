"""Caveats: those of all families, found by severity, status, bias, family, rule or any word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pydantic import JsonValue
from textual.timer import Timer
from textual.widget import Widget

from workbench.tui.actions import bindings
from workbench.tui.caveat_rows import caveat_key, caveat_table
from workbench.tui.inert import Inert
from workbench.tui.problems import unreadable
from workbench.tui.screens.text import TextScreen
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.base import Label
from workbench.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from workbench.records import Problem
    from workbench.review import ListedCaveat

FILTER = "filter"
RESTS_S = 0.12
"""A held key would tell of every caveat on the way."""


class CaveatsScreen(TextScreen):
    """``words``: what every caveat shown has."""

    screen_name = "caveats"
    title_text = "Caveats"
    BINDINGS = [*bindings("caveats")]
    DEFAULT_CSS = """
    CaveatsScreen #note { height: 2; padding: 0 1; background: $surface; }
    """

    def __init__(self, words: JsonValue = "") -> None:
        super().__init__()
        self.table = caveat_table()
        self.table.filter(str(words))
        self._wanted = ""
        self._read = False
        self._broken = 0
        self._rest: Timer | None = None

    @property
    def plain_twin(self) -> str:
        return "workbench caveat list"

    def body(self) -> Iterable[Widget]:
        yield from super().body()
        yield Label(id="note")

    def on_mount(self) -> None:
        self.pane.show(self.table)
        self.view.focus()

    def on_screen_resume(self) -> None:
        self.action_reload()

    def state(self) -> dict[str, JsonValue]:
        return {"caveat": self._key() or self._wanted, "words": self.table.filtered_by}

    def restore(self, state: dict[str, JsonValue]) -> None:
        self._wanted = str(state.get("caveat", ""))
        self.table.filter(str(state.get("words", "")))
        self._arranged()

    def action_reload(self) -> None:
        content = self.workbench.context.content

        def read() -> tuple[list[ListedCaveat], list[Problem]]:
            from workbench import review

            return review.list_caveats(content)

        self.in_background(read, self._show, group="caveats")

    def _show(self, found: tuple[list[ListedCaveat], list[Problem]]) -> None:
        rows, problems = found
        self._wanted = self._wanted or self._key()
        self._read, self._broken = True, len(problems)
        self.table.fill(rows)
        self._arranged()
        for problem in problems[:1]:
            self.tell(Inert.line(f"{problem.where}: {problem.what}. {problem.remedy}"))

    def _arranged(self) -> None:
        key = self._wanted or self._key()
        self.pane.reload()
        self.view.go_to(self.table.row_of_key(key) or 0, middle=True)
        self._wanted = "" if self._read else key
        self.moved()

    def _key(self) -> str:
        row = self.table.row_at(self.view.cursor)
        return caveat_key(row) if row is not None else ""

    def position(self) -> Inert:
        if not self._read:
            return Inert.of("reading")
        words = f"{self.table.filtered_by}  " if self.table.filtered_by else ""
        shown, total = len(self.table), self.table.total
        of = f" of {total}" if shown != total else ""
        return unreadable(self._broken) + Inert.line(f"{words}{shown}{of} caveats")

    def moved(self) -> None:
        super().moved()
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(RESTS_S, self.follow)

    def follow(self) -> None:
        """Tell of the caveat that the cursor rests on."""
        row = self.table.row_at(self.view.cursor)
        width = self.size.width - 2
        lines = ["", ""] if row is None else [f"{row.caveat.id}: {row.caveat.title}", row.caveat.explanation]
        self.query_one("#note", Label).say(Inert.join([Inert.line(line).fit(width) for line in lines], "\n"))

    def on_line_view_chosen(self, message: LineView.Chosen) -> None:
        if self._key():
            self.workbench.open_screen("caveat", caveat=self._key())

    def action_filter(self) -> None:
        hint = Inert.of("words: major, proposed, over, a family, a rule, any text; empty: all")
        AskLine.of(self).ask(FILTER, hint, self.table.filtered_by)

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        if message.name == FILTER:
            self._wanted = self._key()
            self.table.filter(" ".join(message.value.split()))
            self._arranged()
            self.view.focus()

    def on_ask_line_left(self) -> None:
        self.view.focus()
