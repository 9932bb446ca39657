"""Lists, rates and macros for the engine, and one file a table from the parts of all batches.

Memory depends on the size of a batch, not on the number of stays. Files are equal byte for byte for equal
seed, number of stays and engine version, whatever the number of threads: rows are sorted by a key within a
batch, batches follow patient order, and the final copy runs on one thread with fixed row groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from workbench.ehr.connect import Connection, count, identifier, literal
from workbench.ehr.long_statement import execute_watched
from workbench.ehr.schema import TableSchema, published_schema
from workbench.ehr.synthetic.rates import read_edges
from workbench.ehr.synthetic.scripts import Recipe
from workbench.records import Progress

ROW_GROUP_ROWS = 122_880


def prepare(connection: Connection, recipe: Recipe, stays: int, seed: int) -> int:
    """Load lists, rates and macros, choose the patients; answers with the number of batches."""
    edges = read_edges(recipe)
    with recipe.list_folder() as folder:
        for name, table in recipe.lists.items():
            connection.execute(
                f"CREATE TABLE {identifier(table)} AS SELECT *, row_number() OVER () AS nth "
                f"FROM read_csv({literal(str(folder / f'{name}.csv'))}, header = true, sample_size = -1)"
            )
    connection.execute(
        "CREATE TABLE edge_rate AS SELECT unnest(?) AS edge, unnest(?) AS unit, unnest(?)::DOUBLE AS rate, "
        "unnest(?) AS topic, unnest(?) AS nth",
        [
            [edge.id for edge in edges],
            [edge.unit for edge in edges],
            [edge.rate for edge in edges],
            [edge.topic for edge in edges],
            list(range(len(edges))),
        ],
    )
    connection.execute(
        "CREATE TABLE setting AS SELECT ?::BIGINT AS seed, ?::BIGINT AS stays, ?::BIGINT AS batch_size",
        [seed, stays, recipe.batch_patients],
    )
    set_variables(connection)
    for name in recipe.global_scripts:
        connection.execute(recipe.script(name))
    return count(connection, "SELECT max(batch) + 1 FROM population")


def set_variables(connection: Connection) -> None:
    """Give a connection or cursor the variables that macros read; they are its own."""
    connection.execute("SET VARIABLE rates = (SELECT map(list(edge), list(rate)) FROM edge_rate)")
    for name in ("seed", "stays", "batch_size"):
        connection.execute(f"SET VARIABLE {name} = (SELECT {name} FROM setting)")


def write_tables(
    connection: Connection, recipe: Recipe, parts: Path, tables: Path, progress: Progress
) -> Iterator[tuple[str, int]]:
    """Write one file a table from the parts and the dictionaries; yields names and rows as they are done."""
    tables.mkdir()
    dictionaries = recipe.sections(recipe.dictionary_script)
    schema = published_schema(recipe.database)
    connection.execute("SET threads = 1")
    for done, table in enumerate(schema.tables):
        name = table.name
        tick = partial(_tell, progress, done, len(schema.tables))
        if name in dictionaries:
            source = typed(table, dictionaries[name])
        elif not (parts / name).is_dir():
            source = typed(table, _empty(table))
        else:
            source = f"SELECT * FROM read_parquet([{_listed(parts / name)}])"
        target = tables / f"{name}.parquet"
        copied = copy_to(source, target, f"COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP_ROWS}")
        execute_watched(connection, copied, tick)
        yield name, count(connection, f"SELECT count(*) FROM read_parquet({literal(str(target))})")
    progress("tables", len(schema.tables), len(schema.tables), "tables")


def _tell(progress: Progress, before: int, total: int, share: float) -> None:
    progress("tables", before + share, total, "tables")


def _empty(table: TableSchema) -> str:
    columns = ", ".join(f"NULL AS {identifier(name)}" for name in table.types)
    return f"SELECT {columns} LIMIT 0"


def typed(table: TableSchema, select: str) -> str:
    """``select`` with the published types, in the published order of columns."""
    columns = ",\n  ".join(
        f"CAST({identifier(name)} AS {kind}) AS {identifier(name)}" for name, kind in table.types.items()
    )
    return f"SELECT\n  {columns}\nFROM (\n{select}\n)"


def copy_to(select: str, target: Path, options: str) -> str:
    """The statement that writes an answer as Parquet."""
    return f"COPY (\n{select}\n) TO {literal(str(target))} (FORMAT parquet, {options})"


def _listed(folder: Path) -> str:
    return ", ".join(literal(str(file)) for file in sorted(folder.iterdir()))
