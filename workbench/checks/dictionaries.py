"""Data dictionaries: whole beside the published schema, identifiers that exist, no name of the database."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.catalog import Content, line_of
from workbench.checks.finding import (
    ITEM_ID,
    SQL_WORDS,
    Report,
    code_words,
    named_tables,
    telling_columns,
    words_of,
)
from workbench.ehr import DERIVED_SCHEMA, ROUNDED, STEADY, published_schema
from workbench.records import Dictionary, TableEntry, Task

NEEDED = ("mimic-iv",)
"""Databases whose names may be changed, so that agents need a dictionary."""
FORBIDDEN = re.compile(r"mimic|\beicu|physionet|\bbidmc|beth israel|metavision", re.IGNORECASE)
"""Names that say which database it is, or where from."""
UNMISTAKABLE = re.compile(r"[_\d]|(item|order)id$|(uom|num)$")
"""Column names that are no plain words."""
MOST_CHARACTERS = 500
CODE = re.compile(r"`[^`]*`")
IN_CODE = "Write identifiers in code type; they are renamed there."


@dataclass(frozen=True)
class _Text:
    """One text: ``place`` in the document; ``what`` it is about; ``table`` empty for a shared meaning."""

    place: Sequence[str | int]
    what: str
    text: str
    table: str = ""


def dictionary_databases(content: Content) -> list[str]:
    """The databases that need or have a dictionary."""
    there = [path.stem for path in sorted(content.paths.dictionaries.glob("*.toml"))]
    return list(dict.fromkeys([*NEEDED, *there]))


def check_dictionary(content: Content, database: str, tasks: Sequence[Task], report: Report) -> None:
    """One dictionary. Raises BadInput where it cannot be read or its database has no published schema."""
    path, dictionary = content.paths.dictionary(database), content.dictionary(database)
    source = content.text(path)
    _whole(dictionary, path, source, report)
    if database == "mimic-iv":
        _concepts(dictionary, [task for task in tasks if task.database == database], path, report)
    known = {name for table in dictionary.tables for name in table.columns}
    unmistakable = {name for name in known if UNMISTAKABLE.search(name)} | telling_columns()
    for text in _texts(dictionary):
        where = f"line {line_of(source, text.place)}: {text.what}"
        _words(text, where, path, report)
        _identifiers(text, dictionary, known, where, path, report)
        bare = CODE.sub(" ", text.text)
        outside = (words_of(bare) & unmistakable) | set(named_tables(bare))
        report.none("dictionary-names", path, f"{where} has outside of code type", sorted(outside), IN_CODE)


def _texts(dictionary: Dictionary) -> Iterator[_Text]:
    for column, meaning in dictionary.columns.items():
        yield _Text(("columns", column), f"the meaning of {column}", meaning)
    for number, table in enumerate(dictionary.tables):
        yield _Text(("tables", number, "about"), f"'about' of {table.name}", table.about, table.name)
        for column, meaning in table.meanings.items():
            place = ("tables", number, "meanings", column)
            yield _Text(place, f"the meaning of {table.name}.{column}", meaning, table.name)


def _whole(dictionary: Dictionary, path: Path, source: str, report: Report) -> None:
    """Tables and columns as published, in order; concepts are no part of the published schema."""
    described, schema = dictionary.by_name, published_schema(dictionary.database)
    lacking = [name for name in schema.names if name not in described]
    report.none(
        "dictionary-tables", path, "lacks tables", lacking, "Describe each, with its columns in order."
    )
    for number, table in enumerate(dictionary.tables):
        where = f"line {line_of(source, ('tables', number, 'name'))}: {table.name}"
        if table.name in schema.names:
            _columns(table, list(schema.table(table.name).types), where, path, report)
        elif table.schema_name != DERIVED_SCHEMA:
            report.add("dictionary-tables", path, f"{where} is no published table", "Take it out.")
    own = {name for table in dictionary.tables for name in table.columns if name not in table.meanings}
    for column in dictionary.columns:
        if column not in own:
            line = line_of(source, ("columns", column))
            report.add(
                "dictionary-columns", path, f"line {line}: no table takes the meaning of {column} from here",
                "Take it out, or out of the tables that say the same.",
            )  # fmt: skip


def _columns(table: TableEntry, published: list[str], where: str, path: Path, report: Report) -> None:
    lacking = [name for name in published if name not in table.columns]
    more = [name for name in table.columns if name not in published]
    report.none("dictionary-columns", path, f"{where} lacks columns", lacking, "Add them, with a meaning.")
    report.none("dictionary-columns", path, f"{where} has columns that are not published", more)
    if not lacking and not more and table.columns != published:
        report.add(
            "dictionary-columns", path, f"{where} has its columns in another order",
            f"In order: {', '.join(published)}.",
        )  # fmt: skip


def _concepts(dictionary: Dictionary, tasks: Iterable[Task], path: Path, report: Report) -> None:
    """Every concept that a task names or a reference may read is described."""
    named = {name for task in tasks for name in (*task.removed_tables, task.reference_concept) if name}
    wanted = {f"{DERIVED_SCHEMA}.{name}" for name in named | STEADY | ROUNDED}
    lacking = sorted(wanted - set(dictionary.by_name))
    report.none(
        "dictionary-tables", path, "lacks concepts", lacking, "Describe each, with its columns in order."
    )


def _words(text: _Text, where: str, path: Path, report: Report) -> None:
    if not text.text.strip():
        report.add("dictionary-text", path, f"{where} is empty", "Say it in a few words, with the unit.")
    if "\n" in text.text or len(text.text) > MOST_CHARACTERS:
        report.add(
            "dictionary-text", path, f"{where}: write one line of at most {MOST_CHARACTERS} characters"
        )
    told = sorted({found[0] for found in FORBIDDEN.finditer(CODE.sub(" ", text.text))})
    report.none(
        "dictionary-words", path, f"{where} tells which database it is", told,
        "Agents who get this must not know; say it otherwise.",
    )  # fmt: skip
    report.none("dictionary-recipe", path, f"{where} has item ids", sorted(set(ITEM_ID.findall(text.text))))
    sql = sorted({found[0] for found in SQL_WORDS.finditer(text.text)})
    report.none("dictionary-recipe", path, f"{where} has words of SQL", sql)


def _identifiers(
    text: _Text, dictionary: Dictionary, known: set[str], where: str, path: Path, report: Report
) -> None:
    """In code type stand tables, qualified, and columns of the table itself or of one that is named there."""
    if text.text.count("`") % 2:
        report.add("dictionary-names", path, f"{where}: a code type that does not end", "Close it.")
        return
    spans = list(code_words(text.text))
    tables = [span for span in spans if span in dictionary.by_name]
    near = [dictionary.by_name[name] for name in (*tables, text.table) if name in dictionary.by_name]
    columns = {name for table in near for name in table.columns} if text.table else known
    rest = [span for span in spans if span not in tables and span not in columns]
    report.none(
        "dictionary-names", path, f"{where} has in code type what is not there", rest,
        "Name a table as `schema.table`, and a column of another table beside that table.",
    )  # fmt: skip
    report.none(
        "dictionary-names", path, f"{where} names tables that a task may lack",
        [name for name in tables if name.startswith(f"{DERIVED_SCHEMA}.")],
        "Name tables of the source only.",
    )  # fmt: skip
