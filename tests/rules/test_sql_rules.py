"""One line of SQL a rule: what kind it is, what it is about, what it says, and where."""

from __future__ import annotations

import pytest

from workbench.rules import Kind, SourceText, closure, rules_of_sql, rules_of_texts

ONE_LINE = [
    ("SELECT 1 FROM a.chartevents WHERE itemid = 220045", Kind.ITEM, "=", "220045"),
    ("SELECT 1 FROM a.chartevents WHERE itemid NOT IN (220045)", Kind.ITEM, "not", "220045"),
    ("SELECT 1 FROM a.diagnoses_icd WHERE icd_code BETWEEN 'I21' AND 'I22'", Kind.CODE, "=", "I21 to I22"),
    ("SELECT 1 FROM a.diagnoses_icd WHERE substr(icd_code, 1, 3) = '410'", Kind.CODE, "=", "410"),
    ("SELECT 1 FROM (VALUES ('stroke', 10, 'G45', 'G46')) AS t(a, b, c, d)", Kind.CODE, "=", "G45 to G46"),
    ("SELECT 1 FROM a.prescriptions WHERE route = 'IV'", Kind.TEXT, "=", "IV"),
    ("SELECT 1 FROM a.prescriptions WHERE drug ILIKE '%cillin%'", Kind.TEXT, "like", "cillin"),
    ("SELECT 1 FROM a.prescriptions WHERE drug NOT LIKE '%gel%'", Kind.TEXT, "not like", "gel"),
    ("SELECT CASE WHEN x > 1 THEN 'Invasive' END FROM a.b", Kind.TEXT, "give", "Invasive"),
    ("SELECT 1 FROM a.b WHERE x IS NOT NULL", Kind.MISSING, "is present", ""),
    ("SELECT 1 FROM a.b WHERE start <= culture + INTERVAL 72 HOUR", Kind.WINDOW, "<=", "72"),
    ("SELECT 1 FROM a.b WHERE start >= culture - INTERVAL 24 HOUR", Kind.WINDOW, "<=", "24"),
    ("SELECT 1 FROM a.labevents WHERE valuenum <= 150", Kind.THRESHOLD, "<=", "150"),
    ("SELECT 1 FROM a.labevents WHERE 12.0 < valuenum", Kind.THRESHOLD, ">", "12"),
    ("SELECT a.intime + INTERVAL 1 DAY FROM a.icustays AS a", Kind.WINDOW, "after", "24"),
    ("SELECT 1 FROM a.b WHERE date_diff('hour', x, y) >= 6", Kind.WINDOW, ">=", "6"),
    ("SELECT 1 FROM a.lab WHERE labresultoffset <= 1440", Kind.WINDOW, "<=", "24"),
    ("SELECT 1 FROM a.b WHERE b.charttime < b.outtime", Kind.WINDOW, "end", "excluded"),
    ("SELECT min(valuenum) FROM a.labevents", Kind.AGGREGATE, "take", "lowest"),
    ("SELECT coalesce(valuenum, 0) FROM a.labevents", Kind.MISSING, "else", "0"),
    ("SELECT CASE WHEN x < 2 THEN 1 ELSE 0 END AS points FROM a.b", Kind.MISSING, "else", "0"),
    ("SELECT 1 FROM a.b LEFT JOIN a.c ON b.x = c.x", Kind.MISSING, "no partner", "kept"),
    (
        "SELECT row_number() OVER (PARTITION BY x ORDER BY y DESC) FROM a.b",
        Kind.TIE,
        "order",
        "largest first",
    ),
    ("SELECT DISTINCT ON (x) y FROM a.b ORDER BY y", Kind.TIE, "order", "smallest first"),
    ("SELECT rate * 1000 FROM a.inputevents", Kind.UNIT, "times", "1000"),
    ("SELECT round(rate, 2) FROM a.inputevents", Kind.UNIT, "round", "2"),
    ("SELECT x FROM a.b GROUP BY stay_id", Kind.GRAIN, "one row per", "stay_id"),
    ("SELECT x FROM mimiciv_icu.icustays", Kind.SOURCE, "read", "icustays"),
]


@pytest.mark.parametrize(("sql", "kind", "operator", "value"), ONE_LINE)
def test_one_line_gives_its_rule(sql: str, kind: Kind, operator: str, value: str) -> None:
    said = {(rule.kind, rule.operator, rule.value) for rule in rules_of_sql(sql)}
    assert (kind, operator, value) in said


def test_a_case_becomes_a_ladder_through_the_names_of_its_input() -> None:
    sql = """WITH lab AS (
  SELECT min(valuenum) FILTER (WHERE itemid = 51265) AS platelets FROM hosp.labevents
)
SELECT
  CASE
    WHEN platelets < 20 THEN 4
    WHEN platelets < 50 THEN 3
  END AS coagulation
FROM lab"""
    rungs = [rule for rule in rules_of_sql(sql, "reference.sql") if rule.kind is Kind.THRESHOLD]
    assert [(rung.line, rung.operator, rung.value, rung.gives) for rung in rungs] == [
        (6, "<", "20", "4"),
        (7, "<", "50", "3"),
    ]
    assert rungs[0].subject == "platelets valuenum"
    assert rungs[0].file == "reference.sql"


def test_both_ends_of_a_window_are_told() -> None:
    sql = "SELECT 1 FROM a.b WHERE b.charttime > b.intime AND b.charttime <= b.outtime"
    sides = [(rule.operator, rule.value) for rule in rules_of_sql(sql) if rule.kind is Kind.WINDOW]
    assert sides == [("start", "excluded"), ("end", "included")]


def test_text_that_is_no_sql_gives_no_rule() -> None:
    assert rules_of_sql("neither a query (nor SQL") == []


def test_the_closure_follows_concepts_and_each_rule_says_its_file() -> None:
    reference = SourceText("reference.sql", "SELECT 1 FROM mimiciv_derived.first WHERE x > 1")
    concepts = {
        "first": SourceText("first.sql", "SELECT 1 FROM mimiciv_derived.second WHERE x > 2"),
        "second": SourceText("second.sql", "SELECT 1 FROM mimiciv_hosp.labevents WHERE x > 3"),
        "other": SourceText("other.sql", "SELECT 1 FROM mimiciv_hosp.labevents WHERE x > 4"),
    }
    limits = [
        (rule.file, rule.value)
        for rule in rules_of_texts(closure([reference], concepts))
        if rule.kind is Kind.THRESHOLD
    ]
    assert limits == [("reference.sql", "1"), ("first.sql", "2"), ("second.sql", "3")]
