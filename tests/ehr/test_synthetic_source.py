"""The synthetic source as a source: the same every time, typed as published, all or nothing."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.ehr import Connection, connect, load_source, make_synthetic, published_schema
from workbench.ehr.connect import count, literal, rows
from workbench.ehr.synthetic import GENERATOR_VERSION
from workbench.records import BadInput, DataPaths, Settings, Source

STAYS = 40
MORE_STAYS = 90
SEED = 11
PACKAGE = Path(__file__).resolve().parents[2] / "workbench" / "ehr" / "synthetic"
VERSIONS = {
    "1": "97baf66f626e2a69",
    "2": "ca28a9fd86fde021",
    "3": "7e4f7f08a01b406d",
    "4": "5b3354db01525365",
    "5": "eed9d855a68017ad",
    "6": "68327875329a3dc6",
}
"""Generator version to the hash of its scripts and lists; a version once released is never changed."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> DataPaths:
    return DataPaths(tmp_path_factory.mktemp("synthetic") / "home")


@pytest.fixture(scope="module")
def few(home: DataPaths) -> Source:
    return make_synthetic(home, STAYS, SEED, settings=Settings(duckdb_threads=1))


@pytest.fixture(scope="module")
def more(home: DataPaths) -> Source:
    return make_synthetic(home, MORE_STAYS, SEED)


def file_of(data: DataPaths, source: Source, table: str) -> str:
    return literal(str(data.source(source.name).table(table)))


@pytest.fixture
def connection() -> Connection:
    return connect()


def test_the_number_of_stays_is_exact(home: DataPaths, few: Source, more: Source) -> None:
    stays = {
        source.name: next(table.rows for table in source.tables if table.table == "mimiciv_icu.icustays")
        for source in (few, more)
    }
    assert stays == {f"synthetic-{STAYS}-{SEED}": STAYS, f"synthetic-{MORE_STAYS}-{SEED}": MORE_STAYS}


def test_files_are_equal_byte_for_byte_with_another_number_of_threads(few: Source, tmp_path: Path) -> None:
    again = make_synthetic(DataPaths(tmp_path / "home"), STAYS, SEED, settings=Settings(duckdb_threads=3))
    assert [(t.table, t.sha256) for t in again.tables] == [(t.table, t.sha256) for t in few.tables]


def test_another_seed_makes_other_patients(home: DataPaths, few: Source) -> None:
    assert make_synthetic(home, STAYS, SEED + 1).content_hash != few.content_hash


def test_a_patient_does_not_depend_on_how_many_others_there_are(
    home: DataPaths, few: Source, more: Source, connection: Connection
) -> None:
    patients = f"(SELECT subject_id FROM {file_of(home, few, 'mimiciv_hosp.patients')})"
    for table in published_schema().tables:
        if "subject_id" not in table.types:
            continue
        mine = f"SELECT * FROM {file_of(home, few, table.name)}"
        theirs = f"SELECT * FROM {file_of(home, more, table.name)} WHERE subject_id IN {patients}"
        differing = f"(({mine} EXCEPT ALL {theirs}) UNION ALL ({theirs} EXCEPT ALL {mine}))"
        assert count(connection, f"SELECT count(*) FROM {differing}") == 0, table.name


def test_types_and_columns_are_the_published_ones(
    home: DataPaths, few: Source, connection: Connection
) -> None:
    assert [table.table for table in few.tables] == published_schema().names
    for table in published_schema().tables:
        described = rows(connection, f"DESCRIBE SELECT * FROM {file_of(home, few, table.name)}")
        wanted = rows(
            connection,
            "DESCRIBE SELECT "
            + ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in table.types.items()),
        )
        assert [row[:2] for row in described] == [row[:2] for row in wanted], table.name


def test_what_may_not_be_null_is_not_and_identifiers_are_unique(
    home: DataPaths, more: Source, connection: Connection
) -> None:
    for table in published_schema().tables:
        columns = [column.name for column in table.columns if column.not_null]
        missing = " OR ".join(f"{column} IS NULL" for column in columns)
        where = file_of(home, more, table.name)
        assert count(connection, f"SELECT count(*) FROM {where} WHERE {missing}") == 0, table.name
    for table, key in [
        ("mimiciv_hosp.patients", "subject_id"),
        ("mimiciv_hosp.admissions", "hadm_id"),
        ("mimiciv_icu.icustays", "stay_id"),
        ("mimiciv_hosp.labevents", "labevent_id"),
        ("mimiciv_hosp.microbiologyevents", "microevent_id"),
        ("mimiciv_hosp.prescriptions", "pharmacy_id"),
        ("mimiciv_icu.inputevents", "orderid"),
        ("mimiciv_hosp.emar", "emar_id"),
    ]:
        where = file_of(home, more, table)
        assert count(connection, f"SELECT count(*) - count(DISTINCT {key}) FROM {where}") == 0, table


