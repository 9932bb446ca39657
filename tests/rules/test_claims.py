"""One sentence or cell a claim: what kind it is, what it says, and the line it stands in."""

from __future__ import annotations

import pytest

from workbench.rules import Kind, claims

SENTENCES = [
    ("Heart rate is item 220045.", Kind.ITEM, "=", "220045"),
    ("52502 is not used.", Kind.ITEM, "not", "52502"),
    ("ICD-10 codes I21 to I22 count.", Kind.CODE, "=", "I21 to I22"),
    ("Routes such as `IV DRIP` count.", Kind.TEXT, "=", "IV DRIP"),
    ("Mean pressure below 70 gives 1.", Kind.THRESHOLD, "<", "70"),
    ("At least 2 of them.", Kind.THRESHOLD, ">=", "2"),
    ("Creatinine ≤ 150.", Kind.THRESHOLD, "<=", "150"),
    ("Keep values from 20 to 100.", Kind.THRESHOLD, "<=", "100"),
    ("A bilirubin of 6 or more.", Kind.THRESHOLD, ">=", "6"),
    ("Look back 3 days.", Kind.WINDOW, "", "72"),
    ("At most 72 h after the culture.", Kind.WINDOW, "<=", "72"),
    ("Look back six hours.", Kind.WINDOW, "", "6"),
    ("From start to end, both ends included.", Kind.WINDOW, "end", "included"),
    ("Interval [start, end) by time.", Kind.WINDOW, "end", "excluded"),
    ("Take the earliest row.", Kind.AGGREGATE, "take", "earliest"),
    ("The worst value of the day.", Kind.AGGREGATE, "take", "worst"),
    ("A missing component: treat as normal.", Kind.MISSING, "if missing", "missing normal"),
    ("Of several rows of a moment the largest.", Kind.TIE, "take", "highest"),
    ("Rate times 1000.", Kind.UNIT, "times", "1000"),
    ("Divide by 60.", Kind.UNIT, "divide by", "60"),
    ("Rounded to two decimals.", Kind.UNIT, "round", "2"),
    ("One row per ICU stay.", Kind.GRAIN, "one row per", "ICU stay"),
    ("Read `labevents`.", Kind.SOURCE, "read", "labevents"),
]


@pytest.mark.parametrize(("sentence", "kind", "operator", "value"), SENTENCES)
def test_one_sentence_gives_its_claim(sentence: str, kind: Kind, operator: str, value: str) -> None:
    said = {(rule.kind, rule.operator, rule.value) for rule in claims(sentence)}
    assert (kind, operator, value) in said


def test_a_table_becomes_a_ladder_with_the_lines_of_its_rows() -> None:
    text = """---
name: x
---

# Title

| points | 4 | 3 |
|---|---|---|
| platelets, lowest | < 20 | < 50 |
| bilirubin, highest | ≥ 12.0 | ≥ 6.0 |
"""
    rungs = [rule for rule in claims(text, "SKILL.md") if rule.kind is Kind.THRESHOLD]
    assert [(rung.line, rung.operator, rung.value, rung.gives) for rung in rungs] == [
        (9, "<", "20", "4"),
        (9, "<", "50", "3"),
        (10, ">=", "12", "4"),
        (10, ">=", "6", "3"),
    ]
    assert "platelet" in rungs[0].words


def test_a_ladder_may_be_one_sentence() -> None:
    rungs = claims("Total below 6, 10, 13: 4, 3, 2.")
    found = [(rung.value, rung.gives) for rung in rungs if rung.kind is Kind.THRESHOLD]
    assert found == [("6", "4"), ("10", "3"), ("13", "2")]


def test_the_head_of_a_column_may_hold_the_comparator() -> None:
    text = "| part | bands: below x: points |\n|---|---|\n| `hr_score` | 40: 8; 50: 5; else 17 |\n"
    found = [(rung.operator, rung.value, rung.gives) for rung in claims(text) if rung.gives]
    assert found == [("<", "40", "8"), ("<", "50", "5")]


def test_only_the_clause_that_says_so_is_negated() -> None:
    found = claims("It begins with `BLOOD` and does not contain `MORTEM`.")
    assert [(rule.operator, rule.value) for rule in found if rule.kind is Kind.TEXT] == [
        ("=", "BLOOD"),
        ("not", "MORTEM"),
    ]


def test_a_citation_and_code_in_a_heading_are_no_rules() -> None:
    assert claims("# Score of 220045\n\nVincent (Intensive Care Med 1996;22:707).") == []


def test_hostile_text_is_read_to_its_end() -> None:
    text = "`" * 2001 + "[" * 500 + " 1,2,3 to to to <<<>>> \x1b[31m |" * 200
    assert all(rule.line >= 1 for rule in claims(text))
