"""What Home lists: families with their tasks, skills and caveats, as far as they can be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.problems import problem_text
from workbench.tui.themes import state_text
from workbench.tui.widgets.base import ListItem

if TYPE_CHECKING:
    from workbench.catalog import FamilyEntry
    from workbench.records import Caveat

    Caveats = Mapping[str, tuple[Caveat, ...] | None]
    """By family; None where the audit cannot be read."""

_MORE = " (Enter says what is wrong)"


@dataclass(frozen=True)
class Shelf:
    """All families as far as they can be read, and the skills below ``skills/`` that no task gives as its
    own, with the tasks they are a decoy in.
    """

    families: tuple[FamilyEntry, ...]
    other_skills: tuple[tuple[str, int], ...]

    @property
    def counted(self) -> str:
        """``15 families, 28 tasks, 15 skills``; tasks beyond the published benchmark are told apart."""
        tasks = Counter(entry.paths.collection for entry in self.families for _ in entry.tasks)
        own, extensions = tasks.pop("local", 0), tasks.pop("extensions", 0)
        words = [count(len(self.families), "family", "families"), count(tasks.total(), "task")]
        words += [count(extensions, "extension")] if extensions else []
        words += [f"{own} of your own"] if own else []
        return ", ".join([*words, count(self.skills, "skill")])

    @property
    def skills(self) -> int:
        """Of families and others, each once."""
        own = {skill for entry in self.families for skill in own_skills(entry)}
        return len(own | {name for name, _ in self.other_skills})

    @property
    def unreadable(self) -> int:
        """Families and tasks that cannot be read."""
        return sum(len(entry.problems) for entry in self.families)


def own_skills(entry: FamilyEntry) -> tuple[str, ...]:
    """What the family's tasks give an agent as its own skill."""
    return tuple(dict.fromkeys(skill for task in entry.readable_tasks for skill in task.skills))


def read_shelf(context: AppContext) -> Shelf:
    """Families, and the other skills. Raises BadInput where the folders themselves cannot be read."""
    entries = context.content.entries()
    decoys = Counter(task.decoy_skill for entry in entries for task in entry.readable_tasks)
    own = {skill for entry in entries for skill in own_skills(entry)}
    others = [(name, decoys[name]) for name in context.content.skill_names() if name not in own]
    return Shelf(tuple(entries), tuple(others))


def read_caveats(context: AppContext, shelf: Shelf) -> Caveats:
    """The caveats of every family's reference."""
    from workbench.records import BadInput
    from workbench.tui.audits import audit_of

    found: dict[str, tuple[Caveat, ...] | None] = {}
    for entry in shelf.families:
        try:
            found[entry.name] = tuple(audit_of(context.content, entry.paths).caveats)
        except BadInput:
            found[entry.name] = None
    return found


def family_lines(entry: FamilyEntry, caveats: Caveats | None) -> list[ListItem]:
    """The family itself, its tasks, its skills, its caveats (None: not read yet)."""
    from workbench.records import Task

    title = entry.family.title if entry.family is not None else entry.name
    head = Inert.of("family  ") + Inert.line(title)
    if entry.problem is not None:
        head = head + "  " + problem_text(entry.problem.where) + _MORE
    lines = [ListItem(f"family:{entry.name}", head, heading=True)]
    for name, task in entry.tasks.items():
        line = Inert.of("task    ") + Inert.line(name)
        if isinstance(task, Task):
            lines.append(ListItem(f"task:{name}", line))
        else:
            told = line + "  " + problem_text(task.where) + _MORE
            lines.append(ListItem(f"broken:{entry.name}/task:{name}", told))
    lines += [
        ListItem(f"skill:{skill}", Inert.of("skill   ") + Inert.line(skill)) for skill in own_skills(entry)
    ]
    counts = Inert.of("reading") if caveats is None else caveat_counts(caveats[entry.name])
    lines.append(ListItem(f"caveats:{entry.name}", Inert.of("caveats ") + counts))
    return lines


def all_family_lines(shelf: Shelf, caveats: Caveats | None) -> list[ListItem]:
    """The lines of every family, those beyond the published benchmark below a heading."""
    lines: list[ListItem] = []
    for number, entry in enumerate(shelf.families):
        before = shelf.families[number - 1].paths.published if number else True
        if before and not entry.paths.published:
            lines.append(ListItem("", Inert.of("Beyond the published benchmark")))
        lines += family_lines(entry, caveats)
    return lines


def other_skill_lines(shelf: Shelf) -> list[ListItem]:
    """Skills that are no task's own."""
    if not shelf.other_skills:
        return []
    task = "task that can be read" if shelf.unreadable else "task"
    lines = [ListItem("", Inert.of(f"Skills that are no {task}'s own"))]
    for name, decoys in shelf.other_skills:
        use = f"  decoy of {count(decoys, 'task')}" if decoys else ""
        lines.append(ListItem(f"skill:{name}", Inert.of("skill   ") + Inert.line(name) + use))
    return lines


def caveat_counts(caveats: tuple[Caveat, ...] | None) -> Inert:
    """``12 of the reference: ‼ 3 major, ! 5 moderate, · 4 minor``."""
    from workbench.records import Severity

    if caveats is None:
        return state_text("error", "the audit cannot be read") + _MORE
    pieces = []
    for severity in (Severity.MAJOR, Severity.MODERATE, Severity.MINOR):
        number = sum(caveat.severity is severity for caveat in caveats)
        if number:
            pieces.append(state_text(severity, f"{number} {severity}"))
    return Inert.of(f"{len(caveats)} of the reference: ") + Inert.join(pieces, ", ")


def count(number: int, one: str, many: str = "") -> str:
    """``1 task``, ``2 tasks``."""
    return f"{number} {one if number == 1 else many or one + 's'}"
