"""Family: everything that one family has; Enter opens it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from textual.widget import Widget

from workbench.catalog import FamilyEntry, FamilyPart, PartKind, family_parts
from workbench.records import Mode, WorkbenchError
from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.problems import problem_text, unreadable
from workbench.tui.screens.list_screen import ListScreen
from workbench.tui.shelf import count
from workbench.tui.themes import state_text
from workbench.tui.widgets.base import Label, ListItem, ListPane

if TYPE_CHECKING:
    from pydantic import JsonValue

_GROUPS = {
    PartKind.ABOUT: "Definition",
    PartKind.TASK: "Tasks",
    PartKind.INSTRUCTION: "Tasks",
    PartKind.SPECIFICATION: "Tasks",
    PartKind.SKILL: "Skill",
    PartKind.REFERENCE: "Reference",
    PartKind.ADMISSIBLE: "Reference",
    PartKind.CONCEPT: "Reference",
    PartKind.NAIVE: "Reference",
    PartKind.DEVIATIONS: "Reference",
    PartKind.EXAMPLE: "Example and checks",
    PartKind.CHECKS: "Example and checks",
    PartKind.STAGES: "Example and checks",
    PartKind.COUNTERFACTUALS: "Example and checks",
    PartKind.CAVEATS: "Caveats and witness cases",
    PartKind.CAVEAT: "Caveats and witness cases",
    PartKind.CASE: "Caveats and witness cases",
}
_KIND_WIDTH = 15
_OF_ALL = (
    *(PartKind.ABOUT, PartKind.DEVIATIONS, PartKind.CHECKS),
    *(PartKind.STAGES, PartKind.COUNTERFACTUALS, PartKind.CAVEATS),
)
"""There is one of each at most: the family's name says no more."""


class FamilyScreen(ListScreen):
    """``family``: its name; ``line``: the key of the part to begin at."""

    screen_name = "family"
    title_text = "Family"
    CSS_PATH = "family.tcss"
    BINDINGS = bindings("family")

    def __init__(self, family: JsonValue = "", line: JsonValue = "") -> None:
        super().__init__()
        self._family = str(family)
        self._wanted = str(line)
        self._parts: Sequence[FamilyPart] | None = None
        self._pressed: PartKind | None = None
        self._first_task = ""

    def body(self) -> Iterable[Widget]:
        yield Label(id="summary")
        yield ListPane(empty=Inert.of("reading"), id="parts")

    @property
    def heading(self) -> Inert:
        return Inert.line(f"Family: {self._family}")

    @property
    def plain_twin(self) -> str:
        return f"workbench task family {self._family}"

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"family": self._family}

    @property
    def pane(self) -> ListPane:
        return self.query_one(ListPane)

    @property
    def proposed_task(self) -> str:
        """The one whose lines the cursor is on, else the first standard one."""
        kind, _, name = self.pane.chosen_key.partition(":")
        of_task = kind in (PartKind.TASK, PartKind.INSTRUCTION, PartKind.SPECIFICATION)
        return name if of_task else self._first_task

    def state(self) -> dict[str, JsonValue]:
        return {"line": self.pane.chosen_key or self._wanted}

    def restore(self, state: dict[str, JsonValue]) -> None:
        wanted = str(state.get("line", ""))
        if not self.pane.go_to(wanted):
            self._wanted = self._wanted or wanted

    def on_mount(self) -> None:
        self.pane.focus()

    def on_screen_resume(self) -> None:
        self.action_reload()

    def action_reload(self) -> None:
        context, family = self.workbench.context, self._family
        self.in_background(lambda: read_family(context, family), self._show, group="family")

    def _show(self, found: tuple[FamilyEntry, list[FamilyPart]]) -> None:
        entry, self._parts = found
        tasks = sorted(entry.readable_tasks, key=lambda task: task.mode is not Mode.STANDARD)
        self._first_task = tasks[0].id if tasks else ""
        self.query_one("#summary", Label).say(summary(entry))
        self.pane.fill(part_lines(self._parts))
        if self._wanted:
            self.pane.go_to(self._wanted)
            self._wanted = ""
        broken = sum(part.problem is not None for part in self._parts)
        self.status(unreadable(broken) + Inert.of(count(len(entry.tasks), "task")))
        pressed, self._pressed = self._pressed, None
        if pressed is not None:
            self._open_kind(pressed)

    def failed(self, error: WorkbenchError) -> None:
        super().failed(error)
        self.query_one("#summary", Label).say(Inert.line(f"{error.what}. {error.remedy}"))

    def on_list_pane_chosen(self, event: ListPane.Chosen) -> None:
        part = next((part for part in self._parts or () if part.key == event.key), None)
        if part is None:
            return
        if part.problem is None and part.kind in (PartKind.TASK, PartKind.SKILL):
            self.workbench.open_thing(part.kind, part.name)
        else:
            self.workbench.open_thing("document", f"{self._family}/{part.key}")

    def action_skill(self) -> None:
        self._open_kind(PartKind.SKILL)

    def action_specification(self) -> None:
        self._open_kind(PartKind.SPECIFICATION)

    def action_reference(self) -> None:
        self._open_kind(PartKind.REFERENCE)

    def action_deviations(self) -> None:
        self._open_kind(PartKind.DEVIATIONS)

    def action_example(self) -> None:
        self._open_kind(PartKind.EXAMPLE)

    def action_caveats(self) -> None:
        self._open_kind(PartKind.CAVEATS)

    def action_instruction(self) -> None:
        self._open_kind(PartKind.INSTRUCTION)

    def action_checks(self) -> None:
        self._open_kind(PartKind.CHECKS)

    def action_task(self) -> None:
        self._open_kind(PartKind.TASK)

    def action_rules(self) -> None:
        """The specification or the reference that the cursor is on, else the skill."""
        kind, _, name = self.pane.chosen_key.partition(":")
        skill = next((part.name for part in self._parts or () if part.kind is PartKind.SKILL), "")
        if kind == PartKind.SPECIFICATION:
            self.workbench.open_thing("rules", f"spec:{name}")
        elif kind in (PartKind.REFERENCE, PartKind.CONCEPT) or (not skill and self._parts is not None):
            self.workbench.open_thing("rules", f"reference:{self._family}")
        elif skill:
            self.workbench.open_thing("rules", f"skill:{name if kind == PartKind.SKILL else skill}")

    def _open_kind(self, kind: PartKind) -> None:
        """Open the one of the cursor's line, else the first; a key pressed too early waits for the list."""
        if self._parts is None:
            self._pressed = kind
            return
        keys = [part.key for part in self._parts if part.kind is kind]
        if not keys:
            self.tell(Inert.of(f"this family has no {kind}"))
            return
        of_line = f"{kind}:{self.pane.chosen_key.partition(':')[2]}"
        self.pane.go_to(of_line if of_line in keys else keys[0])
        self.pane.action_choose()


