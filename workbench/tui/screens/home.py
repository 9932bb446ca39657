"""Home: families with their tasks, skills and caveats, and the last run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from textual.widget import Widget

from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.problems import unreadable
from workbench.tui.screens.list_screen import ListScreen
from workbench.tui.shelf import Shelf, all_family_lines, count, other_skill_lines, read_caveats, read_shelf
from workbench.tui.themes import verdict_text
from workbench.tui.widgets.base import Label, ListItem, ListPane

if TYPE_CHECKING:
    from pydantic import JsonValue

    from workbench.records import RunRow
    from workbench.tui.shelf import Caveats


def last_run(context: AppContext) -> tuple[RunRow | None, int]:
    """The newest run and how many there are."""
    from workbench.store import RunStore

    runs = RunStore(context.data)
    rows = runs.rows(limit=1)
    counted = runs.aggregate([])
    return (rows[0] if rows else None, int(counted[0]["runs"]) if counted else 0)


class HomeScreen(ListScreen):
    """The first screen."""

    screen_name = "home"
    title_text = "Home"
    CSS_PATH = "home.tcss"
    BINDINGS = bindings("home")

    def body(self) -> Iterable[Widget]:
        yield ListPane(empty=Inert.of("reading tasks and skills"), id="families")
        yield Label(Inert.of("Last run: reading"), id="last-run")

    @property
    def plain_twin(self) -> str:
        return "workbench task list;workbench skill list;workbench witness list;workbench runs list --limit 1"

    @property
    def pane(self) -> ListPane:
        return self.query_one(ListPane)

    def on_mount(self) -> None:
        self.pane.focus()
        self.workbench.when_painted(self._read_families)

    def on_screen_resume(self) -> None:
        self.workbench.when_painted(self._read_last_run)

    def action_reload(self) -> None:
        self._read_families()
        self._read_last_run()

    def _read_families(self) -> None:
        context = self.workbench.context
        self.in_background(lambda: read_shelf(context), self._show_shelf, group="families")

    def _read_last_run(self) -> None:
        context = self.workbench.context
        self.in_background(lambda: last_run(context), self._show_last_run, group="last-run")

    def state(self) -> dict[str, JsonValue]:
        return {"line": self.pane.chosen_key}

    def restore(self, state: dict[str, JsonValue]) -> None:
        wanted = str(state.get("line", ""))
        if not self.pane.go_to(wanted):
            self._wanted = wanted

    _wanted = ""

    def _show_shelf(self, shelf: Shelf) -> None:
        """At once what is read fast; the counts in the header say that all is there."""
        context = self.workbench.context
        self._fill(shelf, None)
        self.in_background(
            lambda: read_caveats(context, shelf),
            lambda found: self._show_caveats(shelf, found),
            group="caveats",
        )

    def _show_caveats(self, shelf: Shelf, caveats: Caveats) -> None:
        self._fill(shelf, caveats)
        self.status(unreadable(shelf.unreadable) + Inert.of(shelf.counted))

    def _fill(self, shelf: Shelf, caveats: Caveats | None) -> None:
        lines = all_family_lines(shelf, caveats)
        first = not self.pane.items
        self.pane.fill(lines + other_skill_lines(shelf))
        if first:
            self.pane.go_to(next((item.key for item in lines if item.key.startswith("task:")), ""))
        if self._wanted:
            self.pane.go_to(self._wanted)
            self._wanted = ""

    def _show_last_run(self, found: tuple[RunRow | None, int]) -> None:
        row, total = found
        said = first_steps(self.workbench.key_of) if row is None else run_line(row, total)
        self.query_one("#last-run", Label).say(said)

    def on_list_pane_chosen(self, event: ListPane.Chosen) -> None:
        kind, _, name = event.key.partition(":")
        if kind == "caveats":
            self.workbench.open_screen("family", family=name, line=event.key)
        else:
            self.workbench.open_thing(kind, name)

    def action_family(self) -> None:
        heads = [item.key for item in self.pane.items[: self.pane.cursor + 1] if not item.key or item.heading]
        if heads and heads[-1]:
            self.workbench.open_thing("family", heads[-1].partition(":")[2])
        else:
            self.tell(Inert.of("no family has this as its own"))

    def action_next_family(self) -> None:
        self._go_to_family(self.pane.items[self.pane.cursor + 1 :])

    def action_previous_family(self) -> None:
        self._go_to_family(self.pane.items[: self.pane.cursor][::-1])

    def _go_to_family(self, items: Iterable[ListItem]) -> None:
        self.pane.go_to(next((item.key for item in items if item.heading), ""))


def first_steps(key_of: Callable[[str], str]) -> Inert:
    """What this is and what can be done first, for somebody who has no run yet."""

    def key(action_id: str) -> Inert:
        return Inert.of(key_of(action_id), "bold $accent")

    return (
        Inert.of("Skills are procedures that derive clinical facts from hospital records. Read and audit ")
        + "them, let agents follow them in a sandbox, see the score. "
        + key("list.choose") + " on a task sets up a run; "
        + key("home.family") + " shows all of its family; "
        + key("app.sources") + " the data; " + key("app.palette") + " finds any command; " + key("app.help")
        + " tells the keys. Last run: none yet"
    )  # fmt: skip


def run_line(row: RunRow, total: int) -> Inert:
    """The last run in one line."""
    reward = "no reward" if row.reward is None else f"reward {row.reward:.3f}"
    return (
        Inert.of(f"Last of {count(total, 'run')}: ")
        + verdict_text(row.verdict or row.state, row.fails, row.warns)
        + f"  {reward}  "
        + Inert.line(f"{row.task}, {row.condition}, {row.agent}  {row.run_id}")
    )
