"""A small task with a private reference, made as the product makes one: random order, canary column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from workbench.contamination import HiddenMaterial, Lint, RunView
from workbench.ehr import connect
from workbench.records import (
    ColumnType,
    KeyColumn,
    LintReport,
    Mode,
    Observation,
    ScoredColumn,
    Step,
    StepSource,
    Task,
    Thresholds,
    ToolCall,
    ToolKind,
    Violation,
)

ROWS = 400
CANARY = "_canary_0f1e2d3c"
KEY = "wbk-5Zq8Lr2Vn7Xt4Kc9Hd1M"
REFERENCE_SQL = """
CREATE TABLE mimiciv_derived.suspicion_of_infection AS
WITH abx AS (
  SELECT subject_id, antibiotic, starttime,
    ROW_NUMBER() OVER (PARTITION BY subject_id ORDER BY starttime) AS ab_id
  FROM mimiciv_derived.antibiotic
), cultures AS (
  SELECT micro_specimen_id, MAX(subject_id) AS subject_id, MAX(charttime) AS charttime,
    MAX(spec_type_desc) AS specimen
  FROM mimiciv_hosp.microbiologyevents
  GROUP BY micro_specimen_id
)
SELECT abx.subject_id, abx.ab_id, c.specimen,
  CASE WHEN c.specimen IS NULL THEN 0 ELSE 1 END AS suspected_infection
FROM abx
LEFT JOIN cultures AS c
  ON abx.subject_id = c.subject_id
  AND abx.starttime BETWEEN c.charttime AND c.charttime + INTERVAL 72 HOUR
"""


def make_task(mode: Mode = Mode.STANDARD) -> Task:
    return Task(
        id="mimic-suspicion-infection",
        family="suspicion-infection",
        title="Suspicion of infection",
        database="mimic-iv",
        mode=mode,
        keys=[KeyColumn(name="subject_id"), KeyColumn(name="ab_id")],
        scored_columns=[
            ScoredColumn(name="suspected_infection", type=ColumnType.ORDERED),
            ScoredColumn(name="specimen", type=ColumnType.TEXT),
        ],
        value_columns=["suspected_infection", "specimen"],
        further_columns=["antibiotic_time"],
        thresholds=Thresholds(key_coverage=1.0, column_accuracy=1.0),
        removed_tables=["suspicion_of_infection", "sepsis3"],
        skills=["suspicion-infection"],
        decoy_skill="kdigo",
        reference_concept="suspicion_of_infection",
    )


def make_reference(path: Path) -> Path:
    """The private reference as a Parquet file, rows in the order of its canary."""
    with connect() as connection:
        connection.execute(
            f"""
            COPY (
                SELECT subject_id, ab_id, suspected_infection, specimen, antibiotic_time,
                       left(sha256('s3cret/' || subject_id || '/' || ab_id), 20) AS "{CANARY}"
                FROM (
                    SELECT 10000000 + i // 4 AS subject_id, i % 4 + 1 AS ab_id,
                           CAST(hash(i) % 2 AS INTEGER) AS suspected_infection,
                           CASE WHEN hash(i) % 3 > 0 THEN 'SPECIMEN ' || (hash(i) % 7) END AS specimen,
                           TIMESTAMP '2150-01-01' + INTERVAL (i * 37) MINUTE AS antibiotic_time
                    FROM range({ROWS}) t(i)
                )
                ORDER BY "{CANARY}"
            ) TO '{path}' (FORMAT parquet, COMPRESSION zstd)
            """
        )
    return path


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_reference(tmp_path_factory.mktemp("private") / "public-code.parquet")


@pytest.fixture(scope="session")
def hidden(reference: Path) -> HiddenMaterial:
    return HiddenMaterial(
        task=make_task(),
        removed_tables=["mimiciv_derived.suspicion_of_infection", "mimiciv_derived.sepsis3"],
        reference_sql={"public-code": REFERENCE_SQL},
        reference_files={"public-code": reference},
        is_key=lambda text: KEY in text,
    )


@pytest.fixture(scope="session")
def raw(reference: Path) -> HiddenMaterial:
    return HiddenMaterial(
        task=make_task(Mode.RAW),
        removed_tables=["suspicion_of_infection", "sepsis3", "antibiotic"],
        reference_files={"public-code": reference},
    )


def _command(number: int, command: str, text: str = "", exit_code: int | None = 0) -> Step:
    call = ToolCall(call_id=f"c{number}", name="exec", kind=ToolKind.COMMAND, command=command)
    failed = exit_code not in (0, None)
    back = Observation(call_id=f"c{number}", text=text, exit_code=exit_code, is_error=failed)
    return Step(number=number, source=StepSource.AGENT, calls=[call], observations=[back])


def _file(number: int, path: str, content: str) -> Step:
    call = ToolCall(call_id=f"f{number}", name="write", kind=ToolKind.FILE_CHANGE, path=path, content=content)
    return Step(number=number, source=StepSource.AGENT, calls=[call])


DERIVED = _command(
    1,
    """duckdb -readonly /data/ehr.duckdb -c "COPY (
SELECT m.subject_id, a.antibiotic
FROM mimiciv_hosp.microbiologyevents m
JOIN mimiciv_derived.antibiotic a USING (subject_id)) TO 'output.csv'" """,
)
"""A step that derives an answer by a query of its own."""


@pytest.fixture
def command_step() -> Callable[..., Step]:
    """A step that runs a command: number, command, text that came back, exit code."""
    return _command


@pytest.fixture
def file_step() -> Callable[..., Step]:
    """A step that writes a file: number, path, content."""
    return _file


@pytest.fixture
def run_command(hidden: HiddenMaterial) -> Callable[..., list[Violation]]:
    """Lint one command with what came back."""

    def run(
        command: str, text: str = "", exit_code: int | None = 0, material: HiddenMaterial = hidden
    ) -> list[Violation]:
        return Lint(material).check_step(_command(1, command, text, exit_code))

    return run


@pytest.fixture
def lint_folder(hidden: HiddenMaterial) -> Callable[..., LintReport]:
    """Lint a collected folder at the end of a run with the given steps, else one that derives an answer."""

    def run(folder: Path | None, steps: Sequence[Step] = (DERIVED,), **changes: Any) -> LintReport:
        output = folder / "output.csv" if folder else None
        values: dict[str, Any] = {
            "steps": list(steps),
            "collected": folder,
            "output": output if output and output.exists() else None,
            "egress": [],
            "egress_valid": True,
            "hidden": hidden,
        }
        view = RunView(**{**values, **changes})
        return Lint(view.hidden).check_run(view)

    return run
