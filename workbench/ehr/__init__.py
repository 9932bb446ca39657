"""Sources, concepts, task databases and references of electronic health records.

Names load on first use, so that importing this package does not load DuckDB.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from workbench.ehr.connect import connect, engine_version

if TYPE_CHECKING:
    from workbench.ehr.concept_build import concept_texts, ensure_concepts
    from workbench.ehr.concepts import (
        PINNED_REVISION,
        PINNED_SQL_HASH,
        ConceptSql,
        concept_sql_of,
        fetch_concept_sql,
    )
    from workbench.ehr.connect import Connection, DuckDBError
    from workbench.ehr.declare import declaration_text, declare_database
    from workbench.ehr.equality import EqualityReport, UnexplainedRow, compare_with_concept
    from workbench.ehr.identifiers import SourceIdentifiers, open_identifiers
    from workbench.ehr.importing import import_source
    from workbench.ehr.lineage_check import SameLineage, same_lineage
    from workbench.ehr.read_off import ReadOff, find_read_off
    from workbench.ehr.references import ensure_reference
    from workbench.ehr.schema import (
        DERIVED_SCHEMA,
        TITLES,
        PublishedSchema,
        own_schema,
        published_schema,
        schema_of,
    )
    from workbench.ehr.sources import (
        load_source,
        readable_sources,
        remove_source,
        size_of_source,
        source_names,
    )
    from workbench.ehr.steady_concepts import ROUNDED, STEADY, UNSTEADY_COLUMNS
    from workbench.ehr.synthetic import is_current, make_synthetic, synthetic_name
    from workbench.ehr.task_database import ensure_task_database

_HOME = {
    "DERIVED_SCHEMA": "schema",
    "PINNED_REVISION": "concepts",
    "PINNED_SQL_HASH": "concepts",
    "ROUNDED": "steady_concepts",
    "STEADY": "steady_concepts",
    "TITLES": "schema",
    "UNSTEADY_COLUMNS": "steady_concepts",
    "ConceptSql": "concepts",
    "Connection": "connect",
    "DuckDBError": "connect",
    "EqualityReport": "equality",
    "UnexplainedRow": "equality",
    "compare_with_concept": "equality",
    "concept_sql_of": "concepts",
    "concept_texts": "concept_build",
    "declaration_text": "declare",
    "declare_database": "declare",
    "ensure_concepts": "concept_build",
    "ensure_reference": "references",
    "ensure_task_database": "task_database",
    "fetch_concept_sql": "concepts",
    "import_source": "importing",
    "load_source": "sources",
    "is_current": "synthetic",
    "make_synthetic": "synthetic",
    "own_schema": "schema",
    "PublishedSchema": "schema",
    "published_schema": "schema",
    "schema_of": "schema",
    "find_read_off": "read_off",
    "same_lineage": "lineage_check",
    "SameLineage": "lineage_check",
    "SourceIdentifiers": "identifiers",
    "open_identifiers": "identifiers",
    "ReadOff": "read_off",
    "readable_sources": "sources",
    "remove_source": "sources",
    "size_of_source": "sources",
    "source_names": "sources",
    "synthetic_name": "synthetic",
}

__all__ = [
    "DERIVED_SCHEMA",
    "PINNED_REVISION",
    "PINNED_SQL_HASH",
    "ROUNDED",
    "STEADY",
    "TITLES",
    "UNSTEADY_COLUMNS",
    "ConceptSql",
    "Connection",
    "DuckDBError",
    "EqualityReport",
    "PublishedSchema",
    "ReadOff",
    "SameLineage",
    "SourceIdentifiers",
    "UnexplainedRow",
    "compare_with_concept",
    "concept_sql_of",
    "concept_texts",
    "connect",
    "declaration_text",
    "declare_database",
    "engine_version",
    "ensure_concepts",
    "ensure_reference",
    "ensure_task_database",
    "fetch_concept_sql",
    "find_read_off",
    "import_source",
    "is_current",
    "load_source",
    "make_synthetic",
    "open_identifiers",
    "own_schema",
    "published_schema",
    "readable_sources",
    "remove_source",
    "same_lineage",
    "schema_of",
    "size_of_source",
    "source_names",
    "synthetic_name",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
