"""The names of a schema variant: what each schema, table and column is called instead.

Names are made from the published ones alone, so that they are the same on every machine and stay when others
are added. They are read aloud easily and mean nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from workbench.records import BadInput, Dictionary, SchemaVariant

CONSONANTS = "bdfgklmnprstvz"
VOWELS = "aeiou"
MERGED: tuple[tuple[str, ...], ...] = (
    ("mimiciv_icu.chartevents", "mimiciv_hosp.labevents"),
    ("mimiciv_hosp.patients", "mimiciv_hosp.admissions", "mimiciv_icu.icustays"),
    ("mimiciv_icu.inputevents", "mimiciv_icu.outputevents"),
    ("mimiciv_icu.d_items", "mimiciv_hosp.d_labitems"),
)
"""Tables that the restructured variant holds as one; a column says which row is of which."""
KINDS = "ABC"
KIND_COLUMN = "kind of row"
"""No published name: the column that tells merged tables apart is named from it."""


@dataclass(frozen=True)
class NewTable:
    """``name``: ``<schema>.<table>``; ``kind``: what the kind column holds in its rows, if it was merged."""

    name: str
    kind: str = ""

    @property
    def bare(self) -> str:
        return self.name.split(".")[1]


@dataclass(frozen=True, eq=False)
class SchemaNames:
    """One mapping for a whole database. Two are the same only if they are one.

    ``tables``: published qualified name to the new table; ``columns``: published name to new, one for all
    tables; ``of_table``: published columns of each published table, in order.
    """

    variant: SchemaVariant
    tables: Mapping[str, NewTable]
    schemas: Mapping[str, str]
    columns: Mapping[str, str]
    kind_column: str
    of_table: Mapping[str, Sequence[str]]

    @cached_property
    def merged(self) -> dict[str, list[str]]:
        """New table to the published ones in it, where there are several."""
        found: dict[str, list[str]] = {}
        for table, new in self.tables.items():
            found.setdefault(new.name, []).append(table)
        return {name: sorted(tables, key=self._kind) for name, tables in found.items() if len(tables) > 1}

    @cached_property
    def published(self) -> frozenset[str]:
        """Every published schema, bare table and column name, in lower case."""
        return frozenset(self.words)

    @cached_property
    def back(self) -> dict[str, str]:
        """New column name to the published one."""
        return {new: name for name, new in self.columns.items()}

    def table(self, published: str) -> NewTable:
        """Raises BadInput for a table that the dictionary does not know."""
        if published not in self.tables:
            raise BadInput(
                f"the dictionary does not describe the table {published}",
                remedy="Add it to tasks/dictionaries, with all its columns.",
            )
        return self.tables[published]

    @cached_property
    def words(self) -> dict[str, str]:
        """Every published bare name, in lower case, with its new one; a column's before a table's."""
        tables = {table.split(".")[1].lower(): new.bare for table, new in self.tables.items()}
        schemas = {schema.lower(): new for schema, new in self.schemas.items()}
        return tables | schemas | {column.lower(): new for column, new in self.columns.items()}

    def word(self, name: str) -> str:
        """The new name of a column, table or schema; of anything else, such as a step of SQL, its own."""
        return self.words.get(name.lower(), name)

    def column(self, published: str) -> str:
        """The new name of a column or of an output's column; what has no other name keeps its own."""
        return self.columns.get(published, published)

    def columns_of(self, new_table: str) -> list[str]:
        """The new table's columns in order, the kind first where tables were merged."""
        parts = self.merged.get(new_table) or [
            table for table, new in self.tables.items() if new.name == new_table
        ]
        names = [self.columns[name] for table in parts for name in self.of_table[table]]
        first = [self.kind_column] if new_table in self.merged else []
        return [*first, *dict.fromkeys(names)]

    def _kind(self, table: str) -> str:
        return self.tables[table].kind


def schema_names(dictionary: Dictionary, variant: SchemaVariant) -> SchemaNames:
    """The names of ``variant`` for all that the dictionary lists. ``variant`` is not the native one."""
    tables = {entry.name: list(entry.columns) for entry in dictionary.tables}
    taken: set[str] = {part.lower() for name in tables for part in name.split(".")}
    columns = sorted({column for names in tables.values() for column in names})
    taken |= {name.lower() for name in columns}
    schemas = _new_names(sorted({name.split(".")[0] for name in tables}), "s", 2, taken)
    groups = _groups(tables, variant)
    bare = _new_names([_joined(group) for group in groups], "t", 2, taken)
    new_columns = _new_names([KIND_COLUMN, *columns], "c", 3, taken)
    named: dict[str, NewTable] = {}
    for group in groups:
        name = f"{schemas[group[0].split('.')[0]]}.{bare[_joined(group)]}"
        kinds = KINDS[: len(group)] if len(group) > 1 else " "
        named |= {table: NewTable(name, kind.strip()) for table, kind in zip(group, kinds, strict=True)}
    return SchemaNames(
        variant=variant,
        tables={table: named[table] for table in tables},
        schemas=schemas,
        columns={name: new_columns[name] for name in columns},
        kind_column=new_columns[KIND_COLUMN],
        of_table=tables,
    )


def _groups(tables: Iterable[str], variant: SchemaVariant) -> list[tuple[str, ...]]:
    merged = MERGED if variant is SchemaVariant.RESTRUCTURED else ()
    together = {table for group in merged for table in group}
    return [*merged, *((table,) for table in sorted(set(tables) - together))]


def _joined(group: Sequence[str]) -> str:
    return "+".join(group)


def _new_names(names: Sequence[str], prefix: str, syllables: int, taken: set[str]) -> dict[str, str]:
    """A new name for each; ``taken`` grows by them."""
    found: dict[str, str] = {}
    for name in names:
        new = next(made for made in _spoken(f"{prefix} {name}", prefix, syllables) if made not in taken)
        taken.add(new)
        found[name] = new
    return found


def _spoken(seed: str, prefix: str, syllables: int) -> Iterator[str]:
    number = 0
    while True:
        digest = hashlib.sha256(f"{seed} {number}".encode()).digest()
        pairs = zip(digest[0::2], digest[1::2], strict=True)
        spoken = [CONSONANTS[one % len(CONSONANTS)] + VOWELS[two % len(VOWELS)] for one, two in pairs]
        yield f"{prefix}_{''.join(spoken[:syllables])}"
        number += 1
