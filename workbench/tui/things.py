"""Everything that can be gone to by name."""

from __future__ import annotations

from workbench.records import Draft
from workbench.tui.actions import scopes
from workbench.tui.context import AppContext
from workbench.tui.finder import Candidate
from workbench.tui.screen_table import SCREENS


def find_things(context: AppContext, drafts: list[Draft]) -> list[Candidate]:
    """Unsaved texts, tasks, skills, standing screens, runs, the newest first; the unreadable is left out."""
    from workbench.store import RunStore

    tasks, _ = context.content.readable_tasks()
    things = [Candidate(f"draft:{draft.key}", draft.title, "unsaved text") for draft in drafts]
    things += [Candidate(f"task:{task.id}", task.id, task.title) for task in tasks]
    things += [Candidate(f"skill:{name}", name, "skill") for name in context.content.skill_names()]
    things += [
        Candidate(f"screen:{entry.name}", scopes()[entry.name].title, "screen")
        for entry in SCREENS
        if entry.mode
    ]
    for row in RunStore(context.data).rows():
        words = (row.verdict or row.state, row.condition, row.agent, row.run_id)
        things.append(Candidate(f"run:{row.run_id}", f"{row.task} {row.run_id}", ", ".join(words)))
    return things
