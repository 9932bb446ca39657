"""Keys: spellings, unreadable ones, duplicates, extra and missing rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from workbench.records import Task
from workbench.records.errors import WorkbenchError

STAY = "SELECT 30000001 AS stay_id, 7 AS sofa"
TIMED = "SELECT 1 AS stay_id, TIMESTAMP '2150-01-01 10:00:00' AS charttime, 7 AS sofa"
MIDNIGHT = "SELECT 1 AS stay_id, TIMESTAMP '2150-01-01' AS charttime, 7 AS sofa"
FRACTION = "SELECT 1 AS stay_id, TIMESTAMP '2150-01-01 10:00:00.5' AS charttime, 7 AS sofa"
LABEL = "SELECT 'x' AS specimen, 7 AS sofa"
HUGE = "SELECT 9007199254740993::BIGINT AS stay_id, 7 AS sofa"
DOSE = "SELECT 1.5::DOUBLE AS stay_id, 7 AS sofa"
FLAG = "SELECT TRUE AS stay_id, 7 AS sofa"

MATCHING = [
    (STAY, "30000001"),
    (STAY, "30000001.0"),
    (STAY, "3.0000001e7"),
    (STAY, "+30000001"),
    (STAY, " 30000001 "),
    (STAY, '"30000001"'),
    (STAY, "030000001"),
    (HUGE, "9007199254740993"),
    (HUGE, "9007199254740993.0"),
    (HUGE, "+9007199254740993"),
    (DOSE, "1.50"),
    (FLAG, "True"),
    (FLAG, "1"),
    (LABEL, "x"),
    (TIMED, "1,2150-01-01 10:00:00"),
    (TIMED, "1.0,2150-01-01T10:00:00"),
    (TIMED, "1,2150-01-01 10:00:00.000000"),
    (TIMED, "1,2150-01-01T10:00:00Z"),
    (TIMED, "1,2150-01-01T12:00:00+02:00"),
    (MIDNIGHT, "1,2150-01-01"),
    (FRACTION, "1,2150-01-01 10:00:00.5"),
]
NOT_MATCHING = [
    # reference, spelling, readable
    (STAY, "30000001.5", False),
    (STAY, "NA", False),
    (STAY, "nan", False),
    (STAY, "", False),
    (STAY, "99999999999999999999", False),
    (STAY, "0x1C9C381", False),
    (STAY, "30_000001", False),
    (HUGE, "9_007199254740993", False),
    (DOSE, "1.5_0", False),
    (FLAG, "0_1", False),
    (STAY, "30000002", True),
    (HUGE, "9007199254740992", True),
    (DOSE, "nan", False),
    (LABEL, "X", True),
    (LABEL, "x ", True),
    (LABEL, "", False),
    (TIMED, "1,2150-01-01 10:00:00+02:00", True),
    (TIMED, "1,2150-01-01", True),
    (TIMED, "1,2150-01-01 10:00:00.5", True),
    (TIMED, "1,tomorrow", False),
    (TIMED, "1,infinity", False),
    (TIMED, ",2150-01-01 10:00:00", False),
    (FRACTION, "1,2150-01-01 10:00:00", True),
]


def _task(task_of: Callable[..., Task], reference: str) -> Task:
    if "charttime" in reference:
        return task_of({"stay_id": "nominal", "charttime": "time"}, {"sofa": "ordered"})
    key = "specimen" if "specimen" in reference else "stay_id"
    return task_of({key: "text" if key == "specimen" else "nominal"}, {"sofa": "ordered"})


def _header(task: Task) -> str:
    return ",".join(key.name for key in task.keys) + ",sofa\n"


@pytest.mark.parametrize(("reference", "spelling"), MATCHING)
def test_spellings_of_a_key_match(
    bench: Any, task_of: Callable[..., Task], reference: str, spelling: str
) -> None:
    task = _task(task_of, reference)
    score = bench.target(task, reference, f"{_header(task)}{spelling},7\n")
    assert (score.reward, score.keys.f1) == (1.0, 1.0)


@pytest.mark.parametrize(("reference", "spelling", "readable"), NOT_MATCHING)
def test_other_and_unreadable_keys_are_extra_rows(
    bench: Any, task_of: Callable[..., Task], reference: str, spelling: str, readable: bool
) -> None:
    task = _task(task_of, reference)
    right = MATCHING[[case[0] for case in MATCHING].index(reference)][1]
    score = bench.target(task, reference, f"{_header(task)}{right},7\n{spelling},7\n")
    assert score.keys.matched == 1
    assert (score.keys.extra, score.keys.unreadable) == (1, 0 if readable else 1)
    assert score.reward == 0.5


def test_the_counts_make_the_denominator(bench: Any, task_of: Callable[..., Task]) -> None:
    """Ten reference rows, 8 matched, 2 missing, 2 extra (one unreadable), 3 later duplicates."""
    task = task_of({"stay_id": "nominal"}, {"sofa": "ordered"})
    rows = [f"{stay},{stay}" for stay in range(8)]
    rows += ["99,0", "NA,0", "0,0", "1.0,1", "99.0,5"]
    score = bench.target(
        task, "SELECT i AS stay_id, i AS sofa FROM range(10) AS t (i)", "stay_id,sofa\n" + "\n".join(rows)
    )
    keys = score.keys
    assert (keys.reference_rows, keys.output_rows) == (10, 13)
    assert (keys.matched, keys.missing, keys.extra, keys.unreadable, keys.duplicates) == (8, 2, 2, 1, 3)
    assert (keys.precision, keys.recall) == (0.8, 0.8)
    assert keys.f1 == pytest.approx(0.8)
    assert score.columns[0].matched == 8
    assert score.reward == 8 / 15


@pytest.mark.parametrize(
    ("rows", "reward"),
    [
        (["1,7", "1,8", "2,5"], 2 / 3),
        (["1,8", "1,7", "2,5"], 1 / 3),
        (["1,8", "2,5", "1.0,7", "+1,7"], 1 / 4),
        (["1,7", "1,7", "2,5"], 2 / 3),
        (["1,7,", "1,8,", "2,5,"], 2 / 3),
    ],
)
def test_the_first_of_duplicates_counts(
    bench: Any, task_of: Callable[..., Task], rows: list[str], reward: float
) -> None:
    task = task_of({"stay_id": "nominal"}, {"sofa": "ordered"})
    reference = "SELECT * FROM (VALUES (1, 7), (2, 5)) AS t (stay_id, sofa)"
    score = bench.target(task, reference, "stay_id,sofa\n" + "\n".join(rows) + "\n")
    assert score.reward == reward


def test_the_first_is_the_first_of_the_file_however_large(bench: Any, task_of: Callable[..., Task]) -> None:
    """Enough rows for several threads; each key is right in its first row and wrong in its second."""
    task = task_of({"stay_id": "nominal"}, {"sofa": "ordered"})
    stays = range(200_000)
    rows = [f"{stay},{stay % 24}" for stay in stays] + [f"{stay},99" for stay in reversed(stays)]
    score = bench.target(
        task,
        "SELECT i AS stay_id, i % 24 AS sofa FROM range(200000) AS t (i)",
        "stay_id,sofa\n" + "\n".join(rows),
    )
    assert (score.columns[0].matched, score.keys.duplicates) == (200_000, 200_000)


@pytest.mark.parametrize(
    ("reference", "what"),
    [
        ("SELECT 1 AS stay_id, 7 AS sofa WHERE FALSE", "no rows"),
        ("SELECT NULL::INTEGER AS stay_id, 7 AS sofa", "1 rows without a key"),
        ("SELECT 1 AS stay_id", "no column sofa"),
        ("SELECT 1 AS stay_id, unnest([7, 8]) AS sofa", "1 with a repeated one"),
    ],
)
def test_a_broken_reference_is_told_and_scores_nothing(
    bench: Any, task_of: Callable[..., Task], reference: str, what: str
) -> None:
    task = task_of({"stay_id": "nominal"}, {"sofa": "ordered"})
    with pytest.raises(WorkbenchError, match=what):
        bench.score(task, reference, "stay_id,sofa\n1,7\n")
