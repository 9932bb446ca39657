"""The content is clean, and says all that the fact sheets say: every caveat row, every reported fault."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.checks import check_content, published_tasks
from workbench.checks.audits import general_audit
from workbench.records import Bias, Severity

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


def _sheet() -> list[tuple[str, str, str]]:
    """Title, severity and bias of each row of the sheet of caveats."""
    sheet = SHARED / "docs" / "clinical" / "caveats.md"
    if not sheet.is_file():
        pytest.skip("the sheet of caveats is not beside the project (../shared)")
    part = sheet.read_text(encoding="utf-8").split("\n## ")[1]
    rows = [line.split("|")[1:4] for line in part.splitlines() if line.startswith("| ")]
    found = [(title.strip(), severity.strip(), bias.strip()) for title, severity, bias in rows]
    return [row for row in found if row[0] != "title"]


def test_the_list_of_rows_is_the_sheets() -> None:
    ours = [row for family in ROWS.values() for row in family]
    assert sorted(title for title, *_ in _sheet()) == sorted(ours)


def test_severity_and_bias_are_the_sheets(content: Content) -> None:
    """Of the caveats of a row the gravest; directions where the sheet says one plain word."""
    order = list(Severity)
    said = {}
    for family, rows in ROWS.items():
        caveats = {caveat.id: caveat for caveat in content.audit(family).caveats}
        for title, ids in rows.items():
            named = [caveats[name] for name in ids.split(", ")]
            gravest = max(named, key=lambda caveat: order.index(caveat.severity))
            said[title] = (str(gravest.severity), {str(caveat.bias) for caveat in named})
    departing = {}
    for title, severity, bias in _sheet():
        ours, directions = said[title]
        word = {"n/a": "none"}.get(bias, bias.split(" ")[0])
        if severity.split(" ")[0] in order and severity.split(" ")[0] != ours:
            departing[title] = (severity, ours)
        if word in list(Bias) and len(directions) == 1 and directions != {word}:
            departing[title] = (bias, *directions)
    assert departing == {}


def test_every_reported_fault_is_answered_where_it_belongs(content: Content) -> None:
    """By every family that it names, or, where it names none of ours, in the general audit."""
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
    assert {fault: places for fault, places in asked.items() if answered.get(fault) != places} == {}
    assert sorted(set(answered) - set(asked)) == []
