"""Concepts that references may read: the same rows from shuffled tables, with one thread and with four."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from workbench.ehr import ConceptSql, Connection, connect, fetch_concept_sql
from workbench.ehr.connect import identifier, literal, qualified
from workbench.ehr.schema import DERIVED_SCHEMA
from workbench.ehr.steady_concepts import ROUNDED, STEADY, UNSTEADY_COLUMNS
from workbench.records import DataPaths, Source, Unavailable
from workbench.sql import build_order, reads

DIGITS = 6
BUILDS = ((1, 0), (4, 7), (4, 11))
"""Threads, and what the stored order is made from (0: as it is)."""

Sums = dict[str, tuple[object, ...]]


@pytest.fixture(scope="module")
def concept_sql(shared_home: DataPaths) -> ConceptSql:
    try:
        return fetch_concept_sql(shared_home)
    except Unavailable as error:
        pytest.skip(f"the pinned concept SQL is not at hand: {error.what}")


@pytest.fixture(scope="module")
def builds(shared_home: DataPaths, synthetic: Source, concept_sql: ConceptSql) -> list[Sums]:
    texts = concept_sql.texts()
    wanted = {name: texts[name] for name in STEADY | ROUNDED}
    return [build(shared_home, synthetic, wanted, threads, seed) for threads, seed in BUILDS]


def build(data: DataPaths, source: Source, texts: Mapping[str, str], threads: int, seed: int) -> Sums:
    """Each concept's rows as ``rows_of`` sums them up, from tables stored in an order of ``seed``."""
    needed = {table for text in texts.values() for table in reads(text)}
    with connect(threads=threads) as connection:
        for schema in sorted({table.table.split(".")[0] for table in source.tables} | {DERIVED_SCHEMA}):
            connection.execute(f"CREATE SCHEMA {schema}")
        for table in source.tables:
            if table.table in needed:
                file = data.source(source.name).table(table.table)
                order = f" ORDER BY hash(file_row_number + {seed})" if seed else ""
                connection.execute(
                    f"CREATE TABLE {qualified(table.table)} AS SELECT * EXCLUDE (file_row_number) FROM "
                    f"read_parquet({literal(str(file))}, file_row_number = true){order}"
                )
        sums: Sums = {}
        for name in build_order(texts):
            connection.execute(texts[name])
            sums[name] = rows_of(connection, name)
        return sums


def rows_of(connection: Connection, name: str) -> tuple[object, ...]:
    """Number of rows and a sum of hashes: without unsteady columns, floats rounded where they may be."""
    described = connection.execute(
        f"SELECT column_name, column_type FROM (DESCRIBE {DERIVED_SCHEMA}.{name})"
    ).fetchall()
    kept = [
        f"round({identifier(column)}, {DIGITS})"
        if name in ROUNDED and kind == "DOUBLE"
        else identifier(column)
        for column, kind in described
        if column not in UNSTEADY_COLUMNS.get(name, ())
    ]
    return connection.execute(
        f"SELECT count(*), sum(hash({', '.join(kept)})::HUGEINT) FROM {DERIVED_SCHEMA}.{name}"
    ).fetchall()[0]


@pytest.mark.parametrize("name", sorted(STEADY | ROUNDED))
def test_rows_do_not_depend_on_order_or_threads(builds: list[Sums], name: str) -> None:
    assert len({sums[name] for sums in builds}) == 1
    assert builds[0][name][0]


def test_the_list_is_closed(concept_sql: ConceptSql) -> None:
    """What an allowed concept reads is allowed, too: otherwise it could not be steady for long."""
    texts = concept_sql.texts()
    prefix = f"{DERIVED_SCHEMA}."
    read = {
        table.removeprefix(prefix)
        for name in STEADY | ROUNDED
        for table in reads(texts[name])
        if table.startswith(prefix)
    }
    assert read <= STEADY | ROUNDED
    assert not STEADY & ROUNDED
    assert UNSTEADY_COLUMNS.keys() <= STEADY


@pytest.mark.parametrize("allowed", [True, False])
def test_unsteady_columns_are_left_out_for_a_reason(
    concept_sql: ConceptSql, monkeypatch: pytest.MonkeyPatch, allowed: bool
) -> None:
    """Two flows charted and stored at one moment: which of them counts depends on the stored order."""
    if allowed:
        monkeypatch.delitem(UNSTEADY_COLUMNS, "oxygen_delivery")
    row = "(1, 10, TIMESTAMP '2180-01-01', TIMESTAMP '2180-01-01', 223834, '{0}', {0}, 'L/min')"
    found = set()
    for flows in ((2, 15), (15, 2)):
        with connect(threads=1) as connection:
            connection.execute("CREATE SCHEMA mimiciv_icu")
            connection.execute(f"CREATE SCHEMA {DERIVED_SCHEMA}")
            connection.execute(
                "CREATE TABLE mimiciv_icu.chartevents AS "
                f"FROM (VALUES {', '.join(map(row.format, flows))}) AS "
                "t(subject_id, stay_id, charttime, storetime, itemid, value, valuenum, valueuom)"
            )
            connection.execute(concept_sql.texts()["oxygen_delivery"])
            found.add(rows_of(connection, "oxygen_delivery"))
    assert len(found) == (2 if allowed else 1)
