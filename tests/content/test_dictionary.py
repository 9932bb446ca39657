"""The data dictionary: every table and column of the published schema and of built concepts, as they are."""

from __future__ import annotations

import re

import pytest

from workbench.catalog import Content
from workbench.ehr import (
    DERIVED_SCHEMA,
    ConceptSql,
    Connection,
    connect,
    ensure_concepts,
    fetch_concept_sql,
    make_synthetic,
    published_schema,
)
from workbench.ehr.connect import identifier, literal
from workbench.records import DataPaths, Dictionary, Unavailable

STAYS = 12
UNIQUE = "unique here"
ONE_A_KEY = re.compile(r"one row per [^(,;:]*\(`(\w+)`\)(?! and|, time)", re.IGNORECASE)
"""Where 'about' says that one column alone tells rows apart."""

Files = dict[str, str]


@pytest.fixture(scope="module")
def dictionary(content: Content) -> Dictionary:
    return content.dictionary("mimic-iv")


@pytest.fixture(scope="module")
def concept_sql(shared_home: DataPaths) -> ConceptSql:
    try:
        return fetch_concept_sql(shared_home)
    except Unavailable as error:
        pytest.skip(f"the pinned concept SQL is not at hand: {error.what}")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, concept_sql: ConceptSql) -> Files:
    """SQL that reads each table's file, all concepts built on a small synthetic source."""
    data = DataPaths(tmp_path_factory.mktemp("dictionary"))
    source = make_synthetic(data, stays=STAYS, seed=1)
    built = ensure_concepts(data, source, concept_sql)
    place = data.source(source.name)
    paths = {table.table: place.table(table.table) for table in source.tables}
    paths |= {
        f"{DERIVED_SCHEMA}.{concept.name}": place.concept(concept_sql.revision, concept.name)
        for concept in built.concepts
    }
    return {name: f"read_parquet({literal(str(path))})" for name, path in paths.items()}


def columns_of(connection: Connection, relation: str) -> list[str]:
    return [str(row[0]) for row in connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()]


def test_the_published_tables_are_described_in_order(dictionary: Dictionary) -> None:
    published = {table.name: list(table.types) for table in published_schema("mimic-iv").tables}
    described = {
        table.name: table.columns for table in dictionary.tables if table.schema_name != DERIVED_SCHEMA
    }
    assert described == published


def test_the_files_of_a_source_have_what_is_described(dictionary: Dictionary, files: Files) -> None:
    assert {table.name for table in dictionary.tables} == set(files)
    with connect() as connection:
        real = {name: columns_of(connection, file) for name, file in files.items()}
    assert {table.name: table.columns for table in dictionary.tables} == real


def test_what_is_told_to_be_unique_is(dictionary: Dictionary, files: Files) -> None:
    keys = {
        (table.name, column)
        for table in dictionary.tables
        for column in table.columns
        if UNIQUE in dictionary.meaning(table.name, column)
    }
    keys |= {(table.name, key) for table in dictionary.tables for key in ONE_A_KEY.findall(table.about)}
    assert len(keys) > 40
    with connect() as connection:
        repeated = [
            f"{name}.{column}"
            for name, column in sorted(keys)
            if connection.execute(
                f"SELECT count(*) - count(DISTINCT {identifier(column)}) FROM {files[name]}"
            ).fetchall()
            != [(0,)]
        ]
    assert not repeated


def test_meanings_are_short(dictionary: Dictionary) -> None:
    meanings = [
        dictionary.meaning(table.name, column) for table in dictionary.tables for column in table.columns
    ]
    assert len(meanings) > 1_100
    assert max(map(len, meanings)) < 200
    assert not [meaning for meaning in meanings if meaning.endswith(".") or meaning != meaning.strip()]
