"""Runs: all of them, filtered by words and ordered by any column."""

from __future__ import annotations

from pydantic import JsonValue

from workbench.records import RunRow
from workbench.store import LISTED
from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.run_table import is_open, of_relint, run_table
from workbench.tui.screens.text import TextScreen
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.line_view import LineView

FILTER = "filter"
LOOK_AGAIN_S = 2.0
"""How often the listing is read while a run in it goes on."""


class RunsScreen(TextScreen):
    """The listing of ``workbench runs list``."""

    screen_name = "runs"
    title_text = "Runs"
    BINDINGS = [*bindings("runs")]

    def __init__(self) -> None:
        super().__init__()
        self.table = run_table()
        self._rows: list[RunRow] | None = None
        self._wanted = ""
        self._any_open = False
        self._marked = ""

    @property
    def plain_twin(self) -> str:
        return "workbench runs list;workbench runs stats"

    def on_mount(self) -> None:
        self.view.more_cursor = True
        self.pane.show(self.table)
        self.view.focus()
        self.set_interval(LOOK_AGAIN_S, self._look_again)

    def on_screen_resume(self) -> None:
        self._wanted, self.workbench.left_run = self.workbench.left_run or self._wanted, ""
        self.action_reload()

    def show(self, **arguments: JsonValue) -> None:
        if isinstance(arguments.get("filter"), str):
            self._filter(str(arguments["filter"]))

    def state(self) -> dict[str, JsonValue]:
        table = self.table
        return {
            "filter": table.filtered_by,
            "sort": table.sorted_by,
            "descending": table.descending,
            "run": self._key(),
        }

    def restore(self, state: dict[str, JsonValue]) -> None:
        title = str(state.get("sort", ""))
        if title in [column.title for column in self.table.columns]:
            self.table.sort(title, descending=bool(state.get("descending")))
        self.table.filter(str(state.get("filter", "")))
        self._wanted = str(state.get("run", ""))
        if self._rows is not None:
            self._arranged(self._wanted)

    def action_reload(self) -> None:
        context = self.workbench.context
        self.in_background(lambda: read_rows(context), self._show, group="rows")

    def _look_again(self) -> None:
        if self.is_current and self._any_open:
            self.action_reload()

    def _show(self, rows: list[RunRow]) -> None:
        if rows == self._rows and not self._wanted:
            return
        key = self._wanted or self._key()
        self._wanted = ""
        self._rows = rows
        self._any_open = any(is_open(row) for row in rows)
        self.table.fill(rows)
        self._arranged(key)

    def _arranged(self, run_id: str) -> None:
        """Draw the rows anew, the cursor on that run."""
        row = self.table.row_of_key(run_id) if run_id else None
        self.pane.reload()
        self.view.go_to(row or 0, middle=True)
        self.moved()

    def _key(self) -> str:
        row = self.table.row_at(self.view.cursor)
        return row.run_id if row is not None else ""

    def position(self) -> Inert:
        table = self.table
        if self._rows is None:
            return Inert.of("reading")
        count = f"{len(table):,} of {table.total:,}" if table.filtered_by else f"{table.total:,} runs"
        order = "newest first"
        if table.sorted_by:
            order = f"by {table.sorted_by}, {'falling' if table.descending else 'rising'}"
        words = (
            Inert.of(" with the words ") + Inert.line(table.filtered_by, "bold")
            if table.filtered_by
            else Inert()
        )
        return Inert.of(self._not_in_view() + count) + words + f"  {order}"

    def _not_in_view(self) -> str:
        """When the cursor's run was begun and which attempt it is, where these columns have no room."""
        row, there = self.table.row_at(self.view.cursor), self.table.in_view
        if row is None:
            return ""
        begun = "" if "begun" in there or self.table.filtered_by else f"{LISTED['begun'](row)[:11]}  "
        return of_relint(row) + begun + ("" if "attempt" in there else f"attempt {row.attempt}  ")

    def on_line_view_chosen(self, message: LineView.Chosen) -> None:
        row = self.table.row_at(message.row)
        if row is not None:
            self.workbench.open_screen("live" if is_open(row) else "run-detail", run=row.run_id)

    def action_filter(self) -> None:
        hint = Inert.of("words that every run shown has: verdict, warn, fail, task …; empty: all runs")
        AskLine.of(self).ask(FILTER, hint, self.table.filtered_by)

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        if message.name == FILTER:
            self._filter(message.value)
            self.view.focus()

    def on_ask_line_left(self) -> None:
        self.view.focus()

    def _filter(self, words: str) -> None:
        key = self._key()
        self.table.filter(" ".join(words.split()))
        self._arranged(key)
        if not len(self.table) and self.table.total:
            self.tell(Inert.of("no run has all these words"))

    def action_sort(self) -> None:
        """By the next column that is in view; after the last one newest first again."""
        shown = ["", *self.table.in_view]
        at = shown.index(self.table.sorted_by) if self.table.sorted_by in shown else 0
        self._sort(shown[(at + 1) % len(shown)], descending=False)

    def action_reverse(self) -> None:
        if self.table.sorted_by:
            self._sort(self.table.sorted_by, descending=not self.table.descending)
        else:
            self._sort("begun", descending=False)

    def _sort(self, title: str, *, descending: bool) -> None:
        key = self._key()
        self.table.sort(title, descending=descending)
        self._arranged(key)

    def action_attach(self) -> None:
        if self._key():
            self.workbench.open_screen("live", run=self._key())

    def action_trajectory(self) -> None:
        if self._key():
            self.workbench.open_screen("trajectory", run=self._key())

    def action_compare(self) -> None:
        """The first press marks a run, the second holds the cursor's run against it."""
        key = self._key()
        if not key:
            return
        if self._marked and self._marked != key:
            marked, self._marked = self._marked, ""
            self.workbench.open_screen("compare", run=marked, other=key)
            return
        self._marked = "" if self._marked else key
        again = self.workbench.key_of("runs.compare")
        told = f"{key} is marked; {again} on another run of its task compares them, here again forgets it"
        self.tell(Inert.line(told if self._marked else f"{key} is marked no longer"))


def read_rows(context: AppContext) -> list[RunRow]:
    """All runs, newest first."""
    from workbench.store import RunStore

    return RunStore(context.data, context.clock).rows()
