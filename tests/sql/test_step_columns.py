"""Columns of steps, told from the text alone; what DuckDB gives is the measure."""

from __future__ import annotations

import pytest

from workbench.ehr import connect
from workbench.sql import given_columns, query_over_steps, step_columns, unknown_columns

SQL = """
WITH pair(a, B) AS (VALUES (1, 2)),
wide AS (SELECT a, b + 1 AS c, pair.b, count(*) OVER () AS n FROM pair),
star AS (SELECT *, 1 AS more FROM (SELECT a AS inner_a FROM pair) AS deep),
joined AS (SELECT pair.* EXCLUDE (a), w.c FROM pair INNER JOIN wide AS w ON pair.a = w.a),
united AS (SELECT a FROM pair UNION ALL SELECT c FROM wide),
outside AS (SELECT * FROM schema_one.table_one),
lost AS (SELECT * FROM schema_one.nowhere)
SELECT * FROM united
"""
TABLES = {"schema_one.table_one": ["x", "y"]}


def test_the_columns_of_steps() -> None:
    assert step_columns(SQL, TABLES) == {
        "pair": ["a", "b"],
        "wide": ["a", "c", "b", "n"],
        "star": ["inner_a", "more"],
        "joined": ["b", "c"],
        "united": ["a"],
        "outside": ["x", "y"],
        "lost": None,
    }
    assert step_columns("SELECT 1") == step_columns("") == {}


@pytest.mark.parametrize(
    ("select", "given", "unknown"),
    [
        ("SELECT a, c AS d FROM wide", ["a", "d"], []),
        ("SELECT wide.a, w.b FROM wide JOIN joined AS w USING (c)", ["a", "b"], []),
        ("SELECT a AS d FROM wide WHERE d > 1 AND nothing", ["d"], ["nothing"]),
        ("SELECT wide.x, b FROM wide", ["x", "b"], ["wide.x"]),
        ("SELECT w.a FROM wide", ["a"], ["w"]),
        ("SELECT c.field AS f FROM joined", ["f"], []),
        ("SELECT joined.c.field AS f, joined.z.field AS g FROM joined", ["f", "g"], ["joined.z"]),
        ("SELECT count(*) AS n FROM wide", ["n"], []),
        ("SELECT anything FROM lost", ["anything"], []),
        ("SELECT * FROM lost", None, []),
        ("SELECT a FROM wide; SELECT 1", None, []),
        ("DROP TABLE wide", None, []),
    ],
)
def test_a_select_over_steps(select: str, given: list[str] | None, unknown: list[str]) -> None:
    known = step_columns(SQL, TABLES)
    assert given_columns(select, known) == given
    assert unknown_columns(select, known) == unknown


def test_steps_as_duckdb_binds_them() -> None:
    sql = f"{SQL.split(',' + chr(10) + 'outside')[0]}\nSELECT 1"
    with connect() as connection:
        for step, columns in step_columns(sql).items():
            answer = connection.execute(query_over_steps(sql, f"SELECT * FROM {step}"))
            assert [item[0].lower() for item in answer.description] == columns, step
