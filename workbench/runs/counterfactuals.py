"""Counterfactuals there are, and whether one's reference differs on a source exactly where it declares to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench import ehr
from workbench.catalog import Content
from workbench.ehr.declared_difference import DeclaredDifference, compare_difference
from workbench.records import UNCHANGED, BadInput, Counterfactual, Problem, Progress, RunPlan, Task, silent
from workbench.runs.context import Context
from workbench.runs.preview import preview
from workbench.runs.setup import ensure_source, source_for
from workbench.runs.views import content_of
from workbench.runs.views.counterfactual import PRIMARY
from workbench.witness import run_worked_example


@dataclass(frozen=True)
class ListedCounterfactual:
    """A family's counterfactual, and the tasks that can be run under it."""

    family: str
    tasks: list[str]
    item: Counterfactual


def list_counterfactuals(
    content: Content, name: str = ""
) -> tuple[list[ListedCounterfactual], list[Problem]]:
    """Those of all families, or of the task, family or alias ``name``; and the files that cannot be read.

    Raises BadInput for an unknown name.
    """
    tasks = content.resolve(name) if name else content.readable_tasks()[0]
    listed, problems = [], []
    for family in dict.fromkeys(task.family for task in tasks):
        try:
            items = content.files(family).counterfactuals()
        except BadInput as error:
            problems.append(Problem(what=error.what, where=error.where, remedy=error.remedy))
            continue
        for item in items:
            own = [task.id for task in tasks if (task.family, task.database) == (family, item.database)]
            if own:
                listed.append(ListedCounterfactual(family, own, item))
    return listed, problems


def tells_of_change(content: Content, plan: RunPlan) -> bool:
    """Whether anything that the run's agent gets states the changed rule. Raises as ``content_of``."""
    task = content.task(plan.task)
    seen = content_of(content, task=task, counterfactual=plan.counterfactual)
    changed = preview(seen, seen.task(task.id), plan.condition)
    return changed != preview(content, task, plan.condition)


def on_source(
    context: Context, listed: Sequence[ListedCounterfactual], source_name: str
) -> list[ListedCounterfactual]:
    """Those of the source's database; a synthetic source stands for its numbers. Raises BadInput for none."""
    databases = {source.name: source.database for source in ehr.readable_sources(context.data)[0]}
    fitting = []
    for found in listed:
        used = source_for(source_name, context.content.task(found.tasks[0]))
        if databases.get(used, found.item.database) == found.item.database:
            fitting.append(found)
    if listed and not fitting:
        raise BadInput(
            f"none of the counterfactuals is for the database of '{source_name}'",
            remedy="Choose another with --source (workbench data list).",
        )
    return fitting


def verify_counterfactual(
    context: Context, listed: ListedCounterfactual, source_name: str, progress: Progress = silent
) -> DeclaredDifference:
    """Both references over the source beside what the counterfactual declares, and the worked example under
    it. Nothing is kept.

    A synthetic source stands for its numbers, as in a run. Raises BadInput where texts or SQL do not fit.
    """
    task = context.content.task(listed.tasks[0])
    source = ensure_source(context, source_for(source_name, task), progress)
    seen = content_of(context.content, task=task, counterfactual=listed.item.name)
    progress(f"{listed.family} {listed.item.name}", 0, 0, "references")
    concepts = ehr.concept_sql_of(task.database, context.data, context.concepts_folder)
    found = compare_difference(
        context.data,
        source,
        task,
        seen.reference_sql(task.family, UNCHANGED, task.database),
        seen.reference_sql(task.family, PRIMARY, task.database),
        listed.item.differs,
        concepts,
        settings=context.settings,
    )
    return replace(found, problems=[*found.problems, *example_problems(seen, task, concepts)])


def example_problems(seen: Content, task: Task, concepts: ehr.ConceptSql) -> list[str]:
    """Where the worked example, as agents get it, is not what the changed reference gives."""
    examples = seen.files(task.family).worked_examples()
    if task.database not in [example.database for example in examples]:
        return []
    checked = run_worked_example(seen, task.family, database=task.database, concept_sql=concepts)
    return [f"worked example, stay {item.stay}: {detail}" for item in checked for detail in item.details]
