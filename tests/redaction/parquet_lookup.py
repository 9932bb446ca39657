"""A look-up over a source's Parquet files: whole columns as sets, enough for the small sources of tests."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import date, datetime
from pathlib import Path

import duckdb

_NO_IDENTIFIER = re.compile(r"(item|type|hospital|ward|caregiver|provider|ndc|gsn)_?id$")


class ParquetLookup:
    """Implements ``workbench.redaction.IdentifierLookup``."""

    def __init__(self, folder: Path) -> None:
        self._numbers: dict[int, set[str]] = {}
        self._keys: dict[str, set[str]] = {}
        self._items: set[int] = set()
        self._days: set[date] = set()
        self._moments: set[datetime] = set()
        self._lengths: dict[tuple[str, int], int] = {}
        engine = duckdb.connect()
        for path in sorted((folder / "tables").glob("*.parquet")):
            columns = engine.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
            for name, kind, *_ in columns:
                query = f'SELECT DISTINCT "{name}" AS v FROM read_parquet(?) WHERE v IS NOT NULL'
                if kind == "DATE" or kind.startswith("TIMESTAMP"):
                    self._add_times(value for (value,) in engine.execute(query, [str(path)]).fetchall())
                elif kind in ("INTEGER", "BIGINT") and name.endswith("itemid"):
                    self._items.update(value for (value,) in engine.execute(query, [str(path)]).fetchall())
                elif name.endswith("id") and not _NO_IDENTIFIER.search(name):
                    values = [value for (value,) in engine.execute(query, [str(path)]).fetchall()]
                    if kind in ("INTEGER", "BIGINT"):
                        self._add_numbers(name, values)
                    elif kind == "VARCHAR" and re.search(r"(_id|pid)$", name):
                        for value in values:
                            self._keys.setdefault(value, set()).add(name)

    def _add_numbers(self, name: str, values: list[int]) -> None:
        for value in values:
            columns = self._numbers.setdefault(value, set())
            if name not in columns:
                columns.add(name)
                length = len(str(value))
                self._lengths[name, length] = self._lengths.get((name, length), 0) + 1

    def _add_times(self, values: Collection[date]) -> None:
        for value in values:
            if isinstance(value, datetime):
                self._moments |= {value, value.replace(second=0, microsecond=0)}
                self._days.add(value.date())
            else:
                self._days.add(value)

    def numbers(self, numbers: Collection[int]) -> Mapping[int, set[str]]:
        return {number: self._numbers[number] for number in numbers if number in self._numbers}

    def keys(self, keys: Collection[str]) -> Mapping[str, set[str]]:
        return {key: self._keys[key] for key in keys if key in self._keys}

    def items(self, numbers: Collection[int]) -> set[int]:
        return {number for number in numbers if number in self._items}

    def days(self, days: Collection[date]) -> set[date]:
        return {day for day in days if day in self._days}

    def moments(self, moments: Collection[datetime]) -> set[datetime]:
        return {moment for moment in moments if moment in self._moments}

    def dense(self, column: str, digits: int) -> bool:
        share = 0.02 if digits > 7 else 0.001
        return self._lengths.get((column, digits), 0) > share * 9 * 10 ** (digits - 1)
