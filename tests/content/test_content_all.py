"""The content is clean, and says all that the fact sheets say: every caveat row, every reported fault."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.checks import check_content, published_tasks
from workbench.checks.audits import general_audit

HERE = Path(__file__).parent
SHARED = HERE.parents[1].parent / "shared"
ROWS = tomllib.loads((HERE / "caveat-rows.toml").read_text(encoding="utf-8"))
"""Family to row of the caveats' sheet to the ids of the caveats that say it."""


def test_the_checks_find_nothing(content: Content) -> None:
    assert [f"{item.where}: {item.what} [{item.rule}]" for item in check_content(content)] == []


def test_the_28_tasks_are_there_by_family(content: Content) -> None:
    there = {task.id: task.family for task in content.tasks()}
    assert {row.task: row.family for row in published_tasks().values()}.items() <= there.items()


@pytest.mark.parametrize("family", sorted(ROWS))
def test_every_row_of_the_caveats_sheet_is_a_caveat(content: Content, family: str) -> None:
    caveats = {caveat.id for caveat in content.audit(family).caveats}
    named = {row: ids.split(", ") for row, ids in ROWS[family].items()}
    assert {row: ids for row, ids in named.items() if not set(ids) <= caveats} == {}


def test_the_list_of_rows_is_the_sheets() -> None:
    sheet = SHARED / "docs" / "clinical" / "caveats.md"
    if not sheet.is_file():
        pytest.skip("the sheet of caveats is not beside the project (../shared)")
    part = sheet.read_text(encoding="utf-8").split("\n## ")[1]
    rows = {
        section.splitlines()[0]: [
            line.split("|")[1].strip()
            for line in section.splitlines()
            if line.startswith("| ") and not line.startswith("| title")
        ]
        for section in part.split("\n### ")[1:]
    }
    titles = [row for family in rows.values() for row in family]
    ours = [row for family in ROWS.values() for row in family]
    assert sorted(titles) == sorted(ours)


def test_every_reported_fault_is_answered_where_it_belongs(content: Content) -> None:
    """By the families it names, or, where it names none of ours, in the general audit."""
    faults = SHARED / "data" / "clinical" / "reported_faults.csv"
    if not faults.is_file():
        pytest.skip("the reported faults are not beside the project (../shared)")
    families = {task.family for task in content.tasks()}
    answered: dict[str, set[str]] = {}
    general = general_audit(content)
    assert general is not None
    for place, reported in [
        ("", general.reported),
        *((family, content.audit(family).reported) for family in sorted(families)),
    ]:
        for fault in reported:
            answered.setdefault(fault.id, set()).add(place)
    with faults.open(encoding="utf-8", newline="") as file:
        named = {
            row["id"]: {name.strip() for name in row["family"].split(";")} for row in csv.DictReader(file)
        }
    asked = {fault: (names & families) or {""} for fault, names in named.items()}
    assert sorted(set(asked) - set(answered)) == []
    assert {
        fault: places for fault, places in answered.items() if not places <= asked.get(fault, set())
    } == {}
