"""What a run needs and is made once: source, concepts, task database, references, runtime."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from workbench import ehr
from workbench.ehr.variants import SchemaNames
from workbench.records import (
    SYNTHETIC_NAME,
    BadInput,
    Progress,
    Reference,
    Source,
    Task,
    TaskDatabase,
    silent,
)
from workbench.runs.context import Context
from workbench.sandbox import Runtime, Sandbox, ensure_python_runtime


@dataclass(frozen=True)
class Ready:
    """Everything that is shared between runs of one task on one source."""

    source: Source
    database: TaskDatabase
    database_folder: Path
    references: dict[str, Reference]
    reference_files: dict[str, Path]
    reference_sql: dict[str, str]
    runtime: Runtime
    column_names: dict[str, str] = field(default_factory=dict)
    """What the agent is to call its output's columns, where not as in the task, with the task's names."""


def source_for(name: str, task: Task) -> str:
    """``name``; a synthetic one stands for its numbers, so that each task gets that of its own database.

    Raises BadInput for a task on a database of which none can be made.
    """
    match = SYNTHETIC_NAME.fullmatch(name)
    if match and task.database not in ehr.TITLES:
        raise BadInput(
            f"task {task.id} is on {task.database}, and no synthetic data can be made of that",
            remedy="Name a source that was imported from it with --source (workbench data list).",
        )
    return ehr.synthetic_name(task.database, int(match["stays"]), int(match["seed"])) if match else name


def ensure_source(context: Context, name: str, progress: Progress = silent) -> Source:
    """The named source; ``synthetic-[eicu-]<stays>-<seed>`` is made where it is missing or of an earlier
    version of the generator. Raises BadInput, and Refused while another process uses one to be made anew.
    """
    match = SYNTHETIC_NAME.fullmatch(name)
    if name in ehr.source_names(context.data):
        there = ehr.load_source(context.data, name)
        if match is None or there.kind != "synthetic" or ehr.is_current(there):
            return there
    if match:
        return ehr.make_synthetic(
            context.data,
            int(match["stays"]),
            int(match["seed"]),
            database=match["database"] or "mimic-iv",
            progress=progress,
            clock=context.clock,
            settings=context.settings,
        )
    raise unknown_source(context, name)


def unknown_source(context: Context, name: str) -> BadInput:
    """The error for a source that is neither there nor can be made."""
    known = ", ".join(ehr.source_names(context.data)) or "none"
    return BadInput(
        f"no source named '{name}'",
        remedy=f"Known: {known}. Import one (workbench data import PATH --name {name}), "
        "or use synthetic-<stays>-<seed> (synthetic-eicu-<stays>-<seed> for eICU-CRD).",
    )


def ensure_ready(
    context: Context,
    task: Task,
    source_name: str,
    sandbox: Sandbox,
    progress: Progress = silent,
    *,
    names: SchemaNames | None = None,
) -> Ready:
    """Build what is missing or stale for ``task``; a second call does nothing but check.

    ``names``: those of a schema variant, under which the agent gets the database. Raises BadInput,
    Unavailable (concept SQL cannot be fetched) or Refused (a leak in the task database).
    """
    source = ensure_source(context, source_for(source_name, task), progress)
    if source.database != task.database:
        raise BadInput(
            f"task {task.id} needs a {task.database} source; '{source.name}' is {source.database}",
            remedy="Choose another with --source (workbench data list).",
        )
    schema = ehr.schema_of(context.content, task.database)
    if schema.own and source.schema_name != schema.name:
        raise BadInput(
            f"the tables of {task.database} were declared otherwise when {source.name} was imported",
            where=str(context.content.paths.own_database(task.database)),
            remedy=f"Import it again: workbench data import PATH --name {source.name} "
            f"--database {task.database} --replace.",
        )
    progress("public concept SQL", 0, 0, "files")
    concept_sql = ehr.concept_sql_of(task.database, context.data, context.concepts_folder)
    settings = context.settings
    ehr.ensure_concepts(context.data, source, concept_sql, progress=progress, settings=settings)
    progress("task database", 0, 0, "files")
    database = ehr.ensure_task_database(
        context.data,
        source,
        task,
        concept_sql,
        sandbox,
        names=names,
        progress=progress,
        settings=settings,
        references=[
            context.content.reference_sql(task.family, target.name, task.database) for target in task.targets
        ],
    )
    references: dict[str, Reference] = {}
    files: dict[str, Path] = {}
    statements: dict[str, str] = {}
    paths = context.data.source(source.name)
    for target in task.targets:
        stored = context.content.stored_reference(target.name)
        sql = context.content.reference_sql(task.family, target.name, task.database)
        statements[target.name] = sql
        references[target.name] = ehr.ensure_reference(
            context.data, source, task, stored, sql, concept_sql, progress=progress, settings=settings
        )
        files[target.name] = paths.reference(task.family, stored)
    progress("agents' Python", 0, 0, "files")
    return Ready(
        source=source,
        database=database,
        database_folder=paths.task_database(task.id, database.schema_variant),
        references=references,
        reference_files=files,
        reference_sql=statements,
        runtime=ensure_python_runtime(context.data),
        column_names={names.column(name): name for name in task.required_columns} if names else {},
    )


def is_synthetic(context: Context, name: str) -> bool:
    """Whether a source known here is synthetic, so that nothing in it is anyone's data."""
    return ehr.load_source(context.data, name).kind == "synthetic"
