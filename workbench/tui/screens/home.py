"""Home: families with their tasks, skills and caveats, and the last run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import JsonValue
from textual.widget import Widget

from workbench.records import BadInput, Caveat, Family, RunRow, Severity
from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.themes import state_text
from workbench.tui.widgets.base import Label, ListItem, ListPane


@dataclass(frozen=True)
class FamilyCounts:
    """One family and what there is for it; ``caveats`` is None where its audit cannot be read."""

    family: Family
    skills: tuple[str, ...]
    caveats: tuple[Caveat, ...] | None


def read_families(context: AppContext) -> list[FamilyCounts]:
    """All families with counts. Raises BadInput."""
    content = context.content
    found = []
    for family in content.families():
        tasks = [content.task(task) for task in family.tasks]
        skills = tuple(dict.fromkeys(skill for task in tasks for skill in task.skills))
        try:
            caveats: tuple[Caveat, ...] | None = tuple(content.audit(family.name).caveats)
        except BadInput:
            caveats = None
        found.append(FamilyCounts(family, skills, caveats))
    return found


def last_run(context: AppContext) -> tuple[RunRow | None, int]:
    """The newest run and how many there are."""
    from workbench.store import RunStore

    runs = RunStore(context.data)
    rows = runs.rows(limit=1)
    counted = runs.aggregate([])
    return (rows[0] if rows else None, int(counted[0]["runs"]) if counted else 0)


class HomeScreen(WorkbenchScreen):
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
        return "workbench task list; workbench runs list --limit 1"

    def on_mount(self) -> None:
        self.query_one(ListPane).focus()
        self.action_reload()

    def action_reload(self) -> None:
        context = self.workbench.context
        self.in_background(lambda: read_families(context), self._show_families, group="families")
        self.in_background(lambda: last_run(context), self._show_last_run, group="last-run")

    def state(self) -> dict[str, JsonValue]:
        return {"line": self.query_one(ListPane).chosen_key}

    def restore(self, state: dict[str, JsonValue]) -> None:
        wanted = str(state.get("line", ""))
        if not self.query_one(ListPane).go_to(wanted):
            self._wanted = wanted

    _wanted = ""

    def _show_families(self, families: list[FamilyCounts]) -> None:
        pane = self.query_one(ListPane)
        pane.fill([item for family in families for item in family_lines(family)])
        if self._wanted:
            pane.go_to(self._wanted)
            self._wanted = ""
        tasks = sum(len(item.family.tasks) for item in families)
        skills = {skill for item in families for skill in item.skills}
        words = (
            count(len(families), "family", "families"),
            count(tasks, "task"),
            count(len(skills), "skill"),
        )
        self.status(Inert.of(", ".join(words)))

    def _show_last_run(self, found: tuple[RunRow | None, int]) -> None:
        self.query_one("#last-run", Label).say(run_line(*found))

    def on_list_pane_chosen(self, event: ListPane.Chosen) -> None:
        kind, _, name = event.key.partition(":")
        self.workbench.open_thing(kind, name)


def family_lines(counts: FamilyCounts) -> list[ListItem]:
    """The family's heading, its tasks, its skills, its caveats."""
    family = counts.family
    lines = [ListItem("", Inert.line(family.title))]
    lines += [ListItem(f"task:{task}", Inert.of("task    ") + Inert.line(task)) for task in family.tasks]
    lines += [ListItem(f"skill:{skill}", Inert.of("skill   ") + Inert.line(skill)) for skill in counts.skills]
    lines.append(ListItem(f"caveats:{family.name}", Inert.of("caveats ") + caveat_counts(counts.caveats)))
    return lines


def caveat_counts(caveats: tuple[Caveat, ...] | None) -> Inert:
    """``12: ‼ 3 major, ! 5 moderate, · 4 minor``."""
    if caveats is None:
        return state_text("error", "the audit cannot be read")
    pieces = []
    for severity in (Severity.MAJOR, Severity.MODERATE, Severity.MINOR):
        number = sum(caveat.severity is severity for caveat in caveats)
        if number:
            pieces.append(state_text(severity, f"{number} {severity}"))
    return Inert.of(f"{len(caveats)}: ") + Inert.join(pieces, ", ")


def run_line(row: RunRow | None, total: int) -> Inert:
    """The last run in one line."""
    if row is None:
        return Inert.of("Last run: none yet")
    reward = "no reward" if row.reward is None else f"reward {row.reward:.3f}"
    return (
        Inert.of(f"Last of {count(total, 'run')}: ")
        + state_text(row.verdict or row.state)
        + f"  {reward}  "
        + Inert.line(f"{row.task}, {row.condition}, {row.agent}  {row.run_id}")
    )


def count(number: int, one: str, many: str = "") -> str:
    """``1 task``, ``2 tasks``."""
    return f"{number} {one if number == 1 else many or one + 's'}"
