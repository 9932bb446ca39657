"""Steps of a derivation: found, and cut out so that DuckDB runs them."""

from __future__ import annotations

import pytest

from workbench.catalog import Content
from workbench.ehr import connect
from workbench.records import BadInput
from workbench.sql import query_over_steps, step_names, step_query

SQL = """
-- A comment (with a bracket
WITH RECURSIVE first(a, b) AS (VALUES (1, ')'), (2, '(')),
Second AS MATERIALIZED (
  -- rule: x (y)
  WITH inner_step AS (SELECT a FROM first) SELECT a * 10 AS a FROM inner_step
),
"third" AS NOT MATERIALIZED (SELECT max(a) AS a FROM second QUALIFY row_number() OVER () = 1)
SELECT * FROM third
"""


@pytest.mark.parametrize(
    ("step", "rows"),
    [
        ("first", [(1, ")"), (2, "(")]),
        ("second", [(10,), (20,)]),
        ("SECOND", [(10,), (20,)]),
        ("third", [(20,)]),
    ],
)
def test_the_rows_of_a_step(step: str, rows: list[tuple[object, ...]]) -> None:
    with connect() as connection:
        assert connection.execute(step_query(SQL, step)).fetchall() == rows


def test_steps_are_those_at_the_top_in_order() -> None:
    assert step_names(SQL) == ["first", "second", "third"]
    assert step_names("SELECT 1") == step_names("") == step_names("WITH") == []


@pytest.mark.parametrize(
    ("sql", "words"), [(SQL, "Its steps: first, second, third"), ("SELECT 1", "no WITH clause")]
)
def test_an_unknown_step_is_told(sql: str, words: str) -> None:
    with pytest.raises(BadInput, match="has no step 'inner_step'") as raised:
        step_query(sql, "inner_step")
    assert words in raised.value.remedy


def test_the_steps_of_a_real_reference(content: Content) -> None:
    sql = content.reference_sql("suspicion-infection", "public-code", "mimic-iv")
    assert step_names(sql) == [
        "agent", "preparation", "prescription", "antibiotic", "culture", "pairing", "ranked",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("select", "rows"),
    [
        ("SELECT f.a + second.a AS s FROM First AS f JOIN second ON second.a = f.a * 10", [(11,), (22,)]),
        ("SELECT a FROM third;\n", [(20,)]),
        ("SELECT 7 AS n", [(7,)]),
    ],
)
def test_a_select_over_steps(select: str, rows: list[tuple[object, ...]]) -> None:
    with connect() as connection:
        assert sorted(connection.execute(query_over_steps(SQL, select)).fetchall()) == rows


def test_later_steps_are_left_out() -> None:
    assert "third" not in query_over_steps(SQL, "SELECT a FROM second")
    assert query_over_steps(SQL, "SELECT x FROM schema_one.table_one") == "SELECT x FROM schema_one.table_one"
    with pytest.raises(BadInput, match="has no step inner_step, other") as raised:
        query_over_steps(SQL, "SELECT 1 FROM inner_step, first, other")
    assert "first, second, third" in raised.value.remedy
