"""Synthetic eICU-CRD: the same every time, typed as published, with every edge that its table names."""

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.ehr import Connection, connect, make_synthetic, published_schema
from workbench.ehr.connect import count, literal, rows
from workbench.ehr.source_views import open_source
from workbench.ehr.synthetic import EICU, edges_present, read_edges
from workbench.records import BadInput, DataPaths, Settings, Source

STAYS, MORE_STAYS, SEED = 40, 90, 11
ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
PACKAGE = ROOT / "workbench" / "ehr" / "synthetic" / "eicu"
VERSIONS = {
    "1": "7f083b5453f31fe0",
    "2": "ef1d8fa7946da773",
    "3": "91b6759d974b5107",
    "4": "cea8b161bf90b685",
    "5": "97eea235d72e797d",
    "6": "b48bc3aaba4dd4f5",
    "7": "c411a700d5b40c39",
}
"""Generator version to the hash of its scripts and lists; a version once released is never changed."""
EDGES = read_edges(EICU)
UNREAD = {
    "charting-row-twice",
    "charting-a-minute-later",
    "apache-minus-one",
    "apache-score-minus-one",
    "diagnosis-without-code",
    "infusion-without-weight",
    "infusion-two-rates",
    "treatment-after-infusion",
    "intake-total-falls",
    "hospital-without-apache",
}
"""Edges of what neither reference reads, and rows charted twice, of which only an extreme counts."""
SCHEMA = published_schema("eicu")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> DataPaths:
    return DataPaths(tmp_path_factory.mktemp("eicu") / "home")


@pytest.fixture(scope="module")
def few(home: DataPaths) -> Source:
    return make_synthetic(home, STAYS, SEED, database="eicu", settings=Settings(duckdb_threads=1))


@pytest.fixture(scope="module")
def more(home: DataPaths) -> Source:
    return make_synthetic(home, MORE_STAYS, SEED, database="eicu")


@pytest.fixture(scope="module")
def found(shared_home: DataPaths, source_of: Callable[[str], Source]) -> dict[str, int]:
    with open_source(shared_home, source_of("eicu")) as connection:
        return edges_present(connection, EICU)


@pytest.fixture
def connection() -> Connection:
    return connect()


def file_of(data: DataPaths, source: Source, table: str) -> str:
    return literal(str(data.source(source.name).table(f"eicu_crd.{table}")))


def test_name_database_and_number_of_stays(few: Source, more: Source) -> None:
    assert (few.name, few.database, few.schema_name) == (
        f"synthetic-eicu-{STAYS}-{SEED}",
        "eicu",
        SCHEMA.name,
    )
    for source, stays in ((few, STAYS), (more, MORE_STAYS)):
        assert [table.rows for table in source.tables if table.table == "eicu_crd.patient"] == [stays]
    assert [table.table for table in few.tables] == SCHEMA.names


def test_files_are_equal_byte_for_byte_with_another_number_of_threads(few: Source, tmp_path: Path) -> None:
    again = make_synthetic(
        DataPaths(tmp_path / "home"), STAYS, SEED, database="eicu", settings=Settings(duckdb_threads=3)
    )
    assert [(t.table, t.sha256) for t in again.tables] == [(t.table, t.sha256) for t in few.tables]


def test_a_patient_does_not_depend_on_how_many_others_there_are(
    home: DataPaths, few: Source, more: Source, connection: Connection
) -> None:
    stays = f"(SELECT patientunitstayid FROM {file_of(home, few, 'patient')})"
    for table in SCHEMA.tables:
        if "patientunitstayid" not in table.types:
            continue
        mine = f"SELECT * FROM {file_of(home, few, table.bare)}"
        theirs = f"SELECT * FROM {file_of(home, more, table.bare)} WHERE patientunitstayid IN {stays}"
        differing = f"(({mine} EXCEPT ALL {theirs}) UNION ALL ({theirs} EXCEPT ALL {mine}))"
        assert count(connection, f"SELECT count(*) FROM {differing}") == 0, table.name


def test_types_nulls_and_identifiers(home: DataPaths, more: Source, connection: Connection) -> None:
    for table in SCHEMA.tables:
        where = file_of(home, more, table.bare)
        described = rows(connection, f"DESCRIBE SELECT * FROM {where}")
        assert [(row[0], row[1]) for row in described] == list(table.types.items()), table.name
        required = " OR ".join(f"{column.name} IS NULL" for column in table.columns if column.not_null)
        assert count(connection, f"SELECT count(*) FROM {where} WHERE {required}") == 0, table.name
        key = next(iter(table.types))
        assert count(connection, f"SELECT count(*) - count(DISTINCT {key}) FROM {where}") == 0, table.name


