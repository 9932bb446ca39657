"""Intermediate tables beside the reference's: what is equal, what diverges first, and hostile files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.ehr import connect
from workbench.ehr.stage_tables import StageTable, stage_query, stages_sha256
from workbench.records import BadInput, DatabaseStages, Stage, StageReport, StageScore, StageStatus
from workbench.scoring import first_diverging, score_stages

REFERENCE = """
WITH stay AS (SELECT * FROM (VALUES (1, 'F'), (2, 'M'), (3, 'M')) AS s(stay_id, gender)),
pulse AS (SELECT * FROM (VALUES (1, 80.0, 95.5), (2, NULL, 120.0), (3, NULL, NULL)) AS p(stay_id, low, high)),
sign AS (
  SELECT stay_id, TIMESTAMP '2180-01-01 10:00:00' AS charttime, 'art' AS site FROM stay WHERE stay_id > 1
),
none AS (SELECT stay_id FROM stay WHERE stay_id > 9)
SELECT * FROM stay
"""
STAGES = DatabaseStages.model_validate(
    {
        "database": "mimic-iv",
        "stages": [
            {"name": "cohort", "rows": "r", "keys": [{"name": "stay_id"}], "sql": "SELECT stay_id FROM stay"},
            {
                "name": "pulse",
                "rows": "r",
                "keys": [{"name": "stay_id"}],
                "columns": [
                    {"name": "low", "type": "ordered", "tolerance": 0.1},
                    {"name": "high", "type": "ordered"},
                ],
                "sql": "SELECT stay_id, low, high FROM pulse",
            },
            {
                "name": "sign",
                "rows": "r",
                "keys": [{"name": "stay_id"}, {"name": "charttime", "type": "time"}],
                "columns": [{"name": "site", "type": "text"}],
                "sql": "SELECT stay_id, charttime, site FROM sign",
            },
            {"name": "none", "rows": "r", "keys": [{"name": "stay_id"}], "sql": "SELECT stay_id FROM none"},
        ],
    }
)
EQUAL = {
    "cohort": "stay_id\n3\n1\n2\n",
    "pulse": "high,stay_id,low,note\n95.50,1,80.1,x\n120,2,,\n",
    "sign": "stay_id,charttime,site\n2,2180-01-01T10:00:00Z,art\n3,2180-01-01 10:00,art\n",
    "none": "stay_id\n",
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, StageTable]:
    """The reference's own tables, as they are written over a source."""
    folder = tmp_path_factory.mktemp("tables")
    found = {}
    with connect() as connection:
        for stage in STAGES.stages:
            file = folder / f"{stage.name}.parquet"
            connection.execute(f"COPY ({stage_query(stage, REFERENCE)}) TO '{file}'")
            rows = connection.execute(f"SELECT count(*) FROM '{file}'").fetchall()[0][0]
            found[stage.name] = StageTable(rows, file)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files that are all equal."""
    folder = tmp_path / "stages"
    folder.mkdir()
    for name, text in EQUAL.items():
        (folder / f"{name}.csv").write_text(text)
    return folder


def scored(folder: Path, tables: dict[str, StageTable], **options: object) -> dict[str, StageScore]:
    return {stage.name: stage for stage in score_stages(folder, STAGES, tables, **options)}


def test_equal_whatever_the_order_spelling_and_further_columns(
    folder: Path, tables: dict[str, StageTable]
) -> None:
    found = scored(folder, tables)
    assert {name: (str(stage.status), stage.rate, stage.problem) for name, stage in found.items()} == (
        dict.fromkeys(EQUAL, ("equal", 1.0, ""))
    )
    assert first_diverging(list(found.values()), 1.0) == ""
    assert first_diverging(list(found.values()), 0.99) == "result"


def test_rows_without_any_value_count_for_nothing(folder: Path, tables: dict[str, StageTable]) -> None:
    """Stay 3 has no pulse: the reference's row is none, and the agent may write it or leave it."""
    assert tables["pulse"].rows == 2
    file = folder / "pulse.csv"
    file.write_text(EQUAL["pulse"] + ",3,,\n,4,,\n")
    assert scored(folder, tables)["pulse"].status is StageStatus.EQUAL
    file.write_text(EQUAL["pulse"] + "7,3,,\n")
    pulse = scored(folder, tables)["pulse"]
    assert pulse.keys is not None and (pulse.keys.extra, pulse.rate) == (1, 2 / 3)
    file.write_text("stay_id,low,high\n1,,\n2,,120\n")
    pulse = scored(folder, tables)["pulse"]
    assert pulse.keys is not None and (pulse.keys.matched, pulse.rate) == (2, 0.5)


