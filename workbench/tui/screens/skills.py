"""Skills: all of them with where each stands, what is open, and what changed since it was signed."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import JsonValue
from textual.widget import Widget

from workbench.tui.actions import bindings
from workbench.tui.inert import Inert
from workbench.tui.screens.text import TextScreen
from workbench.tui.skill_rows import READING, ContentOnce, SkillRow, skill_names, skill_table, with_states
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.base import Label
from workbench.tui.widgets.line_view import LineView

FILTER = "filter"
AT_ONCE = 8
"""So many skills are asked git about before they are shown."""


class SkillsScreen(TextScreen):
    """The names at once, the states as they come."""

    screen_name = "skills"
    title_text = "Skills"
    BINDINGS = [*bindings("skills")]
    DEFAULT_CSS = """
    SkillsScreen #note { height: 1; padding: 0 1; background: $surface; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.table = skill_table()
        self._rows: list[SkillRow] = []
        self._wanted = ""
        self._settled = False
        self._reading: ContentOnce | None = None

    @property
    def plain_twin(self) -> str:
        return "workbench skill list;workbench skill states"

    def body(self) -> Iterable[Widget]:
        yield from super().body()
        yield Label(id="note")

    def on_mount(self) -> None:
        self.view.more_cursor = True
        self.pane.show(self.table)
        self.view.focus()

    def on_screen_resume(self) -> None:
        self.action_reload()

    def state(self) -> dict[str, JsonValue]:
        return {"skill": self._key(), "filter": self.table.filtered_by}

    def restore(self, state: dict[str, JsonValue]) -> None:
        self._wanted = str(state.get("skill", ""))
        self.table.filter(str(state.get("filter", "")))
        self._arranged(self._wanted)

    def action_reload(self) -> None:
        context = self.workbench.context
        self._settled = False
        self._reading = content = ContentOnce(context.content.paths)
        self.in_background(
            lambda: skill_names(context), lambda rows: self._take_names(content, rows), group="rows"
        )

    def _take_names(self, content: ContentOnce, rows: list[SkillRow]) -> None:
        known = {row.name: row for row in self._rows}
        self._rows = [known.get(row.name, row) for row in rows]
        self._fill()
        self._go_on(content, rows)

    def _go_on(self, content: ContentOnce, left: list[SkillRow]) -> None:
        context = self.workbench.context
        now, later = left[:AT_ONCE], left[AT_ONCE:]

        def done(found: list[SkillRow]) -> None:
            if content is not self._reading:
                return
            new = {row.name: row for row in found}
            self._rows = [new.get(row.name, row) for row in self._rows]
            self._settled = not later
            self._fill()
            if later:
                self._go_on(content, later)

        group = f"states {len(left)}"  # its own: it begins in what the one before was for
        self.in_background(lambda: with_states(context, content, now), done, group=group)

    def _fill(self) -> None:
        key = self._wanted or self._key()
        self.table.fill(self._rows)
        self._arranged(key)

    def _arranged(self, key: str) -> None:
        row = self.table.row_of_key(key) if key else None
        self._wanted = "" if row is not None else self._wanted
        self.pane.reload()
        self.view.go_to(row or 0, middle=True)
        self.moved()

    def _key(self) -> str:
        row = self.table.row_at(self.view.cursor)
        return row.name if row is not None else ""

    def position(self) -> Inert:
        if not self._settled and not any(row.state != READING for row in self._rows):
            return Inert.of(READING)
        signed = sum(row.state == "signed" for row in self._rows)
        more = "" if self._settled else ", reading"
        return Inert.of(f"{len(self.table)} skills, {signed} signed{more}")

    def moved(self) -> None:
        super().moved()
        row = self.table.row_at(self.view.cursor)
        self.query_one("#note", Label).say(Inert.line(row.note if row is not None else ""))

    def on_line_view_chosen(self, message: LineView.Chosen) -> None:
        if self._key():
            self.workbench.open_screen("skill", skill=self._key())

    def action_proposals(self) -> None:
        if self._key():
            self.workbench.open_screen("proposals", skill=self._key())

    def action_sign_offs(self) -> None:
        if self._key():
            self.workbench.open_screen("sign-offs", skill=self._key())

    def action_edit(self) -> None:
        if self._key():
            self.workbench.open_screen("edit", skill=self._key())

    def action_versions(self) -> None:
        if self._key():
            self.workbench.open_screen("versions", skill=self._key())

    def action_filter(self) -> None:
        hint = Inert.of("words that every skill shown has: draft, signed, stale, proposal …; empty: all")
        AskLine.of(self).ask(FILTER, hint, self.table.filtered_by)

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        if message.name == FILTER:
            key = self._key()
            self.table.filter(" ".join(message.value.split()))
            self._arranged(key)
            self.view.focus()

    def on_ask_line_left(self) -> None:
        self.view.focus()
