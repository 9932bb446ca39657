"""Words that texts may not hold: names of tables and columns, item ids, SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from workbench.ehr import PublishedSchema, published_schema
from workbench.records import PUBLISHED_DATABASES

ITEM_ID = re.compile(r"\b\d{5,6}\b")
SQL_WORDS = re.compile(
    r"\b(SELECT|FROM \w+\.|GROUP BY|ORDER BY|PARTITION BY|LEFT JOIN|INNER JOIN|FULL JOIN|COALESCE)\b"
)
EMPTY_LINE = "Put an empty line before a list; turn the line over elsewhere if it is a minus sign."
PLAIN_WORDS = frozenset(
    {
        "prescriptions",
        "services",
        "admissions",
        "patients",
        "transfers",
        "pharmacy",
        "provider",
        "caregiver",
        "patient",
        "lab",
        "medication",
        "diagnosis",
        "treatment",
        "note",
        "hospital",
        "allergy",
    }
)
"""Table names that are plain words too; they still may not stand in code type."""
UNMISTAKABLE = re.compile(r"[_\d]")
"""In a name of the user's own: it is no plain word."""


@cache
def table_names() -> frozenset[str]:
    """Bare names of all published tables of all databases."""
    schemas = [published_schema(database) for database in PUBLISHED_DATABASES]
    return frozenset(table.bare for schema in schemas for table in schema.tables)


@cache
def telling_columns() -> frozenset[str]:
    """Published column names that are no plain words: with an underscore, or a time."""
    schemas = [published_schema(database) for database in PUBLISHED_DATABASES]
    return frozenset(name for schema in schemas for name in _telling(schema))


def telling_in(schema: PublishedSchema) -> frozenset[str]:
    """Those of one's own database, too."""
    return telling_columns() | frozenset(_telling(schema)) if schema.own else telling_columns()


def _telling(schema: PublishedSchema) -> Iterator[str]:
    for table in schema.tables:
        yield from (name for name in table.types if "_" in name or name.endswith("time"))


def words_of(text: str) -> set[str]:
    """Lower-case words, underscores being letters."""
    return set(re.findall(r"[a-z_0-9]+", text.lower()))


def code_words(text: str) -> Iterator[str]:
    """What stands in code type."""
    yield from re.findall(r"`([^`]+)`", text)


def unmeant_bullets(text: str) -> list[int]:
    """Lines, from 1, that begin a list right below running text: often a minus sign at a line's start."""
    found, in_text, in_list, in_code = [], False, False, False
    for number, line in enumerate(text.split("\n"), 1):
        in_code ^= line.startswith("```")
        bullet = re.match(r"\s*([-*+]|\d+[.)]) ", line) is not None
        if bullet and in_text and not in_list and not in_code:
            found.append(number)
        in_list = bullet or (in_list and line.strip() != "")
        in_text = line.strip() != "" and not line.startswith(("#", "|", "```"))
    return found


def named_tables(text: str, schema: PublishedSchema | None = None) -> list[str]:
    """Tables that a text names, of the published databases and of ``schema``: unmistakable names anywhere,
    plain words in code type.
    """
    own = {table.bare for table in schema.tables} if schema is not None and schema.own else set()
    unmistakable = (table_names() - PLAIN_WORDS) | {name for name in own if UNMISTAKABLE.search(name)}
    in_code = set(code_words(text))
    own_in_code = {word.split(".")[-1] for word in in_code} & own
    return sorted((words_of(text) & unmistakable) | (in_code & table_names()) | own_in_code)
