"""Dictionaries: each column once, with a meaning of its own or a shared one."""

from typing import Any

import pytest
from pydantic import ValidationError

from workbench.records import BadInput, Dictionary

STAYS: dict[str, Any] = {"name": "icu.stays", "about": "One row per stay.", "columns": ["stay_id", "los"]}
VITALS: dict[str, Any] = {
    "name": "icu.vitals",
    "about": "One row per time.",
    "columns": ["stay_id", "value"],
    "meanings": {"stay_id": "stay in the unit"},
}
COLUMNS = {"stay_id": "stay", "los": "length, days", "value": "value"}


def made(tables: list[dict[str, Any]], columns: dict[str, str] = COLUMNS) -> Dictionary:
    return Dictionary.model_validate({"database": "mimic-iv", "columns": columns, "tables": tables})


def test_a_table_may_say_otherwise() -> None:
    dictionary = made([STAYS, VITALS])
    assert dictionary.meaning("icu.stays", "stay_id") == "stay"
    assert dictionary.meaning("icu.vitals", "stay_id") == "stay in the unit"
    assert list(dictionary.by_name) == ["icu.stays", "icu.vitals"]


@pytest.mark.parametrize(
    ("tables", "columns", "words"),
    [
        ([STAYS, STAYS], COLUMNS, "there twice: icu.stays"),
        ([STAYS | {"columns": ["los", "los", "stay_id"]}], COLUMNS, "columns twice: los"),
        ([STAYS | {"meanings": {"age": "age"}}], COLUMNS, "that it lacks: age"),
        ([STAYS, VITALS], {"stay_id": "stay", "value": "value"}, "without a meaning: icu.stays.los"),
        ([STAYS | {"name": "stays"}], COLUMNS, "should match pattern"),
        ([STAYS | {"columns": []}], COLUMNS, "at least 1 item"),
        ([], COLUMNS, "at least 1 item"),
    ],
)
def test_what_is_no_dictionary(tables: list[dict[str, Any]], columns: dict[str, str], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        made(tables, columns)


@pytest.mark.parametrize(
    ("table", "column", "words"),
    [("icu.stay", "los", "the table icu.stay"), ("icu.stays", "age", "the column age of icu.stays")],
)
def test_what_is_not_described_is_told(table: str, column: str, words: str) -> None:
    with pytest.raises(BadInput, match=f"does not describe {words}") as raised:
        made([STAYS]).meaning(table, column)
    assert "tasks/dictionaries/mimic-iv.toml" in raised.value.remedy