def test_hospitals_chart_in_their_own_way(home: DataPaths, more: Source, connection: Connection) -> None:
    patients, nursing = file_of(home, more, "patient"), file_of(home, more, "nursecharting")
    habits = count(
        connection,
        "SELECT count(DISTINCT names) FROM (SELECT hospitalid, "
        "list(DISTINCT nursingchartcelltypevallabel ORDER BY nursingchartcelltypevallabel) AS names "
        f"FROM {nursing} INNER JOIN {patients} USING (patientunitstayid) GROUP BY hospitalid)",
    )
    assert habits >= 5


def test_a_worse_course_shows_in_every_sign(
    shared_home: DataPaths, source_of: Callable[[str], Source]
) -> None:
    """Those who die have faster hearts and breath, lower pressure, coma, less urine, more tubes."""
    with open_source(shared_home, source_of("eicu")) as connection:
        answer = connection.execute(
            "SELECT unitdischargestatus, avg(v.heartrate), avg(respiration), avg(systemicmean), "
            "avg(creatinine) "
            "FROM eicu_crd.patient AS p INNER JOIN eicu_crd.vitalperiodic AS v USING (patientunitstayid) "
            "LEFT JOIN eicu_crd.apacheapsvar AS a USING (patientunitstayid) GROUP BY ALL ORDER BY ALL"
        ).fetchall()
    alive, expired = (row[1:] for row in answer)
    assert expired[0] > alive[0] + 5 and expired[1] > alive[1] + 1
    assert expired[2] < alive[2] - 5 and expired[3] > alive[3]


def test_the_table_of_edges_is_well_formed() -> None:
    assert [edge for edge, times in Counter(edge.id for edge in EDGES).items() if times > 1] == []
    assert [edge.id for edge in EDGES if (edge.rate == 0) != (edge.unit == "natural")] == []
    assert [edge.id for edge in EDGES if (edge.unit == "stay") != bool(edge.topic)] == []
    topics: Counter[str] = Counter()
    for edge in EDGES:
        topics[edge.topic] += edge.rate if edge.topic else 0
    assert max(topics.values()) < 0.8


def test_every_edge_occurs_in_500_stays(found: dict[str, int]) -> None:
    assert {edge for edge, times in found.items() if times == 0} == set()
    assert set(found) == {edge.id for edge in EDGES}


def test_planted_edges_occur_at_their_rate(found: dict[str, int]) -> None:
    """About 446 patients make 500 stays; a condition can hold for others, too."""
    planted = [edge for edge in EDGES if edge.unit == "stay"]
    assert [edge.id for edge in planted if found[edge.id] < 0.5 * 446 * edge.rate] == []
    at_rate = [edge.id for edge in planted if found[edge.id] <= 2 * 446 * edge.rate]
    assert len(at_rate) > 0.8 * len(planted)


def test_every_rule_of_the_references_has_an_edge_and_no_edge_an_unknown_rule(content: Content) -> None:
    rules = {
        rule
        for task in content.tasks()
        if task.database == "eicu"
        for rule in re.findall(r"-- rule: (\S+)", content.reference_sql(task.family, "public-code", "eicu"))
    }
    named = {edge.rule for edge in EDGES if edge.rule}
    assert named == rules
    assert {edge.id for edge in EDGES if not edge.rule} == UNREAD


def test_every_source_of_an_edge_exists() -> None:
    faults = SHARED / "data" / "clinical" / "reported_faults.csv"
    sheets = SHARED / "docs" / "clinical"
    if not faults.is_file() or not sheets.is_dir():
        pytest.skip("the fact sheets are not beside the project (../shared)")
    with faults.open(encoding="utf-8", newline="") as file:
        known = {row["id"] for row in csv.DictReader(file)} | {path.name for path in sheets.iterdir()}
    assert {edge.source for edge in EDGES} <= known


def test_every_edge_is_in_the_documentation() -> None:
    text = (ROOT / "docs" / "synthetic-data.md").read_text(encoding="utf-8")
    assert {edge.id for edge in EDGES if f"`{edge.id}`" not in text} == set()


def test_a_change_of_scripts_or_lists_raises_the_version() -> None:
    digest = hashlib.sha256()
    for file in sorted((*PACKAGE.glob("sql/*.sql"), *PACKAGE.glob("lists/*.csv"))):
        if file.stem != "presence":
            digest.update(file.name.encode() + file.read_bytes())
    assert VERSIONS.get(EICU.version) == digest.hexdigest()[:16], (
        "stays may look different now: raise the recipe's version and add its line to VERSIONS"
    )


def test_another_database_cannot_be_made(home: DataPaths) -> None:
    with pytest.raises(BadInput, match="no synthetic 'mimic-iii'"):
        make_synthetic(home, STAYS, SEED, database="mimic-iii")
