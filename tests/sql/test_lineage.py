"""Columns worked out alike have one form, whatever they are called; others have not."""

import pytest

from workbench.sql import derivations

TABLES = {"icu.labs": ["stay_id", "itemid", "value", "charttime"], "icu.stays": ["stay_id", "intime"]}
TARGET = """
CREATE TABLE derived.target AS
WITH per_stay AS (
  SELECT stay_id, MAX(CASE WHEN itemid = 50912 THEN value END) AS highest FROM icu.labs GROUP BY stay_id
)
SELECT stays.stay_id, CASE WHEN highest > 5 THEN 4 WHEN highest > 3.5 THEN 3 ELSE 0 END AS points
FROM icu.stays LEFT JOIN per_stay USING (stay_id)
"""
STEPS = "SELECT stay_id, MAX(CASE WHEN itemid = 50912 THEN value END) AS h FROM icu.labs GROUP BY stay_id"
POINTS = "CASE WHEN h > 5 THEN 4 WHEN h > 3.5 THEN 3 ELSE 0 END"
KNOWN = {"derived.target": derivations(TARGET, TABLES)}


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("SELECT points AS x FROM derived.target", id="renamed"),
        pytest.param("SELECT ROUND(CAST(points AS DOUBLE), 1) AS x FROM derived.target", id="cast, rounded"),
        pytest.param(
            "SELECT COALESCE(points, 0) + 100 AS x FROM derived.target", id="default, constant added"
        ),
        pytest.param("SELECT MAX(points) AS x FROM derived.target GROUP BY stay_id", id="highest"),
        pytest.param("SELECT MIN(points) OVER (PARTITION BY stay_id) AS x FROM derived.target", id="window"),
        pytest.param("SELECT -1 * points AS x FROM derived.target", id="sign"),
        pytest.param(f"SELECT {POINTS} AS x FROM ({STEPS}) AS one", id="written out elsewhere"),
        pytest.param(f"WITH a AS ({STEPS}), b AS (SELECT * FROM a) SELECT {POINTS} AS x FROM b", id="star"),
        pytest.param(f"SELECT h AS y, {POINTS} AS x FROM ({STEPS})", id="no alias"),
        pytest.param(
            "SELECT points AS x FROM derived.target UNION ALL SELECT points FROM derived.target", id="union"
        ),
    ],
)
def test_trivially_the_same(query: str) -> None:
    found = derivations(query, TABLES, KNOWN)["x"]
    assert found == KNOWN["derived.target"]["points"] and found.computed


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT {POINTS.replace('3.5', '3')} AS x FROM ({STEPS}) AS one",
        f"SELECT {POINTS} AS x FROM ({STEPS.replace('50912', '50813')}) AS one",
        "SELECT points + stay_id AS x FROM derived.target",
        "SELECT SUM(points) AS x FROM derived.target",
        "SELECT CASE WHEN points > 2 THEN 1 ELSE 0 END AS x FROM derived.target",
        "SELECT points AS x FROM derived.target UNION ALL SELECT value FROM icu.labs",
    ],
)
def test_something_else(query: str) -> None:
    assert derivations(query, TABLES, KNOWN)["x"] != KNOWN["derived.target"]["points"]


def test_rows_matter_to_sums_only() -> None:
    def found(query: str) -> str:
        return derivations(query, TABLES)["x"].form

    day, hour = ("SELECT {} AS x FROM icu.labs WHERE charttime < " + str(n) for n in (24, 1))
    assert found(day.format("SUM(value)")) != found(hour.format("SUM(value)"))
    assert found(day.format("MAX(value)")) == found(hour.format("MAX(value)"))


def test_stored_values_are_not_computed() -> None:
    assert not derivations("SELECT MAX(l.value) AS x FROM icu.labs AS l", TABLES)["x"].computed


@pytest.mark.parametrize("script", ["", "SELECT FROM WHERE", "DROP TABLE x", "SELECT a AS x FROM (", "\0"])
def test_what_is_no_query_has_no_columns(script: str) -> None:
    assert set(derivations(script, TABLES)) <= {"x"}


def test_a_step_that_reads_itself_ends() -> None:
    steps = "WITH RECURSIVE n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n WHERE x < 9) SELECT x FROM n"
    assert list(derivations(steps, {})) == ["x"]
