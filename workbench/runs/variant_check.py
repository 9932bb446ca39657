"""Whether a task in a schema variant is the same task: equal values, no published name, all described."""

from __future__ import annotations

from collections.abc import Iterator

from workbench import ehr
from workbench.ehr.schema import DERIVED_SCHEMA
from workbench.ehr.solvable import hash_from_visible, visible_queries
from workbench.ehr.variants import changed_tables, names_left, undescribed, variant_bytes
from workbench.records import BadInput, Condition, Progress, SchemaVariant, Task, VariantCheck, silent
from workbench.runs.context import Context
from workbench.runs.preview import preview
from workbench.runs.setup import ensure_ready
from workbench.runs.views import VariantContent, agents_content
from workbench.sandbox import Sandbox

PRIMARY = "public-code"


def check_variant(
    context: Context,
    task: Task,
    source: str,
    variant: SchemaVariant,
    sandbox: Sandbox,
    progress: Progress = silent,
) -> VariantCheck:
    """Check ``task`` in ``variant`` on ``source``, on the very database that agents get.

    Every visible table is compared with its published form row by row, the reference is computed from the
    variant's files, and prompt, paths and files of every condition are searched for published names. Raises
    BadInput for the native names and a database without a dictionary, and as ``ensure_ready``.
    """
    started_s = context.clock.monotonic_s()
    agents = agents_content(context.content, task, variant)
    if not isinstance(agents, VariantContent):
        raise BadInput("the native names are no variant", remedy="Name another with --schema.")
    names = agents.names
    ready = ensure_ready(context, task, source, sandbox, progress, names=names)
    concepts = ehr.concept_sql_of(task.database, context.data, context.concepts_folder)
    paths = context.data.source(ready.source.name)
    given_back = visible_queries(ready.database_folder, ready.database, names)
    files = {
        table: paths.concept(concepts.revision, table.split(".")[1])
        if table.startswith(f"{DERIVED_SCHEMA}.")
        else paths.table(table)
        for table in given_back
    }
    progress(f"comparing {task.id}: tables", 0, 2, "steps")
    problems = changed_tables(context.data, files, given_back, settings=context.settings)
    progress(f"comparing {task.id}: reference", 1, 2, "steps")
    reference = ready.references[PRIMARY]
    found = hash_from_visible(
        context.data,
        ready.database_folder,
        ready.database,
        ready.reference_sql[PRIMARY],
        concepts,
        reference.columns,
        reference.keys,
        names=names,
        settings=context.settings,
    )
    if found != reference.rows_sha256:
        problems.append("the reference computed from the variant has other rows")
    problems += _names_told(agents, task)
    problems += undescribed(agents.dictionary_text(task), names, ready.database.tables)
    source_bytes = sum(path.stat().st_size for path in paths.tables.glob("*.parquet")) + sum(
        path.stat().st_size for path in paths.concepts(concepts.revision).glob("*.parquet")
    )
    return VariantCheck(
        task=task.id,
        source=ready.source.name,
        schema_variant=variant,
        tables=len(ready.database.tables),
        added_share=variant_bytes(context.data, ready.source, names) / source_bytes,
        problems=sorted(set(problems)),
        seconds=context.clock.monotonic_s() - started_s,
    )


def _names_told(agents: VariantContent, task: Task) -> Iterator[str]:
    """Published names in what an agent gets under any condition; the skills' names are clinical words."""
    for condition in Condition:
        try:
            seen = preview(agents, agents.task(task.id), condition)
        except BadInput:
            continue  # the task does not have it
        texts = {"the prompt": seen.prompt, **{place: text.decode() for place, text in seen.files.items()}}
        for place, text in texts.items():
            yield from (f"{condition}, {place}: tells {name}" for name in names_left(text, agents.names))
