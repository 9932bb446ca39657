"""The SQL that a derivation stands on: the concepts that it reads, theirs, and so on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workbench.rules.rule import Rule
from workbench.rules.sql_rules import rules_of_sql
from workbench.sql import reads


@dataclass(frozen=True)
class SourceText:
    """One SQL file as it is called in reports, and its text."""

    file: str
    text: str


def closure(texts: Iterable[SourceText], concepts: Mapping[str, SourceText]) -> list[SourceText]:
    """``texts`` and every concept that they read, directly or through another; each once, nearest first.

    ``concepts``: by the name of the table each makes, without schema.
    """
    found = list(texts)
    taken: set[str] = set()
    for text in found:  # grows while it is read
        for name in sorted(reads(text.text)):
            short = name.rpartition(".")[2]
            if short in concepts and short not in taken and "derived" in name:
                taken.add(short)
                found.append(concepts[short])
    return found


def rules_of_texts(texts: Iterable[SourceText]) -> list[Rule]:
    """The rules of several files, file by file."""
    return [rule for text in texts for rule in rules_of_sql(text.text, text.file)]
