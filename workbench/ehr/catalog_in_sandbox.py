"""Write the catalog of views, at the place where the agent will see the files. Run as text inside a sandbox.

Usage: python catalog_in_sandbox.py PLAN OUT. PLAN is JSON: {"storage": "v1.0.0", "schemas": [...],
"views": [["schema", "table", "/data/parquet/x.parquet"], ...]}. Standard library and duckdb only. On failure
the kind of error goes to stderr, never the engine's message.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import duckdb

BLOCK_BYTES = 65_536
"""A quarter of the usual: a catalog of views is 78 KB instead of 274 KB. DuckDB 1.4 opens it (checked)."""


def quoted(name: str) -> str:
    """A SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A SQL string."""
    return "'" + value.replace("'", "''") + "'"


def write_catalog(plan: dict[str, Any], out: Path) -> None:
    """Create the database file ``out``; DuckDB binds every view, so a file that is not there is an error."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    options = f"STORAGE_VERSION {text(str(plan['storage']))}, BLOCK_SIZE {BLOCK_BYTES}"
    connection.execute(f"ATTACH {text(str(out))} AS catalog ({options})")
    connection.execute("USE catalog")
    for schema in plan["schemas"]:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)}")
    for schema, table, file in plan["views"]:
        connection.execute(
            f"CREATE VIEW {quoted(schema)}.{quoted(table)} AS SELECT * FROM read_parquet({text(file)})"
        )
    connection.execute("USE memory")
    connection.execute("DETACH catalog")
    connection.close()


def main(arguments: list[str]) -> int:
    """0 done, 1 not."""
    plan, out = Path(arguments[0]), Path(arguments[1])
    try:
        write_catalog(json.loads(plan.read_text(encoding="utf-8")), out)
    except duckdb.Error as error:
        sys.stderr.write(f"{type(error).__name__}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
