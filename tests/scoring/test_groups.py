"""A score broken down by columns of the reference: shares per group, small groups pooled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from workbench.records import GroupScore, ScoreReport, Task, WorkbenchError
from workbench.runs import score_lines

HOSPITALS = """
SELECT
  i AS stay_id,
  i % 7 AS uo,
  'g' || (i % 3) AS unit,
  CASE WHEN i < 30 THEN 443 WHEN i < 50 THEN 56 WHEN i < 59 THEN 73 WHEN i < 66 THEN 110 END AS hospitalid
FROM range(80) AS t (i)
"""
"""Hospitals with 30, 20, 9 and 7 rows, and 14 rows without one."""


@pytest.fixture
def task(task_of: Callable[..., Task]) -> Task:
    return task_of({"stay_id": "nominal"}, {"uo": "ordered", "unit": "text"}, report_by=["hospitalid"])


def written(rows: range, *, wrong: range = range(0)) -> str:
    lines = [f"{stay},{99 if stay in wrong else stay % 7},g{stay % 3}" for stay in rows]
    return "stay_id,uo,unit\n" + "\n".join(lines) + "\n"


def by_group(groups: list[GroupScore]) -> dict[str, tuple[int, int, list[float]]]:
    return {group.title: (group.reference_rows, group.matched, group.match_rates) for group in groups}


def test_each_group_has_its_coverage_and_rates_and_small_ones_are_pooled(bench: Any, task: Task) -> None:
    target = bench.target(task, HOSPITALS, written(range(10, 80), wrong=range(30, 35)))
    assert by_group(target.groups) == {
        "56": (20, 20, [15 / 20, 1.0]),
        "443": (30, 20, [20 / 30, 20 / 30]),
        "not known": (14, 14, [1.0, 1.0]),
        "other (2)": (16, 16, [1.0, 1.0]),
    }
    assert [group.group for group in target.groups] == ["56", "443", "not known", "other"]
    assert [group.key_coverage for group in target.groups] == [1.0, 20 / 30, 1.0, 1.0]
    assert {group.by for group in target.groups} == {"hospitalid"}


def test_groups_add_up_to_the_whole(bench: Any, task: Task) -> None:
    target = bench.target(task, HOSPITALS, written(range(3, 71), wrong=range(50, 64)))
    rows = sum(group.reference_rows for group in target.groups)
    assert (rows, sum(group.matched for group in target.groups)) == (80, target.keys.matched)
    for place, column in enumerate(target.columns):
        matched = sum(group.match_rates[place] * group.reference_rows for group in target.groups)
        assert round(matched, 6) == column.matched


def test_extra_and_repeated_rows_belong_to_no_group(bench: Any, task: Task) -> None:
    plain = bench.target(task, HOSPITALS, written(range(80)))
    more = bench.target(task, HOSPITALS, written(range(100)) + "0,0,g0\n,1,g1\n")
    assert (more.keys.extra, more.keys.duplicates) == (21, 1)
    assert more.groups == plain.groups
    assert {rate for group in plain.groups for rate in group.match_rates} == {1.0}


def test_a_missing_column_and_an_empty_output_match_nothing(bench: Any, task: Task) -> None:
    without = bench.target(task, HOSPITALS, "stay_id,unit\n" + "".join(f"{i},g{i % 3}\n" for i in range(80)))
    assert {tuple(group.match_rates) for group in without.groups} == {(0.0, 1.0)}
    empty = bench.target(task, HOSPITALS, "stay_id,uo,unit\n")
    assert {(group.matched, *group.match_rates) for group in empty.groups} == {(0, 0.0, 0.0)}


@pytest.mark.parametrize(
    ("sizes", "left"),
    [
        ([9, 10, 40], {"2": 40, "other (2)": 19}),
        ([9, 1, 40], {"2": 40, "other (2)": 10}),
        ([10, 11, 12], {"0": 10, "1": 11, "2": 12}),
        ([3, 40], {"other (2)": 43}),
        ([4, 5], {}),
    ],
)
def test_what_is_pooled_has_ten_keys_itself(
    bench: Any, task_of: Callable[..., Task], sizes: list[int], left: dict[str, int]
) -> None:
    """Else it could be told from the rest."""
    rows = [f"({10_000 * place + i}, {place})" for place, size in enumerate(sizes) for i in range(size)]
    sql = f"SELECT stay_id, 1 AS uo, hospitalid FROM (VALUES {', '.join(rows)}) AS t (stay_id, hospitalid)"
    task = task_of({"stay_id": "nominal"}, {"uo": "ordered"}, report_by=["hospitalid"])
    target = bench.target(task, sql, "stay_id,uo\n1,1\n")
    assert {group.title: group.reference_rows for group in target.groups} == left


def test_null_on_both_sides_matches_only_where_the_key_is_there(
    bench: Any, task_of: Callable[..., Task]
) -> None:
    sql = "SELECT i AS stay_id, NULL::DOUBLE AS uo, 1 AS hospitalid FROM range(10) AS t (i)"
    task = task_of({"stay_id": "nominal"}, {"uo": "ordered"}, report_by=["hospitalid"])
    (group,) = bench.target(task, sql, "stay_id,uo\n1,\n2,\n").groups
    assert (group.matched, group.match_rates) == (2, [0.2])


def test_without_report_by_there_are_no_groups_and_old_records_are_read(
    bench: Any, task_of: Callable[..., Task]
) -> None:
    report = bench.score(task_of({"stay_id": "nominal"}, {"uo": "ordered"}), HOSPITALS, written(range(80)))
    assert [target.groups for target in report.targets] == [[]]
    raw = report.model_dump(mode="json")
    for target in raw["targets"]:
        del target["groups"]
    assert ScoreReport.from_raw(raw, "old") == report


def test_the_reference_has_to_have_the_column(bench: Any, task_of: Callable[..., Task]) -> None:
    task = task_of({"stay_id": "nominal"}, {"uo": "ordered"}, report_by=["ward"])
    with pytest.raises(WorkbenchError, match="no column ward"):
        bench.target(task, HOSPITALS, written(range(80)))
    assert task.required_columns == ["stay_id", "uo"]
    assert task.reference_columns == ["stay_id", "uo", "ward"]
    for wrong in (["stay_id"], ["uo"], ["ward", "ward"]):
        with pytest.raises(ValidationError, match="report_by"):
            task_of({"stay_id": "nominal"}, {"uo": "ordered"}, report_by=wrong)


def test_groups_are_told_as_a_table_that_fits(bench: Any, task_of: Callable[..., Task]) -> None:
    columns = dict.fromkeys((f"value_{place}" for place in range(30)), "ordered")
    values = ", ".join(f"i AS {name}" for name in columns)
    sql = f"SELECT i AS stay_id, {values}, i % 2 AS hospitalid FROM range(2400) AS t (i)"
    task = task_of({"stay_id": "nominal"}, columns, report_by=["hospitalid"])
    lines = ["stay_id,value_0,value_29", *(f"{i},{i},{0 if i == 4 else i}" for i in range(2400))]
    report = bench.score(task, sql, "\n".join(lines) + "\n")
    told = list(score_lines(report))
    rows = report.targets[0].group_rows
    assert max(len(line) for line in told[-len(rows) :]) <= 80
    assert (rows[0], rows[29]) == ("A: value_0", "D1: value_29")
    assert [row.split() for row in rows if row.startswith(("hospitalid", "0 "))] == [
        ["hospitalid", "rows", "keys", *"ABCDEFGHI"],
        ["0", "1,200", "1.00", "1.00", *["0.00"] * 8],
        ["hospitalid", "rows", "keys", *"JKLMNOPQR"],
        ["0", "1,200", "1.00", *["0.00"] * 9],
        ["hospitalid", "rows", "keys", *"STUVWXYZ", "A1"],
        ["0", "1,200", "1.00", *["0.00"] * 9],
        ["hospitalid", "rows", "keys", "B1", "C1", "D1"],
        ["0", "1,200", "1.00", "0.00", "0.00", "0.99"],
    ]
    assert [f"         {row}" for row in rows] == told[-len(rows) :]