def read_family(context: AppContext, family: str) -> tuple[FamilyEntry, list[FamilyPart]]:
    """The family and its parts. Raises BadInput where there is no such family."""
    return context.content.entry(family), family_parts(context.content, family)


def summary(entry: FamilyEntry) -> Inert:
    """What the family is, or that its own file cannot be read."""
    if entry.family is None:
        where = entry.problem.where if entry.problem is not None else ""
        return Inert.line(entry.name, "bold") + "  " + problem_text(where)
    words = " ".join(entry.family.summary.split())
    return Inert.line(entry.family.title, "bold") + "\n" + Inert.line(words)


def part_lines(parts: Sequence[FamilyPart]) -> list[ListItem]:
    """Headings, and below them the parts."""
    lines = []
    for title, group in groupby(parts, lambda part: _GROUPS[part.kind]):
        lines.append(ListItem("", Inert.of(title)))
        lines += [part_line(part) for part in group]
    return lines


def part_line(part: FamilyPart) -> ListItem:
    """What it is, which, and what is known of it."""
    if part.severity:
        kind = state_text(part.severity)
    else:
        kind = Inert.of(f"  {part.kind}" if part.kind is PartKind.CASE else part.kind)
    title_first = part.kind in (PartKind.CAVEAT, PartKind.CASE) and part.note
    if title_first and part.problem is None:
        named = Inert.line(part.note) + "  " + Inert.line(part.name, "$secondary")
        return ListItem(part.key, kind.fit(_KIND_WIDTH) + named)
    name = Inert() if part.kind in _OF_ALL or not part.name else Inert.line(part.name) + "  "
    if part.problem is not None:
        note = problem_text(part.problem.where)
    elif part.kind is PartKind.ABOUT:
        note = Inert.of("definition, grain, sources, when the inputs become known")
    else:
        note = Inert.line(part.note, "" if part.kind in _OF_ALL else "$secondary")
    return ListItem(part.key, kind.fit(_KIND_WIDTH) + name + note)
