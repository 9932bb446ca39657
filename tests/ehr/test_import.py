"""Import of each form of input: what comes out, what is refused, and that nothing is half done."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.ehr import (
    Connection,
    connect,
    import_source,
    load_source,
    published_schema,
    remove_source,
    source_names,
)
from workbench.ehr.sources import whole_source_lock
from workbench.records import BadInput, DataPaths, Refused, Unavailable

LABS = "mimiciv_hosp.labevents"
STAYS = "mimiciv_icu.icustays"
LAB_LINE = (
    '1,10,100,7,50912,,2180-01-01 06:00:00,2180-01-01 07:00:00,1.1,1.1,mg/dL,0.4,1.1,,ROUTINE,"two\nlines"'
)
SCHEMA = published_schema()


def header(table: str) -> str:
    return ",".join(SCHEMA.table(table).types)


def file_of(folder: Path, table: str) -> Path:
    schema, bare = table.split(".")
    return folder / schema.removeprefix("mimiciv_") / f"{bare}.csv"


def write_csv(folder: Path, lines: dict[str, list[str]] | None = None) -> Path:
    """A PhysioNet folder: every needed table, with ``lines`` below its header."""
    for table in SCHEMA.tables:
        if table.needed or table.name in (lines or {}):
            path = file_of(folder, table.name)
            path.parent.mkdir(parents=True, exist_ok=True)
            body = [header(table.name), *(lines or {}).get(table.name, [])]
            path.write_text("\n".join(body) + "\n", encoding="utf-8")
    return folder


def rows(data: DataPaths, name: str, table: str, columns: str = "*") -> list[tuple[object, ...]]:
    connection = connect()
    return connection.execute(
        f"SELECT {columns} FROM read_parquet(?)", [str(data.source(name).table(table))]
    ).fetchall()


@pytest.fixture
def data(tmp_path: Path) -> DataPaths:
    return DataPaths(tmp_path / "home")


def test_csv_folder_becomes_typed_parquet(tmp_path: Path, data: DataPaths) -> None:
    given = write_csv(tmp_path / "given", {LABS: [LAB_LINE, LAB_LINE.replace("1,10,100", "2,10,")]})
    plain = file_of(given, LABS)
    with gzip.open(plain.with_name("labevents.csv.gz"), "wb") as file:
        file.write(b"\xef\xbb\xbf" + plain.read_bytes().replace(b"\n", b"\r\n").replace(b"two\r\n", b"two\n"))
    plain.unlink()

    source = import_source(data, given, "mimic")

    assert rows(data, "mimic", LABS, "labevent_id, hadm_id, comments, flag") == [
        (1, 100, "two\nlines", None),
        (2, None, "two\nlines", None),
    ]
    connection = connect()
    described = connection.execute(
        "DESCRIBE SELECT * FROM read_parquet(?)", [str(data.source("mimic").table(LABS))]
    )
    assert {name: kind for name, kind, *_ in described.fetchall()} == {
        name: {"REAL": "FLOAT"}.get(kind, kind) for name, kind in SCHEMA.table(LABS).types.items()
    }
    tables = {table.table: table for table in source.tables}
    assert sorted(tables) == SCHEMA.names
    assert tables[LABS].rows == 2 and not tables[LABS].empty_because_missing
    assert [name for name, table in tables.items() if table.empty_because_missing] == [
        table.name for table in SCHEMA.tables if not table.needed
    ]
    assert rows(data, "mimic", "mimiciv_icu.caregiver") == []
    assert str(tmp_path) not in data.source("mimic").manifest.read_text()


def test_columns_may_be_in_another_order_or_lack_nullable_ones(tmp_path: Path, data: DataPaths) -> None:
    given = write_csv(tmp_path / "given")
    file_of(given, "mimiciv_hosp.patients").write_text(
        "ANCHOR_AGE,gender,subject_id,anchor_year,anchor_year_group\n61,F,5,2150,2011 - 2013\n"
    )
    file_of(given, "mimiciv_hosp.d_labitems").parent.mkdir(exist_ok=True)
    file_of(given, "mimiciv_hosp.d_labitems").write_text(
        "itemid,label,fluid,category,loinc_code\n1,a,b,c,2160-0\n"
    )
    source = import_source(data, given, "mimic")
    assert rows(data, "mimic", "mimiciv_hosp.patients", "subject_id, gender, anchor_age, dod") == [
        (5, "F", 61, None)
    ]
    tables = {table.table: table for table in source.tables}
    assert tables["mimiciv_hosp.patients"].missing_columns == ["dod"]
    assert tables["mimiciv_hosp.d_labitems"].dropped_columns == ["loinc_code"]


BAD_LINES: dict[str, tuple[list[str], list[str]]] = {
    "no number": (
        [LAB_LINE, LAB_LINE.replace(",1.1,1.1,", ",1.1,high,")],
        ["line 4", "column valuenum", "DOUBLE"],
    ),
    "a fraction for a whole number": (
        [LAB_LINE, LAB_LINE.replace("50912", "50912.5")],
        ["line 4", "column itemid", "INTEGER"],
    ),
    "whole number too large": ([LAB_LINE.replace("50912", "4294967296")], ["line 2", "column itemid"]),
    "not a number": ([LAB_LINE.replace(",1.1,1.1,", ",1.1,NaN,")], ["line 2", "column valuenum"]),
    "infinite": ([LAB_LINE.replace(",1.1,1.1,", ",1.1,inf,")], ["line 2", "column valuenum"]),
    "no patient": ([LAB_LINE.replace("1,10,", "1,,")], ["line 2", "column subject_id"]),
    "no such day": (
        [LAB_LINE.replace("2180-01-01 06", "2180-13-01 06")],
        ["line 2", "column charttime", "TIMESTAMP"],
    ),
    "time zone": ([LAB_LINE.replace("06:00:00", "06:00:00+02")], ["line 2", "column charttime", "time zone"]),
    "too few fields": ([LAB_LINE, "1,10,100"], ["line 4", "too few fields"]),
    "too many fields": ([LAB_LINE + ",more"], ["line 2", "too many fields"]),
    "after a byte order mark": (["\ufeff", LAB_LINE.replace("50912", "x")], ["line 2", "column itemid"]),
    "open quote": ([LAB_LINE.replace('"two\nlines"', '"open')], ["line 2"]),
}


COMPRESSED = ("no number", "a fraction for a whole number", "too few fields")


@pytest.mark.parametrize(
    ("case", "compressed"), [*((case, False) for case in BAD_LINES), *((case, True) for case in COMPRESSED)]
)
def test_bad_values_are_told_by_table_and_line(
    case: str, compressed: bool, tmp_path: Path, data: DataPaths
) -> None:
    lines, expected = BAD_LINES[case]
    mark, lines = (lines[0], lines[1:]) if lines[0] == "\ufeff" else ("", lines)
    given = write_csv(tmp_path / "given", {LABS: lines})
    file_of(given, LABS).write_text(mark + file_of(given, LABS).read_text())
    if compressed:
        path = file_of(given, LABS)
        with gzip.open(path.with_name("labevents.csv.gz"), "wb") as file:
            file.write(path.read_bytes())
        path.unlink()
    with pytest.raises(BadInput) as error:
        import_source(data, given, "mimic")
    assert LABS in str(error.value)
    for piece in expected:
        assert piece in str(error.value)
    for value in ("high", "50912.5", "4294967296", "2180-13"):
        assert value not in str(error.value)
    assert source_names(data) == [] and list(data.scratch.iterdir()) == []


def test_many_bad_lines_are_counted(tmp_path: Path, data: DataPaths) -> None:
    lines = [LAB_LINE.replace('"two\nlines"', "").replace("50912", "x")] * 7
    with pytest.raises(BadInput, match=r"7 bad lines: line 2, column itemid.*line 6.*and 2 more"):
        import_source(data, write_csv(tmp_path / "given", {LABS: lines}), "mimic")


Damage = Callable[[Path], object]


def _truncate(given: Path) -> None:
    content = gzip.compress((header(LABS) + "\n" + LAB_LINE).encode())
    file_of(given, LABS).unlink()
    (given / "hosp" / "labevents.csv.gz").write_bytes(content[:40])


def _truncate_late(given: Path) -> None:
    content = gzip.compress((header(LABS) + "\n" + "\n".join([LAB_LINE] * 50_000)).encode())
    file_of(given, LABS).unlink()
    (given / "hosp" / "labevents.csv.gz").write_bytes(content[:-30])


def _false_sum(given: Path) -> None:
    (given / "SHA256SUMS.txt").write_text("0" * 64 + "  hosp/labevents.csv\n")


def _rename_column(given: Path) -> None:
    path = file_of(given, LABS)
    path.write_text(path.read_text().replace("valuenum", "value_num"))


def _eicu(given: Path) -> None:
    _no_csv(given)
    (given / "hosp" / "vitalPeriodic.csv").write_text("vitalperiodicid,patientunitstayid\n")


def _mimic_three(given: Path) -> None:
    path = file_of(given, "mimiciv_hosp.admissions")
    path.write_text("ROW_ID,SUBJECT_ID,HADM_ID,ADMITTIME\n")


def _latin(given: Path) -> None:
    text = header(LABS) + "\n" + LAB_LINE.replace("mg/dL", "µg")
    file_of(given, LABS).write_bytes(text.encode("latin-1"))


def _labs(content: str | bytes) -> Damage:
    def write(given: Path) -> None:
        file_of(given, LABS).write_bytes(content.encode() if isinstance(content, str) else content)

    return write


def _no_csv(given: Path) -> None:
    for path in given.rglob("*.csv"):
        path.unlink()


def _database_beside(given: Path) -> None:
    _no_csv(given)
    (given / "x.duckdb").write_text("")


FOLDERS: dict[str, tuple[Damage, list[str]]] = {
    "truncated in the header": (_truncate, [LABS, "truncated"]),
    "truncated in the data": (_truncate_late, [LABS, "truncated"]),
    "no gzip": (lambda given: file_of(given, LABS).rename(given / "labevents.csv.gz"), [LABS, "gzip"]),
    "other checksum": (_false_sum, [LABS, "SHA256SUMS.txt"]),
    "not UTF-8": (_latin, [LABS, "UTF-8"]),
    "UTF-16": (_labs(header(LABS).encode("utf-16")), [LABS, "UTF-8"]),
    "empty file": (_labs(""), [LABS, "no header line"]),
    "renamed column": (_rename_column, ["unknown column value_num (did you mean valuenum?)"]),
    "missing needed column": (_labs("labevent_id,itemid\n"), ["column subject_id is missing"]),
    "column twice": (_labs(header(LABS) + ",itemid\n"), ["itemid is there twice"]),
    "missing needed table": (lambda given: file_of(given, LABS).unlink(), ["table is missing", LABS]),
    "table twice": (lambda given: (given / "labevents.csv").touch(), ["two files for", "labevents.csv"]),
    "both forms": (lambda given: (given / "labevents.parquet").touch(), ["both CSV and Parquet"]),
    "a part of eICU": (_eicu, ["needed tables are missing", "eicu_crd.nursecharting"]),
    "MIMIC-III": (_mimic_three, ["MIMIC-III"]),
    "nothing": (_no_csv, ["no table of MIMIC-IV"]),
    "a database file in the folder": (_database_beside, ["Name the file itself: x.duckdb"]),
}


@pytest.mark.parametrize("case", FOLDERS)
def test_wrong_folders_give_one_message_and_leave_nothing(case: str, tmp_path: Path, data: DataPaths) -> None:
    damage, expected = FOLDERS[case]
    given = write_csv(tmp_path / "given", {LABS: [LAB_LINE]})
    damage(given)
    with pytest.raises(BadInput) as error:
        import_source(data, given, "mimic")
    for piece in expected:
        assert piece in str(error.value)
    assert source_names(data) == []
    assert not data.scratch.exists() or list(data.scratch.iterdir()) == []


def test_missing_path_wrong_file_and_wrong_name(tmp_path: Path, data: DataPaths) -> None:
    with pytest.raises(BadInput, match="no such file or folder"):
        import_source(data, tmp_path / "nowhere", "mimic")
    (tmp_path / "notes.txt").write_text("nothing of the sort")
    with pytest.raises(BadInput, match="neither a folder nor a DuckDB database"):
        import_source(data, tmp_path / "notes.txt", "mimic")
    with pytest.raises(BadInput, match="cannot name a source"):
        import_source(data, write_csv(tmp_path / "given"), "../up")
    for name in ("synthetic-5-5", "synthetic-eicu-500-9"):
        with pytest.raises(BadInput, match=f"{name} means synthetic data"):
            import_source(data, tmp_path / "given", name)
    with pytest.raises(BadInput, match="Make one: workbench data synth"):
        load_source(data, "mimic")


def test_unchanged_input_is_a_no_op_and_changed_content_is_not(tmp_path: Path, data: DataPaths) -> None:
    given = write_csv(tmp_path / "given", {LABS: [LAB_LINE]})
    first = import_source(data, given, "mimic")
    inode = data.source("mimic").folder.stat().st_ino
    derived = data.source("mimic").concepts("r")
    derived.mkdir(parents=True)
    for path in given.rglob("*.csv"):
        path.touch()
    assert import_source(data, given, "mimic") == first
    assert data.source("mimic").folder.stat().st_ino == inode

    path = file_of(given, LABS)
    before = path.stat()
    path.write_text(path.read_text().replace("1.1,1.1", "9.9,9.9"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    with pytest.raises(Refused, match=r"another input[\s\S]*--replace"):
        import_source(data, given, "mimic")
    assert load_source(data, "mimic") == first and derived.is_dir()
    second = import_source(data, given, "mimic", replace=True)
    assert second.origin_hash != first.origin_hash and second.content_hash != first.content_hash
    assert rows(data, "mimic", LABS, "valuenum") == [(9.9,)]
    assert not derived.exists()


@pytest.mark.parametrize("stop", [KeyboardInterrupt, BadInput])
def test_a_stopped_import_leaves_the_previous_state(
    stop: type[BaseException], tmp_path: Path, data: DataPaths
) -> None:
    given = write_csv(tmp_path / "given", {LABS: [LAB_LINE]})
    first = import_source(data, given, "mimic")
    bad = LAB_LINE.replace("50912", "x") if stop is BadInput else LAB_LINE
    write_csv(given, {LABS: [LAB_LINE, bad]})

    def interrupt(label: str, done: float, total: float, unit: str) -> None:
        if label == STAYS and stop is KeyboardInterrupt:
            raise KeyboardInterrupt

    with pytest.raises(stop):
        import_source(data, given, "mimic", replace=True, progress=interrupt)
    assert load_source(data, "mimic") == first
    assert len(rows(data, "mimic", LABS)) == 1
    assert list(data.scratch.iterdir()) == []
    if stop is KeyboardInterrupt:
        assert import_source(data, given, "mimic", replace=True).content_hash != first.content_hash


def test_progress_goes_up_to_the_whole_input(tmp_path: Path, data: DataPaths) -> None:
    seen: list[tuple[str, float, float, str]] = []
    given = write_csv(tmp_path / "given", {LABS: [LAB_LINE]})
    import_source(data, given, "mimic", progress=lambda *step: seen.append(step))
    size = sum(path.stat().st_size for path in given.rglob("*.csv"))
    assert {(total, unit) for _, _, total, unit in seen} == {(size, "bytes")}
    tables = [done for label, done, _, _ in seen if label in SCHEMA.names]
    assert tables == sorted(tables) and tables[-1] == size


def test_lock_and_removal(tmp_path: Path, data: DataPaths) -> None:
    given = write_csv(tmp_path / "given")
    import_source(data, given, "mimic")
    with whole_source_lock(data, "mimic"):
        for action in (lambda: remove_source(data, "mimic"), lambda: import_source(data, given, "mimic")):
            with pytest.raises(Refused, match="source mimic"):
                action()
    remove_source(data, "mimic")
    assert source_names(data) == [] and not data.source("mimic").folder.exists()
    with pytest.raises(BadInput, match="no source named"):
        remove_source(data, "mimic")


def test_a_full_or_forbidden_disk_is_said(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the data directory should be")
    with pytest.raises((Unavailable, BadInput), match="cannot be written"):
        import_source(DataPaths(tmp_path / "home"), write_csv(tmp_path / "given"), "mimic")


# Parquet and DuckDB


@pytest.fixture
def imported(tmp_path: Path, data: DataPaths) -> DataPaths:
    import_source(data, write_csv(tmp_path / "given", {LABS: [LAB_LINE]}), "mimic")
    return data


def _database(path: Path) -> Connection:
    connection = connect(path)
    connection.execute("CREATE SCHEMA mimiciv_hosp; CREATE SCHEMA mimiciv_icu; CREATE SCHEMA mimiciv_derived")
    return connection


def _mimic_code(data: DataPaths, folder: Path) -> Path:
    """Base tables, as the public build makes them, and a derived table."""
    connection = _database(folder / "mimic4.db")
    for table in SCHEMA.names:
        connection.execute(
            f"CREATE TABLE {table} AS FROM read_parquet('{data.source('mimic').table(table)}')"
        )
    connection.execute("CREATE TABLE mimiciv_derived.age AS SELECT 1 AS subject_id")
    connection.close()
    return folder / "mimic4.db"


def _m4(data: DataPaths, folder: Path) -> Path:
    """Views over Parquet at absolute paths."""
    connection = _database(folder / "mimic_iv.duckdb")
    for table in SCHEMA.names:
        connection.execute(
            f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{data.source('mimic').table(table)}')"
        )
    connection.close()
    return folder / "mimic_iv.duckdb"


def _flat_views(data: DataPaths, folder: Path) -> Path:
    """Views named ``hosp_labevents`` in the main schema."""
    connection = connect(folder / "flat.duckdb")
    for table in SCHEMA.tables:
        name = f"{table.schema.removeprefix('mimiciv_')}_{table.bare}"
        connection.execute(
            f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{data.source('mimic').table(table.name)}')"
        )
    connection.close()
    return folder / "flat.duckdb"


def _parquet_tree(data: DataPaths, folder: Path) -> Path:
    """hosp/labevents.parquet, with wider types than published."""
    connection = connect()
    for table in SCHEMA.tables:
        place = folder / "tree" / table.schema.removeprefix("mimiciv_")
        place.mkdir(parents=True, exist_ok=True)
        wide = ", ".join(
            f"CAST({name} AS BIGINT) AS {name}"
            for name, kind in table.types.items()
            if kind in ("INTEGER", "SMALLINT")
        )
        replaced = f"* REPLACE ({wide})" if wide else "*"
        connection.execute(
            f"COPY (SELECT {replaced} FROM read_parquet('{data.source('mimic').table(table.name)}')) "
            f"TO '{place / table.bare}.parquet'"
        )
    return folder / "tree"


def _parquet_flat(data: DataPaths, folder: Path) -> Path:
    return data.source("mimic").tables


@pytest.mark.parametrize("form", [_mimic_code, _m4, _flat_views, _parquet_tree, _parquet_flat])
def test_every_form_gives_the_same_rows(
    form: Callable[[DataPaths, Path], Path], imported: DataPaths, tmp_path: Path
) -> None:
    given = form(imported, tmp_path)
    again = import_source(imported, given, "again")
    assert [(table.table, table.rows) for table in again.tables] == [
        (table.table, table.rows) for table in load_source(imported, "mimic").tables
    ]
    assert rows(imported, "again", LABS) == rows(imported, "mimic", LABS)
    assert import_source(imported, given, "again") == again


def test_views_whose_files_are_gone_changed_or_of_another_kind(imported: DataPaths, tmp_path: Path) -> None:
    database = _m4(imported, tmp_path)
    again = import_source(imported, database, "again")
    labs = imported.source("mimic").table(LABS)
    connection = connect()
    connection.execute(
        f"COPY (SELECT * REPLACE (2 AS labevent_id) FROM read_parquet('{labs}')) TO '{tmp_path}/new.parquet'"
    )
    (tmp_path / "new.parquet").replace(labs)
    assert import_source(imported, database, "again", replace=True).content_hash != again.content_hash
    labs.unlink()
    with pytest.raises(BadInput, match=f"{LABS}: its view cannot be read"):
        import_source(imported, database, "again", replace=True)
    labs.write_bytes(b"PAR1 but not really PAR1")
    with pytest.raises(BadInput, match=LABS):
        import_source(imported, _parquet_flat(imported, tmp_path), "other")


WRONG_TYPES: dict[str, tuple[str, list[str]]] = {
    "fraction": ("50912.5 AS itemid", ["column itemid: 1 rows with no valid INTEGER, the first is row 1"]),
    "text that is no number": ("'x' AS valuenum", ["column valuenum"]),
    "time for a number": ("charttime AS valuenum", ["valuenum is TIMESTAMP, published as DOUBLE"]),
    "missing identifier": ("CAST(NULL AS INTEGER) AS subject_id", ["column subject_id"]),
    "too large": ("CAST(4294967296 AS BIGINT) AS itemid", ["column itemid"]),
}


@pytest.mark.parametrize("case", WRONG_TYPES)
def test_wrong_types_in_parquet(case: str, imported: DataPaths, tmp_path: Path) -> None:
    replaced, expected = WRONG_TYPES[case]
    tree = _parquet_tree(imported, tmp_path)
    connection = connect()
    connection.execute(
        f"COPY (SELECT * REPLACE ({replaced}) FROM read_parquet('{imported.source('mimic').table(LABS)}')) "
        f"TO '{tree}/hosp/labevents.parquet'"
    )
    with pytest.raises(BadInput) as error:
        import_source(imported, tree, "wrong")
    for piece in expected:
        assert piece in str(error.value)
    assert source_names(imported) == ["mimic"]


def test_convertible_types_are_converted_and_listed(imported: DataPaths, tmp_path: Path) -> None:
    tree = _parquet_tree(imported, tmp_path)
    connection = connect()
    connection.execute(
        "COPY (SELECT * REPLACE (CAST(itemid AS VARCHAR) AS itemid, CAST(1.5 AS DECIMAL(9,1)) AS valuenum, "
        "charttime AT TIME ZONE 'UTC' AS charttime, 7 AS flag) "
        f"FROM read_parquet('{imported.source('mimic').table(LABS)}')) TO '{tree}/hosp/labevents.parquet'"
    )
    source = import_source(imported, tree, "wide")
    assert [table.converted_columns for table in source.tables if table.table == LABS] == [["flag"]]
    assert rows(imported, "wide", LABS, "itemid, valuenum, CAST(charttime AS VARCHAR), flag") == [
        (50912, 1.5, "2180-01-01 06:00:00", "7")
    ]


def test_unrelated_and_foreign_databases(data: DataPaths, tmp_path: Path) -> None:
    connection = connect(tmp_path / "shop.duckdb")
    connection.execute("CREATE TABLE orders (id INTEGER)")
    connection.close()
    with pytest.raises(BadInput, match="without tables of MIMIC-IV"):
        import_source(data, tmp_path / "shop.duckdb", "mimic")
    connection = connect(tmp_path / "eicu.duckdb")
    connection.execute(
        "CREATE TABLE patient (patientunitstayid INTEGER); CREATE TABLE vitalperiodic (x INTEGER)"
    )
    connection.close()
    with pytest.raises(BadInput, match="looks like eICU-CRD, not MIMIC-IV"):
        import_source(data, tmp_path / "eicu.duckdb", "mimic", database="mimic-iv")
    with pytest.raises(BadInput, match=r"needed tables are missing: eicu_crd\.apacheapsvar"):
        import_source(data, tmp_path / "eicu.duckdb", "mimic")
    damaged = tmp_path / "damaged.duckdb"
    damaged.write_bytes((tmp_path / "shop.duckdb").read_bytes()[:5000])
    with pytest.raises(BadInput, match=r"damaged\.duckdb"):
        import_source(data, damaged, "mimic")


@pytest.mark.demo
def test_the_demo_imports(demo_folder: Path, data: DataPaths) -> None:
    source = import_source(data, demo_folder, "demo")
    counts = {table.table: table.rows for table in source.tables}
    assert counts["mimiciv_icu.chartevents"] == 668_862 and counts[STAYS] == 140
    assert [table.table for table in source.tables if table.empty_because_missing] == [
        name for name in SCHEMA.names if not (demo_folder / f"{name}.parquet").exists()
    ]
    assert not any(table.missing_columns or table.converted_columns for table in source.tables)
