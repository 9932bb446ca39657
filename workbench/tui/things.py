"""Everything that can be gone to by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workbench.records import BadInput, Draft
from workbench.tui.actions import scopes
from workbench.tui.context import AppContext
from workbench.tui.finder import Candidate
from workbench.tui.problems import problem_text
from workbench.tui.screen_table import SCREENS


def find_things(context: AppContext, drafts: list[Draft]) -> list[Candidate]:
    """Unsaved texts, families, tasks, skills, standing screens, runs, the newest first.

    A family or a task that cannot be read is told as such.
    """
    from workbench.store import RunStore

    things = [Candidate(f"draft:{draft.key}", draft.title, "unsaved text") for draft in drafts]
    things += sorted(_families(context), key=lambda found: found.key.startswith(("task:", "broken:")))
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


def _families(context: AppContext) -> Iterator[Candidate]:
    for entry in context.content.entries():
        title = entry.family.title if entry.family is not None else ""
        hint = title if entry.problem is None else problem_text(entry.problem.where).plain
        yield Candidate(f"family:{entry.name}", entry.name, hint)
        for name, task in entry.tasks.items():
            if isinstance(task, BadInput):
                hint = problem_text(task.where).plain
                yield Candidate(f"broken:{entry.name}/task:{name}", name, hint)
            else:
                yield Candidate(f"task:{name}", name, task.title)


def find_more(context: AppContext) -> list[Candidate]:
    """Sources, caveats and witness cases: what takes longer to read.

    A source that cannot be read is told as such; an audit that cannot is left out.
    """
    diffs = (Candidate(f"rules:skill:{name}", name, "rule diff") for name in context.content.skill_names())
    return [*_sources(context), *_caveats(context), *diffs]


def _sources(context: AppContext) -> Iterator[Candidate]:
    from workbench import ehr

    sources, problems = ehr.readable_sources(context.data)
    for source in sources:
        hint = f"{source.kind}, {source.database}, {source.origin}"
        yield Candidate(f"source:{source.name}", source.name, hint)
    for problem in problems:
        name = Path(problem.where).parent.name
        yield Candidate(f"source:{name}", name, problem_text(problem.where).plain)


def _caveats(context: AppContext) -> Iterator[Candidate]:
    from workbench.tui.audits import audit_of

    for entry in context.content.entries():
        try:
            audit = audit_of(context.content, entry.paths)
        except BadInput:
            continue
        for caveat in audit.caveats:
            key = f"caveat:{entry.name}/caveat:{caveat.id}"
            yield Candidate(key, caveat.id, f"{entry.name}, {caveat.severity}: {caveat.title}")
            for case in caveat.witness:
                key = f"case:{entry.name}/case:{case.id}"
                yield Candidate(key, case.id, f"{entry.name}: {case.story}")
