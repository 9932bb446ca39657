"""Sources: the patient data that is here, and each source's tables; counts only."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import JsonValue
from textual.widget import Widget

from workbench.records import BadInput, Problem, Source
from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.problems import unreadable
from workbench.tui.run_table import file_table, source_table
from workbench.tui.screens.text import TextScreen
from workbench.tui.shelf import count
from workbench.tui.widgets.base import Label
from workbench.tui.widgets.line_pane import LinePane
from workbench.tui.widgets.line_view import LineView

MORE_DATA = "More data: `workbench data synth` makes a source, `workbench data import` takes yours."


class SourcesScreen(TextScreen):
    """Above the sources, below the tables of the one the cursor is on."""

    screen_name = "sources"
    title_text = "Sources"
    CSS_PATH = "sources.tcss"
    BINDINGS = [*bindings("sources")]

    def __init__(self) -> None:
        super().__init__()
        self.table = source_table()
        self.files = file_table()
        self._shown: Source | None = None
        self._read = False
        self._wanted = ""
        self._problems: list[Problem] = []

    @property
    def plain_twin(self) -> str:
        name = self._shown.name if self._shown is not None else "NAME"
        return f"workbench data list;workbench data show {name}"

    def body(self) -> Iterable[Widget]:
        yield from super().body()
        yield Label(Inert.of("reading"), id="about")
        yield LinePane(opens=False, id="tables")

    def on_mount(self) -> None:
        self.view.more_cursor = True
        self.pane.show(self.table)
        self.query_one("#tables", LinePane).show(self.files)
        self.view.focus()

    def on_screen_resume(self) -> None:
        self.action_reload()

    def show(self, **arguments: JsonValue) -> None:
        self._wanted = str(arguments.get("source", ""))
        self._go_to_wanted()

    def state(self) -> dict[str, JsonValue]:
        return {"source": self._shown.name if self._shown is not None else ""}

    def restore(self, state: dict[str, JsonValue]) -> None:
        self._wanted = str(state.get("source", ""))

    def action_reload(self) -> None:
        context = self.workbench.context
        self.in_background(lambda: read_sources(context), self._show, group="sources")

    def _show(self, found: tuple[list[Source], list[Problem]]) -> None:
        sources, self._problems = found
        self._wanted = self._wanted or (self._shown.name if self._shown is not None else "")
        self._read = True
        self._shown = None
        self.table.fill(sources)
        self.pane.reload()
        self._go_to_wanted()
        self.moved()
        for problem in self._problems[:1]:
            self.failed(BadInput(problem.what, where=problem.where, remedy=problem.remedy))

    def _go_to_wanted(self) -> None:
        row = self.table.row_of_key(self._wanted) if self._wanted else None
        if row is not None:
            self._wanted = ""
            self.view.go_to(row)

    def moved(self) -> None:
        super().moved()
        source = self.table.row_at(self.view.cursor)
        if source is self._shown and source is not None:
            return
        self._shown = source
        self.query_one("#about", Label).say(about(source, read=self._read))
        self.files.fill(source.tables if source is not None else ())
        self.query_one("#tables", LinePane).show(self.files)

    def position(self) -> Inert:
        told = count(self.table.total, "source") if self._read else "reading"
        return unreadable(len(self._problems)) + Inert.of(told)

    def on_line_view_chosen(self, message: LineView.Chosen) -> None:
        if message.view is self.view:
            self.query_one("#tables", LinePane).view.focus()


def read_sources(context: AppContext) -> tuple[list[Source], list[Problem]]:
    """The sources that can be read, and what is wrong with the others."""
    from workbench import ehr

    return ehr.readable_sources(context.data)


def about(source: Source | None, *, read: bool) -> Inert:
    """Where the source comes from, and what identifies its content."""
    if source is None:
        if not read:
            return Inert.of("reading")
        return Inert.of(
            "No sources yet. `workbench data synth` makes one, `workbench data import` takes yours; "
            "a run makes the synthetic one it needs."
        )
    words = f"{source.kind}, {source.origin}, {source.schema_name}, content {source.content_hash}"
    missing = sum(table.empty_because_missing for table in source.tables)
    tables = "table was" if missing == 1 else "tables were"
    more = f"; {missing} {tables} not in the input" if missing else ""
    return Inert.line(words + more) + "\n" + MORE_DATA