@pytest.mark.parametrize(
    ("text", "rate", "keys", "columns"),
    [
        ("1,80.2,95.5\n2,,120\n", 0.75, (2, 0, 0, 0), {"low": 0.5, "high": 1.0}),
        ("1,80,95.5\n", 0.5, (1, 1, 0, 0), {"low": 0.5, "high": 0.5}),
        ("1,80,95.5\n2,,120\n8,1,1\n", 2 / 3, (2, 0, 1, 0), {"low": 2 / 3, "high": 2 / 3}),
        ("1,80,95.5\n1,80,95.5\n2,,120\n", 2 / 3, (2, 0, 0, 1), {"low": 2 / 3, "high": 2 / 3}),
        ("1,80,NA\n2,,120\nx,5,5\n", 0.5, (2, 0, 1, 0), {"low": 2 / 3, "high": 1 / 3}),
    ],
)
def test_keys_and_columns_are_counted(
    folder: Path,
    tables: dict[str, StageTable],
    text: str,
    rate: float,
    keys: tuple[int, int, int, int],
    columns: dict[str, float],
) -> None:
    (folder / "pulse.csv").write_text(f"stay_id,low,high\n{text}")
    found = scored(folder, tables)
    pulse = found["pulse"]
    assert pulse.status is StageStatus.DIFFERS and pulse.keys is not None
    assert pulse.rate == pytest.approx(rate)
    assert (pulse.keys.matched, pulse.keys.missing, pulse.keys.extra, pulse.keys.duplicates) == keys
    assert {column.column: column.match_rate for column in pulse.columns} == pytest.approx(columns)
    assert first_diverging(list(found.values()), 0.5) == "pulse"
    assert pulse.details[0].startswith(f"keys: {keys[0]} of 2 matched")


def test_a_stage_without_columns_is_its_keys(folder: Path, tables: dict[str, StageTable]) -> None:
    (folder / "cohort.csv").write_text("stay_id\n1\n2\n2\n9\n")
    cohort = scored(folder, tables)["cohort"]
    assert (cohort.rate, cohort.columns) == (2 / 5, [])
    assert first_diverging([cohort], 1.0) == "cohort"


def test_rows_where_the_reference_has_none(folder: Path, tables: dict[str, StageTable]) -> None:
    (folder / "none.csv").write_text("stay_id\n1\n")
    none = scored(folder, tables)["none"]
    assert (none.status, none.rate) == (StageStatus.DIFFERS, 0.0)
    assert none.problem == "1 rows where the reference has none"


def test_missing_files_and_columns(folder: Path, tables: dict[str, StageTable]) -> None:
    (folder / "cohort.csv").unlink()
    (folder / "pulse.csv").write_text("stay_id,Low,high\n1,80,95.5\n2,,120\n")
    found = scored(folder, tables, refused=["fifo: stages/other.csv", "too large: stages/cohort.csv"])
    assert (found["cohort"].status, found["cohort"].rate) == (StageStatus.MISSING, None)
    assert found["cohort"].problem == "refused: too large: stages/cohort.csv"
    pulse = found["pulse"]
    assert [column.present for column in pulse.columns] == [False, True]
    assert pulse.problem.startswith("missing: low (there, but in other letter case")
    assert scored(folder, tables)["cohort"].problem == "there is no stages/cohort.csv"
    report = StageReport(
        sql_sha256="0",
        stages=list(found.values()),
        first_diverging_stage=first_diverging([*found.values()], 0),
    )
    assert (report.first_diverging_stage, report.unseen) == ("pulse", ["cohort"])
    assert report.summary == "the first that diverges is pulse (not compared: cohort)"
    assert {stage.status for stage in scored(folder / "nowhere", tables).values()} == {StageStatus.MISSING}


