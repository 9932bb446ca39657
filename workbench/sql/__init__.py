"""SQL read with sqlglot: what is read, build order, SQL inside other text, likeness."""

from workbench.sql.alignment import Aligned, aligned, tree_likeness
from workbench.sql.confined import beyond_tables
from workbench.sql.embedded import EmbeddedSql, Snippet, embedded_sql, looks_like_sql
from workbench.sql.graph import build_order, reads
from workbench.sql.lexical import quick_reads
from workbench.sql.lineage import Derivation, derivations
from workbench.sql.parse import Script, Statement, parse
from workbench.sql.rename import Renaming, rename_sql
from workbench.sql.similarity import similarity
from workbench.sql.step_columns import given_columns, step_columns, unknown_columns
from workbench.sql.steps import query_over_steps, step_names, step_query
from workbench.sql.tables import SqlUse, TableReader, tables

__all__ = [
    "Aligned",
    "Derivation",
    "EmbeddedSql",
    "Renaming",
    "Script",
    "Snippet",
    "SqlUse",
    "Statement",
    "TableReader",
    "aligned",
    "beyond_tables",
    "build_order",
    "derivations",
    "embedded_sql",
    "given_columns",
    "looks_like_sql",
    "parse",
    "query_over_steps",
    "quick_reads",
    "reads",
    "rename_sql",
    "similarity",
    "step_columns",
    "step_names",
    "step_query",
    "tables",
    "tree_likeness",
    "unknown_columns",
]
