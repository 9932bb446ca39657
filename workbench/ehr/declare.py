"""Declare a database of the user's own from a DuckDB file: its tables and columns, never a value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from workbench.ehr.connect import DuckDBError, connect
from workbench.ehr.layouts import refuse_other_files
from workbench.records import NOT_NULL, BadInput, OwnDatabase
from workbench.records.own_database import NAME, RESERVED_SCHEMAS

STORED_AS: Mapping[str, str] = {
    "TINYINT": "SMALLINT",
    "UTINYINT": "SMALLINT",
    "SMALLINT": "SMALLINT",
    "USMALLINT": "INTEGER",
    "INTEGER": "INTEGER",
    "UINTEGER": "BIGINT",
    "BIGINT": "BIGINT",
    "UBIGINT": "BIGINT",
    "HUGEINT": "BIGINT",
    "FLOAT": "REAL",
    "DOUBLE": "DOUBLE",
    "DECIMAL": "DOUBLE",
    "BOOLEAN": "BOOLEAN",
    "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP",
    "TIMESTAMP_S": "TIMESTAMP",
    "TIMESTAMP_MS": "TIMESTAMP",
    "TIMESTAMP_NS": "TIMESTAMP",
    "TIMESTAMP WITH TIME ZONE": "TIMESTAMP",
}
"""DuckDB's type to the one that an import writes; every other becomes text."""
HEAD = """\
# Tables and columns of a database of one's own. An import takes over what stands here, and nothing else: take
# out what names a person, what nobody needs, and every table from which a task's answer could be read.
# Behind a type, NOT NULL says that a row without a value there is an error.
schema_version = 1
"""


def declare_database(file: Path, name: str, title: str) -> tuple[OwnDatabase, list[str]]:
    """What ``file`` holds as a declaration, and what of it cannot be declared, a line each.

    Raises BadInput: not a DuckDB file, no table in it that can be declared, a wrong name.
    """
    refuse_other_files(file)
    connection = connect(file, read_only=True)
    try:
        found = connection.execute(
            "SELECT table_schema, table_name, column_name, data_type, is_nullable "
            "FROM information_schema.columns WHERE table_catalog = current_database() "
            "ORDER BY table_schema, table_name, ordinal_position"
        ).fetchall()
    except DuckDBError as error:
        raise BadInput(f"its tables cannot be listed ({type(error).__name__})", where=str(file)) from None
    finally:
        connection.close()
    tables: dict[str, dict[str, str]] = {}
    left_out: list[str] = []
    for schema, table, column, kind, nullable in found:
        place = f"{schema}.{table}".lower()
        if schema.lower() in RESERVED_SCHEMAS or not all(
            NAME.fullmatch(part) for part in place.split(".", 1)
        ):
            left_out.append(f"table {schema}.{table}: rename it in lower-case letters, digits and '_'")
        elif not NAME.fullmatch(column.lower()):
            left_out.append(f"column {column} of {place}: rename it in lower-case letters, digits and '_'")
        else:
            stored = STORED_AS.get(str(kind).split("(")[0], "VARCHAR")
            tables.setdefault(place, {})[column.lower()] = stored + ("" if nullable == "YES" else NOT_NULL)
    if not tables:
        raise BadInput(
            "holds no table that can be declared", where=str(file), remedy="Name a DuckDB file with tables."
        )
    declared = OwnDatabase.from_raw(
        {"name": name, "title": title or name, "tables": tables}, "the declaration"
    )
    return declared, list(dict.fromkeys(left_out))


def declaration_text(declared: OwnDatabase) -> str:
    """The declaration as TOML, to be read and cut down by a person."""
    lines = [
        HEAD.rstrip(),
        f'name = "{declared.name}"',
        f"title = {json.dumps(declared.title, ensure_ascii=False)}",
    ]
    for table, columns in declared.tables.items():
        lines += ["", f'[tables."{table}"]', *(f'{name} = "{kind}"' for name, kind in columns.items())]
    return "\n".join(lines) + "\n"
