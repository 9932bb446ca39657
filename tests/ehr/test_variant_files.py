"""A variant's files on a synthetic source: every value as it was, every reference the same, little space."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.ehr import connect, ensure_concepts, fetch_concept_sql, load_source
from workbench.ehr.connect import literal
from workbench.ehr.row_hash import rows_sha256
from workbench.ehr.solvable import concepts_to_make
from workbench.ehr.source_views import open_source
from workbench.ehr.task_files import TaskFile
from workbench.ehr.variants import (
    SchemaNames,
    changed_tables,
    ensure_variant_files,
    names_left,
    new_sql,
    published_views,
    schema_names,
    variant_bytes,
)
from workbench.records import BadInput, SchemaVariant, Source
from workbench.runs import Context

VARIANTS = [SchemaVariant.OBFUSCATED, SchemaVariant.RESTRUCTURED]
MakeSource = Callable[..., Source]
Files = list[TaskFile]


@pytest.fixture(scope="module", params=VARIANTS)
def names(request: pytest.FixtureRequest, content: Content) -> SchemaNames:
    return schema_names(content.dictionary("mimic-iv"), request.param)


@pytest.fixture(scope="module")
def published(ready_context: Context, synthetic: Source) -> Files:
    """All tables of the source and all its concepts."""
    sql = fetch_concept_sql(ready_context.data)
    made = ensure_concepts(ready_context.data, synthetic, sql)
    paths = ready_context.data.source(synthetic.name)
    files = [TaskFile(table.table, paths.table(table.table), table.sha256) for table in synthetic.tables]
    return files + [
        TaskFile(f"mimiciv_derived.{item.name}", paths.concept(sql.revision, item.name), item.sha256)
        for item in made.concepts
    ]


@pytest.fixture(scope="module")
def new_files(ready_context: Context, synthetic: Source, names: SchemaNames, published: Files) -> Files:
    return ensure_variant_files(ready_context.data, synthetic, names, published)


def test_every_table_comes_back_row_by_row(
    ready_context: Context, names: SchemaNames, published: Files, new_files: Files
) -> None:
    files = {file.table: file.path for file in published}
    given_back = published_views(names, {file.table: str(file.path) for file in new_files}, list(files))
    assert len(given_back) == 94
    assert changed_tables(ready_context.data, files, given_back) == []
    stays = "mimiciv_icu.icustays"
    column = names.column("stay_id")
    for change, told in (
        (
            f"SELECT * FROM ({given_back[stays]}) WHERE stay_id > (SELECT min({column}) FROM {{}})",
            "1 rows lost",
        ),
        (f"SELECT * REPLACE (los + 1 AS los) FROM ({given_back[stays]})", "rows new"),
        (f"SELECT * EXCLUDE (los) FROM ({given_back[stays]})", "other columns"),
        (f"SELECT * FROM ({given_back[stays]}) UNION ALL {given_back[stays]}", "0 rows lost"),
    ):
        own = next(file for file in new_files if file.table == names.tables[stays].name)
        query = change.format(f"read_parquet({literal(str(own.path))})")
        found = changed_tables(ready_context.data, {stays: files[stays]}, {stays: query})
        assert len(found) == 1 and told in found[0]


def test_no_published_name_is_in_a_file(names: SchemaNames, new_files: Files) -> None:
    with connect() as connection:
        for file in new_files:
            told = connection.execute(
                f"SELECT string_agg(name, ' ') FROM parquet_schema({literal(str(file.path))})"
            ).fetchall()[0][0]
            assert names_left(f"{file.name} {told}".replace("duckdb_schema", ""), names, all_code=True) == []


def test_the_space_that_a_variant_adds(
    ready_context: Context, synthetic: Source, names: SchemaNames, published: Files, new_files: Files
) -> None:
    before = sum(file.path.stat().st_size for file in published)
    assert 0 < variant_bytes(ready_context.data, synthetic, names) <= 1.2 * before


def test_files_are_kept_and_a_damaged_one_is_written_again(
    ready_context: Context, synthetic: Source, names: SchemaNames, published: Files, new_files: Files
) -> None:
    file = new_files[0]
    untouched = new_files[1].path.stat().st_mtime_ns
    file.path.unlink()
    again = ensure_variant_files(ready_context.data, synthetic, names, published)
    assert again == new_files
    assert again[1].path.stat().st_mtime_ns == untouched and file.path.is_file()


def test_every_reference_is_the_same_from_renamed_sql(
    ready_context: Context, names: SchemaNames, new_files: Files
) -> None:
    """The derivation itself under the new names, as an agent writes it, gives the reference's rows."""
    content = ready_context.content
    texts = fetch_concept_sql(ready_context.data).texts()
    with connect() as connection:
        for schema in sorted({file.table.split(".")[0] for file in new_files}):
            connection.execute(f"CREATE SCHEMA {schema}")
        for file in new_files:
            connection.execute(f"CREATE VIEW {file.table} AS FROM read_parquet({literal(str(file.path))})")
        for family in content.families():
            tasks = [task for task in map(content.task, family.tasks) if task.database == "mimic-iv"]
            if not tasks:
                continue
            sql = content.reference_sql(family.name, "public-code", "mimic-iv")
            renamed = new_sql(sql, names, tasks[0].required_columns).rstrip().rstrip(";")
            connection.execute(f"CREATE OR REPLACE TEMP TABLE renamed AS {renamed}")
            columns = [str(row[0]) for row in connection.execute("DESCRIBE renamed").fetchall()]
            back = ", ".join(f'"{name}" AS "{names.back.get(name, name)}"' for name in columns)
            connection.execute(f"CREATE OR REPLACE TEMP TABLE given_back AS SELECT {back} FROM renamed")
            published = [names.back.get(name, name) for name in columns]
            keys = [key.name for key in tasks[0].keys]
            found = rows_sha256(connection, "given_back", published, keys)
            assert found == _reference_hash(ready_context, sql, texts, published, keys), family.name


_HASHES: dict[str, str] = {}


def _reference_hash(
    context: Context, sql: str, texts: dict[str, str], columns: list[str], keys: list[str]
) -> str:
    if sql in _HASHES:
        return _HASHES[sql]
    source = load_source(context.data, context.settings.source)
    concepts = list(concepts_to_make(sql, texts, set()))
    revision = fetch_concept_sql(context.data).revision
    with open_source(context.data, source, concept_revision=revision, concepts=concepts) as connection:
        connection.execute(f"CREATE TEMP TABLE derived AS {sql.rstrip().rstrip(';')}")
        _HASHES[sql] = rows_sha256(connection, "derived", columns, keys)
    return _HASHES[sql]


def test_a_column_that_is_not_described_is_refused(
    ready_context: Context, names: SchemaNames, published: Files, tmp_path: Path, synthetic: Source
) -> None:
    table = next(file for file in published if file.table == "mimiciv_hosp.provider")
    wider = tmp_path / "wider.parquet"
    with connect() as connection:
        connection.execute(
            f"COPY (SELECT *, 1 AS extra FROM read_parquet({literal(str(table.path))})) "
            f"TO {literal(str(wider))} (FORMAT parquet)"
        )
    other = replace(table, path=wider, sha256="0")
    with pytest.raises(BadInput, match=r"other columns of mimiciv_hosp\.provider than its file has: extra"):
        ensure_variant_files(ready_context.data, synthetic, names, [other])
