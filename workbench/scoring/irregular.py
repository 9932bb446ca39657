"""Outputs that are not quite CSV: row by row, slowly, so that a bad row costs only itself."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from workbench.scoring.read import NotReadable, OutputFile, is_blank, text_stream

LONGEST_FIELD = 64 << 20
"""Characters; a field that is longer ends the reading."""
LONGEST_KEPT = 1 << 20
"""Characters; a field that is longer is kept as so many and a mark, which no reference equals."""
CUT_MARK = "…"
UTF8_BYTES = 4
"""At most, for one character."""


class CsvRows(Protocol):
    """What ``csv.reader`` gives; ``line_num`` lines were read so far."""

    @property
    def line_num(self) -> int: ...

    def __iter__(self) -> Iterator[list[str]]: ...

    def __next__(self) -> list[str]: ...


def rewrite(output: OutputFile, positions: Sequence[int], clean: Path) -> int:
    """Write the fields at ``positions`` of every row to ``clean`` as plain quoted CSV without a header.

    A row with too few or too many fields is written with all fields empty: its key cannot be read. Trailing
    commas are let pass; blank lines are left out. Gives a bound of the bytes in the longest line written.
    Raises NotReadable for bytes that are not UTF-8 in these fields, for a field that is too long, and for a
    quote that swallows every row.
    """
    rewriting = _Rewriting(len(output.header), positions)
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        with (
            text_stream(output.descriptor) as source,
            clean.open("w", encoding="utf-8", newline="") as target,
        ):
            rows = csv.reader(source)
            try:
                target.writelines(rewriting.lines(rows))
            except csv.Error:
                size = f"{LONGEST_FIELD >> 20} Mi characters"
                raise NotReadable(
                    f"line {rows.line_num}: a field is longer than {size} (a quote never closed?)"
                ) from None
            except UnicodeEncodeError:
                raise NotReadable(f"it is not UTF-8 (at or before line {rows.line_num})") from None
            if rewriting.swallowed and not rewriting.fitting:
                raise NotReadable(f"line {rewriting.swallowed}: a quote is never closed, and no row is whole")
    finally:
        csv.field_size_limit(before)
    return rewriting.longest * UTF8_BYTES


class _Rewriting:
    """``fitting`` rows had as many fields as the header; ``swallowed`` is the first line of the first other
    row that went over several lines, 0 if there was none; ``longest`` line written, in characters."""

    def __init__(self, width: int, positions: Sequence[int]) -> None:
        self._width = width
        self._positions = positions
        self.fitting = 0
        self.swallowed = 0
        self.longest = 0

    def lines(self, rows: CsvRows) -> Iterator[str]:
        """The rows after the header, as CSV lines with every field quoted."""
        width, positions = self._width, self._positions
        unreadable = _line([""] * len(positions))
        next(row for row in rows if not is_blank(row))
        seen = rows.line_num
        for row in rows:
            began, seen = seen + 1, rows.line_num
            if len(row) < 2 and is_blank(row):
                continue
            if len(row) == width or (len(row) > width and not any(row[width:])):
                self.fitting += 1
                line = _line([row[position] for position in positions])
                if len(line) > LONGEST_KEPT:
                    line = _line([_cut(row[position]) for position in positions])
                self.longest = max(self.longest, len(line))
                yield line
            else:
                if seen > began:
                    self.swallowed = self.swallowed or began
                yield unreadable


def _cut(field: str) -> str:
    return field if len(field) <= LONGEST_KEPT else field[:LONGEST_KEPT] + CUT_MARK


def _line(fields: Sequence[str]) -> str:
    line = '","'.join(fields)
    if line.count('"') > 2 * (len(fields) - 1):
        line = '","'.join(field.replace('"', '""') for field in fields)
    return f'"{line}"\n'
