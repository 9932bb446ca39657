"""Concept SQL: fetched once and checked, taken from a folder, built in order, and only what is missing."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.ehr import (
    DERIVED_SCHEMA,
    ConceptSql,
    connect,
    ensure_concepts,
    fetch_concept_sql,
    import_source,
    published_schema,
)
from workbench.ehr.concepts import PINNED_REVISION
from workbench.ehr.sources import source_lock
from workbench.records import BadInput, DataPaths, Refused, Source, Unavailable
from workbench.sql import reads

SCHEMA = published_schema()
MakeSource = Callable[..., Source]
MakeConcepts = Callable[[Path, dict[str, str]], Path]


@pytest.fixture(scope="session")
def pinned(shared_home: DataPaths) -> ConceptSql:
    """The pinned SQL; needs the package index once."""
    try:
        return fetch_concept_sql(shared_home)
    except Unavailable as error:
        pytest.skip(f"the pinned concept SQL cannot be fetched here: {error.what}")


CHAIN = {
    "aa_last": "SELECT stay_id, hr + 1 AS next FROM mimiciv_derived.middle",
    "middle": "SELECT stay_id, max(hr) AS hr FROM mimiciv_derived.zz_first GROUP BY stay_id",
    "zz_first": "SELECT stay_id, valuenum AS hr FROM mimiciv_icu.chartevents WHERE itemid = 220045",
    "other": "SELECT subject_id FROM mimiciv_hosp.patients",
}


def values(data: DataPaths, source: Source, sql: ConceptSql, name: str) -> list[tuple[object, ...]]:
    file = data.source(source.name).concept(sql.revision, name)
    return connect().execute("FROM read_parquet(?)", [str(file)]).fetchall()


@pytest.fixture
def data(tmp_path: Path) -> DataPaths:
    return DataPaths(tmp_path / "home")


def test_a_chain_is_built_in_order_and_only_what_is_needed(
    tmp_path: Path, data: DataPaths, one_stay: MakeSource, concept_folder: MakeConcepts
) -> None:
    source = one_stay(data, "one")
    sql = fetch_concept_sql(data, concept_folder(tmp_path / "mimic-code", CHAIN))
    seen: list[str] = []
    built = ensure_concepts(data, source, sql, ["middle"], progress=lambda label, *rest: seen.append(label))
    assert [(item.name, item.rows) for item in built.concepts] == [("middle", 1), ("zz_first", 3)]
    assert list(dict.fromkeys(seen)) == ["zz_first", "middle", "concepts"]

    seen.clear()
    built = ensure_concepts(data, source, sql, progress=lambda label, *rest: seen.append(label))
    assert [item.name for item in built.concepts] == ["aa_last", "middle", "other", "zz_first"]
    assert list(dict.fromkeys(seen)) == ["other", "aa_last", "concepts"]
    assert values(data, source, sql, "aa_last") == [(100, 73.0)]

    seen.clear()
    assert ensure_concepts(data, source, sql, progress=lambda label, *rest: seen.append(label)) == built
    assert seen == []


def test_what_reads_a_rebuilt_concept_is_built_again(
    tmp_path: Path, data: DataPaths, one_stay: MakeSource, concept_folder: MakeConcepts
) -> None:
    source = one_stay(data, "one")
    sql = fetch_concept_sql(data, concept_folder(tmp_path / "mimic-code", CHAIN))
    ensure_concepts(data, source, sql)
    data.source("one").concept(sql.revision, "middle").unlink()
    seen: list[str] = []
    built = ensure_concepts(data, source, sql, ["middle"], progress=lambda label, *rest: seen.append(label))
    assert list(dict.fromkeys(seen)) == ["middle", "concepts"]
    assert [item.name for item in built.concepts] == ["middle", "other", "zz_first"]
    seen.clear()
    ensure_concepts(data, source, sql, progress=lambda label, *rest: seen.append(label))
    assert list(dict.fromkeys(seen)) == ["aa_last", "concepts"]


def test_another_source_or_other_sql_is_built_anew(
    tmp_path: Path, data: DataPaths, one_stay: MakeSource, concept_folder: MakeConcepts
) -> None:
    sql = fetch_concept_sql(data, concept_folder(tmp_path / "mimic-code", CHAIN))
    first = ensure_concepts(data, one_stay(data, "one"), sql)
    source = one_stay(data, "one", heart_rates=5)
    second = ensure_concepts(data, source, sql)
    assert second.source_hash != first.source_hash
    assert values(data, source, sql, "aa_last") == [(100, 75.0)]

    changed = fetch_concept_sql(
        data, concept_folder(tmp_path / "mimic-code", CHAIN | {"other": "SELECT 7 AS n"})
    )
    assert changed.revision != sql.revision
    ensure_concepts(data, source, changed)
    assert values(data, source, changed, "other") == [(7,)]
    assert values(data, source, sql, "other") == []


def test_an_interrupted_build_goes_on_where_it_was(
    tmp_path: Path, data: DataPaths, one_stay: MakeSource, concept_folder: MakeConcepts
) -> None:
    source = one_stay(data, "one")
    slow = CHAIN["middle"].replace("max(hr)", "max(hr + (SELECT count(*) FROM range(9000000000)))")
    sql = fetch_concept_sql(data, concept_folder(tmp_path / "mimic-code", CHAIN | {"middle": slow}))

    def interrupt(label: str, done: float, total: float, unit: str) -> None:
        if label == "middle":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ensure_concepts(data, source, sql, ["middle"], progress=interrupt)
    kept = data.source("one").concept_manifest(sql.revision)
    assert '"zz_first"' in kept.read_text() and '"middle"' not in kept.read_text()
    assert list(data.scratch.iterdir()) == []


WRONG: dict[str, tuple[dict[str, str], str]] = {
    "unknown column": (
        {"x": "SELECT no_such FROM mimiciv_icu.icustays"},
        "x does not run on the published schema",
    ),
    "circle": ({"x": "FROM mimiciv_derived.y", "y": "FROM mimiciv_derived.x"}, "circle"),
    "reads elsewhere": ({"x": "SELECT * FROM read_csv('/etc/passwd')"}, "x does not run"),
    "writes elsewhere": ({"x": "SELECT 1 AS a; COPY (SELECT 1) TO '/tmp/never.csv'"}, "x does not run"),
    "changes a setting": ({"x": "SELECT 1 AS a; SET enable_external_access = true"}, "x does not run"),
}


@pytest.mark.parametrize("case", WRONG)
def test_foreign_sql_that_fails_or_reaches_out(
    case: str, tmp_path: Path, data: DataPaths, one_stay: MakeSource, concept_folder: MakeConcepts
) -> None:
    bodies, expected = WRONG[case]
    sql = fetch_concept_sql(data, concept_folder(tmp_path / "mimic-code", bodies))
    with pytest.raises(BadInput, match=expected):
        ensure_concepts(data, one_stay(data, "one"), sql)
    assert not Path("/tmp/never.csv").exists()


def test_wrong_folders_and_names(
    tmp_path: Path, data: DataPaths, one_stay: MakeSource, concept_folder: MakeConcepts
) -> None:
    with pytest.raises(BadInput, match="no such folder"):
        fetch_concept_sql(data, tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="holds no concept SQL"):
        fetch_concept_sql(data, tmp_path / "empty")
    sql = fetch_concept_sql(data, concept_folder(tmp_path / "mimic-code", CHAIN))
    with pytest.raises(BadInput, match="Did you mean middle"):
        ensure_concepts(data, one_stay(data, "one"), sql, ["midle"])
    with source_lock(data, "one", "concepts"), pytest.raises(Refused), pytest.MonkeyPatch.context() as patch:
        patch.setattr("workbench.ehr.concept_build.WAIT_S", 0.0)
        ensure_concepts(data, one_stay(data, "one"), sql)


def test_without_network_the_message_says_what_to_do(
    data: DataPaths, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(Unavailable, match="concepts_folder"):
        fetch_concept_sql(data)
    assert not data.concept_sql.exists() or list(data.concept_sql.iterdir()) == []


def test_another_wheel_of_that_name_is_refused(
    data: DataPaths, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "m4_infra-0.5.9-py3-none-any.whl", "w") as wheel:
        info = "m4_infra-0.5.9.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: m4-infra\nVersion: 0.5.9\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(Refused, match="not the pinned file"):
        fetch_concept_sql(data)


# The pinned SQL


def test_the_pinned_sql_is_kept_and_checked(
    pinned: ConceptSql, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pinned.revision == PINNED_REVISION and len(pinned.scripts) == 63
    assert {path.suffix for path in pinned.folder.rglob("*") if path.is_file()} == {".sql"}
    data = DataPaths(tmp_path / "home")
    shutil.copytree(pinned.folder, data.concept_sql / PINNED_REVISION)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert fetch_concept_sql(data).scripts.keys() == pinned.scripts.keys()
    with next((data.concept_sql / PINNED_REVISION).rglob("sepsis3.sql")).open("a") as file:
        file.write("-- changed\n")
    with pytest.raises(BadInput, match="was changed"):
        fetch_concept_sql(data)


def test_needed_tables_are_those_that_the_pinned_sql_reads(pinned: ConceptSql) -> None:
    read = {table for text in pinned.texts().values() for table in reads(text)}
    base = {table for table in read if not table.startswith(f"{DERIVED_SCHEMA}.")}
    assert base == {table.name for table in SCHEMA.tables if table.needed}
    assert {table.removeprefix(f"{DERIVED_SCHEMA}.") for table in read - base} <= pinned.scripts.keys()


def test_all_build_on_a_source_that_is_almost_empty(
    pinned: ConceptSql, data: DataPaths, one_stay: MakeSource
) -> None:
    source = one_stay(data, "one")
    built = ensure_concepts(data, source, pinned)
    counts = {item.name: item.rows for item in built.concepts}
    assert len(counts) == 63
    assert counts["icustay_times"] == 1 and counts["vitalsign"] == 3 and counts["suspicion_of_infection"] == 0


@pytest.mark.demo
def test_all_build_on_the_demo(pinned: ConceptSql, demo_folder: Path, data: DataPaths) -> None:
    source = import_source(data, demo_folder, "demo")
    built = ensure_concepts(data, source, pinned)
    counts = {item.name: item.rows for item in built.concepts}
    assert len(counts) == 63 and counts["icustay_detail"] == 140 and counts["age"] == 275
    assert [name for name, rows in counts.items() if rows == 0] == ["neuroblock", "ventilation"]


@pytest.mark.demo
def test_a_second_build_has_the_same_bytes(pinned: ConceptSql, demo_folder: Path, data: DataPaths) -> None:
    """``bg`` picks one of several equal rows, ``vitalsign`` averages: order and threads must not show."""
    source = import_source(data, demo_folder, "demo")
    first = ensure_concepts(data, source, pinned, ["bg", "vitalsign"])
    shutil.rmtree(data.source("demo").concepts(pinned.revision))
    assert ensure_concepts(data, source, pinned, ["bg", "vitalsign"]) == first


def test_importing_the_package_does_not_load_the_engine() -> None:
    import sys

    code = "import sys, workbench.ehr, workbench.ehr.connect; sys.exit('duckdb' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
