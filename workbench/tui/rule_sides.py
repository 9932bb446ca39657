"""What is held against what in the rule diff: read, compared, and what else can be chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.records import BadInput
from workbench.tui.context import AppContext
from workbench.tui.raw_logs import how_shown, source_of

if TYPE_CHECKING:
    from workbench.records import AcceptedRow, Task
    from workbench.rules import Comparison, Side, SourceText

REFERENCE, SPEC, CONCEPT = "reference", "spec", "concept"
MOST_VERSIONS = 50
_KINDS = ("skill", "spec", "run", "reference")
Choices = Sequence[tuple[str, str, str]]
"""Value, text, note."""


@dataclass(frozen=True)
class Laid:
    """``marks``: of the skill, by row: the ones that do not hold for these texts, too."""

    comparison: Comparison
    skill: str = ""
    marks: Mapping[str, AcceptedRow] = field(default_factory=dict)


def lay(context: AppContext, first: str, second: str, *, closure: bool = False) -> Laid:
    """Compare what the names stand for.

    ``first``: ``skill:<name>``, ``spec:<task>``, ``run:<id>`` (the SQL of its answer) or
    ``reference:<family>``. ``second``: ``reference:<target>``, ``spec``, ``concept``, ``version:<commit>``;
    ``closure``: with the concepts that a reference stands on. Call it in a thread. Raises WorkbenchError.
    """
    from workbench import rules

    kind, _, name = first.partition(":")
    if kind not in _KINDS:
        raise BadInput(f"{first!r} cannot be held against anything", remedy="Choose another first side.")
    one, tasks = _first(context, kind, name)
    other = _second(context, name, tasks, second)
    if closure:
        other = rules.with_closure(other, concept_texts(context)())
    skill = name if kind == "skill" else ""
    marks = rules.accepted_rows(context.content, skill) if skill else []
    found = rules.compare(one, other, marks)
    return Laid(found, skill, {mark.row: mark for mark in marks})


def _first(context: AppContext, kind: str, name: str) -> tuple[Side, list[Task]]:
    from workbench import rules

    content = context.content
    if kind == "skill":
        return rules.skill_side(content, name), rules.tasks_of_skill(content, name)
    if kind == "spec":
        task = content.task(name)
        return rules.spec_side(content, [task]), [task]
    if kind == "reference":
        tasks = content.resolve(name)
        return rules.reference_side(content, tasks), tasks
    return _answer(context, name)


def _answer(context: AppContext, run: str) -> tuple[Side, list[Task]]:
    """The SQL of a run's answer, out of its steps as they may be shown."""
    from workbench import runs
    from workbench.records import StepEvent
    from workbench.store import EventLines, LocalRuns, RunStore
    from workbench.trajectories import final_sql

    store = RunStore(context.data, context.clock)
    plan = LocalRuns(store).plan(run)
    steps = (e.step for e in EventLines(store.paths(run).events).new() if isinstance(e, StepEvent))
    shown = how_shown(context, source_of(context, run))
    if shown is None:
        answer = final_sql(steps)
    else:
        with shown() as show:
            answer = final_sql(show(step) for step in steps)
    if answer is None:
        raise BadInput("no query is in the steps of this run", where=run, remedy="Look at its steps instead.")
    return runs.answer_side(run, answer), [context.content.task(plan.task)]


def _second(context: AppContext, name: str, tasks: list[Task], second: str) -> Side:
    from workbench import rules

    what, _, which = second.partition(":")
    content = context.content
    if what == "version":
        return _version(context, name, which)
    if not tasks:
        raise BadInput(f"no task is known that {name} is for", remedy="Hold it against one of its versions.")
    if what == SPEC:
        return rules.spec_side(content, tasks)
    if what == CONCEPT:
        return rules.concept_side(content, tasks, concept_texts(context)())
    return rules.reference_side(content, tasks, which or rules.PUBLIC_CODE)


def _version(context: AppContext, skill: str, commit: str) -> Side:
    from workbench import review, rules

    place = review.place_of(context.content.paths, context.data, skill)
    text = rules.SourceText(f"{commit[:10]}/{place.file}", review.text_at(place, commit))
    return rules.Side("version", (text,))


def concept_texts(context: AppContext) -> Callable[[], Mapping[str, SourceText]]:
    """Fetches the concept SQL when it is called; raises Unavailable where that cannot be had."""

    def fetched() -> Mapping[str, SourceText]:
        from workbench import ehr, rules

        folder = context.of_runs().concepts_folder
        found = ehr.fetch_concept_sql(context.data, folder)
        return {
            name: rules.SourceText(f"concepts/{found.revision}/{name}.sql", text)
            for name, text in found.texts().items()
        }

    return fetched


def first_choices(context: AppContext) -> Choices:
    """Skills, specifications and references; runs are opened from their own screen."""
    content = context.content
    tasks = content.readable_tasks()[0]
    families = dict.fromkeys(task.family for task in tasks)
    return [
        *((f"skill:{name}", name, "skill") for name in content.skill_names()),
        *((f"spec:{task.id}", task.id, "specification") for task in tasks),
        *((f"reference:{family}", family, "reference, against the concept") for family in families),
    ]


def second_choices(context: AppContext, first: str) -> Choices:
    """What ``first`` can be held against: references, the specification, concepts, versions of the skill."""
    kind, _, name = first.partition(":")
    _, tasks = _first(context, kind, name)
    found: list[tuple[str, str, str]] = []
    for target in dict.fromkeys(target for task in tasks for target in _targets(context, task)):
        found.append((f"{REFERENCE}:{target}", f"reference, {target}", "SQL"))
    if tasks and kind != "spec":
        found.append((SPEC, "operational specification", "text"))
    if tasks:
        found.append((CONCEPT, "public concept", "SQL; fetched once"))
    return [*found, *(_versions(context, name) if kind == "skill" else ())]


def _targets(context: AppContext, task: Task) -> Sequence[str]:
    from workbench.catalog import PartKind, family_parts

    names = [
        part.name for part in family_parts(context.content, task.family) if part.kind is PartKind.REFERENCE
    ]
    return [name.partition(", ")[0] for name in names]


def _versions(context: AppContext, skill: str) -> Choices:
    """None where the skill has no versions: outside a repository, in the installed copy."""
    from workbench import review
    from workbench.records import WorkbenchError

    try:
        place = review.place_of(context.content.paths, context.data, skill)
        known = review.versions(place, most=MOST_VERSIONS)
    except WorkbenchError:
        return ()
    return [
        (f"version:{one.commit}", f"version {one.short} {one.time:%Y-%m-%d}", f"{one.author}: {one.subject}")
        for one in known
    ]
