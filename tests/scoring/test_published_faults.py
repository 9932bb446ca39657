"""Each scoring fault observed in the published harness; none may exist here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from workbench.records import Task

ROWS = 100
NUMBERS = f"SELECT i AS stay_id, i % 24 AS sofa FROM range({ROWS}) AS t (i)"
TIMED = (
    "SELECT i AS stay_id, TIMESTAMP '2150-01-01' + to_minutes(i) AS charttime, i % 24 AS sofa "
    f"FROM range({ROWS}) AS t (i)"
)


def _stays(**changed: str) -> str:
    rows = [f"{changed.get(f'stay_{stay}', str(stay))},{stay % 24}" for stay in range(ROWS)]
    return "stay_id,sofa\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize("key", ["", "unknown"])
def test_one_null_or_text_key_costs_one_row(bench: Any, task_of: Callable[..., Task], key: str) -> None:
    task = task_of({"stay_id": "nominal"}, {"sofa": "ordered"})
    report = bench.score(task, NUMBERS, _stays(stay_50=key))
    assert report.reward == (ROWS - 1) / (ROWS + 1)


@pytest.mark.parametrize(
    ("row", "charttime"),
    [
        (0, "2150-01-01"),
        (50, "2150-01-01 00:50:00.000"),
        (50, "2150-01-01T00:50:00+00:00"),
        (50, "2150-01-01 02:50:00+02:00"),
        (50, "2150-01-01 00:50:00Z"),
    ],
)
def test_one_timestamp_key_of_another_form_costs_nothing(
    bench: Any, task_of: Callable[..., Task], row: int, charttime: str
) -> None:
    task = task_of({"stay_id": "nominal", "charttime": "time"}, {"sofa": "ordered"})
    lines = [
        f"{stay},{charttime if stay == row else f'2150-01-01 {stay // 60:02}:{stay % 60:02}:00'},{stay % 24}"
        for stay in range(ROWS)
    ]
    report = bench.score(task, TIMED, "stay_id,charttime,sofa\n" + "\n".join(lines))
    assert report.reward == 1.0


def test_one_na_in_a_whole_number_column_costs_one_value(bench: Any, task_of: Callable[..., Task]) -> None:
    task = task_of({"stay_id": "nominal"}, {"sofa": "ordered"})
    report = bench.score(task, NUMBERS, _stays().replace("\n50,2\n", "\n50,NA\n"))
    assert report.reward == 0.99


def test_a_hundredth_agrees_at_a_hundredth(bench: Any, task_of: Callable[..., Task]) -> None:
    """|1.00 - 1.01| is more than 0.01 in doubles; so are about half of all such pairs."""
    task = task_of({"stay_id": "nominal"}, {"dose": ("ordered", 0.01)})
    reference = "SELECT i AS stay_id, i / 100 AS dose FROM range(10000) AS t (i)"
    above = "".join(f"{stay},{(stay + 1) / 100:.2f}\n" for stay in range(10_000))
    beyond = "".join(f"{stay},{(stay + 2) / 100:.2f}\n" for stay in range(10_000))
    assert bench.score(task, reference, "stay_id,dose\n" + above).reward == 1.0
    assert bench.score(task, reference, "stay_id,dose\n" + beyond).reward == 0.0


@pytest.mark.parametrize("kind", ["nominal", "ordered"])
@pytest.mark.parametrize(
    "words", [("true", "false"), ("True", "False"), ("t", "f"), ("1", "0"), ("1.0", "0.0")]
)
def test_booleans_are_scored(
    bench: Any, task_of: Callable[..., Task], kind: str, words: tuple[str, str]
) -> None:
    task = task_of({"stay_id": "nominal"}, {"sepsis3": kind})
    reference = "SELECT * FROM (VALUES (1, TRUE), (2, FALSE), (3, NULL)) AS t (stay_id, sepsis3)"
    score = bench.target(task, reference, f"stay_id,sepsis3\n1,{words[0]}\n2,{words[1]}\n3,\n")
    assert score.reward == 1.0
    assert score.ordered_nmae == (0.0 if kind == "ordered" else None)
