"""Asks sources which numbers, texts and times are theirs: what redaction and the release check look up."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Any

from workbench.ehr.connect import Connection, DuckDBError, connect, engine_failure, identifier, literal
from workbench.ehr.identifier_set import ensure_identifiers
from workbench.records import DataPaths, IdentifierSet, Progress, Settings, Source, silent

DENSE, DENSE_IF_SHORT, DENSE_STAYS = 0.02, 0.001, 0.2
"""A column that has more than this share of all numbers of a length has row numbers, which count as much as
they name. Numbers of up to ``SHORT`` digits are counts and sizes too: of them the smaller share is enough.
Those of persons and stays are taken for names up to the large one."""
SHORT = 7
LARGEST = 2**63
MOST_LOADED_BYTES = 32_000_000
"""Files of a kind up to this size together are read once; larger ones at each question."""
MOST_KEPT = 100_000
"""Answers of a kind that are remembered; then they are forgotten all at once."""


class SourceIdentifiers:
    """The identifiers and times of one or several sources, asked in batches.

    Equal questions are asked once. Numbers are those of columns that name a person, an admission, a stay, an
    order or a row; names of columns are in lower case. Every method raises Unavailable where the engine
    fails.
    """

    def __init__(
        self, connection: Connection, sets: Mapping[str, IdentifierSet], files: dict[str, list[str]]
    ) -> None:
        self._connection, self._files = connection, files
        self._tables: dict[str, str] = {}
        self._known: dict[str, dict[Any, frozenset[str]]] = {kind: {} for kind in files}
        self._dense = {
            (name, digits)
            for one in sets.values()
            for name, counts in one.lengths.items()
            for digits, count in counts.items()
            if count > _share(name in one.stay_columns, digits) * 9 * 10 ** (digits - 1)
        }
        self.sources = {name: one.source_hash for name, one in sets.items()}

    def numbers(self, numbers: Collection[int]) -> Mapping[int, frozenset[str]]:
        """Those that are identifiers, each with the names of the columns that have it."""
        return self._ask("numbers", "BIGINT", [value for value in numbers if 0 <= value < LARGEST])

    def keys(self, keys: Collection[str]) -> Mapping[str, frozenset[str]]:
        """The same for identifiers that are text, in either case, and for the long begin before a hyphen."""
        lower = {key: key.lower() for key in keys}
        found = self._ask("keys", "VARCHAR", set(lower.values()))
        return {key: found[low] for key, low in lower.items() if low in found}

    def items(self, numbers: Collection[int]) -> frozenset[int]:
        """Those that are item numbers."""
        return frozenset(self._ask("items", "BIGINT", [value for value in numbers if 0 <= value < LARGEST]))

    def days(self, days: Collection[date]) -> frozenset[date]:
        """Those on which something is dated in the sources."""
        return frozenset(self._ask("days", "DATE", days))

    def moments(self, moments: Collection[datetime]) -> frozenset[datetime]:
        """Those that are times of the sources, to the second or, without seconds, to the minute."""
        return frozenset(self._ask("moments", "TIMESTAMP", moments))

    def dense(self, column: str, digits: int) -> bool:
        """Whether a number of so many digits says nothing without the column's name beside it.

        Of several sources, one in which it is so is enough: there are then as many such numbers.
        """
        return (column.lower(), digits) in self._dense

    def _ask(self, kind: str, sql_type: str, values: Collection[Any]) -> dict[Any, frozenset[str]]:
        """Those of ``values`` that a source has, with column names where the kind has some."""
        known = self._known[kind]
        if len(known) > MOST_KEPT:
            known.clear()
        asked = [value for value in set(values) if value not in known]
        if asked and self._files[kind]:
            known.update(dict.fromkeys(asked, frozenset()))
            known.update(self._answers(kind, sql_type, asked))
        return {value: names for value in values if (names := known.get(value))}

    def _answers(self, kind: str, sql_type: str, asked: list[Any]) -> dict[Any, frozenset[str]]:
        name = "name" if kind in ("numbers", "keys") else literal(kind)
        try:
            known = self._table(kind)
            found = self._connection.execute(
                f"SELECT value, list(DISTINCT {name}) FROM {known} "
                f"SEMI JOIN (SELECT unnest(?::{sql_type}[]) AS value) AS asked USING (value) GROUP BY value",
                [asked],
            ).fetchall()
        except DuckDBError as error:
            raise engine_failure(error, "looking up identifiers") from None
        return {value: frozenset(names) for value, names in found}

    def _table(self, kind: str) -> str:
        """What the values of a kind are read from: the engine's memory where they fit, else the files."""
        if kind not in self._tables:
            files = ", ".join(literal(file) for file in self._files[kind])
            source = f"read_parquet([{files}])"
            if sum(Path(file).stat().st_size for file in self._files[kind]) <= MOST_LOADED_BYTES:
                table = identifier(f"known_{kind}")
                self._connection.execute(f"CREATE TEMP TABLE {table} AS FROM {source}")
                source = table
            self._tables[kind] = source
        return self._tables[kind]


@contextmanager
def open_identifiers(
    data: DataPaths,
    sources: Iterable[Source],
    *,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> Iterator[SourceIdentifiers]:
    """The identifiers of all of ``sources`` at once; their sorted sets are made where they are missing.

    Raises what ``ensure_identifiers`` raises.
    """
    sets: dict[str, IdentifierSet] = {}
    files: dict[str, list[str]] = {kind: [] for kind in ("numbers", "keys", "items", "days", "moments")}
    for source in sources:
        sets[source.name] = ensure_identifiers(data, source, settings=settings, progress=progress)
        file: partial[Path] = partial(data.source(source.name).identifier_values)
        for kind, paths in files.items():
            paths.append(str(file(kind)))
    connection = connect(settings=settings)
    try:
        yield SourceIdentifiers(connection, sets, files)
    finally:
        connection.close()


def _share(of_stays: bool, digits: int) -> float:
    if of_stays:
        return DENSE_STAYS
    return DENSE_IF_SHORT if digits <= SHORT else DENSE
