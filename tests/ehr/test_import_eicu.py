"""eICU-CRD as people have it: a flat folder of csv.gz, a folder of Parquet, a DuckDB file."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.ehr import connect, import_source, published_schema, source_names
from workbench.records import BadInput, DataPaths

SCHEMA = published_schema("eicu")
SPELLED = {
    "nursecharting": "nurseCharting",
    "physicalexam": "physicalExam",
    "intakeoutput": "intakeOutput",
    "respiratorycare": "respiratoryCare",
    "apacheapsvar": "apacheApsVar",
    "apachepredvar": "apachePredVar",
}
"""Files as PhysioNet names them."""
PATIENT = {
    "patientunitstayid": "141168",
    "uniquepid": "002-34851",
    "age": "> 89",
    "hospitaladmitoffset": "-10",
}
NURSING = {
    "nursingchartid": "9007199254740991",
    "patientunitstayid": "141168",
    "nursingchartoffset": "60",
    "nursingchartentryoffset": "61",
    "nursingchartcelltypecat": "Scores",
    "nursingchartcelltypevallabel": "Glasgow coma score",
    "nursingchartcelltypevalname": "GCS Total",
    "nursingchartvalue": "007",
}
HOSPITAL = {"hospitalid": "56", "numbedscategory": "<100", "teachingstatus": "f", "region": "Midwest"}


def line(table: str, values: dict[str, str]) -> str:
    return ",".join(values.get(name, "") for name in SCHEMA.table(f"eicu_crd.{table}").types)


@pytest.fixture
def data(tmp_path: Path) -> DataPaths:
    return DataPaths(tmp_path / "home")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Every needed table and the hospitals, with one line each where there is something to see."""
    given = tmp_path / "eicu-collaborative-research-database-2.0"
    given.mkdir()
    lines = {"patient": PATIENT, "nursecharting": NURSING, "hospital": HOSPITAL}
    for table in SCHEMA.tables:
        if table.needed or table.bare == "hospital":
            text = ",".join(table.types) + "\n"
            if table.bare in lines:
                text += line(table.bare, lines[table.bare]) + "\n"
            name = f"{SPELLED.get(table.bare, table.bare)}.csv.gz"
            (given / name).write_bytes(gzip.compress(text.encode()))
    return given


def cell(data: DataPaths, name: str, table: str, column: str) -> object:
    file = data.source(name).table(f"eicu_crd.{table}")
    return connect().execute(f"SELECT {column} FROM read_parquet('{file}')").fetchall()[0][0]


def check(data: DataPaths, name: str) -> None:
    assert cell(data, name, "patient", "age") == "> 89"
    assert cell(data, name, "patient", "hospitaladmitoffset") == -10
    assert cell(data, name, "nursecharting", "nursingchartid") == 9007199254740991
    assert cell(data, name, "nursecharting", "nursingchartvalue") == "007"
    assert cell(data, name, "hospital", "teachingstatus") is False
    described = connect().execute(
        f"DESCRIBE SELECT * FROM read_parquet('{data.source(name).table('eicu_crd.lab')}')"
    )
    assert [row[:2] for row in described.fetchall()] == list(SCHEMA.table("eicu_crd.lab").types.items())


def test_a_flat_folder_is_known_by_its_tables(data: DataPaths, folder: Path) -> None:
    source = import_source(data, folder, "eicu")
    assert (source.database, source.schema_name, source.kind) == ("eicu", SCHEMA.name, "imported")
    assert [table.table for table in source.tables] == SCHEMA.names
    assert {table.table: table.rows for table in source.tables if table.rows} == {
        "eicu_crd.hospital": 1,
        "eicu_crd.nursecharting": 1,
        "eicu_crd.patient": 1,
    }
    assert {table.table for table in source.tables if table.empty_because_missing} >= {"eicu_crd.allergy"}
    check(data, "eicu")
    assert import_source(data, folder, "eicu") == source


