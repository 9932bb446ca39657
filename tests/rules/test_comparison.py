"""Two sides: what agrees, conflicts, stands alone; what is known only later; rows accepted as intended."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.records import BadInput, find_content
from workbench.rules import (
    Comparison,
    Kind,
    Side,
    SourceText,
    Status,
    accept_row,
    accepted_rows,
    compare,
    exported,
    row_id,
    rows_csv,
    withdraw_row,
)

ROOT = Path(__file__).resolve().parents[2]
SQL = """SELECT
  CASE
    WHEN platelets < 20 THEN 4
    WHEN platelets < 50 THEN 3
  END AS coagulation
FROM lab"""


def side(file: str, text: str) -> Side:
    return Side(file, (SourceText(file, text),))


def compared(skill: str, sql: str = SQL) -> Comparison:
    return compare(side("SKILL.md", skill), side("reference.sql", sql))


def told(skill: str, sql: str = SQL) -> list[tuple[Status, str, str]]:
    return [
        (row.status, row.first.value if row.first else "", row.second.value if row.second else "")
        for row in compared(skill, sql).chosen(Kind.THRESHOLD)
    ]


def test_the_same_limits_agree() -> None:
    assert told("Platelets below 20, 50: 4, 3.") == [(Status.AGREE, "20", "20"), (Status.AGREE, "50", "50")]


def test_another_number_on_a_rung_is_a_conflict() -> None:
    assert told("Platelets below 25, 50: 4, 3.") == [
        (Status.CONFLICT, "25", "20"),
        (Status.AGREE, "50", "50"),
    ]


def test_another_operator_on_a_rung_is_a_conflict() -> None:
    skill = "Platelets at most 20: 4. Platelets below 50: 3."
    assert told(skill) == [(Status.CONFLICT, "20", "20"), (Status.AGREE, "50", "50")]


def test_what_one_side_says_alone_stands_alone() -> None:
    assert told("Platelets below 20: 4. Lactate above 2.") == [
        (Status.AGREE, "20", "20"),
        (Status.FIRST_ONLY, "2", ""),
        (Status.SECOND_ONLY, "", "50"),
    ]


def test_synonyms_meet() -> None:
    rows = compared("Mean arterial pressure below 70: 1.", "SELECT CASE WHEN mbp < 70 THEN 1 END AS x FROM t")
    assert [row.status for row in rows.chosen(Kind.THRESHOLD)] == [Status.AGREE]


def test_a_row_is_of_the_same_thing_in_words_and_in_keys() -> None:
    rows = compared("One row per ICU stay.", "SELECT subject_id, hadm_id, stay_id FROM a.icustays")
    assert [row.status for row in rows.chosen(Kind.GRAIN)] == [Status.AGREE]


def test_an_item_that_one_side_leaves_out_is_a_conflict() -> None:
    rows = compared("52502 is not used.", "SELECT 1 FROM a.labevents WHERE itemid = 52502")
    assert [row.status for row in rows.chosen(Kind.ITEM)] == [Status.CONFLICT]


def test_another_length_of_one_window_is_a_conflict() -> None:
    skill = "Urine weight start: at most 6 hours."
    sql = "SELECT 1 FROM a.b WHERE date_diff('hour', urine_weight_start, b.at) <= 7"
    rows = compared(skill, sql).chosen(Kind.WINDOW)
    assert [(row.status, row.first and row.first.value, row.second and row.second.value) for row in rows] == [
        (Status.CONFLICT, "6", "7")
    ]


def test_coverage_counts_both_sides_and_the_rows() -> None:
    found = next(one for one in compared("Platelets below 20: 4.").coverage if one.kind is Kind.THRESHOLD)
    assert (found.first, found.second, found.rows[Status.AGREE], found.rows[Status.SECOND_ONLY]) == (
        1,
        2,
        1,
        1,
    )


def test_a_named_rule_and_a_column_of_the_discharge_are_known_later() -> None:
    sql = """SELECT
  -- rule: lowest-count
  min(platelets) AS lowest,
  max(sodium) AS highest
FROM lab
WHERE lab.charttime < lab.dischtime AND lab.hospital_expire_flag = 1"""
    first = side("SKILL.md", "")
    second = Side("reference", (SourceText("r.sql", sql),), {"lowest-count": "until the result is stored"})
    later = {row.second.line: row.later for row in compare(first, second).rows if row.second and row.later}
    assert later[3] == "lowest-count: until the result is stored"
    assert "ended" in later[6]
    assert 4 not in later


def test_csv_holds_both_places_and_no_formula() -> None:
    text = rows_csv(compared("`=HYPERLINK(x)` and platelets below 20: 4.").rows, {})
    assert "SKILL.md:1" in text
    assert "reference.sql:3" in text
    assert not any(cell.startswith("=") for line in text.splitlines() for cell in line.split(","))


@pytest.fixture
def content(tmp_path: Path) -> Content:
    (tmp_path / "audits").mkdir()
    shutil.copy(ROOT / "workbench.toml", tmp_path)
    return Content(find_content(tmp_path))


def test_an_accepted_row_counts_until_a_text_changes(content: Content) -> None:
    found = compared("Platelets below 25: 4.")
    row = next(row for row in found.rows if row.status is Status.CONFLICT)
    accept_row(content, "sofa", found, row_id(row), "as the reviewers agreed", "C1")
    marks = accepted_rows(content, "sofa")
    again = compare(found.first, found.second, marks)
    assert again.accepted == {row_id(row): "as the reviewers agreed"}
    changed = compare(found.first, side("reference.sql", SQL + "\n-- a word"), marks)
    assert changed.accepted == {}


def test_a_row_that_is_not_there_and_an_empty_reason_are_refused(content: Content) -> None:
    found = compared("Platelets below 25: 4.")
    with pytest.raises(BadInput, match="no row"):
        accept_row(content, "sofa", found, "0" * 16, "a reason")
    with pytest.raises(BadInput, match="reason"):
        accept_row(content, "sofa", found, row_id(found.rows[0]), " ")


def test_a_withdrawn_row_counts_no_longer_and_keeps_both_reasons(content: Content) -> None:
    found = compared("Platelets below 25: 4.")
    row = row_id(found.rows[0])
    with pytest.raises(BadInput, match="not accepted"):
        withdraw_row(content, "sofa", row, "a reason")
    accept_row(content, "sofa", found, row, "as the reviewers agreed", "C1")
    with pytest.raises(BadInput, match="reason"):
        withdraw_row(content, "sofa", row, " ")
    withdraw_row(content, "sofa", row, "they do no longer")
    marks = accepted_rows(content, "sofa")
    assert [(one.reason, one.withdrawn, one.reviewer) for one in marks] == [
        ("as the reviewers agreed", "they do no longer", "C1")
    ]
    assert compare(found.first, found.second, marks).accepted == {}


def test_exported_rows_hold_no_markup_of_the_texts() -> None:
    found = compared("Take `<b>|x|[y](http://z)` below 25 platelets: 4.\n")
    told = exported(found, found.rows, ".md")
    assert "<b>" not in told and "](http" not in told.replace("\\]", "")
    assert told.count("\n| threshold |") == 1 + len(found.chosen(Kind.THRESHOLD))
    assert exported(found, found.rows, ".csv") == rows_csv(found.rows, {})
    assert json.loads(exported(found, found.rows, ".json"))["summary"]["rows"] == len(found.rows)
    with pytest.raises(BadInput, match=r"not written as \.xls"):
        exported(found, found.rows, ".xls")
