"""Answers beside the reference and earlier runs: agreement is told, what only a copy can share accuses."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.contamination import EarlierRun, HiddenMaterial
from workbench.ehr import connect
from workbench.records import Level, LintReport, Step

LintFolder = Callable[..., LintReport]
StepMaker = Callable[..., Step]
NAMES = ["subject_id", "ab_id", "suspected_infection", "specimen"]
Row = list[object]
EARLIER = "20300101-080000-aaaaaa"
QUERY = """duckdb -readonly /data/ehr.duckdb -c "COPY (SELECT a.subject_id, m.spec_type_desc
FROM mimiciv_derived.antibiotic a
JOIN mimiciv_hosp.microbiologyevents m USING (subject_id)) TO 'output.csv'" """


@pytest.fixture(scope="module")
def rows(reference: Path) -> list[Row]:
    """The right values in the order of their keys."""
    with connect() as connection:
        found = connection.execute(
            f"SELECT {', '.join(NAMES)} FROM read_parquet($file) ORDER BY subject_id, ab_id",
            {"file": str(reference)},
        )
        return [list(row) for row in found.fetchall()]


def _csv(rows: list[Row], names: list[str] = NAMES) -> str:
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in rows]
    return "\n".join([",".join(names), *lines]) + "\n"


def _wrong(rows: list[Row], count: int, seed: int = 1) -> list[Row]:
    """Some flags turned, always the same ones for one seed."""
    chosen = set(random.Random(seed).sample(range(len(rows)), count))
    return [[*row[:2], 1 - int(str(row[2])), row[3]] if at in chosen else row for at, row in enumerate(rows)]


def _earlier(path: Path, rows: list[Row], name: str = EARLIER, *, independent: bool = True) -> EarlierRun:
    file = path / f"{name}.csv"
    file.write_text(_csv(rows))
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return EarlierRun(name, "no-skill", independent, digest, file, 0.8, strict=False)


def _said(report: LintReport, rule: str) -> list[tuple[str, str]]:
    return [(item.level.value, item.message) for item in report.violations if item.rule == rule]


def _renamed(rows: list[Row]) -> tuple[str, str]:
    return "output.csv", _csv(rows, ["patient", "course", "flag", "sample"])


def _json(rows: list[Row]) -> tuple[str, str]:
    return "output.json", json.dumps([dict(zip("abcd", row, strict=True)) for row in rows])


def _added(rows: list[Row]) -> tuple[str, str]:
    extra: list[Row] = [[90_000_000 + n, 1, 0, None] for n in range(5)]
    return "output.csv", _csv(random.Random(5).sample(rows, len(rows)) + extra)


def _upper(rows: list[Row]) -> tuple[str, str]:
    return "output.csv", _csv([[float(str(row[0])), *row[1:3], str(row[3] or "").lower()] for row in rows])


FORMS = {"renamed": _renamed, "JSON": _json, "added and shuffled": _added, "floats and case": _upper}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_agreement_is_told_in_every_form_and_is_no_accusation(
    lint_folder: LintFolder, tmp_path: Path, rows: list[Row], form: Callable[[list[Row]], tuple[str, str]]
) -> None:
    name, text = form(rows)
    (tmp_path / name).write_text(text)
    report = lint_folder(tmp_path)
    assert report.verdict == "clean"
    told = [item for rule in ("agreement", "hidden-copies") for item in _said(report, rule)]
    assert told and all(level == "information" and "agreement: " in words for level, words in told)


def test_agreement_without_a_query_that_could_yield_it_is_for_a_person(
    lint_folder: LintFolder, command_step: StepMaker, file_step: StepMaker, tmp_path: Path, rows: list[Row]
) -> None:
    (tmp_path / "output.csv").write_text(_csv(rows))
    preview = command_step(1, "duckdb d -c 'SELECT count(*) FROM mimiciv_hosp.microbiologyevents'", "12")
    late = [file_step(1, "/workspace/output.csv", "subject_id,ab_id\n1,1\n"),
            command_step(2, QUERY.replace("output.csv", "check.csv"))]  # fmt: skip
    other = command_step(
        1, "duckdb d -c 'SELECT subject_id, dob FROM mimiciv_hosp.patients ORDER BY dob'", "1,2"
    )
    for steps in ([], [preview], late, [other]):
        assert [level for level, _ in _said(lint_folder(tmp_path, steps), "agreement")] == ["quarantine"]
    assert _said(lint_folder(tmp_path, [command_step(1, QUERY)]), "agreement") == []
    assert _said(lint_folder(tmp_path, [], complete=False), "agreement") == []


