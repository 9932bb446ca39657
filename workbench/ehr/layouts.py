"""Find the tables of a source: PhysioNet folders, folders of Parquet, DuckDB files of several builds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from workbench.ehr.connect import connect
from workbench.ehr.schema import TITLES, PublishedSchema, published_schema
from workbench.records import BadInput, open_regular

DEPTH = 5
"""Folders below the given one that are looked into."""
DUCKDB_MAGIC = b"DUCK"
DUCKDB_MAGIC_OFFSET = 8
DUCKDB_ENDINGS = (".duckdb", ".db", ".ddb")

OTHER_DATABASES: Mapping[str, frozenset[str]] = {
    "eICU-CRD": frozenset({"patient", "apachepatientresult", "vitalperiodic", "patientunitstayid"}),
    "MIMIC-III": frozenset({"inputevents_mv", "noteevents", "callout", "row_id"}),
    "MIMIC-IV-ED": frozenset({"edstays", "medrecon", "pyxis", "triage"}),
    "MIMIC-IV": frozenset({"chartevents", "icustays", "labevents", "subject_id", "hadm_id"}),
}
"""Lower-case table or column names by which another database shows; MIMIC-IV's last, as others share them."""


PARTS: Mapping[str, str] = {"MIMIC-IV": "both hosp/ and icu/"}
"""What the folder to be named holds, if it is not one of table files."""


class Form(StrEnum):
    """How a source comes."""

    CSV = "csv"
    PARQUET = "parquet"
    DUCKDB = "duckdb"


ENDINGS = {".csv.gz": Form.CSV, ".csv": Form.CSV, ".parquet": Form.PARQUET}


@dataclass(frozen=True)
class Located:
    """Where one table is: a file, or a relation (``schema.name``) of a DuckDB file."""

    table: str
    path: Path
    relation: tuple[str, str] = ("", "")

    @property
    def where(self) -> str:
        """For messages."""
        return f"{self.path}: {'.'.join(self.relation)}" if self.relation[1] else str(self.path)


@dataclass(frozen=True)
class Layout:
    """The tables found in ``root``; ``ignored`` counts other files or relations that look like tables."""

    root: Path
    form: Form
    tables: Mapping[str, Located]
    ignored: int

    def missing(self, schema: PublishedSchema) -> list[str]:
        return [name for name in schema.names if name not in self.tables]


def other_database(names: set[str], wanted: str) -> str:
    """The database other than ``wanted`` (a title) that table or column ``names`` belong to, else empty.

    Names of a database of the user's own tell nothing.
    """
    if wanted not in TITLES.values():
        return ""
    for database, signature in OTHER_DATABASES.items():
        if database != wanted and signature & {name.lower() for name in names}:
            return database
    return ""


def find_database(given: Path) -> PublishedSchema:
    """The schema that most names of needed tables in ``given`` fit, or else any name typical of one.

    MIMIC-IV where nothing fits. Whether everything is there is for ``find_tables`` to say.
    """
    names = _names_in(given)

    def needed(schema: PublishedSchema) -> int:
        found = {table_named(name, place, schema) for place, name in names} - {""}
        return sum(schema.table(name).needed for name in found)

    schemas = [published_schema(database) for database in TITLES]
    best = max(schemas, key=needed)
    if needed(best):
        return best
    title = other_database({name for _, name in names}, schemas[0].title)
    return next((schema for schema in schemas if schema.title == title), schemas[0])


def find_tables(given: Path, schema: PublishedSchema) -> Layout:
    """The layout of ``given`` (a folder or a DuckDB file).

    Raises BadInput if there is nothing of ``schema`` in it, another database, two files for one table,
    CSV and Parquet side by side, or a needed table is missing.
    """
    if not given.exists():
        raise BadInput("there is no such file or folder", where=str(given), remedy="Check the path.")
    layout = _in_folder(given, schema) if given.is_dir() else _in_file(given, schema)
    needed = [name for name in layout.missing(schema) if schema.table(name).needed]
    if needed:
        raise BadInput(
            f"{len(needed)} needed {'table is' if len(needed) == 1 else 'tables are'} missing: "
            + ", ".join(needed),
            where=str(given),
            remedy=_all_of_it(schema),
        )
    return layout


def table_named(name: str, folder: str, schema: PublishedSchema) -> str:
    """The published table that a file or relation ``name`` in ``folder`` (or DuckDB schema) is, else empty.

    Known spellings: ``mimiciv_hosp.labevents``, ``hosp/labevents``, ``hosp_labevents``, ``labevents``.
    """
    bare, place = name.lower(), folder.lower()
    if place.endswith("_derived") and not schema.own:
        return ""
    for table in schema.tables:
        module = table.schema.removeprefix("mimiciv_")
        if bare == table.name or bare == f"{module}_{table.bare}":
            return table.name
        if bare == table.bare:
            modules = {entry.schema.removeprefix("mimiciv_") for entry in schema.tables}
            elsewhere = place.removeprefix("mimiciv_") in modules - {module}
            return "" if elsewhere else table.name
    return ""


def _parts(schema: PublishedSchema) -> str:
    """What the folder to be named holds, in words."""
    return PARTS.get(schema.title, "the table files")


