"""A CSV file line by line: for its header, and for saying on which line something is wrong."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from workbench.ehr.layouts import Located
from workbench.ehr.schema import TableSchema
from workbench.records import BadInput, open_regular

LOOKED_AT = 100
"""Data lines in which a time zone is looked for."""
LONGEST_FIELD = 2_000_000
"""Characters; the engine has the same bound on a line."""
PIECE_BYTES = 4 * 1024**2
OFFSET = re.compile(r"\d{2}:\d{2}(:\d{2}(\.\d+)?)?\s*(Z|[+-]\d{2}(:?\d{2})?)$")
RETRY = "Correct what is named, or download the file again."


def records(located: Located, table: TableSchema) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line on which it begins (1-based; the header too), blank lines left out.

    Raises BadInput for what is no readable CSV text.
    """
    path = located.path
    csv.field_size_limit(LONGEST_FIELD)
    begins = 1
    try:
        with _text(path) as file:
            reader = csv.reader(file, strict=True)
            for fields in reader:
                if fields:
                    yield begins, fields
                begins = reader.line_num + 1
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise truncated(located, table) from None
    except UnicodeDecodeError:
        raise BadInput(
            f"{table.name}, after line {begins}: not UTF-8", where=str(path), remedy="Save the file as UTF-8."
        ) from None
    except csv.Error:
        raise BadInput(f"{table.name}, line {begins}: not CSV", where=str(path), remedy=RETRY) from None
    except OSError as error:
        raise BadInput(f"{table.name}: cannot be read ({error.strerror})", where=str(path)) from None


def header(located: Located, table: TableSchema) -> list[str]:
    """The header's names. The first lines are looked through for times with a time zone (BadInput)."""
    lines = records(located, table)
    _, names = next(lines, (1, []))
    if not any(name.strip() for name in names):
        raise BadInput(f"{table.name}: no header line", where=str(located.path), remedy=RETRY)
    times = [
        place
        for place, name in enumerate(names)
        if table.types.get(name.lower(), "") in ("TIMESTAMP", "DATE")
    ]
    for line, fields in itertools.islice(lines, LOOKED_AT):
        for place in times:
            if place < len(fields) and OFFSET.search(fields[place]):
                raise BadInput(
                    f"{table.name}, line {line}, column {names[place]}: a time with a time zone",
                    where=str(located.path),
                    remedy=f"The times of {table.title} have none: export them without it.",
                )
    return names


def lines_of(located: Located, table: TableSchema, wanted: Sequence[int]) -> list[int]:
    """The lines on which data records begin; ``wanted`` are ordinals from 1, ascending."""
    data = itertools.islice(records(located, table), 1, wanted[-1] + 1)
    return [line for ordinal, (line, _) in enumerate(data, 1) if ordinal in wanted]


def lines_at(located: Located, positions: Sequence[int]) -> list[int]:
    """The lines (from 1) that hold the bytes at ``positions`` (from 0, ascending) of the unpacked file."""
    lines: list[int] = []
    waiting = list(positions)
    done, line = 0, 1
    with _bytes(located.path) as file:
        while waiting and (piece := file.read(PIECE_BYTES)):
            while waiting and waiting[0] < done + len(piece):
                lines.append(line + piece.count(b"\n", 0, waiting.pop(0) - done))
            done += len(piece)
            line += piece.count(b"\n")
    return lines + [line] * len(waiting)


def first_odd_line(located: Located, table: TableSchema, width: int) -> int:
    """The first line with another number of fields than ``width``; 0 if there is none."""
    return next((line for line, fields in records(located, table) if len(fields) != width), 0)


def truncated(located: Located, table: TableSchema) -> BadInput:
    """What a broken gzip stream means."""
    return BadInput(
        f"{table.name}: the gzip file is truncated or damaged",
        where=str(located.path),
        remedy="Download it again and compare it with PhysioNet's SHA256SUMS.txt.",
    )


@contextmanager
def _bytes(path: Path) -> Iterator[io.BufferedReader | gzip.GzipFile]:
    with open_regular(path) as file:
        if path.name.lower().endswith(".gz"):
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield unpacked
        else:
            yield file


@contextmanager
def _text(path: Path) -> Iterator[IO[str]]:
    with _bytes(path) as file, io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as text:
        yield text
