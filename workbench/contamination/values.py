"""A table-like file beside the reference by its values: under other names, orders, roundings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.contamination.comparison import comparable
from workbench.contamination.fingerprint import CANARY_PREFIX
from workbench.ehr.connect import connect, identifier, literal
from workbench.records import Task

MAX_ROWS = 200_000
MAX_COLUMNS = 60
LEAST_OVERLAP = 0.8
"""Share of a column's values that must be known ones for it to be taken for a key under another name."""


@dataclass(frozen=True)
class Agreement:
    """A file beside the reference, in scored values. ``guess``: share that the commonest values would hit.

    ``rows`` of the file, ``partners`` of them with a row of the reference; ``cells`` compared, ``equal`` of
    them; ``renamed``: columns have other names, or texts another case;
    ``positions``: places of its rows in the reference.
    """

    rows: int
    partners: int
    cells: int
    equal: int
    guess: float
    renamed: bool
    positions: Sequence[int]

    @property
    def share(self) -> float:
        return self.equal / self.cells if self.cells else 0.0


@dataclass(frozen=True)
class SameFaults:
    """Values that both have wrong, and that either has. ``explained``: one rule makes all of them wrong."""

    both: int
    either: int
    explained: bool


class Values:
    """One reference, and tables of values beside it. Raises the engine's error where one is not."""

    def __init__(self, reference: Path, task: Task, column_names: Mapping[str, str]) -> None:
        self._task = task
        self._own = column_names
        self._connection = connect(threads=1)
        self._connection.execute(
            "CREATE TEMP TABLE reference AS SELECT * EXCLUDE (file_row_number), file_row_number AS position_ "
            f"FROM read_parquet({literal(str(reference))}, file_row_number = true)"
        )
        self._types = {
            str(row[0]): str(row[1])
            for row in self._connection.execute("DESCRIBE reference").fetchall()
            if not str(row[0]).lower().startswith(CANARY_PREFIX) and row[0] != "position_"
        }
        self._keys = [key.name for key in task.keys if key.name in self._types]
        self._scored = [column.name for column in task.scored_columns if column.name in self._types]
        self._tolerance = {column.name: column.tolerance for column in task.scored_columns}
        self._loaded = 0

    def __enter__(self) -> Values:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def load(self, path: Path, name: str = "") -> tuple[str, Agreement] | None:
        """Read a file; gives the name of its table of faults, and how it agrees. None where it has no key."""
        reader = comparable(name or path.name)
        if not reader or not self._keys or not self._scored:
            return None
        self._loaded += 1
        given, joined, faults = (f"{kind}_{self._loaded}" for kind in ("given", "joined", "faults"))
        run = self._connection.execute
        described = run(f"DESCRIBE SELECT * FROM {reader}", {"file": str(path)}).fetchall()
        offered = [str(row[0]) for row in described][:MAX_COLUMNS]
        texts = ", ".join(
            f"nullif(trim(CAST({identifier(column)} AS VARCHAR)), '') AS {identifier(column)}"
            for column in offered
        )
        run(
            f"CREATE TEMP TABLE {given} AS SELECT row_number() OVER () AS given_, {texts} FROM {reader} "
            f"LIMIT {MAX_ROWS}",
            {"file": str(path)},
        )
        found = self._columns(given, offered)
        if found is None:
            return None
        columns, renamed = found
        same = " AND ".join(
            _key(f"g.{identifier(columns[key])}", f"r.{identifier(key)}", self._types[key])
            for key in self._keys
        )
        run(
            f"CREATE TEMP TABLE {joined} AS SELECT g.*, r.position_ FROM {given} g "
            f"JOIN reference r ON {same} LIMIT {2 * MAX_ROWS}"
        )
        renamed = self._scored_columns(joined, offered, columns) or renamed
        cells = self._faults(joined, faults, columns)
        renamed = renamed or self._other_case(joined, columns)
        rows, partners = (
            int(run(f"SELECT count(*) FROM {table}").fetchall()[0][0]) for table in (given, joined)
        )
        wrong = int(run(f"SELECT count(*) FROM {faults}").fetchall()[0][0])
        positions = run(f"SELECT position_ FROM {joined} ORDER BY given_").fetchall()
        agreement = Agreement(
            rows,
            partners,
            cells,
            cells - wrong,
            self._guess(columns),
            renamed,
            [int(row[0]) for row in positions],
        )
        return faults, agreement

    def same_faults(self, first: str, second: str) -> SameFaults:
        """Two tables of faults beside each other."""
        run = self._connection.execute
        both, ours, theirs = run(
            f"SELECT (SELECT count(*) FROM {first} JOIN {second} USING (position_, column_, value_)), "
            f"(SELECT count(*) FROM {first}), (SELECT count(*) FROM {second})"
        ).fetchall()[0]
        return SameFaults(int(both), int(ours + theirs - both), self._explained(first))

    def _explained(self, faults: str) -> bool:
        """Whether all rows with some right value are wrong in one way: a rule misread, not rows copied."""
        for name in self._scored:
            known = _text(f"r.{identifier(name)}")
            rows = self._connection.execute(
                f"SELECT count(*), (SELECT count(*) FROM reference r WHERE {known} = f.known_) "
                f"FROM {faults} f WHERE column_ = $name GROUP BY known_, value_",
                {"name": name},
            ).fetchall()
            if rows and all(10 * int(wrong) >= 9 * int(all_) for wrong, all_ in rows):
                return True
        return False

    def _columns(self, given: str, offered: Sequence[str]) -> tuple[dict[str, str], bool] | None:
        """The file's columns for keys and scored columns: by name, or for a key by its values."""
        lowered = {self._own.get(name.strip().lower(), name.strip().lower()): name for name in offered}
        columns = {name: lowered[name] for name in (*self._keys, *self._scored) if name in lowered}
        renamed = False
        for key in self._keys:
            if key in columns:
                continue
            free = [name for name in offered if name not in columns.values()]
            scored = [(self._overlap(given, name, key), name) for name in free]
            best, name = max(scored, default=(0.0, ""))
            if best < LEAST_OVERLAP:
                return None
            columns[key], renamed = name, True
        return columns, renamed

    def _overlap(self, given: str, name: str, key: str) -> float:
        known = _text(f"{identifier(key)}")
        row = self._connection.execute(
            f"WITH a AS (SELECT DISTINCT {_text(identifier(name))} AS v FROM {given} "
            f"WHERE {identifier(name)} IS NOT NULL), b AS (SELECT DISTINCT {known} AS v FROM reference) "
            "SELECT (SELECT count(*) FROM a JOIN b USING (v)), (SELECT count(*) FROM a), "
            "(SELECT count(*) FROM b)"
        ).fetchall()[0]
        return float(row[0]) / max(1, int(row[1]), int(row[2]) // 2)

    def _scored_columns(self, joined: str, offered: Sequence[str], columns: dict[str, str]) -> bool:
        """Find scored columns under other names by how well they agree; whether any was found so."""
        missing = [name for name in self._scored if name not in columns]
        found = False
        for name in missing:
            free = [item for item in offered if item not in columns.values()]
            if not free:
                break
            sums = ", ".join(
                "count_if("
                + _same(f"j.{identifier(item)}", f"r.{identifier(name)}", self._types[name], self._near(name))
                + ")"
                for item in free
            )
            row = self._connection.execute(
                f"SELECT count(*), {sums} FROM {joined} j JOIN reference r USING (position_)"
            ).fetchall()[0]
            best, item = max(zip(row[1:], free, strict=True))
            if int(row[0]) and int(best) >= 0.6 * int(row[0]):
                columns[name], found = item, True
        return found

    def _faults(self, joined: str, faults: str, columns: Mapping[str, str]) -> int:
        """Make the table of values that differ; gives how many were compared."""
        run = self._connection.execute
        run(f"CREATE TEMP TABLE {faults} (position_ BIGINT, column_ VARCHAR, value_ VARCHAR, known_ VARCHAR)")
        cells = 0
        for name in self._scored:
            if name not in columns:
                continue
            given, known = f"j.{identifier(columns[name])}", f"r.{identifier(name)}"
            run(
                f"INSERT INTO {faults} SELECT position_, $name, {_text(given)}, {_text(known)} "
                f"FROM {joined} j JOIN reference r USING (position_) "
                f"WHERE NOT {_same(given, known, self._types[name], self._near(name))}",
                {"name": name},
            )
            cells += int(run(f"SELECT count(*) FROM {joined}").fetchall()[0][0])
        return cells

    def _other_case(self, joined: str, columns: Mapping[str, str]) -> bool:
        """Whether texts are spelled in another case."""
        for name in self._scored:
            if self._types[name] == "VARCHAR" and name in columns:
                given, known = f"j.{identifier(columns[name])}", f"trim(r.{identifier(name)})"
                row = self._connection.execute(
                    f"SELECT count(*) FROM {joined} j JOIN reference r USING (position_) "
                    f"WHERE {given} <> {known} AND lower({given}) = lower({known})"
                ).fetchall()[0]
                if row[0]:
                    return True
        return False

    def _guess(self, columns: Mapping[str, str]) -> float:
        shares = [
            float(
                self._connection.execute(
                    f"SELECT coalesce(max(n) / sum(n), 1) FROM (SELECT count(*) AS n FROM reference "
                    f"GROUP BY {identifier(name)})"
                ).fetchall()[0][0]
            )
            for name in self._scored
            if name in columns
        ]
        return sum(shares) / len(shares) if shares else 1.0

    def _near(self, name: str) -> float:
        return self._tolerance.get(name, 0.0) + 1e-9


def _text(value: str) -> str:
    """SQL of a value's one spelling: numbers without trailing zeros, text in lower case."""
    text = f"lower(trim(CAST({value} AS VARCHAR)))"
    return f"coalesce(CAST(TRY_CAST({text} AS DOUBLE) AS VARCHAR), {text}, '')"


def _key(given: str, known: str, kind: str) -> str:
    """SQL of an equality that an index can be made of."""
    if kind.startswith(("TIMESTAMP", "DATE")):
        return f"TRY_CAST({given} AS TIMESTAMP) = CAST({known} AS TIMESTAMP)"
    if kind == "VARCHAR":
        return f"lower({given}) = lower(trim({known}))"
    return f"TRY_CAST({given} AS DOUBLE) = CAST({known} AS DOUBLE)"


def _same(given: str, known: str, kind: str, near: float) -> str:
    """SQL for 'the given text means the known value', rounded values included; two missing values do."""
    if kind.startswith(("TIMESTAMP", "DATE")):
        same = f"TRY_CAST({given} AS TIMESTAMP) = CAST({known} AS TIMESTAMP)"
    elif kind == "VARCHAR":
        same = f"lower({given}) = lower(trim({known}))"
    else:
        places = f"length(regexp_extract({given}, '\\.(\\d+)$', 1))"
        rounded = f"CASE WHEN {places} > 0 THEN 0.5 * pow(10, -{places}) ELSE 0 END"
        slack = rounded if kind in ("DOUBLE", "FLOAT") or kind.startswith("DECIMAL") else "0"
        same = f"abs(TRY_CAST({given} AS DOUBLE) - CAST({known} AS DOUBLE)) <= {near!r} + {slack}"
    return f"(({given} IS NULL AND {known} IS NULL) OR coalesce({same}, false))"
