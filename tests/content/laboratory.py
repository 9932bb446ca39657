"""A source in memory on which a family's SQL runs many times, as it is and altered."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from duckdb import CatalogException

from workbench.catalog import Content
from workbench.ehr import ConceptSql, Connection, connect, ensure_concepts
from workbench.ehr.concept_build import concepts_read
from workbench.ehr.connect import literal, qualified
from workbench.ehr.schema import DERIVED_SCHEMA
from workbench.records import ContentPaths, DataPaths, Source, Task
from workbench.sql import build_order, reads

EVERY_EDIT = "EVERY_EDIT"
"""Environment variable: with it all edits are tried, which takes most of an hour."""
MUTATIONS = Path(__file__).with_name("mutations")
SORTED_BY = {
    **dict.fromkeys(["chartevents", "labevents", "inputevents", "outputevents", "procedureevents"], "itemid"),
    "nursecharting": "nursingchartcelltypevallabel",
    "intakeoutput": "celllabel",
    "respiratorycharting": "respchartvaluelabel",
}
"""Large tables by the column that SQL looks for, so that most of their rows are never read."""


@dataclass(frozen=True)
class Mutation:
    """``old`` of a script becomes ``new``, everywhere it stands."""

    family: str
    database: str
    rule: str
    script: str  # reference, or the name of a concept that it reads
    old: str
    new: str
    witnessed: str = ""  # the id of a witness case of the family that notices it, too

    def apply(self, text: str) -> str:
        assert self.old in text, f"the mutation of {self.rule} does not fit {self.script} any more"
        assert self.old != self.new
        return self.replaced(text)

    def replaced(self, text: str) -> str:
        """``text`` with the change where it applies, if it does."""
        return text.replace(self.old, self.new)


def mutations() -> list[Mutation]:
    """All of tests/content/mutations/<family>[.eicu].toml."""
    found = []
    for path in sorted(MUTATIONS.glob("*.toml")):
        family, _, database = path.stem.partition(".")
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutation"]:
            found.append(Mutation(family=family, database=database or "mimic-iv", **entry))
    return found


def tried(items: Sequence[Mutation], most: int, of: Callable[[Mutation], tuple[str, ...]]) -> list[Mutation]:
    """The first ``most`` edits of each kind that ``of`` tells apart; all of them with ``EVERY_EDIT``."""
    if os.environ.get(EVERY_EDIT):
        return list(items)
    counts: dict[tuple[str, ...], int] = {}
    found = []
    for item in items:
        counts[of(item)] = counts.get(of(item), 0) + 1
        if counts[of(item)] <= most:
            found.append(item)
    return found


def _tasks() -> list[Task]:
    """The project's tasks; not one's own."""
    entries = Content(ContentPaths(Path(__file__).resolve().parents[2])).entries()
    return [task for entry in entries if not entry.paths.own for task in entry.readable_tasks]


def targets() -> list[tuple[str, str, str]]:
    """Family, database and target of every reference that the project's tasks declare."""
    return sorted({(task.family, task.database, target.name) for task in _tasks() for target in task.targets})


def families(database: str = "") -> list[str]:
    """Names of the families with a task on ``database``, or on any."""
    return sorted({family for family, where, _ in targets() if database in ("", where)})


def compared() -> list[str]:
    """Names of the families with a pinned concept to compare with."""
    return sorted({task.family for task in _tasks() if task.reference_concept})


def named(items: Sequence[Mutation]) -> list[str]:
    """Ids that stay when another file changes."""
    seen: dict[tuple[str, str, str], int] = {}
    names = []
    for item in items:
        key = (item.family, item.database, item.rule)
        seen[key] = seen.get(key, 0) + 1
        names.append(f"{item.family}-{item.database}-{item.rule}-{seen[key]}")
    return names


