"""Home: families with their tasks, skills and caveats, and the last run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.widget import Widget

from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.themes import state_text
from workbench.tui.widgets.base import Label, ListItem, ListPane

if TYPE_CHECKING:
    from pydantic import JsonValue

    from workbench.records import Caveat, Family, RunRow


@dataclass(frozen=True)
class FamilyCounts:
    """One family and what there is for it.

    ``skills``: what its tasks give an agent as its own skill; ``caveats``: of its references, None where the
    audit cannot be read.
    """

    family: Family
    skills: tuple[str, ...]
    caveats: tuple[Caveat, ...] | None


@dataclass(frozen=True)
class Shelf:
    """All families, and the skills below ``skills/`` that no task gives as its own, with the tasks they are a
    decoy in.
    """

    families: tuple[FamilyCounts, ...]
    other_skills: tuple[tuple[str, int], ...]

    @property
    def tasks(self) -> int:
        return sum(len(item.family.tasks) for item in self.families)

    @property
    def skills(self) -> int:
        """Of families and others, each once."""
        own = {skill for item in self.families for skill in item.skills}
        return len(own | {name for name, _ in self.other_skills})


def read_shelf(context: AppContext) -> Shelf:
    """Families with counts, and the other skills. Raises BadInput."""
    from workbench.records import BadInput

    content = context.content
    found = []
    decoys: Counter[str] = Counter()
    for family in content.families():
        tasks = [content.task(task) for task in family.tasks]
        decoys.update(task.decoy_skill for task in tasks)
        skills = tuple(dict.fromkeys(skill for task in tasks for skill in task.skills))
        try:
            caveats: tuple[Caveat, ...] | None = tuple(content.audit(family.name).caveats)
        except BadInput:
            caveats = None
        found.append(FamilyCounts(family, skills, caveats))
    own = {skill for item in found for skill in item.skills}
    others = [(name, decoys[name]) for name in content.skill_names() if name not in own]
    return Shelf(tuple(found), tuple(others))


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
        return "workbench task list;workbench skill list;workbench witness list;workbench runs list --limit 1"

    def on_mount(self) -> None:
        self.query_one(ListPane).focus()
        self.workbench.when_painted(self.action_reload)

    def action_reload(self) -> None:
        context = self.workbench.context
        self.in_background(lambda: read_shelf(context), self._show_shelf, group="families")
        self.in_background(lambda: last_run(context), self._show_last_run, group="last-run")

    def state(self) -> dict[str, JsonValue]:
        return {"line": self.query_one(ListPane).chosen_key}

    def restore(self, state: dict[str, JsonValue]) -> None:
        wanted = str(state.get("line", ""))
        if not self.query_one(ListPane).go_to(wanted):
            self._wanted = wanted

    _wanted = ""

    def _show_shelf(self, shelf: Shelf) -> None:
        pane = self.query_one(ListPane)
        lines = [item for family in shelf.families for item in family_lines(family)]
        pane.fill(lines + other_skill_lines(shelf))
        if self._wanted:
            pane.go_to(self._wanted)
            self._wanted = ""
        words = (
            count(len(shelf.families), "family", "families"),
            count(shelf.tasks, "task"),
            count(shelf.skills, "skill"),
        )
        self.status(Inert.of(", ".join(words)))

    def _show_last_run(self, found: tuple[RunRow | None, int]) -> None:
        self.query_one("#last-run", Label).say(run_line(*found))

    def on_list_pane_chosen(self, event: ListPane.Chosen) -> None:
        kind, _, name = event.key.partition(":")
        if kind == "caveats":
            told = f"audits/{name}.toml holds them; `workbench witness run {name}` executes their cases"
            self.tell(Inert.line(told))
            return
        self.workbench.open_thing(kind, name)


def family_lines(counts: FamilyCounts) -> list[ListItem]:
    """The family's heading, its tasks, its skills, its caveats."""
    family = counts.family
    lines = [ListItem("", Inert.line(family.title))]
    lines += [ListItem(f"task:{task}", Inert.of("task    ") + Inert.line(task)) for task in family.tasks]
    lines += [ListItem(f"skill:{skill}", Inert.of("skill   ") + Inert.line(skill)) for skill in counts.skills]
    lines.append(ListItem(f"caveats:{family.name}", Inert.of("caveats ") + caveat_counts(counts.caveats)))
    return lines


def other_skill_lines(shelf: Shelf) -> list[ListItem]:
    """Skills that are no task's own."""
    if not shelf.other_skills:
        return []
    lines = [ListItem("", Inert.of("Skills that are no task's own"))]
    for name, decoys in shelf.other_skills:
        use = f"  decoy of {count(decoys, 'task')}" if decoys else ""
        lines.append(ListItem(f"skill:{name}", Inert.of("skill   ") + Inert.line(name) + use))
    return lines


def caveat_counts(caveats: tuple[Caveat, ...] | None) -> Inert:
    """``12 of the reference: ‼ 3 major, ! 5 moderate, · 4 minor``."""
    from workbench.records import Severity

    if caveats is None:
        return state_text("error", "the audit cannot be read")
    pieces = []
    for severity in (Severity.MAJOR, Severity.MODERATE, Severity.MINOR):
        number = sum(caveat.severity is severity for caveat in caveats)
        if number:
            pieces.append(state_text(severity, f"{number} {severity}"))
    return Inert.of(f"{len(caveats)} of the reference: ") + Inert.join(pieces, ", ")


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
