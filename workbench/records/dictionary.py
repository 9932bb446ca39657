"""The data dictionary of a database: every table and column that agents may see, with its meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Self

from pydantic import Field, model_validator

from workbench.records.base import Part, Record
from workbench.records.errors import BadInput
from workbench.records.own_database import DatabaseName


class TableEntry(Part):
    """One table. ``name`` is ``<schema>.<table>``, ``about`` says what one row is, where it is from and how
    it joins; ``columns`` are in the table's order. ``meanings``: of columns that mean something else here
    than elsewhere.

    Texts have identifiers of the database in code type, with their published names.
    """

    name: str = Field(pattern=r"^[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*$")
    about: str
    columns: list[str] = Field(min_length=1)
    meanings: dict[str, str] = {}

    @property
    def schema_name(self) -> str:
        return self.name.split(".")[0]

    @property
    def bare(self) -> str:
        return self.name.split(".")[1]

    @model_validator(mode="after")
    def _own_columns(self) -> Self:
        twice = _repeated(self.columns)
        if twice:
            raise ValueError(f"table {self.name} lists columns twice: {', '.join(twice)}")
        lost = [name for name in self.meanings if name not in self.columns]
        if lost:
            raise ValueError(f"table {self.name} has meanings of columns that it lacks: {', '.join(lost)}")
        return self


class Dictionary(Record):
    """``tasks/dictionaries/<database>.toml``. ``columns``: what a column means wherever its table does not
    say otherwise.
    """

    database: DatabaseName
    columns: dict[str, str] = {}
    tables: list[TableEntry] = Field(min_length=1)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        twice = _repeated(table.name for table in self.tables)
        if twice:
            raise ValueError(f"tables that are there twice: {', '.join(twice)}")
        lacking = [
            f"{table.name}.{column}"
            for table in self.tables
            for column in table.columns
            if column not in table.meanings and column not in self.columns
        ]
        if lacking:
            raise ValueError(f"columns without a meaning: {', '.join(lacking)}")
        return self

    @cached_property
    def by_name(self) -> Mapping[str, TableEntry]:
        """The tables by qualified name, in order."""
        return {table.name: table for table in self.tables}

    def table(self, name: str) -> TableEntry:
        """The table ``<schema>.<table>``. Raises BadInput where it is not described."""
        if name not in self.by_name:
            raise BadInput(
                f"the dictionary of {self.database} does not describe the table {name}",
                remedy=f"Add it to tasks/dictionaries/{self.database}.toml, with all its columns.",
            )
        return self.by_name[name]

    def meaning(self, table: str, column: str) -> str:
        """What ``column`` of the table ``<schema>.<table>`` means. Raises BadInput where it is not there."""
        entry = self.table(table)
        if column not in entry.columns:
            raise BadInput(
                f"the dictionary of {self.database} does not describe the column {column} of {table}",
                remedy=f"Add it to tasks/dictionaries/{self.database}.toml.",
            )
        return entry.meanings.get(column, self.columns.get(column, ""))


def _repeated(names: Iterable[str]) -> list[str]:
    listed = list(names)
    return sorted({name for name in listed if listed.count(name) > 1})
