"""Rows as tools print them: each function takes a table and gives the text that shows all or some of it."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from datetime import date, datetime
from functools import cache
from typing import Any

import duckdb
from drawn_values import Cell, Table


def _texts(table: Table) -> list[list[str]]:
    return [[cell.plain for cell in row] for row in table.rows]


def _records(table: Table) -> list[dict[str, Any]]:
    """As JSON takes them: times as ISO text."""
    return [
        {name: str(value) if isinstance(value, date) else value for name, value in record.items()}
        for record in table.records()
    ]


def _quoted(value: Any) -> str:
    """As an SQL literal."""
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value}'"
    if isinstance(value, date):
        return f"DATE '{value}'"
    if isinstance(value, float):
        return f"{value}::DOUBLE"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def json_lines(table: Table) -> str:
    return "\n".join(json.dumps(record) for record in _records(table))


def json_in_one_line(table: Table) -> str:
    """JSON lines as a program logs them: the line ends are ``\\n`` of two characters."""
    return 'INFO wrote "' + json.dumps(json_lines(table))[1:-1] + '"'


def json_escaped_twice(table: Table) -> str:
    return json.dumps({"stdout": json.dumps({"rows": json.dumps(_records(table))})})


def json_nested(table: Table) -> str:
    nested = {
        "table": table.name,
        "page": {"rows": [{"at": index, "row": r} for index, r in enumerate(_records(table))]},
    }
    return json.dumps(nested, indent=2)


def yaml(table: Table) -> str:
    return "\n".join(
        "- " + "\n  ".join(f"{name}: {value}" for name, value in record.items()) for record in table.records()
    )


@cache
def _engine() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config={"threads": 1})


def _box(table: Table, *, most: int, width: int, padding: int = 0) -> str:
    """By DuckDB itself; ``padding`` repeats the rows in the middle, which it leaves out."""
    connection = _engine()
    names = ", ".join(f'"{name}"' for name in table.columns)
    rows = ["(" + ", ".join(_quoted(cell.value) for cell in row) + ")" for row in table.rows]
    middle = len(rows) // 2
    rows = rows[:middle] + [rows[middle]] * padding + rows[middle:]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        connection.sql(f"SELECT * FROM (VALUES {', '.join(rows)}) AS t({names})").show(
            max_rows=most, max_width=width
        )
    return printed.getvalue()


def duckdb_box(table: Table) -> str:
    return _box(table, most=20, width=200)


def duckdb_box_truncated(table: Table) -> str:
    return _box(table, most=4, width=200, padding=40)


def duckdb_box_narrow(table: Table) -> str:
    return _box(table, most=20, width=56)


def duckdb_line_mode(table: Table) -> str:
    width = max(len(name) for name in table.columns)
    return "\n\n".join(
        "\n".join(f"{cell.column:>{width}} = {cell.plain}" for cell in row) for row in table.rows
    )


def _widths(table: Table, index: bool = False) -> list[int]:
    cells = [list(table.columns), *_texts(table)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(table.columns))]
    return [len(str(len(table.rows))), *widths] if index else widths


def ascii_table(table: Table) -> str:
    widths = _widths(table)
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    rows = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) + " |"
        for row in (list(table.columns), *_texts(table))
    ]
    return "\n".join([rule, rows[0], rule, *rows[1:], rule, f"{len(table.rows)} rows in set (0.01 sec)"])


def psql_table(table: Table) -> str:
    widths = _widths(table)
    rows = [
        " " + " | ".join(text.rjust(width) for text, width in zip(row, widths, strict=True))
        for row in (list(table.columns), *_texts(table))
    ]
    return "\n".join(
        [rows[0], "-+-".join("-" * width for width in widths), *rows[1:], f"({len(table.rows)} rows)"]
    )


def markdown(table: Table) -> str:
    rows = [list(table.columns), ["---:"] * len(table.columns), *_texts(table)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def html_table(table: Table) -> str:
    head = "".join(f"<th>{name}</th>" for name in table.columns)
    body = "\n".join(
        "  <tr><td>" + "</td><td>".join(cell.plain.replace("&", "&amp;").replace("<", "&lt;") for cell in row)
        + "</td></tr>"
        for row in table.rows
    )  # fmt: skip
    return f"<table>\n  <tr>{head}</tr>\n{body}\n</table>"


def latex_table(table: Table) -> str:
    rows = [" & ".join(row) + r" \\" for row in (list(table.columns), *_texts(table))]
    return "\n".join([r"\begin{tabular}{" + "r" * len(table.columns) + "}", *rows, r"\end{tabular}"])


def pandas(table: Table) -> str:
    widths = _widths(table)
    lines = ["  " + "  ".join(name.rjust(width) for name, width in zip(table.columns, widths, strict=True))]
    for index, row in enumerate(_texts(table)):
        lines.append(
            f"{index} " + "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True))
        )
    return "\n".join([*lines, "", f"[{len(table.rows)} rows x {len(table.columns)} columns]"])


def pandas_wrapped(table: Table) -> str:
    """Two blocks of columns, as pandas wraps a frame that is too wide."""
    half = len(table.columns) // 2
    blocks = []
    for first, last in ((0, half), (half, len(table.columns))):
        part = Table(table.name, table.columns[first:last], tuple(row[first:last] for row in table.rows))
        lines = pandas(part).splitlines()[: 1 + len(part.rows)]
        blocks.append([lines[0] + "  \\", *lines[1:]] if first == 0 else lines)
    return "\n\n".join("\n".join(lines) for lines in blocks)


def pandas_row(table: Table) -> str:
    """One row as a Series."""
    width = max(len(name) for name in table.columns) + 4
    lines = [f"{cell.column:<{width}}{cell.plain:>24}" for cell in table.rows[0]]
    return "\n".join([*lines, "Name: 0, dtype: object"])


def polars(table: Table) -> str:
    kinds = ["datetime[μs]" if isinstance(cell.value, datetime) else "i64" for cell in table.rows[0]]
    cells = [list(table.columns), ["---"] * len(kinds), kinds, *_texts(table)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(kinds))]
    lines = [
        "│ " + " ┆ ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) + " │"
        for row in cells
    ]
    bars = ["─" * (width + 2) for width in widths]
    double = "╞" + "╪".join("═" * (width + 2) for width in widths) + "╡"
    top, bottom = "┌" + "┬".join(bars) + "┐", "└" + "┴".join(bars) + "┘"
    return "\n".join(
        [f"shape: ({len(table.rows)}, {len(kinds)})", top, *lines[:3], double, *lines[3:], bottom]
    )


def polars_glimpse(table: Table) -> str:
    lines = [f"Rows: {len(table.rows)}", f"Columns: {len(table.columns)}"]
    for at, name in enumerate(table.columns):
        lines.append(f"$ {name} <i64> " + ", ".join(row[at].plain for row in table.rows))
    return "\n".join(lines)


def _separated(table: Table, mark: str) -> str:
    return "\n".join(mark.join(row) for row in (list(table.columns), *_texts(table)))


def csv(table: Table) -> str:
    return _separated(table, ",")


def tsv(table: Table) -> str:
    return _separated(table, "\t")


def semicolons(table: Table) -> str:
    return _separated(table, ";")


def tuples(table: Table) -> str:
    """``print(connection.fetchall())``."""
    return repr([tuple(cell.value for cell in row) for row in table.rows])


def dicts(table: Table) -> str:
    return repr(table.records())


def columns_as_lists(table: Table) -> str:
    return repr({name: [row[at].value for row in table.rows] for at, name in enumerate(table.columns)})


def columns_one_by_one(table: Table) -> str:
    return "\n".join(
        f"{name}: " + " ".join(row[at].plain.replace(" ", "T") for row in table.rows)
        for at, name in enumerate(table.columns)
    )


def one_value_a_line(table: Table) -> str:
    return "\n".join(
        "\n".join([name, *(row[at].plain for row in table.rows)]) for at, name in enumerate(table.columns)
    )


def insert_statement(table: Table) -> str:
    rows = ",\n".join("  (" + ", ".join(_quoted(cell.value) for cell in row) + ")" for row in table.rows)
    return f"INSERT INTO checked ({', '.join(table.columns)}) VALUES\n{rows};"


def values_list(table: Table) -> str:
    rows = ", ".join("(" + ", ".join(_quoted(cell.value) for cell in row) + ")" for row in table.rows)
    return f"SELECT * FROM (VALUES {rows}) AS expected({', '.join(table.columns)})"


def git_diff(table: Table) -> str:
    lines = csv(table).splitlines()
    changed = [f"-{lines[1]}", *(f"+{line}" for line in lines[2:])]
    return "\n".join(["--- a/out.csv", "+++ b/out.csv", "@@ -1,4 +1,4 @@", f" {lines[0]}", *changed])


def grep_lines(table: Table) -> str:
    return "\n".join(
        f"/workspace/out.csv:{number}:{line}" for number, line in enumerate(csv(table).splitlines(), 1)
    )


def python_log(table: Table) -> str:
    return "\n".join(
        "2026-03-02 11:04:05,123 INFO derive: " + " ".join(f"{cell.column}={cell.plain}" for cell in row)
        for row in table.rows
    )


def notebook(table: Table) -> str:
    """An ``.ipynb`` file whose cell has the rows as its output."""
    shown = pandas(table).splitlines(keepends=True)
    output = {
        "output_type": "execute_result",
        "execution_count": 3,
        "metadata": {},
        "data": {"text/plain": shown},
    }
    cell = {
        "cell_type": "code",
        "execution_count": 3,
        "metadata": {},
        "source": ["df.head()"],
        "outputs": [output],
    }
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def as_row_quote(row: tuple[Cell, ...]) -> str:
    """A row in words."""
    return ", ".join(f"{cell.column} {cell.plain}" for cell in row)


TABLES: dict[str, Callable[[Table], str]] = {
    function.__name__: function
    for function in (
        json_lines, json_in_one_line, json_escaped_twice, json_nested, yaml, duckdb_box, duckdb_box_truncated,
        duckdb_box_narrow, duckdb_line_mode, ascii_table, psql_table, markdown, html_table, latex_table,
        pandas, pandas_wrapped, pandas_row, polars, polars_glimpse, csv, tsv, semicolons, tuples, dicts,
        columns_as_lists, columns_one_by_one, one_value_a_line, insert_statement, values_list, git_diff,
        grep_lines, python_log, notebook,
    )
}  # fmt: skip
