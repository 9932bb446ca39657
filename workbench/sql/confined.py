"""Whether SQL is one query over tables, and what it reaches beyond them: files, extensions, settings."""

from __future__ import annotations

from sqlglot import exp

from workbench.sql.parse import parse
from workbench.sql.tables import tables

ROW_MAKERS = frozenset(
    {"unnest", "explode", "range", "generate_series", "generatedatearray", "generatetimestamparray"}
)
"""Functions in FROM that make rows of what they are given; every other one reaches for something."""


def beyond_tables(sql: str) -> list[str]:
    """What the script does other than to read tables, a few words each; empty for one plain query.

    A script that cannot be parsed counts as reaching beyond: nobody can tell what it reads.
    """
    script = parse(sql)
    if len(script.statements) != 1 or script.dot_commands or not script.exact:
        return ["is not one statement that can be read"]
    statement = script.statements[0]
    tree = statement.tree
    if statement.verb or not isinstance(tree, exp.Query):
        return ["is not a SELECT"]
    use = tables(sql)
    found = [f"reads the file {name}" for name in sorted(use.files_read)]
    called = {_called(node.this) for node in tree.find_all(exp.Table)} - {""}
    named = [f"takes rows from {name}(…)" for name in sorted(called - ROW_MAKERS)]
    found += named if not use.files_read else []
    if use.files_written or use.changes or use.creates or use.extensions:
        found.append("changes something")
    return found


def _called(node: object) -> str:
    """The function that stands for a table; empty where it is a table's name."""
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else ""
