"""Texts for agents with a schema variant's names: Markdown, SQL, and what must not be left in them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache

from workbench.ehr.variants.names import SchemaNames
from workbench.sql import Renaming, rename_sql

_FENCE = re.compile(r"^(?P<mark>```+|~~~+)(?P<kind>[^\n`]*)\n(?P<body>.*?)^(?P=mark)[ \t]*$", re.M | re.S)
_SPAN = re.compile(r"(?P<mark>`+)(?P<body>[^`]+)(?P=mark)")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){0,2}")
_TELLING = re.compile(r"_|.(?:time|date|events|stays|uom|num)$|(?:item|order)id$|^(?:linksto|patientweight)$")
"""A name like this is no word of English, of medicine or of chemistry."""
_QUOTED = re.compile(r"'([^'\n]*)'")
_DATASETS = (
    (
        re.compile(r"\bmimic-code(?: of \d{4}-\d\d(?:-\d\d)?)?|\bm4-infra(?: [\d.]+)?", re.I),
        "the public code",
    ),
    (re.compile(r"\bMIT-LCP/mimic-(?:code|iv)\b"), "the public code"),
    (re.compile(r"\brecords\s+of\s+MIMIC-IV\b"), "records of one hospital"),
    (re.compile(r"\bpublic(\s+)MIMIC(?:-IV)?\s+code\b"), r"public\1code"),
    (re.compile(r"\bMIMIC(?:-I[IV]+)?(?:-ED)?\b|\bmimic-iv\b"), "the database"),
    (re.compile(r"\bM4Bench\b"), "the benchmark"),
)
"""What names the data set, which would name its tables to anyone who has read about it."""
_DATASET = re.compile(r"mimic|m4-?infra|m4bench", re.I)


@cache
def renaming(names: SchemaNames) -> Renaming:
    """How SQL is renamed: a merged table is read as those of its rows and columns that were the table's."""
    read = {table.lower(): _read(names, table) for table in names.tables}
    return Renaming(tables=read, words=names.words)


def _read(names: SchemaNames, table: str) -> str:
    new = names.tables[table]
    if not new.kind:
        return new.name
    columns = ", ".join(names.columns[column] for column in names.of_table[table])
    return f"(SELECT {columns} FROM {new.name} WHERE {names.kind_column} = '{new.kind}')"


def new_sql(sql: str, names: SchemaNames, labels: Collection[str] = ()) -> str:
    """SQL, or a condition or expression of it, over the variant's tables. ``labels``: columns whose names
    stand in it as texts of its own making, too. Raises BadInput.
    """
    return rename_sql(
        sql, renaming(names), lambda text: _prose(text, names) if text.strip() else text, labels=labels
    )


def new_markdown(text: str, names: SchemaNames) -> str:
    """Markdown with the variant's names.

    Names are looked for in code; in running text only those that can be nothing else.
    """
    pieces, place = [], 0
    for fence in _FENCE.finditer(text):
        pieces.append(_inline(text[place : fence.start()], names))
        body = fence["body"]
        changed = new_sql(body, names) if fence["kind"].strip().lower() in ("sql", "duckdb") else None
        written = _code(body, names) if changed is None else changed
        pieces.append(f"{fence['mark']}{fence['kind']}\n{written}{fence['mark']}")
        place = fence.end()
    return "".join([*pieces, _inline(text[place:], names)])


def new_words(text: str, names: SchemaNames) -> str:
    """A short text without code, such as a story or a check's words."""
    return _inline(text, names)


def _inline(text: str, names: SchemaNames) -> str:
    pieces, place = [], 0
    for span in _SPAN.finditer(text):
        pieces.append(_prose(text[place : span.start()], names))
        body = span["body"]
        pieces.append(f"{span['mark']}{_code(body, names)}{span['mark']}{_kinds(body, names)}")
        place = span.end()
    return "".join([*pieces, _prose(text[place:], names)])


def _code(body: str, names: SchemaNames) -> str:
    return _DOTTED.sub(lambda found: _dotted(found[0], names), body)


def _prose(text: str, names: SchemaNames) -> str:
    for pattern, put in _DATASETS:
        text = pattern.sub(put, text)
    return _DOTTED.sub(
        lambda found: _dotted(found[0], names) if _TELLING.search(found[0]) else found[0], text
    )


def _dotted(written: str, names: SchemaNames) -> str:
    """``schema.table.column``, ``table.column`` or one name, renamed as far as it is known."""
    parts = written.split(".")
    first_two = ".".join(parts[:2]).lower()
    if first_two in names.tables:
        return ".".join([names.tables[first_two].name, *(names.word(part) for part in parts[2:])])
    if len(parts) == 2 and _bare(names).get(parts[0].lower()):
        return f"{_bare(names)[parts[0].lower()]}.{names.word(parts[1])}"
    return ".".join(names.word(part) for part in parts)


@cache
def _bare(names: SchemaNames) -> dict[str, str]:
    return {table.split(".")[1].lower(): new.bare for table, new in names.tables.items()}


def _kinds(body: str, names: SchemaNames) -> str:
    """Which rows of a merged table a piece of code means: `` (`c_x` = 'A')``."""
    said = []
    for table in _merged_in(body, names):
        condition = f"(`{names.kind_column}` = '{names.tables[table].kind}')"
        if condition not in said:
            said.append(condition)
    return "".join(f" {condition}" for condition in said)


def _merged_in(body: str, names: SchemaNames) -> Iterator[str]:
    bare = {table.split(".")[1]: table for tables in names.merged.values() for table in tables}
    for found in _DOTTED.finditer(body):
        for part in found[0].split("."):
            if part.lower() in bare:
                yield bare[part.lower()]


def names_left(text: str, names: SchemaNames, *, all_code: bool = False) -> list[str]:
    """Published names that ``text`` still tells: in code any, elsewhere those that are no words of English,
    and what names the data set. ``all_code``: the whole text is code, as a catalog is.
    """
    code = text if all_code else " ".join([*_fenced(text), *(span["body"] for span in _SPAN.finditer(text))])
    code = _QUOTED.sub(lambda text: text[1] if text[1].isidentifier() else " ", code)
    left = {word for word in _words(code) if word in names.published}
    left |= {word for word in _words(text) if word in names.published and _TELLING.search(word)}
    left |= {found.lower() for found in _DATASET.findall(text)}
    return sorted(left)


def _fenced(text: str) -> Iterator[str]:
    return (fence["body"] for fence in _FENCE.finditer(text))


def _words(text: str) -> set[str]:
    return {word.lower() for word in re.findall(r"\w+", text)}
