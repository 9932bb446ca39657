"""Stages: SELECTs over the reference's steps that give what is declared, told without tables and items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.catalog import FamilyFiles, did_you_mean
from workbench.checks.finding import Report
from workbench.checks.words import ITEM_ID, named_tables
from workbench.ehr import DERIVED_SCHEMA, PublishedSchema
from workbench.records import DatabaseStages, Stage
from workbench.sql import given_columns, parse, reads, step_columns, step_names, unknown_columns

RULE = "stages"
TARGET = "public-code"
Fault = tuple[str, str, str]
"""What is wrong, what to do, and the key of the stage that it is about."""


def check_stages(files: FamilyFiles, schemas: Mapping[str, PublishedSchema], report: Report) -> None:
    """The stages of one family, whose tasks are on the databases of ``schemas``; one of the user's own needs
    none. Raises BadInput.
    """
    path = files.paths.stages
    if not path.exists():
        if not files.paths.own:
            report.add("family-files", path, "there are no stages")
        return
    stages = files.stages()
    lacking = [database for database in schemas if stages.of(database) is None]
    report.none(RULE, path, "no stages for", lacking, line=1)
    for place, item in enumerate(stages.databases):
        at: tuple[str | int, ...] = ("databases", place)
        schema = schemas.get(item.database)
        if schema is None:
            what = f"the family has no task on {item.database}"
            report.add(RULE, path, what, "Correct `database`.", (*at, "database"))
            continue
        for number, stage, (what, remedy, key) in _faults(files, item, schema):
            report.add(RULE, path, f"{stage.name}: {what}", remedy, (*at, "stages", number, key))


def _faults(
    files: FamilyFiles, item: DatabaseStages, schema: PublishedSchema
) -> Iterator[tuple[int, Stage, Fault]]:
    sql = files.reference_sql(TARGET, item.database)
    tables = {table.name: list(table.types) for table in schema.tables}
    reference = _Reference(schema, step_names(sql), step_columns(sql, tables) | tables)
    for number, stage in enumerate(item.stages):
        for fault in (*reference.faults(stage), *_told(stage, schema)):
            yield number, stage, fault


@dataclass(frozen=True)
class _Reference:
    """``columns``: of raw tables and steps; None where they cannot be told."""

    schema: PublishedSchema
    steps: Sequence[str]
    columns: Mapping[str, list[str] | None]

    def faults(self, stage: Stage) -> Iterator[Fault]:
        """What is wrong with the SQL of a stage."""
        script = parse(stage.sql)
        if not script.exact or len(script.statements) != 1 or not _is_select(stage.sql):
            yield (
                "its SQL is not one SELECT that can be read",
                "Write one SELECT over steps, without WITH.",
                "sql",
            )
            return
        read = reads(stage.sql)
        lost = sorted(name for name in read if "." not in name and name not in self.steps)
        for name in lost:
            remedy = did_you_mean(name, self.steps, f"Its steps: {', '.join(self.steps)}.")
            yield f"the reference has no step {name!r}", remedy, "sql"
        raw = {table.name for table in self.schema.tables}
        for name in sorted(name for name in read if "." in name and name not in raw):
            derived = name.startswith(f"{DERIVED_SCHEMA}.")
            remedy = "Take it from a step of the reference." if derived else did_you_mean(name, raw)
            yield f"reads {name}, which is no raw table", remedy, "sql"
        if lost:
            return
        for name in unknown_columns(stage.sql, self.columns):
            known = [column for found in self._read(read) for column in found]
            yield f"no column {name!r} in what it reads", did_you_mean(name.split(".")[-1], known), "sql"
        yield from self._given(stage)

    def _given(self, stage: Stage) -> Iterator[Fault]:
        given = given_columns(stage.sql, self.columns)
        if given is None:
            return
        lacking = [name for name in stage.column_names if name.lower() not in given]
        if lacking:
            remedy = did_you_mean(lacking[0], given, "Give it in the SELECT, or take it out here.")
            yield f"its SQL gives no column {', '.join(lacking)}", remedy, "sql"
        more = [name for name in given if name not in [known.lower() for known in stage.column_names]]
        if more:
            told = f"its SQL gives {', '.join(more)}, which is neither key nor column"
            yield told, "Declare it, or leave it out.", "sql"

    def _read(self, names: set[str]) -> Iterator[list[str]]:
        for name in names:
            columns = self.columns.get(name)
            if columns is not None:
                yield columns


def _is_select(sql: str) -> bool:
    """Whether text of a WITH clause can stand before it."""
    words = parse(sql).statements[0].words
    return bool(words) and words[0].text.upper() == "SELECT"


def _told(stage: Stage, schema: PublishedSchema) -> Iterator[Fault]:
    """What agents are told is said in a clinician's words: it must not answer the task."""
    meanings = {"rows": stage.rows}
    meanings |= {"keys": " ".join(key.means for key in stage.keys)}
    meanings |= {"columns": " ".join(column.means for column in stage.columns)}
    for key, text in meanings.items():
        if ITEM_ID.search(text):
            yield "an item id in what agents are told", "Say it in a clinician's words.", key
        for table in named_tables(text, schema):
            yield f"the table {table} in what agents are told", "Say it in a clinician's words.", key
