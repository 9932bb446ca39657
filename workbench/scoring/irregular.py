"""Outputs that are not quite CSV: row by row, slowly, so that a bad row costs only itself."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from workbench.scoring.read import NotReadable, OutputFile, is_blank, text_stream

LONGEST_FIELD = 32_768
"""Characters. What is longer is no value of any task, and cut."""


def rewrite(output: OutputFile, positions: Sequence[int], clean: Path) -> None:
    """Write the fields at ``positions`` of every row to ``clean`` as plain quoted CSV without a header.

    A row with too few or too many fields is written with all fields empty: its key cannot be read. Trailing
    commas are let pass; blank lines are left out. Raises NotReadable for bytes that are not UTF-8 in these
    fields, and for a field that never ends.
    """
    width = len(output.header)
    unreadable = [""] * len(positions)
    with text_stream(output.descriptor) as source, clean.open("w", encoding="utf-8", newline="") as target:
        rows = csv.reader(source)
        writer = csv.writer(target, quoting=csv.QUOTE_ALL, lineterminator="\n")
        try:
            filled = (row for row in rows if not is_blank(row))
            next(filled)
            for row in filled:
                fits = len(row) >= width and not any(row[width:])
                fields = [row[position][:LONGEST_FIELD] for position in positions] if fits else unreadable
                writer.writerow(fields)
        except csv.Error:
            raise NotReadable(
                f"line {rows.line_num} does not end as CSV (a quote that is never closed?)"
            ) from None
        except UnicodeEncodeError:
            raise NotReadable(f"it is not UTF-8 (line {rows.line_num})") from None
