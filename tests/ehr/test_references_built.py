"""References as files: private, provably ours, the same rows always, refused when stale."""

import re
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.ehr import ConceptSql, DuckDBError, connect, engine_version, ensure_concepts, ensure_reference
from workbench.ehr.connect import literal
from workbench.ehr.references import load_reference
from workbench.ehr.row_hash import rows_sha256
from workbench.ehr.source_views import open_source
from workbench.records import (
    BadInput,
    DataPaths,
    FixedClock,
    Reference,
    Refused,
    Settings,
    Source,
    TableFile,
    Task,
    file_sha256,
)

STAYS = "mimiciv_icu.icustays"
SQL = """
SELECT
  stay_id,
  subject_id,
  CAST(los AS DOUBLE) AS los,
  first_careunit AS unit
FROM mimiciv_icu.icustays
"""


@pytest.fixture
def data(tmp_path: Path) -> DataPaths:
    return DataPaths(tmp_path / "home")


@pytest.fixture
def task(content: Content) -> Task:
    """A task with the columns of ``SQL``."""
    raw = content.task("mimic-suspicion-infection-raw").model_dump()
    raw |= {
        "keys": [{"name": "stay_id"}],
        "scored_columns": [{"name": "los", "type": "ordered"}, {"name": "unit", "type": "text"}],
        "value_columns": ["los"],
        "further_columns": [],
    }
    return Task.model_validate(raw)


@pytest.fixture
def concepts(tmp_path: Path) -> ConceptSql:
    folder = tmp_path / "concepts"
    folder.mkdir()
    file = folder / "long_stay.sql"
    file.write_text(
        "CREATE TABLE mimiciv_derived.long_stay AS SELECT stay_id FROM mimiciv_icu.icustays WHERE los > 2"
    )
    return ConceptSql("by-hand", folder, {"long_stay": file})


@pytest.fixture
def make_source(data: DataPaths, clock: FixedClock) -> Callable[[str], Source]:
    """A source of 200 ICU stays, stored in the order given."""

    def make(order: str) -> Source:
        file = data.source("hand").table(STAYS)
        file.parent.mkdir(parents=True, exist_ok=True)
        with connect() as connection:
            connection.execute(
                "COPY (SELECT (1 + range // 3)::INTEGER AS subject_id, range::INTEGER AS hadm_id, "
                "(30000000 + range)::INTEGER AS stay_id, 'Unit ' || (range % 5) AS first_careunit, "
                "NULL::VARCHAR AS last_careunit, NULL::TIMESTAMP AS intime, NULL::TIMESTAMP AS outtime, "
                "CASE WHEN range % 7 > 0 THEN range / 7.0 END::DOUBLE AS los "
                f"FROM range(200) ORDER BY {order}) TO {literal(str(file))} (FORMAT parquet)"
            )
        table = TableFile(table=STAYS, rows=200, bytes=file.stat().st_size, sha256=file_sha256(file))
        return Source(
            name="hand",
            database="mimic-iv",
            kind="imported",
            origin="by hand",
            origin_hash="0",
            schema_name="mimic-iv",
            created=clock.now(),
            tables=[table],
        )

    return make


@pytest.fixture
def clock() -> FixedClock:
    from datetime import UTC, datetime

    return FixedClock(datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
def source(make_source: Callable[[str], Source]) -> Source:
    return make_source("range")


def stored(data: DataPaths, task: Task) -> Path:
    return data.source("hand").reference(task.family, "public-code")


def order_of(file: Path) -> list[int]:
    with connect() as connection:
        return [
            row[0]
            for row in connection.execute(
                f"SELECT stay_id FROM read_parquet({literal(str(file))})"
            ).fetchall()
        ]


def test_a_reference_is_private_shuffled_and_marked(
    data: DataPaths, source: Source, task: Task, concepts: ConceptSql
) -> None:
    reference = ensure_reference(data, source, task, "public-code", SQL, concepts)
    file = stored(data, task)
    assert (reference.rows, reference.keys) == (200, ["stay_id"])
    assert reference.columns == ["stay_id", "subject_id", "los", "unit"]
    assert reference.duckdb_version == engine_version()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.parent.parent.stat().st_mode) == 0o700
    assert sorted(path.name for path in file.parent.iterdir()) == ["public-code.json", "public-code.parquet"]
    order = order_of(file)
    assert order != sorted(order)
    assert re.fullmatch(r"_canary_[0-9a-f]{8}", reference.canary_column)
    with connect() as connection:
        tokens, wide = connection.execute(
            f"SELECT count(DISTINCT {reference.canary_column}), min(length({reference.canary_column})) "
            f"FROM read_parquet({literal(str(file))})"
        ).fetchall()[0]
    assert (tokens, wide) == (200, 20)