@pytest.mark.parametrize(
    ("table", "key", "dictionary", "same"),
    [
        ("mimiciv_icu.chartevents", "itemid", "mimiciv_icu.d_items", "itemid"),
        ("mimiciv_icu.inputevents", "itemid", "mimiciv_icu.d_items", "itemid"),
        ("mimiciv_icu.outputevents", "itemid", "mimiciv_icu.d_items", "itemid"),
        ("mimiciv_icu.procedureevents", "itemid", "mimiciv_icu.d_items", "itemid"),
        ("mimiciv_icu.datetimeevents", "itemid", "mimiciv_icu.d_items", "itemid"),
        ("mimiciv_icu.ingredientevents", "itemid", "mimiciv_icu.d_items", "itemid"),
        ("mimiciv_hosp.labevents", "itemid", "mimiciv_hosp.d_labitems", "itemid"),
        ("mimiciv_hosp.procedures_icd", "icd_code", "mimiciv_hosp.d_icd_procedures", "icd_code"),
        ("mimiciv_hosp.admissions", "admit_provider_id", "mimiciv_hosp.provider", "provider_id"),
        ("mimiciv_icu.chartevents", "caregiver_id", "mimiciv_icu.caregiver", "caregiver_id"),
        ("mimiciv_icu.icustays", "hadm_id", "mimiciv_hosp.admissions", "hadm_id"),
        ("mimiciv_hosp.emar_detail", "emar_id", "mimiciv_hosp.emar", "emar_id"),
    ],
)
def test_every_item_is_in_its_dictionary(
    home: DataPaths, more: Source, connection: Connection, table: str, key: str, dictionary: str, same: str
) -> None:
    found = rows(
        connection,
        f"SELECT DISTINCT {key} FROM {file_of(home, more, table)} "
        f"WHERE {key} NOT IN (SELECT {same} FROM {file_of(home, more, dictionary)})",
    )
    assert found == []


def test_making_it_again_does_nothing(home: DataPaths, few: Source) -> None:
    before = home.source(few.name).manifest.stat().st_mtime_ns
    assert make_synthetic(home, STAYS, SEED).content_hash == few.content_hash
    assert home.source(few.name).manifest.stat().st_mtime_ns == before


@pytest.mark.parametrize("stop_at", ["patients", "tables"])
def test_control_c_leaves_nothing_behind(tmp_path: Path, stop_at: str) -> None:
    data = DataPaths(tmp_path / "home")

    def stop(label: str, done: float, total: float, unit: str) -> None:
        if label == stop_at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_synthetic(data, 10, 1, progress=stop)
    assert not data.source("synthetic-10-1").folder.exists()
    assert [path for path in data.scratch.rglob("*") if path.is_file()] == []


def test_a_source_can_be_made_after_control_c(home: DataPaths, few: Source) -> None:
    def stop(label: str, done: float, total: float, unit: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_synthetic(home, STAYS, SEED + 5, progress=stop)
    assert load_source(home, few.name).content_hash == few.content_hash


def test_an_imported_source_of_the_name_is_left_alone(
    home: DataPaths, one_stay: Callable[[DataPaths, str], Source]
) -> None:
    one_stay(home, "taken")
    with pytest.raises(BadInput, match="taken by an imported source"):
        make_synthetic(home, 10, 1, name="taken")


@pytest.mark.parametrize(
    ("stays", "seed", "name", "what"),
    [
        (0, 1, "", "stays must be"),
        (50_001, 1, "", "stays must be"),
        (10, -1, "", "seed must be"),
        (10, 2**31, "", "seed must be"),
        (10, 1, "../up", "cannot name a source"),
    ],
)
def test_wrong_numbers_and_names_are_refused(
    tmp_path: Path, stays: int, seed: int, name: str, what: str
) -> None:
    with pytest.raises(BadInput, match=what):
        make_synthetic(DataPaths(tmp_path / "home"), stays, seed, name=name)


def test_a_change_of_scripts_or_lists_raises_the_version() -> None:
    digest = hashlib.sha256()
    for file in sorted((*PACKAGE.glob("sql/*.sql"), *PACKAGE.glob("lists/*.csv"))):
        if file.stem != "presence":
            digest.update(file.name.encode() + file.read_bytes())
    assert VERSIONS.get(GENERATOR_VERSION) == digest.hexdigest()[:16], (
        "patients may look different now: raise GENERATOR_VERSION and add its line to VERSIONS"
    )
