"""``stages.toml`` as a record: what it refuses; and what is recorded of a run's stages."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.records import BadInput, FamilyStages, StageReport, StageScore, StageStatus


def family(**changes: Any) -> dict[str, Any]:
    stage = {
        "name": "cohort",
        "rows": "One row a stay.",
        "keys": [{"name": "stay_id"}],
        "columns": [{"name": "age", "type": "ordered", "tolerance": 0.01, "means": "years"}],
        "sql": "SELECT stay_id, age FROM stay",
    }
    stages = [stage | changes, {**stage, "name": "other"}]
    return {"family": "small", "databases": [{"database": "mimic-iv", "stages": stages}]}


def test_a_family_and_its_databases() -> None:
    found = FamilyStages.from_raw(family(), "stages.toml")
    first = found.required("mimic-iv").stages[0]
    assert first.column_names == ["stay_id", "age"]
    assert found.of("eicu") is None
    with pytest.raises(BadInput, match="family small has no stages for eicu"):
        found.required("eicu")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "Cohort"}, "pattern"),
        ({"name": "../x"}, "pattern"),
        ({"name": "result"}, "is that of the output"),
        ({"name": "other"}, "stages named twice: other"),
        ({"keys": []}, "at least 1 item"),
        ({"keys": [{"name": "age"}]}, "columns named twice: age"),
        ({"columns": [{"name": "age", "type": "ordered", "tolerance": -1}]}, "tolerance"),
        ({"columns": [{"name": "age", "type": "number"}]}, "type"),
        ({"rows": ""}, "rows"),
        ({"step": "stay"}, "step"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        FamilyStages.from_raw(family(**changes), "stages.toml")


def test_at_least_two_stages() -> None:
    raw = family()
    raw["databases"][0]["stages"].pop()
    with pytest.raises(BadInput, match="at least 2 items"):
        FamilyStages.from_raw(raw, "stages.toml")


@pytest.mark.parametrize(
    ("first", "summary", "unseen"),
    [
        ("c", "the first that diverges is c (not compared: a)", ["a"]),
        ("b", "the first that diverges is b (not compared: a)", ["a"]),
        ("result", "the first that diverges is the result itself (not compared: a, d)", ["a", "d"]),
        ("", "none diverges (not compared: a, d)", ["a", "d"]),
    ],
)
def test_what_could_not_be_compared_ahead_of_the_first(first: str, summary: str, unseen: list[str]) -> None:
    statuses = {"a": "missing", "b": "equal", "c": "differs", "d": "unreadable"}
    stages = [StageScore(name=name, status=StageStatus(status)) for name, status in statuses.items()]
    report = StageReport(sql_sha256="0", stages=stages, first_diverging_stage=first)
    assert (report.summary, report.unseen) == (summary, unseen)
    assert StageReport.model_validate_json(report.model_dump_json()) == report
