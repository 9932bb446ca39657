"""A case's rows, checked against the schema of its database."""

from __future__ import annotations

from workbench.ehr import PublishedSchema
from workbench.records import BadInput, WitnessCase
from workbench.records.audit import Cell
from workbench.witness.worker_request import CaseRows


def table_types(schema: PublishedSchema) -> dict[str, dict[str, str]]:
    """Every table: '<schema>.<table>' to column to DuckDB type."""
    return {table.name: table.types for table in schema.tables}


def case_rows(case: WitnessCase, schema: PublishedSchema) -> CaseRows:
    """The rows to insert. Raises BadInput for a table or column that the schema lacks."""
    tables: dict[str, list[dict[str, Cell]]] = {}
    for given in case.tables:
        known = schema.table(given.table).types
        for row in given.rows:
            unknown = sorted(set(row) - set(known))
            if unknown:
                raise BadInput(
                    f"witness case {case.id}: {given.table} has no column {', '.join(unknown)}",
                    remedy=f"Columns: {', '.join(known)}.",
                )
        tables.setdefault(given.table, []).extend(given.rows)
    return CaseRows(case=case.id, tables=tables)
