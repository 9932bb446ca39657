"""Columns of the listing of runs, and of sources and their tables."""

from __future__ import annotations

from typing import Any

from workbench.records import RunRow, Source, TableFile, said_verdict
from workbench.store import LISTED, ORDERED
from workbench.tui.inert import Inert
from workbench.tui.themes import state_text, verdict_text
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


def _strict(row: RunRow) -> Inert:
    if row.strict_pass is None:
        return Inert.of("-")
    return Inert.of("passed", "$success") if row.strict_pass else Inert.of("no")


def _verdict(row: RunRow) -> Inert:
    if row.said_again:
        return state_text(row.verdict) + Inert.of(", re-lint")
    return verdict_text(row.verdict or row.state, row.fails, row.warns)


def of_relint(row: RunRow) -> str:
    """What its cell has no room for: what the re-lint counted, and the first verdict where that differs."""
    if not row.said_again:
        return ""
    counted = said_verdict("", row.fails, row.warns).removeprefix(", ")
    was = f"was {row.first_verdict}" if row.first_verdict != row.verdict else ""
    return f"re-lint: {', '.join(part for part in (counted, was) if part) or 'the same'}  "


def _column(title: str, width: int, **more: Any) -> Column[RunRow]:
    return Column(title, LISTED[title], width, sort=ORDERED.get(title), **more)


RUN_COLUMNS: tuple[Column[RunRow], ...] = (
    _column("verdict", 22, least=13, look=_verdict),
    _column("reward", 7, right=True),
    _column("task", 28, least=10, stretch=True),
    _column("condition", 10, stretch=True, drop=1),
    _column("begun", 14, drop=2),
    _column("agent", 7, drop=3),
    _column("fails", 6, right=True, drop=4),
    _column("warns", 6, right=True, drop=5),
    _column("strict", 7, drop=6, look=_strict),
    _column("run", 22, drop=7),
    _column("source", 15, drop=8),
    _column("model", 12, drop=9),
    _column("seconds", 8, right=True, drop=10),
    _column("trial", 6, right=True, drop=11),
    _column("attempt", 8, right=True, drop=12),
    _column("tokens", 10, right=True, drop=13),
)


def _rows(source: Source) -> int:
    return sum(table.rows for table in source.tables)


def _bytes(source: Source) -> int:
    return sum(table.bytes for table in source.tables)


SOURCE_COLUMNS: tuple[Column[Source], ...] = (
    Column("name", lambda source: source.name, 18, least=10, stretch=True),
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
    Column("table", lambda table: table.table, 30, least=10, stretch=True),
    Column("rows", lambda table: f"{table.rows:,}", 13, right=True, sort=lambda table: table.rows),
    Column("bytes", lambda table: f"{table.bytes:,}", 14, right=True, sort=lambda table: table.bytes),
    Column("note", lambda table: "not in the input" if table.empty_because_missing else "", 16, drop=1),
)
