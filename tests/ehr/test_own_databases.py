"""Databases of one's own: declared from a DuckDB file, imported by the declaration, from any form."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.ehr import (
    PublishedSchema,
    connect,
    declaration_text,
    declare_database,
    import_source,
    published_schema,
    schema_of,
)
from workbench.records import BadInput, ContentPaths, DataPaths, Refused

TABLES = """
CREATE TABLE Stays (
  stay_id INTEGER NOT NULL, "Admitted" TIMESTAMP NOT NULL, ward VARCHAR, subject_id INTEGER
);
INSERT INTO Stays VALUES (1, '2180-05-01 12:00:00', 'north', 7), (2, '2180-05-02 12:00:00', NULL, 8);
CREATE SCHEMA lab;
CREATE TABLE lab.results (
  stay_id UINTEGER, value DECIMAL(8, 2), small UTINYINT, whole HUGEINT, "at" TIMESTAMPTZ, day DATE,
  flag BOOLEAN, note UUID, ratio FLOAT, list INTEGER[]
);
INSERT INTO lab.results VALUES (1, 1.25, 3, 9, '2180-05-01 12:00:00+02', '2180-05-01', true, NULL, 0.5, [1]);
CREATE VIEW latest AS SELECT stay_id, max(value) AS value FROM lab.results GROUP BY stay_id;
CREATE TABLE "two words" (id INTEGER);
CREATE TABLE odd (id INTEGER, "heart rate" INTEGER);
"""


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    connection = connect(tmp_path / "clinic.duckdb")
    connection.execute(TABLES)
    connection.close()
    return tmp_path / "clinic.duckdb"


@pytest.fixture
def content(tmp_path: Path, clinic: Path) -> Content:
    paths = ContentPaths(tmp_path / "content")
    paths.own_databases.mkdir(parents=True)
    declared, _ = declare_database(clinic, "clinic", "The clinic")
    paths.own_database("clinic").write_text(declaration_text(declared))
    return Content(paths)


@pytest.fixture
def schema(content: Content) -> PublishedSchema:
    return schema_of(content, "clinic")


@pytest.fixture
def data(tmp_path: Path) -> DataPaths:
    return DataPaths(tmp_path / "home")


def test_a_file_is_declared_without_a_value(clinic: Path, content: Content) -> None:
    declared, left_out = declare_database(clinic, "clinic", 'The "clinic"')
    assert declared.tables == {
        "lab.results": {
            "stay_id": "BIGINT",
            "value": "DOUBLE",
            "small": "SMALLINT",
            "whole": "BIGINT",
            "at": "TIMESTAMP",
            "day": "DATE",
            "flag": "BOOLEAN",
            "note": "VARCHAR",
            "ratio": "REAL",
            "list": "VARCHAR",
        },
        "main.stays": {
            "stay_id": "INTEGER NOT NULL",
            "admitted": "TIMESTAMP NOT NULL",
            "ward": "VARCHAR",
            "subject_id": "INTEGER",
        },
        "main.latest": {"stay_id": "BIGINT", "value": "DOUBLE"},
        "main.odd": {"id": "INTEGER"},
    }
    assert [line.split(":")[0] for line in left_out] == [
        "column heart rate of main.odd",
        "table main.two words",
    ]
    text = declaration_text(declared)
    assert "north" not in text and "2180" not in text
    content.paths.own_database("clinic").write_text(text)
    assert content.own_database("clinic") == declared


@pytest.mark.parametrize(
    ("name", "tables", "words"),
    [
        ("clinic", "", "holds no table that can be declared"),
        ("My clinic", TABLES, "write mimic-iv, eicu, or a name in lower-case letters"),
        ("eicu", TABLES, "eicu is a published database"),
    ],
)
def test_what_cannot_be_declared(tmp_path: Path, name: str, tables: str, words: str) -> None:
    connection = connect(tmp_path / "given.duckdb")
    connection.execute(tables or "SELECT 1")
    connection.close()
    with pytest.raises(BadInput, match=words):
        declare_database(tmp_path / "given.duckdb", name, "")


def test_no_duckdb_file_is_declared(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello, hello, hello")
    with pytest.raises(BadInput, match="is neither a folder nor a DuckDB database"):
        declare_database(tmp_path / "notes.txt", "clinic", "")


def test_the_declared_is_imported_and_the_rest_is_left(
    data: DataPaths, clinic: Path, schema: PublishedSchema
) -> None:
    source = import_source(data, clinic, "north", database=schema)
    assert (source.database, source.schema_name, source.kind) == ("clinic", schema.name, "imported")
    assert [table.table for table in source.tables] == [
        "lab.results",
        "main.latest",
        "main.odd",
        "main.stays",
    ]
    assert source.tables[2].dropped_columns == ["heart rate"]
    file = data.source("north").table("lab.results")
    (row,) = connect().execute(f"SELECT * FROM read_parquet('{file}')").fetchall()
    assert row[:4] == (1, 1.25, 3, 9)
    assert str(row[4]) == "2180-05-01 10:00:00"
    assert row[5:] == (row[5], True, None, 0.5, "[1]")
    assert import_source(data, clinic, "north", database=schema) == source


def test_another_declaration_is_another_input(data: DataPaths, clinic: Path, content: Content) -> None:
    first = import_source(data, clinic, "north", database=schema_of(content, "clinic"))
    path = content.paths.own_database("clinic")
    path.write_text(path.read_text().replace('ward = "VARCHAR"\n', ""))
    smaller = schema_of(content, "clinic")
    with pytest.raises(Refused, match="was imported from another input"):
        import_source(data, clinic, "north", database=smaller)
    second = import_source(data, clinic, "north", database=smaller, replace=True)
    assert second.content_hash != first.content_hash
    assert second.tables[-1].dropped_columns == ["ward"]


def test_a_folder_of_csv_is_imported_alike(
    data: DataPaths, tmp_path: Path, clinic: Path, content: Content
) -> None:
    path = content.paths.own_database("clinic")
    path.write_text(
        path.read_text().split("[tables")[0] + '[tables."main.stays"]\nstay_id = "INTEGER NOT NULL"\n'
    )
    schema = schema_of(content, "clinic")
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "stays.csv").write_text("stay_id,ward\n1,north\n2,\n")
    assert import_source(data, tmp_path / "given", "csv", database=schema).tables[0].rows == 2
    (tmp_path / "given" / "stays.csv").write_text("stay_id,ward\n1,north\n,south\n")
    with pytest.raises(BadInput, match=r"main\.stays: 1 bad line: line 3, column stay_id"):
        import_source(data, tmp_path / "given", "bad", database=schema)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("DROP TABLE lab.results CASCADE", r"2 needed tables are missing: lab\.results, main\.latest"),
        ("ALTER TABLE stays DROP subject_id; ALTER TABLE stays DROP stay_id", "column stay_id is missing"),
        ("UPDATE lab.results SET whole = 20000000000000000", "column whole: 1 rows with no valid BIGINT"),
    ],
)
def test_a_file_that_does_not_fit(
    data: DataPaths, clinic: Path, schema: PublishedSchema, change: str, words: str
) -> None:
    connection = connect(clinic)
    connection.execute("DROP VIEW latest" if "CASCADE" in change else "SELECT 1")
    connection.execute(change.replace(" CASCADE", ""))
    connection.close()
    with pytest.raises(BadInput, match=words) as raised:
        import_source(data, clinic, "north", database=schema)
    assert "eICU" not in str(raised.value) and "MIMIC" not in str(raised.value)


def test_schemas_by_name(content: Content) -> None:
    assert schema_of(content, "eicu") is published_schema("eicu")
    own = schema_of(content, "clinic")
    assert (own.title, own.own, own.schemas) == ("The clinic", True, ["lab", "main"])
    assert [own.qualified(name) for name in ("stays", "lab.results")] == ["main.stays", "lab.results"]
    with pytest.raises(BadInput, match="there is no database 'clinics'\n  Did you mean clinic"):
        schema_of(content, "clinics")