def _parquet(data: DataPaths, tmp_path: Path) -> Path:
    given = tmp_path / "parquet"
    given.mkdir()
    for table in SCHEMA.tables:
        target = given / f"{table.bare}.parquet"
        target.write_bytes(data.source("eicu").table(table.name).read_bytes())
    return given


def _duckdb(schema: str) -> Callable[[DataPaths, Path], Path]:
    def make(data: DataPaths, tmp_path: Path) -> Path:
        given = tmp_path / "built.duckdb"
        connection = connect(given)
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        for table in SCHEMA.tables:
            file = data.source("eicu").table(table.name)
            connection.execute(f"CREATE TABLE {schema}.{table.bare} AS FROM read_parquet('{file}')")
        connection.execute(f"CREATE SCHEMA {schema}_derived")
        connection.execute(f"CREATE TABLE {schema}_derived.patient AS SELECT 1 AS answer")
        connection.close()
        return given

    return make


@pytest.mark.parametrize("form", [_parquet, _duckdb("main"), _duckdb("eicu_crd")])
def test_parquet_and_duckdb_give_the_same(
    data: DataPaths, folder: Path, tmp_path: Path, form: Callable[[DataPaths, Path], Path]
) -> None:
    first = import_source(data, folder, "eicu")
    again = import_source(data, form(data, tmp_path), "again")
    assert again.database == "eicu"
    assert {table.table: table.rows for table in again.tables} == {
        table.table: table.rows for table in first.tables
    }
    check(data, "again")


def test_the_wrong_database_is_told_from_either_side(data: DataPaths, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="looks like eICU-CRD, not MIMIC-IV"):
        import_source(data, folder, "mine", database="mimic-iv")
    (tmp_path / "hosp").mkdir()
    (tmp_path / "hosp" / "labevents.csv").write_text("labevent_id\n")
    with pytest.raises(BadInput, match="looks like MIMIC-IV, not eICU-CRD"):
        import_source(data, tmp_path / "hosp", "mine", database="eicu")
    with pytest.raises(BadInput, match="no published schema for database 'mimic-iii'"):
        import_source(data, folder, "mine", database="mimic-iii")
    assert source_names(data) == []


DAMAGES = {
    "a missing needed table": (
        lambda given: (given / "nurseCharting.csv.gz").unlink(),
        r"1 needed table is missing: eicu_crd\.nursecharting",
    ),
    "columns of MIMIC-IV": (
        lambda given: (given / "patient.csv.gz").write_bytes(gzip.compress(b"subject_id,hadm_id\n")),
        "has the columns of MIMIC-IV, not of eICU-CRD",
    ),
    "no stay": (
        lambda given: (given / "patient.csv.gz").write_bytes(
            gzip.compress((",".join(SCHEMA.table("eicu_crd.patient").types) + "\n" + ",1\n").encode())
        ),
        r"eicu_crd\.patient: 1 bad line: line 2",
    ),
    "no truth value": (
        lambda given: (given / "hospital.csv.gz").write_bytes(
            gzip.compress(b"hospitalid,numbedscategory,teachingstatus,region\n56,<100,maybe,West\n")
        ),
        "column teachingstatus: no valid BOOLEAN",
    ),
    "a number past what is held exactly": (
        lambda given: (given / "nurseCharting.csv.gz").write_bytes(
            gzip.compress(
                (
                    ",".join(SCHEMA.table("eicu_crd.nursecharting").types)
                    + "\n"
                    + line("nursecharting", NURSING | {"nursingchartid": "99007199254740993"})
                    + "\n"
                ).encode()
            )
        ),
        "column nursingchartid: no valid BIGINT",
    ),
}


@pytest.mark.parametrize("case", DAMAGES)
def test_bad_input_leaves_nothing(data: DataPaths, folder: Path, case: str) -> None:
    damage, message = DAMAGES[case]
    damage(folder)
    with pytest.raises(BadInput, match=message):
        import_source(data, folder, "mine")
    assert source_names(data) == []
