"""Data dictionaries: whole beside the published schema, identifiers that exist, no name of the database."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.catalog import Content
from workbench.checks.finding import Report
from workbench.checks.words import ITEM_ID, SQL_WORDS, code_words, named_tables, telling_columns, words_of
from workbench.ehr import DERIVED_SCHEMA, ROUNDED, STEADY, PublishedSchema, schema_of
from workbench.records import Dictionary, TableEntry, Task

NEEDED = ("mimic-iv",)
"""Databases whose names may be changed, so that agents need a dictionary."""
FORBIDDEN = re.compile(r"mimic|\beicu|physionet|\bbidmc|beth israel|metavision", re.IGNORECASE)
"""Names that say which database it is, or where from."""
UNMISTAKABLE = re.compile(r"[_\d]|(item|order)id$|(uom|num)$")
"""Column names that are no plain words."""
MOST_CHARACTERS = 500
CODE = re.compile(r"`[^`]*`")
WHOLE = "Describe each, with its columns in order."
NO_RECIPE = "Say what is in the column, not how to work it out."


@dataclass(frozen=True)
class _Text:
    """One text: ``place`` in the document; what it is ``about``; ``table`` empty for a shared meaning."""

    place: Sequence[str | int]
    about: str
    text: str
    table: str = ""


@dataclass(frozen=True)
class _Fault:
    """What is wrong with one text."""

    rule: str
    what: str
    remedy: str


def dictionary_databases(content: Content) -> list[str]:
    """The databases that need or have a dictionary."""
    there = [path.stem for path in sorted(content.paths.dictionaries.glob("*.toml"))]
    return list(dict.fromkeys([*NEEDED, *there]))


def check_dictionary(content: Content, database: str, tasks: Sequence[Task], report: Report) -> None:
    """One dictionary. Raises BadInput where it cannot be read or its database is not known."""
    path, dictionary = content.paths.dictionary(database), content.dictionary(database)
    _whole(dictionary, schema_of(content, database), path, report)
    if database == "mimic-iv":
        _concepts(dictionary, [task for task in tasks if task.database == database], path, report)
    known = {name for table in dictionary.tables for name in table.columns}
    telling = {name for name in known if UNMISTAKABLE.search(name)} | telling_columns()
    for text in _texts(dictionary):
        for fault in (*_words(text), *_outside(text, telling), *_inside(text, dictionary, known)):
            report.add(fault.rule, path, f"{text.about} {fault.what}", fault.remedy, text.place)


def _texts(dictionary: Dictionary) -> Iterator[_Text]:
    for column, meaning in dictionary.columns.items():
        yield _Text(("columns", column), f"the meaning of {column}", meaning)
    for number, table in enumerate(dictionary.tables):
        yield _Text(("tables", number, "about"), f"'about' of {table.name}", table.about, table.name)
        for column, meaning in table.meanings.items():
            place = ("tables", number, "meanings", column)
            yield _Text(place, f"the meaning of {table.name}.{column}", meaning, table.name)


def _whole(dictionary: Dictionary, schema: PublishedSchema, path: Path, report: Report) -> None:
    """Tables and columns as published, in order; concepts are no part of the published schema."""
    lacking = [name for name in schema.names if name not in dictionary.by_name]
    report.none("dictionary-tables", path, "lacks tables", lacking, WHOLE, 1)
    for number, table in enumerate(dictionary.tables):
        if table.name in schema.names:
            faults = list(_columns(table, list(schema.table(table.name).types)))
        else:
            wrong = _Fault("dictionary-tables", "is no published table", "Correct its name, or take it out.")
            faults = [] if table.schema_name == DERIVED_SCHEMA else [wrong]
        for fault in faults:
            what = f"{table.name} {fault.what}"
            report.add(fault.rule, path, what, fault.remedy, ("tables", number, "name"))
    taken = {name for table in dictionary.tables for name in table.columns if name not in table.meanings}
    for column in (name for name in dictionary.columns if name not in taken):
        what = f"no table takes the meaning of {column} from here"
        remedy = "Take it out, or let a table take it."
        report.add("dictionary-columns", path, what, remedy, ("columns", column))


def _columns(table: TableEntry, published: list[str]) -> Iterator[_Fault]:
    lacking = [name for name in published if name not in table.columns]
    more = [name for name in table.columns if name not in published]
    if lacking:
        what = f"lacks columns: {', '.join(lacking)}"
        yield _Fault("dictionary-columns", what, "Add them, each with a meaning.")
    if more:
        what = f"has columns that are not published: {', '.join(more)}"
        yield _Fault("dictionary-columns", what, "Correct their names, or take them out.")
    if not lacking and not more and table.columns != published:
        what = "has its columns in another order than published"
        yield _Fault("dictionary-columns", what, f"In order: {', '.join(published)}.")


def _concepts(dictionary: Dictionary, tasks: Iterable[Task], path: Path, report: Report) -> None:
    """Every concept that a task names or a reference may read is described."""
    named = {name for task in tasks for name in (*task.removed_tables, task.reference_concept) if name}
    wanted = {f"{DERIVED_SCHEMA}.{name}" for name in named | STEADY | ROUNDED}
    lacking = sorted(wanted - set(dictionary.by_name))
    report.none("dictionary-tables", path, "lacks concepts", lacking, WHOLE, 1)


def _words(text: _Text) -> Iterator[_Fault]:
    bare = CODE.sub(" ", text.text)
    if not text.text.strip():
        yield _Fault("dictionary-text", "is empty", "Say it in a few words, with the unit.")
    if "\n" in text.text or len(text.text) > MOST_CHARACTERS:
        what = f"is not one line of at most {MOST_CHARACTERS} characters"
        yield _Fault("dictionary-text", what, "Say it in fewer words.")
    if told := {found[0] for found in FORBIDDEN.finditer(bare)}:
        remedy = "Agents who get this must not know; say it otherwise."
        yield _Fault("dictionary-words", f"tells which database it is: {_listed(told)}", remedy)
    if items := set(ITEM_ID.findall(text.text)):
        yield _Fault("dictionary-recipe", f"has item ids: {_listed(items)}", NO_RECIPE)
    if sql := {found[0] for found in SQL_WORDS.finditer(text.text)}:
        yield _Fault("dictionary-recipe", f"has words of SQL: {_listed(sql)}", NO_RECIPE)


def _outside(text: _Text, telling: set[str]) -> Iterator[_Fault]:
    """Names that are no plain words stand in code type."""
    bare = CODE.sub(" ", text.text)
    if outside := (words_of(bare) & telling) | set(named_tables(bare)):
        remedy = "Write identifiers in code type; they are renamed there."
        yield _Fault("dictionary-names", f"has outside of code type: {_listed(outside)}", remedy)


def _inside(text: _Text, dictionary: Dictionary, known: set[str]) -> Iterator[_Fault]:
    """In code type stand tables, qualified, and columns of the table itself or of one that is named there."""
    if text.text.count("`") % 2:
        yield _Fault("dictionary-names", "has a code type that does not end", "Close it.")
        return
    spans = set(code_words(text.text))
    tables = spans & dictionary.by_name.keys()
    near = [dictionary.by_name[name] for name in {*tables, text.table} - {""}]
    columns = {name for table in near for name in table.columns} if text.table else known
    if rest := spans - tables - columns:
        remedy = "Name a table as `schema.table`, and a column of another table beside that table."
        yield _Fault("dictionary-names", f"has in code type what is not there: {_listed(rest)}", remedy)
    if lost := {name for name in tables if name.startswith(f"{DERIVED_SCHEMA}.")}:
        what = f"names tables that a task may lack: {_listed(lost)}"
        yield _Fault("dictionary-names", what, "Name tables of the source only.")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
