"""An output without its reference: columns, keys, cohort, ranges, relations. Counts only, never a value."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

from workbench.ehr import Connection, DuckDBError
from workbench.ehr.connect import count, identifier
from workbench.ehr.content_sql import refuse_beyond_tables
from workbench.ehr.source_views import open_source
from workbench.records import (
    BadInput,
    ColumnType,
    DatabaseChecks,
    DataPaths,
    KeyColumn,
    OutputFinding,
    OutputReport,
    OutputStep,
    ScoredColumn,
    Settings,
    Source,
    Task,
)
from workbench.scoring import check_in_sandbox
from workbench.scoring.read import NotReadable, OutputFile, missing_columns, open_output
from workbench.scoring.reference import ReferenceColumn, ReferenceKey, ReferenceTable, key_reading
from workbench.scoring.spellings import MACROS
from workbench.scoring.table import OutputTable, load_table
from workbench.scoring.values import Comparison, Moments, Numbers, Texts
from workbench.store import owned_folder

PLACE = 'PLAN = ""'
"""The line of the program that takes the task's checks."""
_KINDS = {ColumnType.TIME: "TIMESTAMP", ColumnType.ORDERED: "DOUBLE"}


def check_output(
    data: DataPaths,
    source: Source,
    task: Task,
    checks: DatabaseChecks,
    output: Path,
    *,
    settings: Settings | None = None,
) -> OutputReport:
    """Check ``output`` with what the family declares for the task's database, on ``source``.

    Values are read as scoring reads them. Raises BadInput for checks whose SQL does not run, Refused for
    SQL that reads more than tables.
    """
    for sql in all_sql(checks):
        refuse_beyond_tables(sql, f"output-checks.toml of {task.family}, {task.database}")
    with (
        owned_folder(data, "check-output") as scratch,
        open_source(data, source, settings=settings, beside=[scratch, output]) as engine,
    ):
        for macro in MACROS:
            engine.execute(macro)
        try:
            with open_output(output) as file:
                table = _load(engine, file, task, checks, scratch)
        except NotReadable as error:
            found = [OutputFinding(check="file", passed=False, offending=1, says=error.reason)]
            return OutputReport(task=task.id, source=source.name, rows=0, findings=found)
        found = _of_header(file, task) + _of_rows(table)
        try:
            kinds = _kinds(engine, file)
            more = check_in_sandbox.findings(engine, checks.model_dump(mode="json"), kinds)
            steps = check_in_sandbox.steps(engine, checks.model_dump(mode="json"))
        except DuckDBError as error:
            raise _broken(error, task) from None
    found += [
        OutputFinding(check=check, passed=passed, offending=number, says=says)
        for check, passed, number, says in more
    ]
    counted = [OutputStep(step=step, count=number, says=says) for step, number, says in steps]
    return OutputReport(task=task.id, source=source.name, rows=table.rows, findings=found, steps=counted)


def all_sql(checks: DatabaseChecks) -> list[str]:
    """Cohort, counts and relations, each as a query of its own."""
    told = [f"SELECT ({item.sql}\n) FROM output" for item in checks.relations]
    return [checks.cohort, *(item.sql for item in checks.counts), *told]


def check_script(task: Task, checks: DatabaseChecks) -> str:
    """A program of its own that makes the same checks where an agent works; needs only duckdb."""
    numbers = {entry.column for entry in checks.ranges if entry.asks_for_numbers}
    types = {key.name: key.type for key in task.keys}
    types |= {column.name: column.type for column in task.scored_columns}
    columns = {}
    for name in task.required_columns:
        kind = types.get(name, ColumnType.NOMINAL)
        number = kind is ColumnType.ORDERED or name in numbers or name.endswith("_id")
        if kind is ColumnType.TIME:
            columns[name] = "time"
        else:
            columns[name] = "number" if number or name in checks.cohort_keys else "text"
    plan = {
        "keys": [key.name for key in task.keys],
        "columns": columns,
        "checks": checks.model_dump(mode="json", exclude={"database"}),
    }
    program = (resources.files("workbench.scoring") / "check_in_sandbox.py").read_text(encoding="utf-8")
    return program.replace(PLACE, f"PLAN = {json.dumps(plan, ensure_ascii=False)!r}", 1)


