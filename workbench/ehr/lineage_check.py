"""Scored columns that a visible derived table works out just as the task's target does, told from the SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from workbench.ehr.concept_build import concept_order
from workbench.ehr.concepts import ConceptSql
from workbench.ehr.schema import DERIVED_SCHEMA, published_schema
from workbench.ehr.task_files import visible_concepts
from workbench.records import Refused, Task
from workbench.sql import Derivation, derivations


@dataclass(frozen=True)
class SameLineage:
    """A visible column that is worked out as a scored one is; ``table`` is ``<schema>.<table>``."""

    table: str
    column: str
    scored_column: str


def same_lineage(task: Task, concept_sql: ConceptSql, statements: Sequence[str] = ()) -> list[SameLineage]:
    """Columns of visible derived tables that are a scored column under any name, but for trivial changes.

    The scored column as the concept that the task removes works it out, and as each of ``statements`` (the
    task's references) does. A column that a kept table holds as well is kept with that table's reason. Stored
    values that are taken as they are can be read in the source's own tables and do not count.
    """
    shown = visible_concepts(task, concept_sql)
    if not shown:
        return []
    found = _concepts(tuple(concept_sql.texts().items()))
    targets = [found[task.reference_concept]] if task.reference_concept in found else []
    known = {f"{DERIVED_SCHEMA}.{name}": columns for name, columns in found.items()}
    targets += [derivations(statement, _stored(), known) for statement in statements]
    kept = {entry.table for entry in task.kept_tables}
    kept_forms = {column.form for name in kept for column in found.get(name, {}).values()}
    scored_by_form: dict[str, str] = {}
    for scored in task.scored_columns:
        for target in targets:
            column = target.get(scored.name.lower())
            if column and column.computed and column.form not in kept_forms:
                scored_by_form.setdefault(column.form, scored.name)
    return [
        SameLineage(f"{DERIVED_SCHEMA}.{name}", column, scored_by_form[derivation.form])
        for name in shown
        if name not in kept
        for column, derivation in found[name].items()
        if derivation.form in scored_by_form
    ]


def refuse_same_lineage(task: Task, concept_sql: ConceptSql, statements: Sequence[str] = ()) -> None:
    """Refused where ``same_lineage`` finds anything."""
    found = same_lineage(task, concept_sql, statements)
    if found:
        told = [f"{item.scored_column} as {item.table}.{item.column}" for item in found]
        more = f" and {len(told) - 5} more" if len(told) > 5 else ""
        raise Refused(
            f"visible tables work scored columns out as the target does: {', '.join(told[:5])}{more}",
            where=f"task {task.id}",
            remedy="Add these tables to removed_tables, or to kept_tables with the reason.",
        )


@lru_cache(maxsize=2)
def _concepts(texts: tuple[tuple[str, str], ...]) -> Mapping[str, Mapping[str, Derivation]]:
    """Every concept's columns with their derivations; a concept that cannot be read so has none."""
    scripts = dict(texts)
    found: dict[str, dict[str, Derivation]] = {}
    known: dict[str, dict[str, Derivation]] = {}
    for name in concept_order(scripts):
        found[name] = known[f"{DERIVED_SCHEMA}.{name}"] = derivations(scripts[name], _stored(), known)
    return found


def _stored() -> dict[str, list[str]]:
    return {table.name: list(table.types) for table in published_schema().tables}
