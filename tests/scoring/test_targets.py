"""Several references, thresholds of the strict pass, and what a report may hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from workbench.records import Task, WorkbenchError
from workbench.scoring import score_output

TARGETS = [
    {"name": "public-code"},
    {"name": "adjudicated"},
    {"name": "accepted-24h"},
    {"name": "accepted-never-built", "status": "draft"},
]
PUBLIC = "SELECT i AS stay_id, i % 24 AS sofa FROM range(10) AS t (i)"
ADJUDICATED = "SELECT i AS stay_id, CASE WHEN i < 5 THEN i % 24 ELSE 0 END AS sofa FROM range(8) AS t (i)"
AS_TEXT = "SELECT 's' || i AS stay_id, i AS sofa FROM range(10) AS t (i)"
OUTPUT = "stay_id,sofa\n" + "".join(f"{stay},{stay}\n" for stay in range(10))


def test_each_target_is_scored_and_the_reward_is_of_public_code(
    bench: Any, task_of: Callable[..., Task]
) -> None:
    task = task_of({"stay_id": "nominal"}, {"sofa": "ordered"}, targets=TARGETS)
    references = {
        "accepted-24h": bench.reference(AS_TEXT),
        "adjudicated": bench.reference(ADJUDICATED),
        "public-code": bench.reference(PUBLIC),
    }
    report = score_output(bench.output(OUTPUT), task, references)
    assert [score.target for score in report.targets] == ["public-code", "adjudicated", "accepted-24h"]
    assert [score.reward for score in report.targets] == [1.0, 5 / 10, 0.0]
    assert [score.strict_pass for score in report.targets] == [True, False, False]
    assert (report.reward, report.strict_pass, report.problem) == (1.0, True, "")
    keys = report.targets[1].keys
    assert keys is not None
    assert (keys.matched, keys.extra, keys.recall) == (8, 2, 1.0)


def test_targets_are_told_side_by_side_and_drafts_as_such(bench: Any, task_of: Callable[..., Task]) -> None:
    from workbench.runs import score_lines

    targets = [{"name": "public-code"}, {"name": "adjudicated", "status": "draft"}]
    task = task_of({"stay_id": "nominal"}, {"sofa": "ordered"}, targets=targets)
    references = {"adjudicated": bench.reference(ADJUDICATED), "public-code": bench.reference(PUBLIC)}
    report = score_output(bench.output(OUTPUT), task, references)
    assert [(score.status, score.title) for score in report.targets] == [
        ("declared", "public-code"),
        ("draft", "adjudicated (draft)"),
    ]
    assert report.side_by_side == [("reward", [1.0, 0.5]), ("sofa", [1.0, 0.5])]
    assert list(score_lines(report))[-5:] == [
        "agree    A: public-code",
        "         B: adjudicated (draft)",
        "                     A      B",
        "         reward  1.000  0.500",
        "         sofa    1.000  0.500",
    ]
    one = score_output(bench.output(OUTPUT), task, {"public-code": references["public-code"]})
    assert one.side_by_side == []
    assert not any(line.startswith("agree") for line in score_lines(one))
    unreadable = score_output(None, task, references)
    assert [score.status for score in unreadable.targets] == ["declared", "draft"]


def test_the_primary_reference_has_to_be_there(bench: Any, task_of: Callable[..., Task]) -> None:
    task = task_of({"stay_id": "nominal"}, {"sofa": "ordered"}, targets=TARGETS)
    with pytest.raises(WorkbenchError, match="no public-code reference"):
        score_output(bench.output(OUTPUT), task, {"adjudicated": bench.reference(PUBLIC)})
    missing = bench.folder / "nothing.parquet"
    with pytest.raises(WorkbenchError, match="cannot be read"):
        score_output(bench.output(OUTPUT), task, {"public-code": missing})


@pytest.mark.parametrize(
    ("coverage", "accuracy", "wrong", "left_out", "checks"),
    [
        (1.0, 1.0, 0, 0, [True] * 5),
        (1.0, 0.9, 1, 0, [True] * 5),
        (1.0, 0.91, 1, 0, [True, True, True, True, False]),
        (0.9, 0.9, 0, 1, [True] * 5),
        (0.9, 0.9, 1, 1, [True, True, True, True, False]),
        (0.95, 0.5, 0, 1, [True, True, True, False, True]),
    ],
)
def test_a_share_equal_to_its_threshold_meets_it(
    bench: Any,
    task_of: Callable[..., Task],
    coverage: float,
    accuracy: float,
    wrong: int,
    left_out: int,
    checks: list[bool],
) -> None:
    task = task_of(
        {"stay_id": "nominal"},
        {"sofa": "ordered"},
        thresholds={"key_coverage": coverage, "column_accuracy": accuracy},
    )
    rows = [f"{stay},{99 if stay < wrong else stay}" for stay in range(10 - left_out)]
    score = bench.target(task, PUBLIC, "stay_id,sofa\n" + "\n".join(rows))
    assert [check.passed for check in score.strict_checks] == checks
    assert score.strict_pass == all(checks)


def test_identifiers_are_required_and_not_scored(bench: Any, task_of: Callable[..., Task]) -> None:
    task = task_of({"stay_id": "nominal"}, {"sofa": "ordered"}, further_columns=["subject_id"])
    score = bench.target(task, PUBLIC, OUTPUT)
    assert (score.reward, score.strict_pass) == (1.0, False)
    assert score.strict_checks[2].detail == "missing: subject_id"


def test_canary_columns_of_a_reference_are_ignored(bench: Any, task_of: Callable[..., Task]) -> None:
    task = task_of({"stay_id": "nominal"}, {"sofa": "ordered"})
    with_token = "stay_id,sofa,_canary_1f\n" + "".join(f"{stay},{stay},token\n" for stay in range(10))
    assert bench.score(task, PUBLIC, with_token) == bench.score(task, PUBLIC, OUTPUT)


def test_a_report_holds_no_value(bench: Any, task_of: Callable[..., Task]) -> None:
    """Planted in keys, values, header and bad rows; errors included."""
    task = task_of({"stay_id": "nominal"}, {"note": "text"})
    reference = bench.reference("SELECT 31415926 AS stay_id, 'hidden-text' AS note")
    plants = ["31415926", "hidden-text", "27182818", "planted-text"]
    for data in (
        "stay_id,note\n27182818,planted-text\n31415926,hidden-text\n",
        "27182818,planted-text\n31415926,hidden-text\n",
        "stay_id;note\n27182818;planted-text\n",
        "stay_id,note\n27182818,planted-text,27182818\n31415926\n",
        'stay_id,note\n27182818,"planted-text' + "x" * 200_000,
        "stay_id,note\n27182818,planted-text\xe9\n".encode("latin-1"),
    ):
        told = bench.score(task, reference, data).to_json()
        assert [plant for plant in plants if plant in told] == []
    broken = bench.reference("SELECT 31415926 AS stay_id, unnest(['hidden-text', 'other']) AS note")
    with pytest.raises(WorkbenchError) as caught:
        score_output(bench.output("stay_id,note\n31415926,x\n"), task, {"public-code": broken})
    assert [plant for plant in plants if plant in str(caught.value)] == []
