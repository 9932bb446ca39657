"""Checks without a reference: a right output passes, each way of being wrong is counted, no value shown."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.ehr import connect
from workbench.ehr.source_views import open_source
from workbench.records import BadInput, DatabaseChecks, DataPaths, OutputRange, OutputReport, Source, Task
from workbench.scoring import check_output, check_script

CHECKS = {
    "database": "mimic-iv",
    "cohort": "SELECT stay_id FROM mimiciv_icu.icustays",
    "cohort_keys": ["stay_id"],
    "cohort_rule": "all",
    "ranges": [
        {"column": "los", "low": 0, "high": 1000, "nulls": False},
        {"column": "flag", "values": [0, 1]},
    ],
    "relations": [
        {"says": "the flag tells a long stay", "sql": "flag = CAST(los > 2 AS INTEGER)", "null_holds": True}
    ],
    "counts": [{"step": "stays", "sql": "SELECT count(*) FROM mimiciv_icu.icustays", "says": "all of them"}],
}
RIGHT = (
    "SELECT stay_id, subject_id, intime, los, CAST(los > 2 AS INTEGER) AS flag, first_careunit AS unit "
    "FROM mimiciv_icu.icustays"
)

Report = Callable[..., OutputReport]


@pytest.fixture
def task(task_of: Callable[..., Task]) -> Task:
    columns = {"los": "ordered", "flag": "nominal", "intime": "time", "unit": "text"}
    return task_of({"stay_id": "nominal"}, columns, further_columns=["subject_id"])


@pytest.fixture
def checks() -> DatabaseChecks:
    return DatabaseChecks.model_validate(CHECKS)


@pytest.fixture
def output(tmp_path: Path, shared_home: DataPaths, synthetic: Source) -> Callable[[str], Path]:
    def write(sql: str) -> Path:
        with open_source(shared_home, synthetic) as engine:
            engine.execute(f"COPY ({sql}) TO '{tmp_path / 'output.csv'}' (HEADER)")
        return tmp_path / "output.csv"

    return write


@pytest.fixture
def report_of(
    shared_home: DataPaths,
    synthetic: Source,
    task: Task,
    checks: DatabaseChecks,
    output: Callable[[str], Path],
) -> Report:
    """Checks the rows of a SELECT, with other checks where some are given."""

    def of(sql: str, **changes: object) -> OutputReport:
        return check_output(shared_home, synthetic, task, checks.model_copy(update=changes), output(sql))

    return of


def failed(report: OutputReport) -> dict[str, int]:
    return {
        f"{finding.check}: {finding.says}": finding.offending
        for finding in report.findings
        if not finding.passed
    }


WRONG = [
    (f"{RIGHT} OFFSET 3", {"cohort: of the cohort without a row": 3}),
    (f"{RIGHT} UNION ALL {RIGHT} LIMIT 10 OFFSET 495", None),
    (f"SELECT * REPLACE (stay_id + 1 AS stay_id) FROM ({RIGHT})", None),
    (f"SELECT * REPLACE (CAST(NULL AS DOUBLE) AS los) FROM ({RIGHT})", {"range: los is empty": 500}),
    (f"SELECT * REPLACE (-1 AS los, 0 AS flag) FROM ({RIGHT})", {"range: los outside 0 to 1000": 500}),
    (f"SELECT * REPLACE ('soon' AS los) FROM ({RIGHT})", None),
    (f"SELECT * REPLACE ('soon' AS intime) FROM ({RIGHT})", {"type: intime: no time": 500}),
    (f"SELECT * REPLACE (1 - flag AS flag) FROM ({RIGHT})", {"relation: the flag tells a long stay": 500}),
    (f"SELECT * REPLACE (2 AS flag) FROM ({RIGHT})", None),
    (f"SELECT * EXCLUDE (unit, intime) FROM ({RIGHT})", {"columns: missing: intime, unit": 2}),
]


def test_a_right_output_passes(report_of: Report) -> None:
    report = report_of(RIGHT)
    assert failed(report) == {}
    assert report.rows == 500
    assert [(step.step, step.count) for step in report.steps] == [("stays", 500)]


@pytest.mark.parametrize(("sql", "expected"), WRONG)
def test_what_is_wrong_is_counted(report_of: Report, sql: str, expected: dict[str, int] | None) -> None:
    report = report_of(sql)
    found = failed(report)
    assert found
    if expected is not None:
        assert found == expected
    assert "soon" not in report.to_json()


def test_a_repeated_key_counts_once_as_repeated(report_of: Report) -> None:
    report = report_of(f"{RIGHT} UNION ALL ({RIGHT} LIMIT 7)")
    assert failed(report) == {"keys: rows with a repeated key": 7}


def test_no_file_is_a_finding(
    shared_home: DataPaths, synthetic: Source, task: Task, checks: DatabaseChecks, tmp_path: Path
) -> None:
    report = check_output(shared_home, synthetic, task, checks, tmp_path / "nothing.csv")
    assert failed(report) == {"file: there is no output file": 1}


def test_checks_that_do_not_run_are_named(report_of: Report) -> None:
    with pytest.raises(BadInput, match="do not run"):
        report_of(RIGHT, cohort="SELECT stay FROM mimiciv_icu.icustays")


@pytest.mark.parametrize("column", ["unit", "intime", "subject_id", "stay_id"])
def test_bounds_on_any_column_give_counts(report_of: Report, column: str) -> None:
    """Where they make no sense `workbench check` says so; here nothing breaks."""
    entry = OutputRange(column=column, low=-5, high=-1)
    report = report_of(RIGHT, ranges=[entry])
    assert failed(report) == {f"range: {column} outside -5 to -1": 500}


def test_words_in_a_column_of_numbers_are_outside(report_of: Report) -> None:
    report = report_of(f"SELECT * REPLACE ('soon' AS flag) FROM ({RIGHT})")
    assert failed(report)["range: flag outside 0, 1"] == 500
    assert "soon" not in report.to_json()


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory, shared_home: DataPaths, synthetic: Source) -> Path:
    """What an agent opens, outside a sandbox: a file of views."""
    file = tmp_path_factory.mktemp("agent") / "ehr.duckdb"
    with connect(file) as engine:
        engine.execute("CREATE SCHEMA mimiciv_icu")
        table = shared_home.source(synthetic.name).table("mimiciv_icu.icustays")
        engine.execute(f"CREATE VIEW mimiciv_icu.icustays AS FROM read_parquet('{table}')")
    return file


@pytest.mark.parametrize(("sql", "code"), [(RIGHT, 0), *((sql, 1) for sql, _ in WRONG)])
def test_the_program_says_the_same(
    task: Task,
    checks: DatabaseChecks,
    output: Callable[[str], Path],
    database: Path,
    tmp_path: Path,
    shared_home: DataPaths,
    synthetic: Source,
    sql: str,
    code: int,
) -> None:
    program = tmp_path / "check_output.py"
    program.write_text(check_script(task, checks))
    file = output(sql)
    done = subprocess.run(
        [sys.executable, "-I", program, file, database], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (code, "")
    report = check_output(shared_home, synthetic, task, checks, file)
    told = [line for line in done.stdout.splitlines() if line.startswith("FAIL")]
    assert [line.split()[1] for line in told] == [item.check for item in report.findings if not item.passed]
    assert "count  stays: 500 (all of them)" in done.stdout
    assert "soon" not in done.stdout
