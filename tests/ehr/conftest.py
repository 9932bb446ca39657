"""A source of one stay, and folders of small concept scripts."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.ehr import connect, published_schema
from workbench.ehr.sources import publish_source, scratch_folder, table_file
from workbench.records import DataPaths, Source, SourcePaths, SystemClock
from workbench.store import private_folder

sys.path.insert(0, str(Path(__file__).parent))

STAY = "SELECT 1 AS subject_id, 10 AS hadm_id, 100 AS stay_id"
BEGIN = "TIMESTAMP '2180-01-01'"

MakeSource = Callable[..., Source]
MakeConcepts = Callable[[Path, dict[str, str]], Path]


@pytest.fixture(scope="session")
def one_stay() -> MakeSource:
    """Makes a source of one stay with a few charted heart rates; every other table is empty."""

    def make(data: DataPaths, name: str, heart_rates: int = 3) -> Source:
        schema = published_schema()
        filled = {
            "mimiciv_icu.icustays": f"{STAY}, {BEGIN} AS intime, {BEGIN} + INTERVAL 1 DAY AS outtime",
            "mimiciv_icu.chartevents": f"{STAY}, {BEGIN} + to_hours(i) AS charttime, 220045 AS itemid, "
            f"70.0 + i AS valuenum FROM range({heart_rates}) t(i)",
        }
        files = []
        with scratch_folder(data, f"test-{name}") as scratch:
            made = SourcePaths(private_folder(scratch / "made"))
            private_folder(made.tables)
            connection = connect()
            for table in schema.tables:
                columns = ", ".join(f"{column} {kind}" for column, kind in table.types.items())
                connection.execute(f"CREATE TABLE {table.bare} ({columns})")
                if table.name in filled:
                    connection.execute(f"INSERT INTO {table.bare} BY NAME {filled[table.name]}")
                target = made.table(table.name)
                connection.execute(f"COPY {table.bare} TO '{target}' (FORMAT parquet)")
                count = connection.execute(f"SELECT count(*) FROM {table.bare}").fetchall()[0][0]
                files.append(table_file(target, table.name, count))
            connection.close()
            source = Source(
                name=name,
                database="mimic-iv",
                kind="imported",
                origin="test",
                origin_hash="0",
                schema_name=schema.name,
                created=SystemClock().now(),
                tables=files,
            )
            return publish_source(data, source, made.folder)

    return make


@pytest.fixture(scope="session")
def concept_folder() -> MakeConcepts:
    """Writes a folder of concept scripts in the public form, from bodies by name."""

    def make(folder: Path, bodies: dict[str, str]) -> Path:
        for name, body in bodies.items():
            path = folder / "mimic-iv" / "concepts_duckdb" / "x" / f"{name}.sql"
            path.parent.mkdir(parents=True, exist_ok=True)
            table = f"mimiciv_derived.{name}"
            path.write_text(f"DROP TABLE IF EXISTS {table}; CREATE TABLE {table} AS {body}\n")
        return folder

    return make