def _all_of_it(schema: PublishedSchema) -> str:
    if schema.own:
        return f"Name the whole database, or take the tables out of the declaration of {schema.database}."
    return f"Name the folder that holds {_parts(schema)}, with every file downloaded."


def _in_folder(root: Path, schema: PublishedSchema) -> Layout:
    found: dict[Form, dict[str, Located]] = {form: {} for form in Form}
    strangers: set[str] = set()
    databases: list[Path] = []
    for path in _files(root):
        ending = next((ending for ending in ENDINGS if path.name.lower().endswith(ending)), "")
        if not ending:
            if path.suffix.lower() in DUCKDB_ENDINGS:
                databases.append(path)
            continue
        stem = path.name[: -len(ending)]
        table = table_named(stem, path.parent.name, schema)
        if not table:
            strangers.add(stem)
            continue
        tables = found[ENDINGS[ending]]
        if table in tables:
            raise BadInput(
                f"two files for {table}: {tables[table].path.relative_to(root)} and {path.relative_to(root)}",
                where=str(root),
                remedy="Keep one of them, or name the folder that holds one.",
            )
        tables[table] = Located(table, path)
    forms = [form for form in Form if found[form]]
    if not forms:
        raise _nothing_there(root, schema, strangers, databases)
    if len(forms) > 1:
        raise BadInput(
            "holds both CSV and Parquet files of the tables",
            where=str(root),
            remedy="Name the subfolder of the form you want.",
        )
    return Layout(root, forms[0], dict(sorted(found[forms[0]].items())), len(strangers))


def _files(root: Path) -> list[Path]:
    """Files below ``root``, at most ``DEPTH`` folders down, hidden ones left out, in name order."""
    files = []
    for folder, names, entries in os.walk(root):
        here = Path(folder)
        depth = len(here.relative_to(root).parts)
        names[:] = sorted(name for name in names if not name.startswith(".")) if depth < DEPTH else []
        files += [here / name for name in sorted(entries) if not name.startswith(".")]
    return files


def _nothing_there(
    root: Path, schema: PublishedSchema, strangers: set[str], databases: list[Path]
) -> BadInput:
    other = other_database(strangers, schema.title)
    if other:
        return BadInput(
            f"looks like {other}, not {schema.title}",
            where=str(root),
            remedy=f"Name a folder of {schema.title}.",
        )
    if databases:
        return BadInput(
            "holds no table files, but a database file",
            where=str(root),
            remedy=f"Name the file itself: {databases[0].relative_to(root)}.",
        )
    return BadInput(
        f"no table of {schema.title} found (looked for .csv, .csv.gz and .parquet)",
        where=str(root),
        remedy=f"Name the folder that holds {_parts(schema)}, a folder of Parquet, or a DuckDB file.",
    )


def _names_in(given: Path) -> list[tuple[str, str]]:
    """Folder or DuckDB schema, and name, of what in ``given`` could be a table; empty if unreadable."""
    if given.is_dir():
        stems = []
        for path in _files(given):
            ending = next((ending for ending in ENDINGS if path.name.lower().endswith(ending)), "")
            if ending:
                stems.append((path.parent.name, path.name[: -len(ending)]))
        return stems
    try:
        return _relations(given)
    except BadInput:
        return []


def refuse_other_files(path: Path) -> None:
    """Raises BadInput for anything but a DuckDB file that can be read."""
    try:
        with open_regular(path) as file:
            file.seek(DUCKDB_MAGIC_OFFSET)
            magic = file.read(len(DUCKDB_MAGIC))
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None
    if magic != DUCKDB_MAGIC:
        raise BadInput(
            "is neither a folder nor a DuckDB database",
            where=str(path),
            remedy="Name the folder that holds the table files, or a DuckDB file.",
        )


def _relations(path: Path) -> list[tuple[str, str]]:
    """Schema and name of every relation. Raises BadInput if it is no DuckDB file that can be read."""
    refuse_other_files(path)
    connection = connect(path, read_only=True)
    try:
        relations = connection.execute(
            "SELECT table_schema, table_name FROM information_schema.tables "
            "WHERE table_catalog = current_database() ORDER BY table_schema, table_name"
        ).fetchall()
    finally:
        connection.close()
    return [(str(where), str(name)) for where, name in relations]


def _in_file(path: Path, schema: PublishedSchema) -> Layout:
    tables: dict[str, Located] = {}
    strangers: set[str] = set()
    for where, name in _relations(path):
        table = table_named(name, where, schema)
        if not table:
            strangers.add(name)
            continue
        if table in tables:
            one, two = ".".join(tables[table].relation), f"{where}.{name}"
            raise BadInput(
                f"two relations for {table}: {one} and {two}",
                where=str(path),
                remedy="Drop one of them in a copy of the database.",
            )
        tables[table] = Located(table, path, (where, name))
    if not tables:
        other = other_database(strangers, schema.title)
        raise BadInput(
            f"looks like {other}, not {schema.title}"
            if other
            else f"is a DuckDB database without tables of {schema.title}",
            where=str(path),
            remedy=f"Name a database of {schema.title} (schemas {' and '.join(schema.schemas)}), or declare "
            "one of your own: workbench data schema FILE --name NAME",
        )
    return Layout(path, Form.DUCKDB, dict(sorted(tables.items())), len(strangers))
