"""SQL under other names: what is renamed, and what stays to the letter."""

import pytest

from workbench.records import BadInput
from workbench.sql import Renaming, rename_sql

NAMES = Renaming(
    tables={"hosp.labs": "s.t", "icu.chart": "(SELECT v FROM s.m WHERE k = 'A')"},
    words={"hosp": "s", "icu": "s", "labs": "t", "chart": "m", "value": "v", "stay_id": "i", "temp": "p"},
)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT value FROM hosp.labs", "SELECT v FROM s.t AS t"),
        ("SELECT labs.value FROM hosp.labs", "SELECT t.v FROM s.t AS t"),
        ("SELECT l.value FROM hosp.labs AS l", "SELECT l.v FROM s.t AS l"),
        ("SELECT l.value FROM hosp.labs l", "SELECT l.v FROM s.t l"),
        ("SELECT Value FROM HOSP.Labs", "SELECT v FROM s.t AS t"),
        ('SELECT "value" AS "Value"', 'SELECT "v" AS "v"'),
        ("SELECT value FROM icu.chart", "SELECT v FROM (SELECT v FROM s.m WHERE k = 'A') AS m"),
        (
            "SELECT 1 FROM hosp.labs JOIN icu.chart USING (stay_id)",
            "SELECT 1 FROM s.t AS t JOIN (SELECT v FROM s.m WHERE k = 'A') AS m USING (i)",
        ),
        (
            "WITH value AS (SELECT 1 AS x) SELECT value.x FROM value",
            "WITH v AS (SELECT 1 AS x) SELECT v.x FROM v",
        ),
        ("SELECT 'value', 'hosp.labs' -- value\n FROM x", "SELECT 'value', 'hosp.labs' -- value\n FROM x"),
        ("SELECT value(1), value", "SELECT value(1), v"),
        ("SELECT CAST(value AS TEXT), value::INTEGER", "SELECT CAST(v AS TEXT), v::INTEGER"),
        ("CREATE TEMP TABLE x AS SELECT temp", "CREATE TEMP TABLE x AS SELECT p"),
        ("CREATE OR REPLACE TEMP MACRO f(a) AS a + 1", "CREATE OR REPLACE TEMP MACRO f(a) AS a + 1"),
        ("SELECT other.value FROM x.labs AS other", "SELECT other.v FROM x.t AS other"),
        ("value > 1 AND stay_id IS NULL", "v > 1 AND i IS NULL"),
    ],
)
def test_renamed(sql: str, expected: str) -> None:
    assert rename_sql(sql, NAMES) == expected


def test_labels_are_texts_that_are_names() -> None:
    sql = "SELECT count(*) FILTER (kind = 'value') AS value, 'value of' FROM x"
    assert rename_sql(sql, NAMES, labels={"value"}) == (
        "SELECT count(*) FILTER (kind = 'v') AS v, 'value of' FROM x"
    )


def test_comments_are_handed_over() -> None:
    renamed = rename_sql(
        "SELECT value -- of hosp.labs\n", NAMES, lambda text: text.replace("hosp.labs", "it")
    )
    assert renamed == "SELECT v -- of it\n"


def test_no_sql() -> None:
    with pytest.raises(BadInput, match="cut into words"):
        rename_sql("SELECT 'open", NAMES)
