"""Which identifiers and times a source has: the columns that count, private files, questions in batches."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import date, datetime
from pathlib import Path

import pytest

from workbench.ehr import connect, open_identifiers, published_schema
from workbench.ehr.identifier_columns import identifier_columns
from workbench.ehr.identifier_set import ensure_identifiers
from workbench.ehr.sources import publish_source, scratch_folder, table_file
from workbench.records import DataPaths, IdentifierSet, Source, SourcePaths, SystemClock
from workbench.store import private_folder

MakeSource = Callable[..., Source]


def published_columns(database: str) -> Mapping[str, Mapping[str, str]]:
    return {table.name: table.types for table in published_schema(database).tables}


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.fixture
def data(tmp_path: Path) -> DataPaths:
    return DataPaths(tmp_path / "home")


def make(data: DataPaths, name: str, database: str, tables: dict[str, str]) -> Source:
    """A source whose tables are what these SELECTs give."""
    files = []
    with scratch_folder(data, f"test-{name}") as scratch:
        made = SourcePaths(private_folder(scratch / "made"))
        private_folder(made.tables)
        connection = connect()
        for table, select in tables.items():
            connection.execute(f"COPY ({select}) TO '{made.table(table)}' (FORMAT parquet)")
            files.append(table_file(made.table(table), table, 1))
        connection.close()
        source = Source(
            name=name, database=database, kind="imported", origin="test", origin_hash="0",
            schema_name="test", created=SystemClock().now(), tables=files,
        )  # fmt: skip
        return publish_source(data, source, made.folder)


def test_columns_that_name_somebody_and_those_that_are_common_to_all() -> None:
    mimic = identifier_columns("mimic-iv", published_columns("mimic-iv"))
    assert {column for _, column in mimic.numbers} == {
        *("subject_id", "hadm_id", "stay_id", "transfer_id", "labevent_id", "specimen_id", "microevent_id"),
        *("micro_specimen_id", "pharmacy_id", "orderid", "linkorderid"),
    }
    assert {column for _, column in mimic.texts} == {
        *("poe_id", "emar_id", "discontinue_of_poe_id", "discontinued_by_poe_id")
    }
    assert {column for _, column in mimic.items} == {
        *("itemid", "spec_itemid", "test_itemid", "org_itemid", "ab_itemid")
    }
    assert mimic.stay_columns == {"subject_id", "hadm_id", "stay_id"}
    eicu = identifier_columns("eicu", published_columns("eicu"))
    names = {column for _, column in eicu.numbers}
    assert {"patientunitstayid", "patienthealthsystemstayid", "labid", "nursingchartid"} <= names
    assert not names & {"hospitalid", "wardid", "labtypeid", "labothertypeid"}
    assert eicu.texts == (("eicu_crd.patient", "uniquepid"),)
    assert eicu.stay_columns == {"patientunitstayid", "patienthealthsystemstayid", "uniquepid"}


def test_of_a_database_of_ones_own_only_dictionaries_are_common_to_all() -> None:
    tables = {
        "main.visits": {"person_id": "BIGINT", "visitid": "INTEGER", "code": "VARCHAR"},
        "main.notes": {"person_id": "BIGINT", "note_id": "VARCHAR"},
        "main.samples": {"sample_id": "DOUBLE", "value": "DOUBLE"},
        "main.d_units": {"unit_code_id": "INTEGER"},
        "main.results": {"person_id": "BIGINT", "unit_code_id": "INTEGER", "paid": "BOOLEAN"},
    }
    found = identifier_columns("clinic", tables)
    assert {column for _, column in found.numbers} == {"person_id", "visitid", "sample_id"}
    assert found.texts == (("main.notes", "note_id"),)
    assert found.stay_columns == {"person_id"}


def test_what_a_source_has_is_found_and_nothing_else(data: DataPaths, one_stay: MakeSource) -> None:
    source = one_stay(data, "first")
    with open_identifiers(data, [source]) as lookup:
        assert lookup.numbers([1, 10, 100, 220045, 5, -1, 2**70]) == {
            1: {"subject_id"}, 10: {"hadm_id"}, 100: {"stay_id"},
        }  # fmt: skip
        assert lookup.items([220045, 100]) == {220045}
        assert lookup.days([date(2180, 1, 1), date(2180, 1, 3)]) == {date(2180, 1, 1)}
        asked = [moment("2180-01-01 01:00"), moment("2180-01-01 01:00:30"), moment("2180-01-01 09:00")]
        assert lookup.moments(asked) == {moment("2180-01-01 01:00")}
        assert lookup.numbers([]) == {} and lookup.keys([]) == {}


def test_files_that_are_too_large_to_hold_are_asked_alike(
    data: DataPaths, one_stay: MakeSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.ehr.identifiers.MOST_LOADED_BYTES", 0)
    with open_identifiers(data, [one_stay(data, "first"), one_stay(data, "another")]) as lookup:
        assert lookup.numbers([100, 5]) == {100: {"stay_id"}}
        assert lookup.moments([moment("2180-01-01 01:00")]) == {moment("2180-01-01 01:00")}


def test_texts_their_begin_and_times_to_the_minute(data: DataPaths) -> None:
    source = make(
        data, "texts", "mimic-iv",
        {
            "mimiciv_hosp.poe": "SELECT 10000032 AS subject_id, '10000032-11' AS poe_id, "
            "TIMESTAMP '2150-02-03 04:05:06' AS ordertime",
            "mimiciv_icu.icustays": "SELECT 10000032 AS subject_id, 30000001 AS stay_id, 'AB-12' AS care_id",
        },
    )  # fmt: skip
    with open_identifiers(data, [source]) as lookup:
        keys = lookup.keys(["10000032-11", "10000032", "ab-12", "AB", "10000032-12"])
        assert keys == {"10000032-11": {"poe_id"}, "10000032": {"poe_id"}, "ab-12": {"care_id"}}
        asked = [moment(f"2150-02-03 04:05{seconds}") for seconds in ("", ":06", ":07")]
        assert lookup.moments(asked) == set(asked[:2])


def test_several_sources_are_asked_at_once_and_dense_numbers_are_told(data: DataPaths) -> None:
    one = make(
        data, "one", "mimic-iv",
        {
            "mimiciv_icu.icustays": "SELECT 10000001 + i AS subject_id, 30000001 + i AS stay_id "
            "FROM range(9) t(i)"
        },
    )  # fmt: skip
    two = make(
        data, "two", "eicu",
        {
            "eicu_crd.patient": "SELECT 140001 AS patientunitstayid, '002-10009' AS uniquepid",
            "eicu_crd.lab": "SELECT 140001 AS patientunitstayid, 100000 + i AS labid FROM range(2000) t(i)",
        },
    )  # fmt: skip
    with open_identifiers(data, [one, two]) as lookup:
        assert lookup.numbers([10000001, 140001, 100005]) == {
            10000001: {"subject_id"}, 140001: {"patientunitstayid"}, 100005: {"labid"},
        }  # fmt: skip
        assert lookup.keys(["002-10009"]) == {"002-10009": {"uniquepid"}}
        dense = [lookup.dense(*asked) for asked in (("labid", 6), ("LabID", 6), ("labid", 7))]
        assert dense == [True, True, False]
        assert not lookup.dense("patientunitstayid", 6) and not lookup.dense("stay_id", 8)
        assert lookup.sources == {"one": one.content_hash, "two": two.content_hash}


def test_the_files_are_private_and_made_once(data: DataPaths, one_stay: MakeSource) -> None:
    source = one_stay(data, "first")
    made = ensure_identifiers(data, source)
    paths = data.source("first")
    assert paths.identifiers.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in paths.identifiers.iterdir()} == {0o600}
    assert {file.name for file in paths.identifiers.iterdir()} == {
        "manifest.json", *(f"{kind}.parquet" for kind in made.file_bytes),
    }  # fmt: skip
    before = paths.identifier_values("numbers").stat().st_ino
    assert ensure_identifiers(data, source) == made
    assert paths.identifier_values("numbers").stat().st_ino == before
    assert not list(data.scratch.iterdir())


@pytest.mark.parametrize("spoil", ["cut", "missing", "manifest", "other source", "other rules"])
def test_what_no_longer_holds_is_made_anew(spoil: str, data: DataPaths, one_stay: MakeSource) -> None:
    source = one_stay(data, "first")
    made = ensure_identifiers(data, source)
    paths = data.source("first")
    if spoil == "cut":
        os.truncate(paths.identifier_values("days"), 10)
    elif spoil == "missing":
        paths.identifier_values("numbers").unlink()
    elif spoil == "manifest":
        paths.identifier_manifest.write_text("{")
    else:
        change = {"other source": {"source_hash": "0"}, "other rules": {"rules_version": 0}}[spoil]
        paths.identifier_manifest.write_text(made.model_copy(update=change).to_json())
    assert ensure_identifiers(data, source) == made
    assert IdentifierSet.load(paths.identifier_manifest) == made
    with open_identifiers(data, [source]) as lookup:
        assert lookup.days([date(2180, 1, 1)]) == {date(2180, 1, 1)}
        assert lookup.numbers([100]) == {100: {"stay_id"}}


def test_making_can_be_cancelled_and_leaves_nothing(data: DataPaths, one_stay: MakeSource) -> None:
    source = one_stay(data, "first")

    def cancel(label: str, done: float, total: float, unit: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), open_identifiers(data, [source], progress=cancel):
        pass
    assert not data.source("first").identifiers.exists()
    with open_identifiers(data, [source]) as lookup:
        assert lookup.numbers([100]) == {100: {"stay_id"}}
