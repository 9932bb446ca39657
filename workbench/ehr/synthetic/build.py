"""``make_synthetic``: a synthetic source, all or nothing, the same for the same stays, seed and version."""

from __future__ import annotations

import hashlib

from workbench.ehr.connect import DuckDBError, connect, engine_failure
from workbench.ehr.long_statement import show_progress
from workbench.ehr.schema import TITLES, published_schema
from workbench.ehr.sources import (
    check_name,
    load_source,
    publish_source,
    scratch_folder,
    table_file,
    whole_source_lock,
)
from workbench.ehr.stored_files import tables_hold
from workbench.ehr.synthetic.batches import write_batches
from workbench.ehr.synthetic.eicu import EICU
from workbench.ehr.synthetic.generate import prepare, write_tables
from workbench.ehr.synthetic.scripts import MIMIC_IV, Recipe
from workbench.records import (
    BadInput,
    Clock,
    DataPaths,
    Progress,
    Settings,
    Source,
    SourcePaths,
    SystemClock,
    TableFile,
    silent,
)
from workbench.store import get_log, private_folder

RECIPES = {recipe.database: recipe for recipe in (MIMIC_IV, EICU)}
GENERATOR_VERSION = MIMIC_IV.version
"""Of synthetic MIMIC-IV: raised by one whenever a script, list or rate changes any patient."""

MOST_STAYS = 50_000
"""Identifiers of the patients' rows have room in 32 bits up to here."""


def make_synthetic(
    data: DataPaths,
    stays: int,
    seed: int,
    *,
    name: str = "",
    database: str = "mimic-iv",
    progress: Progress = silent,
    clock: Clock | None = None,
    settings: Settings | None = None,
) -> Source:
    """Make a synthetic MIMIC-IV or eICU-CRD with ``stays`` ICU stays; nothing is done if it is there whole.

    ``name`` is ``synthetic_name(…)`` unless given. A patient of a seed is the same whatever ``stays``
    is. ``progress`` gets batches of patients, then tables. An error or Ctrl-C leaves what was there.

    Raises BadInput for a wrong number or name, Refused while another process uses the source, Unavailable
    for disk or memory.
    """
    if not 1 <= stays <= MOST_STAYS:
        raise BadInput(f"stays must be from 1 to {MOST_STAYS}, not {stays}", where="stays")
    if not 0 <= seed < 2**31:
        raise BadInput(f"seed must be from 0 to {2**31 - 1}, not {seed}", where="seed")
    recipe = _recipe(database)
    name = check_name(name or synthetic_name(recipe.database, stays, seed))
    origin = f"{stays} {seed} {recipe.version}" + ("" if recipe is MIMIC_IV else f" {database}")
    origin_hash = hashlib.sha256(origin.encode()).hexdigest()
    with whole_source_lock(data, name):
        earlier = load_source(data, name) if data.source(name).manifest.is_file() else None
        if earlier and earlier.kind != "synthetic":
            raise BadInput(
                f"the name {name} is taken by an imported source",
                remedy="Give the synthetic source another name.",
            )
        if earlier and earlier.origin_hash == origin_hash and tables_hold(data, earlier):
            return earlier
        with scratch_folder(data, f"source-{name}") as scratch:
            made = SourcePaths(private_folder(scratch / "made"))
            connection = connect(settings=settings, temp_folder=private_folder(scratch / "spill"))
            try:
                show_progress(connection)
                batches = prepare(connection, recipe, stays, seed)
                parts = private_folder(scratch / "parts")
                write_batches(connection, recipe, batches, parts, progress)
                tables = [
                    table_file(made.table(table), table, rows)
                    for table, rows in write_tables(connection, recipe, parts, made.tables, progress)
                ]
            except DuckDBError as error:
                raise engine_failure(error, f"making the synthetic source {name}") from error
            finally:
                connection.close()
            source = _manifest(recipe, name, stays, seed, origin_hash, tables, clock or SystemClock())
            publish_source(data, source, made.folder)
    get_log(data).info(
        "source made",
        extra={
            "ids": {"source": name},
            "counts": {"stays": stays, "rows": sum(table.rows for table in tables)},
        },
    )
    return source


def synthetic_name(database: str, stays: int, seed: int) -> str:
    """``synthetic-<stays>-<seed>``; with ``eicu-`` before the numbers for eICU-CRD."""
    return f"synthetic-{'' if database == 'mimic-iv' else f'{database}-'}{stays}-{seed}"


def is_current(source: Source) -> bool:
    """Whether a synthetic source is of the generator's version here."""
    return source.generator_version == _recipe(source.database).version


def _recipe(database: str) -> Recipe:
    for recipe in RECIPES.values():
        if recipe.database == database:
            return recipe
    raise BadInput(f"no synthetic {database!r} can be made", remedy=f"Known: {', '.join(TITLES)}.")


def _manifest(
    recipe: Recipe, name: str, stays: int, seed: int, origin_hash: str, tables: list[TableFile], clock: Clock
) -> Source:
    schema = published_schema(recipe.database)
    return Source(
        name=name,
        database=schema.database,
        kind="synthetic",
        origin=f"stays={stays} seed={seed}",
        origin_hash=origin_hash,
        schema_name=schema.name,
        generator_version=recipe.version,
        created=clock.now(),
        tables=tables,
    )