def _load(
    engine: Connection, file: OutputFile, task: Task, checks: DatabaseChecks, scratch: Path
) -> OutputTable:
    """The output as the table ``output`` with its own column names."""
    try:
        cohort = {
            str(row[0]): str(row[1]) for row in engine.execute(f"DESCRIBE ({checks.cohort})").fetchall()
        }
    except DuckDBError as error:
        raise _broken(error, task) from None
    keys = tuple(_key(key, cohort) for key in task.keys)
    further = [ScoredColumn(name=name, type=ColumnType.NOMINAL) for name in task.further_columns]
    columns = tuple(
        ReferenceColumn(column, _comparison(column.type)) for column in (*task.scored_columns, *further)
    )
    reference = ReferenceTable("output", Path(), 0, keys, columns)
    table = load_table(engine, file, reference, "read_output", scratch)
    named = [f"k{place} AS {identifier(key.name)}" for place, key in enumerate(keys)]
    for place, column in enumerate(columns):
        read = f"v{place}"
        if column.task.type is ColumnType.NOMINAL and _all_numbers(engine, read):
            read = f"number({read})"
        named.append(f"{read} AS {identifier(column.task.name)}")
    engine.execute(f"CREATE TEMP TABLE output AS SELECT {', '.join(named)} FROM read_output")
    return table


def _key(key: KeyColumn, cohort: Mapping[str, str]) -> ReferenceKey:
    return key_reading(key, cohort.get(key.name) or _KINDS.get(key.type) or "VARCHAR")


def _comparison(kind: ColumnType) -> Comparison:
    if kind is ColumnType.ORDERED:
        return Numbers(flags=True)
    return Moments() if kind is ColumnType.TIME else Texts()


def _all_numbers(engine: Connection, column: str) -> bool:
    there = count(engine, f"SELECT count({column}) FROM read_output")
    return there > 0 and not count(engine, f"SELECT count(*) FROM read_output WHERE isnan(number({column}))")


def _kinds(engine: Connection, file: OutputFile) -> dict[str, str]:
    """Columns of the table ``output`` that the file has, as number, time or text."""
    types = {str(row[0]): str(row[1]) for row in engine.execute("DESCRIBE output").fetchall()}
    known = {"DOUBLE": "number", "TIMESTAMP": "time"}
    return {name: known.get(kind, "text") for name, kind in types.items() if file.position(name) is not None}


def _of_header(file: OutputFile, task: Task) -> list[OutputFinding]:
    """Names of columns are the task's own; of others only their number is told."""
    missing = [name for name in task.required_columns if file.position(name) is None]
    repeated = [name for name in task.required_columns if file.header.count(name) > 1]
    others = sum(name not in task.required_columns for name in file.header)
    said = [("columns", len(missing), missing_columns(file, missing) or "missing: none")]
    if repeated:
        said.append(("columns", len(repeated), f"more than once in the header: {', '.join(repeated)}"))
    found = _findings(said)
    if others:
        says = "more columns than asked for; they are not read"
        found.append(OutputFinding(check="columns", passed=True, offending=others, says=says))
    return found


def _of_rows(table: OutputTable) -> list[OutputFinding]:
    return _findings(
        [
            ("rows", int(table.rows == 0), f"{table.rows} rows"),
            ("keys", table.unreadable, "rows without a readable key"),
            ("keys", table.duplicates, "rows with a repeated key"),
        ]
    )


def _findings(said: Sequence[tuple[str, int, str]]) -> list[OutputFinding]:
    return [
        OutputFinding(check=check, passed=number == 0, offending=number, says=says)
        for check, number, says in said
    ]


def _broken(error: DuckDBError, task: Task) -> BadInput:
    kind = type(error).__name__
    first = (
        str(error).splitlines()[0]
        if kind in ("ParserException", "BinderException", "CatalogException")
        else kind
    )
    return BadInput(
        f"the output checks of {task.family} for {task.database} do not run ({first})",
        where="output-checks.toml",
        remedy="Correct the SQL of cohort, relations or counts.",
    )
