"""Outputs that are not quite CSV: row by row, slowly, so that a bad row costs only itself."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.scoring.read import NotReadable, OutputFile, is_blank, text_stream

LONGEST_FIELD_BYTES = 1 << 20
"""More than the longest field that Python's CSV reader takes (131,072 characters), all quotes doubled."""


def rewrite(output: OutputFile, positions: Sequence[int], clean: Path) -> None:
    """Write the fields at ``positions`` of every row to ``clean`` as plain quoted CSV without a header.

    A row with too few or too many fields is written with all fields empty: its key cannot be read. Trailing
    commas are let pass; blank lines are left out. Raises NotReadable for bytes that are not UTF-8 in these
    fields, and for a field that is too long, which is mostly a quote that never ends.
    """
    with text_stream(output.descriptor) as source, clean.open("w", encoding="utf-8", newline="") as target:
        rows = csv.reader(source)
        try:
            target.writelines(_lines(rows, len(output.header), positions))
        except csv.Error:
            raise NotReadable(f"line {rows.line_num}: a field is too long (a quote never closed?)") from None
        except UnicodeEncodeError:
            raise NotReadable(f"it is not UTF-8 (at or before line {rows.line_num})") from None


def _lines(rows: Iterator[list[str]], width: int, positions: Sequence[int]) -> Iterator[str]:
    """The rows after the header, as CSV lines with every field quoted."""
    unreadable = _line([""] * len(positions))
    next(row for row in rows if not is_blank(row))
    for row in rows:
        if len(row) < 2 and is_blank(row):
            continue
        fits = len(row) == width or (len(row) > width and not any(row[width:]))
        yield _line([row[position] for position in positions]) if fits else unreadable


def _line(fields: Sequence[str]) -> str:
    line = '","'.join(fields)
    if line.count('"') > 2 * (len(fields) - 1):
        line = '","'.join(field.replace('"', '""') for field in fields)
    return f'"{line}"\n'