def test_nothing_is_done_while_nothing_changed(
    data: DataPaths, source: Source, task: Task, concepts: ConceptSql
) -> None:
    first = ensure_reference(data, source, task, "public-code", SQL, concepts)
    before = stored(data, task).stat().st_mtime_ns
    assert ensure_reference(data, source, task, "public-code", SQL, concepts) == first
    assert stored(data, task).stat().st_mtime_ns == before
    assert load_reference(data, source, task, "public-code", SQL, "by-hand") == first


def test_two_builds_share_rows_but_no_order_and_no_canary(
    data: DataPaths, source: Source, task: Task, concepts: ConceptSql
) -> None:
    first = ensure_reference(data, source, task, "public-code", SQL, concepts)
    order = order_of(stored(data, task))
    stored(data, task).unlink()
    second = ensure_reference(data, source, task, "public-code", SQL, concepts)
    assert second.rows_sha256 == first.rows_sha256
    assert second.canary_column != first.canary_column
    assert order_of(stored(data, task)) != order


@pytest.mark.parametrize("change", ["sql", "source", "concepts", "engine", "file", "manifest", "keys"])
def test_a_stale_or_changed_reference_is_refused_and_rebuilt(
    data: DataPaths, make_source: Callable[[str], Source], task: Task, concepts: ConceptSql, change: str
) -> None:
    source = make_source("range")
    sql, revision = SQL, concepts.revision
    ensure_reference(data, source, task, "public-code", sql, concepts)
    manifest = data.source("hand").reference_manifest(task.family, "public-code")
    if change == "sql":
        sql += "-- another\n"
    elif change == "source":
        source = make_source("range DESC")
    elif change == "concepts":
        concepts = ConceptSql("another", concepts.folder, concepts.scripts)
        revision = "another"
    elif change == "engine":
        manifest.write_text(manifest.read_text().replace(engine_version(), "0.0.1"))
    elif change == "file":
        with stored(data, task).open("ab") as file:
            file.write(b"x")
    elif change == "manifest":
        manifest.write_text("{")
    else:
        task = task.model_copy(update={"keys": [task.keys[0].model_copy(update={"name": "subject_id"})]})
    with pytest.raises(Refused, match="cannot be used"):
        load_reference(data, source, task, "public-code", sql, revision)
    if change == "keys":
        with pytest.raises(BadInput, match="with a repeated one"):
            ensure_reference(data, source, task, "public-code", sql, concepts)
        return
    rebuilt = ensure_reference(data, source, task, "public-code", sql, concepts)
    assert load_reference(data, source, task, "public-code", sql, revision) == rebuilt


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT stay_id FROM mimiciv_icu.icustays", "gives no column los, unit"),
        (SQL + " UNION ALL " + SQL, r"0 rows without a key and 200 with a repeated one"),
        (SQL.replace("stay_id,", "nullif(stay_id, 30000001) AS stay_id,"), "1 rows without a key"),
        (SQL.replace("AS unit", "AS unit, 1 AS _canary_mine"), "starts with _canary"),
        ("SELECT * FROM mimiciv_icu.nowhere", "does not run"),
        ("SELECT", "does not run"),
    ],
)
def test_sql_that_gives_no_reference(
    data: DataPaths, source: Source, task: Task, concepts: ConceptSql, sql: str, message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        ensure_reference(data, source, task, "public-code", sql, concepts)
    assert not any(stored(data, task).parent.glob("*"))


def test_a_value_that_breaks_the_sql_is_not_shown(
    data: DataPaths, source: Source, task: Task, concepts: ConceptSql
) -> None:
    sql = SQL.replace("CAST(los AS DOUBLE)", "CAST(first_careunit AS DOUBLE)")
    with pytest.raises(Exception, match="DuckDB failed") as caught:
        ensure_reference(data, source, task, "public-code", sql, concepts)
    assert "Unit" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_reference_may_stand_on_a_concept(
    data: DataPaths, source: Source, task: Task, concepts: ConceptSql
) -> None:
    sql = SQL + "WHERE stay_id IN (SELECT stay_id FROM mimiciv_derived.long_stay)"
    reference = ensure_reference(data, source, task, "public-code", sql, concepts)
    assert 0 < reference.rows < 200


def test_a_reference_on_a_concept_that_was_built_anew_is_stale(
    data: DataPaths, source: Source, task: Task, concepts: ConceptSql
) -> None:
    sql = SQL + "WHERE stay_id IN (SELECT stay_id FROM mimiciv_derived.long_stay)"
    first = ensure_reference(data, source, task, "public-code", sql, concepts)
    assert load_reference(data, source, task, "public-code", sql, concepts.revision) == first
    file = concepts.scripts["long_stay"]
    file.write_text(file.read_text().replace("> 2", "> 20"))
    ensure_concepts(data, source, concepts)
    with pytest.raises(Refused, match="made with another concepts_sha256"):
        load_reference(data, source, task, "public-code", sql, concepts.revision)
    assert ensure_reference(data, source, task, "public-code", sql, concepts).rows < first.rows


@pytest.mark.parametrize("threads", [1, 3])
def test_rows_do_not_depend_on_stored_order_or_threads(
    data: DataPaths, content: Content, synthetic: Source, shared_home: DataPaths, threads: int
) -> None:
    """The family's reference over the synthetic source, its tables stored in another order each time."""
    task = content.task("mimic-suspicion-infection-raw")
    sql = content.reference_sql(task.family, "public-code", "mimic-iv")
    keys = [key.name for key in task.keys]
    hashes = set()
    for shuffled in (False, True):
        with open_source(shared_home, synthetic, settings=Settings(duckdb_threads=threads)) as connection:
            if shuffled:
                for table in (
                    "mimiciv_hosp.prescriptions",
                    "mimiciv_hosp.microbiologyevents",
                    "mimiciv_icu.icustays",
                ):
                    connection.execute(f"CREATE TEMP TABLE mixed AS FROM {table} ORDER BY random()")
                    connection.execute(f"DROP VIEW {table}")
                    connection.execute(f"CREATE TABLE {table} AS FROM mixed")
                    connection.execute("DROP TABLE mixed")
            connection.execute(f"CREATE TABLE answer AS {sql}")
            hashes.add(rows_sha256(connection, "answer", task.required_columns, keys))
    assert len(hashes) == 1


def test_the_hash_tells_null_from_empty_and_fields_apart() -> None:
    rows = ["(1, NULL, 'a')", "(1, '', 'a')", "(1, 'a', '')", "(1, 'a', NULL)", "(1, '1:a', NULL)"]
    with connect() as connection:
        hashes = {
            rows_sha256(connection, f"(VALUES {row}) AS t(k, a, b)", ["k", "a", "b"], ["k"]) for row in rows
        }
    assert len(hashes) == len(rows)


def test_the_manifest_holds_no_value(
    data: DataPaths, source: Source, task: Task, concepts: ConceptSql
) -> None:
    reference = ensure_reference(data, source, task, "public-code", SQL, concepts)
    text = data.source("hand").reference_manifest(task.family, "public-code").read_text()
    assert Reference.from_json(text, "manifest") == reference
    assert "Unit" not in text
    assert "30000" not in text


def test_no_file_of_the_host_is_read(
    data: DataPaths, task: Task, concepts: ConceptSql, make_source: Callable[[str], Source], tmp_path: Path
) -> None:
    source, leak = make_source("stay_id"), tmp_path / "leak.csv"
    leak.write_text("stay_id,subject_id,los,unit\n1,1,1.0,x\n")
    for sql in (f"SELECT * FROM read_csv('{leak}')", f"{SQL}; COPY (SELECT 1) TO '{tmp_path / 'out.csv'}'"):
        with pytest.raises(Refused, match=r"reads the file .*leak\.csv|is not one statement"):
            ensure_reference(data, source, task, "public-code", sql, concepts)
    with open_source(data, source, beside=[]) as connection:
        assert connection.execute(f"SELECT count(*) FROM {STAYS}").fetchall() == [(200,)]
        with pytest.raises(DuckDBError, match="disabled by configuration"):
            connection.execute(f"SELECT * FROM read_csv('{leak}')")