class Laboratory:
    """``connection`` holds the raw tables and concepts that were asked for, loaded once.

    With ``shuffled`` their rows are stored in an order of no meaning.
    """

    def __init__(
        self, data: DataPaths, source: Source, concept_sql: ConceptSql, *, shuffled: bool = False
    ) -> None:
        self._data, self._source, self._sql = data, source, concept_sql
        self._shuffled = shuffled
        self._texts = concept_sql.texts()
        self._loaded: set[str] = set()
        self._digests: dict[str, tuple[object, ...]] = {}
        self.connection: Connection = connect()
        for schema in sorted({table.table.split(".")[0] for table in source.tables} | {DERIVED_SCHEMA}):
            self.connection.execute(f"CREATE SCHEMA {schema}")

    def close(self) -> None:
        self.connection.close()

    def load(self, tables: set[str]) -> None:
        """Bring raw tables and concepts (qualified names) into memory."""
        prefix = f"{DERIVED_SCHEMA}."
        concepts = [name.removeprefix(prefix) for name in sorted(tables) if name.startswith(prefix)]
        if concepts:
            ensure_concepts(self._data, self._source, self._sql, concepts)
        paths = self._data.source(self._source.name)
        for name in sorted(tables - self._loaded):
            concept = name.startswith(prefix)
            column = "random()" if self._shuffled else SORTED_BY.get(name.split(".")[1], "")
            order = f" ORDER BY {column}" if column else ""
            file = (
                paths.concept(self._sql.revision, name.removeprefix(prefix)) if concept else paths.table(name)
            )
            self.connection.execute(
                f"CREATE OR REPLACE TABLE {qualified(name)} AS FROM read_parquet({literal(str(file))}){order}"
            )
            self._loaded.add(name)

    def derive(self, sql: str, table: str) -> int:
        """Run one SELECT into a temporary table; its number of rows."""
        statement = f"CREATE OR REPLACE TEMP TABLE {table} AS\n{sql.rstrip().rstrip(';')}\n"
        self._digests.pop(table, None)
        try:
            self.connection.execute(statement)
        except CatalogException:  # parsing costs as much as running: only for tables not yet here
            self.load({name for name in reads(sql) if "." in name})
            self.connection.execute(statement)
        return int(self.connection.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0])

    def differs(self, before: str, sql: str) -> bool:
        """Whether the answer of ``sql`` has other rows than the table ``before``, in whatever order."""
        self.derive(sql, "mutant")
        if before not in self._digests:
            self._digests[before] = self._digest(before)
        return self._digest("mutant") != self._digests[before]

    def _digest(self, table: str) -> tuple[object, ...]:
        answer = self.connection.execute(
            f"SELECT count(*), sum(hash({table})), bit_xor(hash({table})) FROM {table}"
        )
        return answer.fetchall()[0]

    @contextmanager
    def altered(self, mutation: Mutation, reference: str) -> Iterator[None]:
        """The concept's script altered, it and what ``reference`` reads through it built again."""
        needed = self._below(reads(reference))
        name = mutation.script
        assert name in needed, f"the reference does not read {name}"
        texts = {concept: self._texts[concept] for concept in needed}
        texts[name] = mutation.apply(texts[name])
        affected = [name]
        for other in build_order(texts):
            if other not in affected and set(concepts_read(texts[other], self._texts)) & set(affected):
                affected.append(other)
        self.load({f"{DERIVED_SCHEMA}.{concept}" for concept in needed})
        for concept in affected:
            self.load({table for table in reads(texts[concept]) if not table.startswith(DERIVED_SCHEMA)})
        try:
            for concept in affected:
                self.connection.execute(texts[concept])
            yield
        finally:
            again = {f"{DERIVED_SCHEMA}.{concept}" for concept in affected}
            self._loaded -= again
            self.load(again)

    def _below(self, tables: set[str]) -> set[str]:
        """The concepts among ``tables`` with all that they read."""
        found: set[str] = set()
        waiting = [name.split(".")[1] for name in tables if name.startswith(f"{DERIVED_SCHEMA}.")]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += concepts_read(self._texts[name], self._texts)
        return found
