"""Versions of a skill: who changed it when and why; what differs, who wrote a line, one of them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import JsonValue

from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.screens.text import TextScreen
from workbench.tui.skill_texts import NOTHING, NOW, place_in
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.line_view import LineView
from workbench.tui.widgets.table_source import Column, TableLines

if TYPE_CHECKING:
    from workbench.review import Saved, Version

RESTORE = "restore"
YES = "yes"


class VersionsScreen(TextScreen):
    """Enter: what a version changed; ``c`` on two: what lies between them."""

    screen_name = "versions"
    title_text = "Versions"
    BINDINGS = [*bindings("versions")]

    def __init__(self, skill: JsonValue = "") -> None:
        super().__init__()
        self._skill = str(skill)
        self._found: list[Version] | None = None
        self._marked = self._wanted = ""
        self.table = version_table()

    @property
    def heading(self) -> Inert:
        return Inert.line(f"{self._skill}: versions")

    @property
    def plain_twin(self) -> str:
        return f"workbench skill log {self._skill}"

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"skill": self._skill}

    def state(self) -> dict[str, JsonValue]:
        version = self._here()
        return {"version": version.commit if version else ""}

    def restore(self, state: dict[str, JsonValue]) -> None:
        self._wanted = str(state.get("version", ""))

    def on_mount(self) -> None:
        self.view.more_cursor = True
        self.pane.show(self.table)
        self.view.focus()
        self.action_reload()

    def action_reload(self) -> None:
        context, skill = self.workbench.context, self._skill
        self.in_background(lambda: read_versions(context, skill), self._show, group="rows")

    def _show(self, found: list[Version]) -> None:
        here = self._here()
        key = self._wanted or (here.commit if here is not None else "")
        self._found, self._wanted = found, ""
        self.table.fill(found)
        self.pane.reload()
        self.view.go_to(self.table.row_of_key(key) or 0, middle=True)
        self.moved()

    def _here(self) -> Version | None:
        return self.table.row_at(self.view.cursor)

    def position(self) -> Inert:
        if self._found is None:
            return Inert.of("reading")
        return Inert.of(f"{len(self._found)} versions, newest first")

    def on_line_view_chosen(self, message: LineView.Chosen) -> None:
        version = self._here()
        if version is not None:
            old = version.parents[0] if version.parents else NOTHING
            self._open(old, version.commit)

    def action_unsaved(self) -> None:
        if self._found:
            self._open(self._found[0].commit, NOW)

    def action_compare(self) -> None:
        """The first press marks a version, the second holds the cursor's one against it, older to newer."""
        version = self._here()
        if version is None or self._found is None:
            return
        if self._marked and self._marked != version.commit:
            pair = [item.commit for item in self._found if item.commit in (self._marked, version.commit)]
            self._marked = ""
            self._open(pair[-1], pair[0])
            return
        self._marked = "" if self._marked else version.commit
        again = self.workbench.key_of("versions.compare")
        told = f"{version.short} is marked; {again} on another version compares them, here again forgets it"
        self.tell(Inert.line(told if self._marked else f"{version.short} is marked no longer"))

    def action_blame(self) -> None:
        version = self._here()
        if version is not None:
            self.workbench.open_screen("blame", skill=self._skill, version=version.commit)

    def action_restore(self) -> None:
        version = self._here()
        if version is not None:
            self._marked_for = version.commit
            hint = f"type {YES} to make {version.short} the newest version, as a new commit"
            AskLine.of(self).ask(RESTORE, Inert.of(hint))

    _marked_for = ""

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        if message.name != RESTORE:
            return
        self.view.focus()
        if message.value.strip().lower() != YES:
            self.tell(Inert.of("nothing is restored"))
            return
        context, skill, commit = self.workbench.context, self._skill, self._marked_for
        self.in_background(lambda: restored(context, skill, commit), self._restored, group="write")

    def on_ask_line_left(self) -> None:
        self.view.focus()

    def _restored(self, saved: Saved) -> None:
        told = f"{saved.commit[:10]} on {saved.branch} is {self._marked_for[:10]} again: "
        self.tell(Inert.line(told + ", ".join([*saved.files, *saved.notes])))
        self._wanted = saved.commit
        self.action_reload()

    def _open(self, old: str, new: str) -> None:
        self.workbench.open_screen("difference", skill=self._skill, old=old, new=new)


def version_table() -> TableLines[Version]:
    """A row a version."""
    columns: tuple[Column[Version], ...] = (
        Column("version", lambda version: version.short, 10),
        Column("date", lambda version: f"{version.time:%Y-%m-%d %H:%M}", 16, drop=1),
        Column("author", lambda version: version.author, 18, least=8),
        Column("message", lambda version: version.subject, 24, stretch=True, least=10),
    )
    return TableLines(columns, lambda version: version.commit)


def read_versions(context: AppContext, skill: str) -> list[Version]:
    """Raises WorkbenchError."""
    from workbench.review import versions

    return versions(place_in(context, skill))


def restored(context: AppContext, skill: str, commit: str) -> Saved:
    """That version as a new commit. Raises WorkbenchError."""
    from workbench.review import restore

    return restore(place_in(context, skill), commit)