def test_hostile_files(folder: Path, tables: dict[str, StageTable], tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text(EQUAL["cohort"])
    (folder / "cohort.csv").unlink()
    (folder / "cohort.csv").symlink_to(other)
    (folder / "pulse.csv").unlink()
    os.mkfifo(folder / "pulse.csv")
    (folder / "sign.csv").unlink()
    (folder / "sign.csv").mkdir()
    (folder / "none.csv").write_bytes(b"\x7fELF\x00\x01\x02" * 1000)
    found = scored(folder, tables)
    assert {name: (str(stage.status), stage.problem) for name, stage in found.items()} == {
        "cohort": ("unreadable", "it is a symbolic link"),
        "pulse": ("unreadable", "it is not a regular file"),
        "sign": ("unreadable", "it is not a regular file"),
        "none": ("unreadable", "it is not text"),
    }
    assert first_diverging(list(found.values()), 1.0) == ""
    linked = tmp_path / "linked"
    linked.symlink_to(folder)
    assert {stage.status for stage in scored(linked, tables).values()} == {StageStatus.MISSING}


def test_huge_and_broken_files_cost_only_themselves(folder: Path, tables: dict[str, StageTable]) -> None:
    (folder / "cohort.csv").write_bytes(b'stay_id\n"' + b"9" * (65 << 20))
    (folder / "pulse.csv").write_bytes(b"stay_id,low,high\n1,80,95.5\n2,\xff\xfe,120\n")
    (folder / "sign.csv").write_text('stay_id,charttime,site\n2,2180-01-01 10:00,"art\n')
    found = scored(folder, tables)
    assert {name: str(stage.status) for name, stage in found.items()} == {
        "cohort": "unreadable",
        "pulse": "unreadable",
        "sign": "differs",
        "none": "equal",
    }
    assert "longer than" in found["cohort"].problem and "not UTF-8" in found["pulse"].problem


def test_stages_and_columns_under_other_names(folder: Path, tables: dict[str, StageTable]) -> None:
    asked = STAGES.model_copy(update={"stages": [renamed(stage) for stage in STAGES.stages]})
    for name, text in EQUAL.items():
        (folder / f"{name}.csv").rename(folder / f"x_{name}.csv")
        (folder / f"x_{name}.csv").write_text(text.replace("stay_id", "x_stay_id").replace("low", "x_low"))
    assert {stage.status for stage in scored(folder, tables).values()} == {StageStatus.MISSING}
    found = scored(folder, tables, asked=asked)
    assert {name: stage.status for name, stage in found.items() if name != "sign"} == dict.fromkeys(
        ("cohort", "pulse", "none"), StageStatus.EQUAL
    )
    assert found["sign"].status is StageStatus.DIFFERS  # its time has the name of the reference
    (folder / "x_sign.csv").write_text(
        EQUAL["sign"].replace("stay_id", "x_stay_id").replace("charttime", "x_charttime")
    )
    assert scored(folder, tables, asked=asked)["sign"].status is StageStatus.EQUAL
    (folder / "x_none.csv").unlink()
    assert scored(folder, tables, asked=asked)["none"].problem == "there is no stages/x_none.csv"


def renamed(stage: Stage) -> Stage:
    """Names of keys, of the column ``low`` and of the stage begin with another word."""
    keys = [key.model_copy(update={"name": f"x_{key.name}"}) for key in stage.keys]
    columns = [
        column.model_copy(update={"name": "x_low"}) if column.name == "low" else column
        for column in stage.columns
    ]
    return stage.model_copy(update={"name": f"x_{stage.name}", "keys": keys, "columns": columns})


def test_a_stage_that_the_reference_cannot_give(folder: Path, tables: dict[str, StageTable]) -> None:
    found = scored(folder, {**tables, "pulse": StageTable(problem="its SQL does not run")})
    assert found["pulse"].status is StageStatus.NOT_COMPUTED
    assert found["sign"].status is StageStatus.EQUAL
    lost = STAGES.stages[0].model_copy(update={"sql": "SELECT stay_id FROM nowhere"})
    with pytest.raises(BadInput, match="no step nowhere"):
        stage_query(lost, REFERENCE)


def test_the_hash_follows_sql_and_reference() -> None:
    first = stages_sha256(STAGES, REFERENCE)
    other = STAGES.model_copy(update={"stages": STAGES.stages[:2]})
    assert len({first, stages_sha256(STAGES, REFERENCE + " "), stages_sha256(other, REFERENCE)}) == 3
