"""A second look at released files that knows the source's Parquet files and nothing of the product.

    python second_look.py SOURCE_FOLDER RELEASED_FILE...

Finds identifiers (whole numbers of six and more digits in key columns, and keys such as ``123-4567``) and
times of the source in the files, in any spelling: escaped, grouped, scientific, zero padded, hexadecimal,
split, in other scripts' digits, URL-encoded, inside base64 and hexadecimal text, dates in other orders and as
seconds since 1970. Prints place and kind, never the value. Exit code 0: nothing, 1: something, 2: unusable.

A number that is as common as a count is (row numbers of a dense column) is accused only where its column is
named near it; item numbers never; days only in the years to which the source was shifted.
"""

from __future__ import annotations

import gzip
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
from second_look_reading import Seen, seen_in

FEWEST_DIGITS = 6
DENSE, DENSE_IF_SHORT = 0.02, 0.001
"""A column with more than this share of all numbers of a length has row numbers, not names of somebody; of
numbers of six and seven digits, which counts and sizes have too, the smaller share."""
NOT_KEYS = re.compile(r"(item|type|hospital|ward|caregiver|provider|ndc|gsn)_?id$")
ITEMS = re.compile(r"itemid$")


@dataclass(frozen=True)
class Finding:
    """An accusation; ``value`` is for tests and never printed."""

    place: str
    kind: str
    spelling: str
    value: object


class Source:
    """What a source's Parquet files know, asked only for values that were seen."""

    def __init__(self, folder: Path) -> None:
        tables = folder / "tables"
        self.files = sorted((tables if tables.is_dir() else folder).rglob("*.parquet"))
        if not self.files:
            raise FileNotFoundError(f"no Parquet files under {folder}")
        self._engine = duckdb.connect()
        self._columns = [
            (path, name, kind)
            for path in self.files
            for name, kind, *_ in self._engine.execute(
                "DESCRIBE SELECT * FROM read_parquet(?)", [str(path)]
            ).fetchall()
        ]
        self._dense: dict[str, set[int]] = {}

    def known(self, seen: Iterable[Seen]) -> dict[tuple[str, object], set[str]]:
        """(kind, value) to the columns that have it. Item numbers are under ``items``."""
        values: dict[str, set[object]] = {"number": set(), "key": set(), "day": set(), "moment": set()}
        for one in seen:
            if one.kind != "number" or 10 ** (FEWEST_DIGITS - 1) <= int(str(one.value)) < 2**62:
                values[one.kind].add(one.value)
        for kind, sql in (("number", "BIGINT"), ("key", "VARCHAR"), ("day", "DATE"), ("moment", "TIMESTAMP")):
            self._engine.execute(f"CREATE OR REPLACE TEMP TABLE seen_{kind} (v {sql})")
            asked = list(values[kind])
            for start in range(0, len(asked), 20_000):
                piece = asked[start : start + 20_000]
                self._engine.execute(f"INSERT INTO seen_{kind} SELECT unnest(?::{sql}[])", [piece])
        found: dict[tuple[str, object], set[str]] = {}
        for path, name, type_name in self._columns:
            for kind, expression, label in self._questions(name, type_name):
                query = (
                    f"SELECT DISTINCT v FROM (SELECT {expression} AS v FROM read_parquet(?)) "
                    f"SEMI JOIN seen_{kind} USING (v)"
                )
                for (value,) in self._engine.execute(query, [str(path)]).fetchall():
                    found.setdefault((kind, value), set()).add(label)
            if type_name in ("INTEGER", "BIGINT") and name.endswith("id") and not NOT_KEYS.search(name):
                self._count(path, name)
        return found

    def dense(self, name: str, number: int) -> bool:
        """Whether so many numbers of this length are in the column that one of them says nothing."""
        return len(str(number)) in self._dense.get(name, set())

    def _questions(self, name: str, kind: str) -> Iterator[tuple[str, str, str]]:
        quoted = '"' + name + '"'
        if kind in ("INTEGER", "BIGINT") and ITEMS.search(name):
            yield "number", f"{quoted}::BIGINT", "items"
        elif kind in ("INTEGER", "BIGINT") and name.endswith("id") and not NOT_KEYS.search(name):
            yield "number", f"{quoted}::BIGINT", name
        elif kind == "VARCHAR" and re.search(r"(_id|pid)$", name) and not NOT_KEYS.search(name):
            yield "key", quoted, name
        elif kind == "DATE" or kind.startswith("TIMESTAMP"):
            yield "day", f"CAST({quoted} AS DATE)", name
            yield "moment", f"date_trunc('minute', {quoted}::TIMESTAMP)", name
            yield "moment", f"{quoted}::TIMESTAMP", name

    def _count(self, path: Path, name: str) -> None:
        column = f'"{name}"::VARCHAR'
        query = (
            f"SELECT length({column}), approx_count_distinct({column}) FROM read_parquet(?) "
            f"WHERE {column} IS NOT NULL GROUP BY 1"
        )
        for digits, count in self._engine.execute(query, [str(path)]).fetchall():
            if count > (DENSE if digits > 7 else DENSE_IF_SHORT) * 9 * 10 ** (digits - 1):
                self._dense.setdefault(name, set()).add(digits)


