"""SQL of the content reads tables: files, other statements and functions that reach out are told."""

from __future__ import annotations

import pytest

from workbench.sql import beyond_tables

REACHING = [
    ("SELECT * FROM read_csv('/tmp/x.csv') AS stays", "reads the file /tmp/x.csv"),
    ("FROM '/tmp/x.parquet'", "reads the file /tmp/x.parquet"),
    ("WITH a AS (FROM read_text('/etc/hostname')) SELECT * FROM a", "reads the file /etc/hostname"),
    ("SELECT * FROM sniff_csv(getvariable('x'))", "takes rows from sniff_csv(…)"),
    ("FROM query('SELECT 1')", "takes rows from query(…)"),
    ("FROM duckdb_settings()", "takes rows from duckdb_settings(…)"),
    ("COPY (SELECT 1) TO '/tmp/x.csv'", "is not a SELECT"),
    ("INSTALL httpfs", "is not a SELECT"),
    ("SELECT 1; SELECT 2", "is not one statement that can be read"),
]


@pytest.mark.parametrize(("sql", "told"), REACHING)
def test_what_reaches_beyond_tables(sql: str, told: str) -> None:
    assert beyond_tables(sql) == [told]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM main.stays; -- all",
        "WITH a AS (SELECT * FROM range(3)) SELECT * FROM a, unnest([1, 2]) AS u (x)",
        "SELECT * FROM generate_series(1, 3) AS g (t) LEFT JOIN LATERAL (SELECT t + 1) AS h ON true",
        "FROM (VALUES (1), (2)) AS t (a)",
    ],
)
def test_what_makes_rows_of_what_it_has(sql: str) -> None:
    assert beyond_tables(sql) == []
