"""What an agent is told about the tables and columns of a variant's database: every one that it sees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from workbench.ehr.variants.names import SchemaNames
from workbench.ehr.variants.texts import new_markdown
from workbench.records import Dictionary

_HEADING = re.compile(r"## `([\w.]+)`$")
_COLUMN = re.compile(r"\| `(\w+)` \|(.*)\|$")


def dictionary_markdown(
    dictionary: Dictionary,
    names: SchemaNames,
    tables: Iterable[str],
    *,
    written: dict[str, list[str]] | None = None,
) -> str:
    """The dictionary of the tables with these published names, under the variant's names, as Markdown.

    ``written`` keeps the lines of each table, to write them once for many tasks.
    """
    kept = {} if written is None else written
    shown = list(dict.fromkeys(names.table(table).name for table in sorted(tables)))
    lines = ["# Data dictionary", "", f"{len(shown)} tables, in the order of their names.", ""]
    for new in sorted(shown):
        if new not in kept:
            kept[new] = list(_table(dictionary, names, new))
        lines += kept[new]
    return "\n".join(lines).rstrip() + "\n"


def _table(dictionary: Dictionary, names: SchemaNames, new: str) -> Iterator[str]:
    parts = names.merged.get(new) or [table for table, at in names.tables.items() if at.name == new]
    yield from (f"## `{new}`", "")
    for table in parts:
        about = new_markdown(dictionary.table(table).about, names)
        kind = names.tables[table].kind
        yield from ((f"Rows with `{names.kind_column}` = '{kind}': {about}" if kind else about), "")
    yield from ("| column | meaning |", "|---|---|")
    if len(parts) > 1:
        kinds = ", ".join(f"'{names.tables[table].kind}'" for table in parts)
        yield f"| `{names.kind_column}` | which kind of row it is: {kinds} |"
    said: dict[str, list[tuple[str, str]]] = {}
    for table in parts:
        for column in names.of_table[table]:
            meaning = dictionary.meaning(table, column)
            said.setdefault(column, []).append((names.tables[table].kind, meaning))
    for column, meanings in said.items():
        text = new_markdown(_meaning(meanings, len(parts)), names).replace("|", "\\|")
        yield f"| `{names.columns[column]}` | {text} |"
    yield ""


def _meaning(meanings: Sequence[tuple[str, str]], parts: int) -> str:
    """One text for a column of several merged tables: once where it is the same in all of them."""
    texts = list(dict.fromkeys(text for _, text in meanings))
    if len(texts) == 1 and len(meanings) == parts:
        return texts[0]
    by_text = {text: [kind for kind, other in meanings if other == text] for text in texts}
    return "; ".join(f"{', '.join(kinds)}: {text}" if kinds[0] else text for text, kinds in by_text.items())


def undescribed(text: str, names: SchemaNames, tables: Sequence[str]) -> list[str]:
    """What a dictionary's text lacks, or has too much, against the variant's ``tables`` and their columns."""
    told: dict[str, set[str]] = {}
    table = ""
    for line in text.splitlines():
        if found := _HEADING.match(line):
            table = found[1]
            told[table] = set()
        elif table and (found := _COLUMN.match(line)):
            told[table].add(found[1])
            if not found[2].strip():
                told[table].discard(found[1])
    there = {name: set(names.columns_of(name)) for name in tables}
    problems = [f"the dictionary lacks table {name}" for name in sorted(there.keys() - told.keys())]
    problems += [f"the dictionary has a table {name} too much" for name in sorted(told.keys() - there.keys())]
    for name in sorted(there.keys() & told.keys()):
        if different := sorted(there[name] ^ told[name]):
            problems.append(f"the dictionary and table {name} differ in {', '.join(different)}")
    return problems
