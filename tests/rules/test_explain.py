"""Lines behind a column, and which rules explain that it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.rules import compare, file_side, lines_by_column, rows_by_column

ROOT = Path(__file__).resolve().parents[2]
SIRS = ROOT / "tasks/m4bench/sirs/reference.mimic-iv.sql"
COLUMNS = ("temp_score", "heart_rate_score", "resp_score", "wbc_score", "sirs")


def lines(sql: str, column: str) -> list[int]:
    return sorted(lines_by_column(sql)[column])


def test_a_value_through_steps() -> None:
    sql = """WITH a AS (
  SELECT
    x,
    y
  FROM t
  WHERE z > 3
)
SELECT
  x,
  y + 1 AS more
FROM a"""
    assert lines_by_column(sql) == {"x": {3, 6, 9}, "more": {4, 6, 10}}


@pytest.mark.parametrize(
    ("join", "wanted"),
    [("LEFT JOIN", {"k": {3, 5}, "v": {3, 4, 6, 7}}), ("INNER JOIN", {"k": {3, 4, 5, 7}, "v": {3, 4, 6, 7}})],
)
def test_a_join_that_keeps_all_rows_has_no_part_in_others(join: str, wanted: dict[str, set[int]]) -> None:
    sql = f"""WITH
a AS (SELECT 1),
b AS (SELECT k FROM t), c AS (
  SELECT k, v FROM u)
SELECT b.k,
  c.v
FROM b {join} c ON b.k = c.k"""
    assert lines_by_column(sql) == wanted


def test_stars_structs_unions_windows_and_own_names() -> None:
    sql = """WITH u AS (
  SELECT 1 AS a, t.b FROM t
  UNION ALL
  SELECT 2, s.b FROM s
), st AS (
  SELECT u.*, max(b) OVER w AS m FROM u
  WINDOW w AS (PARTITION BY a)
), pk AS (
  SELECT struct_pack(x := m) AS one FROM st
  WHERE b > 4
)
SELECT pk.one.x AS told FROM pk
WHERE told > 2"""
    assert lines(sql, "told") == [2, 4, 6, 7, 9, 10, 12, 13]


def test_through_what_the_script_makes() -> None:
    sql = """CREATE TEMP TABLE one AS
SELECT a, b
FROM t WHERE c > 1;
COPY (
SELECT a,
 b * 2 AS twice FROM one) TO 'out.csv'"""
    assert lines_by_column(sql) == {"a": {2, 3, 5}, "twice": {2, 3, 6}}


@pytest.mark.parametrize("sql", ["", "SELECT", "DROP TABLE x", "not sql at all (", "SELECT * FROM t"])
def test_other_text_has_no_columns(sql: str) -> None:
    assert not any(lines for column, lines in lines_by_column(sql).items() if column != "*")


def test_references_have_lines_behind_every_scored_column() -> None:
    for path in (ROOT / "tasks/m4bench").glob("*/reference*.sql"):
        assert all(lines_by_column(path.read_text()).values()), path


@pytest.mark.parametrize(
    ("old", "new", "column"),
    [
        ("temperature_highest > 38.0", "temperature_highest > 39.0", "temp_score"),
        ("itemid = 51301", "itemid = 51300", "wbc_score"),
        ("heart_rate_highest > 90", "heart_rate_highest >= 90", "heart_rate_score"),
    ],
)
def test_a_wrong_rule_explains_its_column(tmp_path: Path, old: str, new: str, column: str) -> None:
    reference = SIRS.read_text()
    assert reference.count(old) == 1
    other = tmp_path / "agent.sql"
    other.write_text(reference.replace(old, new))
    found = rows_by_column(compare(file_side(other), file_side(SIRS)), COLUMNS)
    wrong = reference[: reference.index(old)].count("\n") + 1
    told = {
        name: {rule.line for row in rows for rule in (row.first, row.second) if rule}
        for name, rows in found.items()
    }
    assert wrong in told[column]
    assert wrong in told["sirs"]  # the total is worked out from it
    assert all(not lines for name, lines in told.items() if name not in (column, "sirs"))