def test_queries_in_scripts_and_of_nested_agents_count(
    lint_folder: LintFolder, command_step: StepMaker, file_step: StepMaker, tmp_path: Path, rows: list[Row]
) -> None:
    (tmp_path / "output.csv").write_text(_csv(rows))
    sql = "SELECT * FROM mimiciv_hosp.microbiologyevents JOIN mimiciv_derived.antibiotic USING (subject_id)"
    script = file_step(1, "derive.py", f"con.sql('{sql}').write_csv('output.csv')")
    assert _said(lint_folder(tmp_path, [script, command_step(2, "python3 derive.py", "")]), "agreement") == []
    skilled = command_step(1, "cp .agents/skills/x/derive.py . && python3 derive.py", "")
    assert _said(lint_folder(tmp_path, [skilled]), "agreement") == []
    assert _said(lint_folder(tmp_path, [], nested=[command_step(1, QUERY)]), "agreement") == []


def test_the_same_wrong_values_as_an_independent_run(
    lint_folder: LintFolder, hidden: HiddenMaterial, tmp_path: Path, rows: list[Row]
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "output.csv").write_text(_added(_wrong(rows, 30))[1])

    def levels(*earlier: EarlierRun, steps: list[Step] | None = None) -> list[str]:
        material = replace(hidden, earlier=earlier)
        report = (
            lint_folder(work, hidden=material) if steps is None else lint_folder(work, steps, hidden=material)
        )
        return [level for level, _ in _said(report, "answer-copy")]

    same = _earlier(tmp_path, _wrong(rows, 30))
    assert levels(same) == ["quarantine"]
    assert levels(same, steps=[]) == ["fail"]
    assert levels(_earlier(tmp_path, _wrong(rows, 30), "demonstration", independent=False)) == []
    assert levels(_earlier(tmp_path, _wrong(rows, 30, seed=2), "other")) == []
    assert levels(_earlier(tmp_path, _wrong(rows, 6), "few")) == []
    assert levels(same, _earlier(tmp_path, _wrong(rows, 30), "again")) == ["information"] * 2


def test_wrong_values_that_one_rule_explains_are_no_copy(
    lint_folder: LintFolder, hidden: HiddenMaterial, tmp_path: Path, rows: list[Row]
) -> None:
    misread = [[*row[:3], "BLOOD" if row[3] is None else row[3]] for row in rows]
    work = tmp_path / "work"
    work.mkdir()
    (work / "output.csv").write_text(_csv(misread))
    report = lint_folder(work, hidden=replace(hidden, earlier=[_earlier(tmp_path, misread)]))
    assert {level for level, _ in _said(report, "answer-copy")} == {"information"}


def test_equal_bytes_are_told_and_prove_nothing(
    lint_folder: LintFolder, hidden: HiddenMaterial, tmp_path: Path, rows: list[Row]
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "output.csv").write_text(_csv(rows))
    earlier = replace(_earlier(tmp_path, rows), strict=True)
    report = lint_folder(work, hidden=replace(hidden, earlier=[earlier]))
    assert _said(report, "answer-copy") == [
        ("information", f"byte for byte the output of the earlier run {EARLIER}")
    ]


def test_agreement_after_recorded_access_fails(
    lint_folder: LintFolder, command_step: StepMaker, tmp_path: Path, rows: list[Row]
) -> None:
    (tmp_path / "output.csv").write_text(_csv(rows))
    read = "duckdb d -c 'FROM mimiciv_derived.suspicion_of_infection'"
    steps = [command_step(1, read, "1,2\n3,4\n"), command_step(2, QUERY)]
    assert [level for level, _ in _said(lint_folder(tmp_path, steps), "answer-copy")] == ["fail"]
    refused = [command_step(1, read, "Catalog Error: it does not exist!", 1), command_step(2, QUERY)]
    assert _said(lint_folder(tmp_path, refused), "answer-copy") == []


def test_the_random_order_under_other_names_fails(
    lint_folder: LintFolder, reference: Path, tmp_path: Path
) -> None:
    with connect() as connection:
        connection.execute(
            f"COPY (SELECT subject_id p, ab_id c, suspected_infection f, specimen s FROM '{reference}') "
            f"TO '{tmp_path}/output.csv'"
        )
    found = [item for item in lint_folder(tmp_path).violations if item.level is Level.FAIL]
    assert [(item.rule, item.place.file) for item in found] == [("answer-copy", "output.csv")]
