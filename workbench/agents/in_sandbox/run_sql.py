"""Run a SQL file on the database; the rows of its last query become a CSV file.

Usage: python3 run_sql.py QUERY.sql OUTPUT.csv
"""

import sys
from pathlib import Path

import duckdb

DATABASE = "/data/ehr.duckdb"


def main(query_file: str, output_file: str) -> None:
    """Statements before the last run as they are; a last one that is no query too."""
    connection = duckdb.connect(DATABASE, read_only=True)
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET temp_directory = '/tmp'")
    connection.execute("SET memory_limit = '2GB'")
    statements = connection.extract_statements(Path(query_file).read_text(encoding="utf-8"))
    if not statements:
        sys.exit(f"{query_file} holds no statement")
    *before, last = statements
    for statement in before:
        connection.execute(statement)
    if last.type == duckdb.StatementType.SELECT:
        query = last.query.strip().rstrip(";")
        name = output_file.replace("'", "''")
        rows = connection.execute(f"COPY (\n{query}\n) TO '{name}' (FORMAT csv, HEADER)").fetchall()
        sys.stdout.write(f"{rows[0][0]} rows written to {output_file}\n")
    else:
        connection.execute(last)


if __name__ == "__main__":
    main(*sys.argv[1:])
