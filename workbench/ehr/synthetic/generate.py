"""Runs the scripts: batches of patients into Parquet parts, parts into one file a table.

Memory depends on the size of a batch, not on the number of stays. Files are equal byte for byte for equal seed,
number of stays and engine version, whatever the number of threads: rows are sorted by a key within a batch,
batches follow patient order, and the final copy runs on one thread with fixed row groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workbench.ehr.connect import Connection, count, identifier, literal
from workbench.ehr.schema import TableSchema, published_schema
from workbench.ehr.synthetic.rates import EDGES
from workbench.ehr.synthetic.scripts import (
    BATCH_SCRIPTS,
    DICTIONARY_SCRIPT,
    GLOBAL_SCRIPTS,
    LISTS,
    TABLE_SCRIPTS,
    list_folder,
    script,
    sections,
)
from workbench.records import Progress

BATCH_PATIENTS = 96
ROW_GROUP_ROWS = 122_880


def prepare(connection: Connection, stays: int, seed: int) -> int:
    """Load lists, rates and macros, choose the patients; answers with the number of batches."""
    with list_folder() as folder:
        for name, table in LISTS.items():
            connection.execute(
                f"CREATE TABLE {identifier(table)} AS SELECT *, row_number() OVER () AS nth "
                f"FROM read_csv({literal(str(folder / f'{name}.csv'))}, header = true, sample_size = -1)"
            )
    connection.execute(
        "CREATE TABLE edge_rate AS SELECT unnest(?) AS edge, unnest(?) AS unit, unnest(?)::DOUBLE AS rate, "
        "unnest(?) AS nth",
        [
            [edge.id for edge in EDGES],
            [edge.unit for edge in EDGES],
            [edge.rate for edge in EDGES],
            list(range(len(EDGES))),
        ],
    )
    connection.execute("SET VARIABLE rates = (SELECT map(list(edge), list(rate)) FROM edge_rate)")
    for name, value in (("seed", seed), ("stays", stays), ("batch_size", BATCH_PATIENTS)):
        connection.execute(f"SET VARIABLE {name} = {int(value)}")
    for name in GLOBAL_SCRIPTS:
        connection.execute(script(name))
    return count(connection, "SELECT max(batch) + 1 FROM population")


def write_batches(connection: Connection, batches: int, parts: Path, progress: Progress) -> None:
    """Make all patients, batch by batch, as Parquet parts below ``parts``."""
    tables = [
        (published_schema().table(name), select)
        for part in TABLE_SCRIPTS
        for name, select in sections(part).items()
    ]
    for table, _ in tables:
        (parts / table.name).mkdir(parents=True)
    for batch in range(batches):
        progress("patients", batch, batches, "batches")
        connection.execute(f"SET VARIABLE batch = {batch}")
        for name in BATCH_SCRIPTS:
            connection.execute(script(name))
        for table, select in tables:
            target = parts / table.name / f"{batch:06d}.parquet"
            connection.execute(_copy(_typed(table, select), target, "COMPRESSION snappy"))
    progress("patients", batches, batches, "batches")


def write_tables(
    connection: Connection, parts: Path, tables: Path, progress: Progress
) -> Iterator[tuple[str, int]]:
    """Write one file a table from the parts and the dictionaries; yields names and rows as they are done."""
    tables.mkdir()
    dictionaries = sections(DICTIONARY_SCRIPT)
    names = published_schema().names
    connection.execute("SET threads = 1")
    for done, name in enumerate(names):
        progress("tables", done, len(names), "tables")
        table = published_schema().table(name)
        if name in dictionaries:
            source = _typed(table, dictionaries[name])
        else:
            files = sorted((parts / name).iterdir())
            listed = ", ".join(literal(str(file)) for file in files)
            source = f"SELECT * FROM read_parquet([{listed}])"
        target = tables / f"{name}.parquet"
        connection.execute(_copy(source, target, f"COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP_ROWS}"))
        yield name, count(connection, f"SELECT count(*) FROM read_parquet({literal(str(target))})")
    progress("tables", len(names), len(names), "tables")


def _typed(table: TableSchema, select: str) -> str:
    """``select`` with the published types, in the published order of columns."""
    columns = ",\n  ".join(
        f"CAST({identifier(name)} AS {kind}) AS {identifier(name)}" for name, kind in table.types.items()
    )
    return f"SELECT\n  {columns}\nFROM (\n{select}\n)"


def _copy(select: str, target: Path, options: str) -> str:
    return f"COPY (\n{select}\n) TO {literal(str(target))} (FORMAT parquet, {options})"