def accusations(source: Source, texts: dict[str, str]) -> list[Finding]:
    """``texts``: place to text. Each identifier and time of the source in them, once a place and spelling."""
    seen = [(place, how, one) for place, text in texts.items() for how, one in seen_in(text)]
    known = source.known(one for _, _, one in seen)
    found = {}
    for place, how, one in seen:
        columns = known.get((one.kind, one.value), set())
        if one.kind == "number":
            if "items" in columns and len(str(one.value)) < 8:
                continue
            squeezed = ""
            for name in sorted(columns - {"items"}):
                if one.loose or source.dense(name, int(str(one.value))):
                    squeezed = squeezed or re.sub("[^a-z]", "", one.near)
                    if name.replace("_", "") not in squeezed:
                        continue
                found.setdefault((place, name, one.value), _finding(place, how, f"identifier {name}", one))
        elif columns:
            kind = "identifier " + min(columns) if one.kind == "key" else one.kind
            found.setdefault((place, kind, one.value), _finding(place, how, kind, one))
    return list(found.values())


def _finding(place: str, how: str, kind: str, one: Seen) -> Finding:
    return Finding(place, kind, f"{one.spelling}, {how}".rstrip(", "), one.value)


def texts_of(path: Path, number: int) -> Iterator[tuple[str, str]]:
    """Place and text: the name of a file, and its lines, unpacked, also of the members of a zip file."""
    yield f"name of file {number}", path.name
    data = path.read_bytes()
    parts = [(f"file {number}", data)]
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            parts = [
                (f"file {number}, member {at}", packed.read(name))
                for at, name in enumerate(packed.namelist(), 1)
            ]
            yield f"names in file {number}", "\n".join(packed.namelist())
    for place, part in parts:
        content = gzip.decompress(part) if part[:2] == b"\x1f\x8b" else part
        lines = content.decode("utf-8", "replace").split("\n")
        for start in range(0, len(lines), 50):
            block = lines[start : start + 50]
            yield f"{place}, lines {start + 1} to {start + len(block)}", "\n".join(block)


def main(arguments: list[str]) -> int:
    if len(arguments) < 2:
        sys.stderr.write(str(__doc__))
        return 2
    try:
        source = Source(Path(arguments[0]))
        texts = {}
        for number, name in enumerate(arguments[1:], 1):
            texts |= dict(texts_of(Path(name), number))
    except (OSError, zipfile.BadZipFile, EOFError) as error:
        sys.stderr.write(f"cannot be read: {type(error).__name__}\n")
        return 2
    found = accusations(source, texts)
    lines = [f"{finding.place}: {finding.kind} ({finding.spelling})" for finding in found]
    counts = Counter(finding.kind for finding in found)
    lines += [f"{count:6} {kind}" for kind, count in sorted(counts.items())]
    lines += [f"{len(found)} found in {len(arguments) - 1} files of {len(source.files)} tables' values"]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
