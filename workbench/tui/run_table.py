"""Columns of the listing of runs, and of sources and their tables."""

from __future__ import annotations

from workbench.records import RunRow, Source, TableFile
from workbench.tui.inert import Inert
from workbench.tui.themes import state_text
from workbench.tui.widgets.table_source import Column, TableLines


def run_table() -> TableLines[RunRow]:
    """Runs, newest first until they are ordered otherwise."""
    return TableLines(RUN_COLUMNS, lambda row: row.run_id)


def source_table() -> TableLines[Source]:
    """Sources by name."""
    return TableLines(SOURCE_COLUMNS, lambda source: source.name)


def file_table() -> TableLines[TableFile]:
    """One source's tables."""
    return TableLines(FILE_COLUMNS, lambda table: table.table)


def is_open(row: RunRow) -> bool:
    """Whether the run may still change."""
    return row.state in ("planned", "running")


def _state(row: RunRow) -> str:
    return row.verdict or row.state


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _tokens(row: RunRow) -> int | None:
    return None if row.input_tokens is None else row.input_tokens + (row.output_tokens or 0)


def _shown(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _begun(row: RunRow) -> str:
    return row.created[5:16].replace("T", " ")


def _strict(row: RunRow) -> Inert:
    if row.strict_pass is None:
        return Inert.of("-")
    return Inert.of("passed", "$success") if row.strict_pass else Inert.of("no")


RUN_COLUMNS: tuple[Column[RunRow], ...] = (
    Column("verdict", _state, 13, look=lambda row: state_text(_state(row))),
    Column("reward", lambda row: _number(row.reward, ".3f"), 7, right=True, sort=lambda row: row.reward),
    Column("task", lambda row: row.task, 29, stretch=True),
    Column("condition", lambda row: row.condition, 12, stretch=True, drop=1),
    Column("begun", _begun, 11, drop=2, sort=lambda row: row.created),
    Column("agent", lambda row: row.agent, 7, drop=3),
    Column("fails", lambda row: str(row.fails), 6, right=True, drop=4, sort=lambda row: row.fails),
    Column("warns", lambda row: str(row.warns), 6, right=True, drop=5, sort=lambda row: row.warns),
    Column(
        "strict",
        lambda row: "-" if row.strict_pass is None else "passed" if row.strict_pass else "no",
        7,
        drop=6,
        look=_strict,
    ),
    Column("run", lambda row: row.run_id, 22, drop=7),
    Column("source", lambda row: row.source, 15, drop=8),
    Column("model", lambda row: row.model or "-", 12, drop=9),
    Column("seconds", lambda row: _number(row.wall_s, ".1f"), 8, right=True, drop=10,
           sort=lambda row: row.wall_s),
    Column("trial", lambda row: str(row.trial), 6, right=True, drop=11, sort=lambda row: row.trial),
    Column("attempt", lambda row: str(row.attempt), 8, right=True, drop=12, sort=lambda row: row.attempt),
    Column("tokens", lambda row: _shown(_tokens(row)), 10, right=True, drop=13, sort=_tokens),
)  # fmt: skip


def _rows(source: Source) -> int:
    return sum(table.rows for table in source.tables)


def _bytes(source: Source) -> int:
    return sum(table.bytes for table in source.tables)


SOURCE_COLUMNS: tuple[Column[Source], ...] = (
    Column("name", lambda source: source.name, 18, stretch=True),
    Column("database", lambda source: source.database, 9),
    Column("kind", lambda source: source.kind, 9),
    Column("rows", lambda source: f"{_rows(source):,}", 13, right=True, sort=_rows),
    Column("bytes", lambda source: f"{_bytes(source):,}", 15, right=True, drop=2, sort=_bytes),
    Column("tables", lambda source: str(len(source.tables)), 7, right=True, drop=4,
           sort=lambda source: len(source.tables)),
    Column("origin", lambda source: source.origin, 18, drop=5),
    Column("made", lambda source: f"{source.created:%Y-%m-%d %H:%M}", 16, drop=3),
)  # fmt: skip

FILE_COLUMNS: tuple[Column[TableFile], ...] = (
    Column("table", lambda table: table.table, 30, stretch=True),
    Column("rows", lambda table: f"{table.rows:,}", 13, right=True, sort=lambda table: table.rows),
    Column("bytes", lambda table: f"{table.bytes:,}", 14, right=True, sort=lambda table: table.bytes),
    Column("note", lambda table: "not in the input" if table.empty_because_missing else "", 16, drop=1),
)
