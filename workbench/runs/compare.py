"""A family's reference beside the pinned concept on one source, by a family's name."""

from __future__ import annotations

from workbench import ehr
from workbench.ehr import EqualityReport
from workbench.records import BadInput, FamilyDeviations, Progress, Task, silent
from workbench.runs.context import Context
from workbench.runs.setup import ensure_source


def task_on(context: Context, family: str, source_database: str, source_name: str) -> Task:
    """The first task of ``family`` for a source's database. Raises BadInput where there is none."""
    for task_id in context.content.family(family).tasks:
        task = context.content.task(task_id)
        if task.database == source_database:
            return task
    raise BadInput(
        f"family {family} has no task on {source_database}, which the source '{source_name}' is",
        remedy="Choose another with --source (workbench data list).",
    )


def compare_family(
    context: Context,
    family: str,
    source_name: str,
    target: str = "public-code",
    *,
    examples: int = 0,
    progress: Progress = silent,
) -> EqualityReport:
    """Build the family's reference of ``target`` on the source where needed, and compare it with the concept.

    Deviations are declared for ``public-code`` only; all that another target does differently is unexplained
    here. ``examples``: see ``ehr.compare_with_concept``; they may hold patients' values.
    Raises BadInput, or Unavailable where the concept SQL cannot be fetched.
    """
    source = ensure_source(context, source_name, progress)
    task = task_on(context, family, source.database, source.name)
    files = context.content.files(family)
    if not files.paths.reference(target, source.database).is_file():
        raise BadInput(
            f"family {family} has no reference '{target}' for {source.database}",
            remedy=f"Its targets: {', '.join(known.name for known in task.targets)}.",
        )
    if not task.reference_concept and not files.concept_sql(source.database):
        raise BadInput(f"family {family} has no public concept on {source.database} to be compared with")
    sql = files.reference_sql(target, source.database)
    concept_sql = ehr.concept_sql_of(source.database, context.data, context.concepts_folder)
    reference = ehr.ensure_reference(
        context.data, source, task, target, sql, concept_sql, settings=context.settings, progress=progress
    )
    return ehr.compare_with_concept(
        context.data,
        source,
        task,
        reference,
        concept_sql,
        files.deviations() if target == "public-code" else FamilyDeviations(family=family),
        concept=files.concept_sql(source.database),
        admissible=files.admissible_sql(source.database),
        examples=examples,
        settings=context.settings,
        progress=progress,
    )
