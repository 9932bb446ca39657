"""Caveats of all families, filtered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.catalog import Content
from workbench.records import BadInput, Bias, Caveat, CaveatStatus, Problem, Severity
from workbench.review.audit_file import GENERAL, open_audit


@dataclass(frozen=True)
class ListedCaveat:
    """A caveat, the family whose audit holds it, and the hash of that file as it was read."""

    family: str
    caveat: Caveat
    hash: str


def list_caveats(
    content: Content,
    *,
    family: str = "",
    severity: Severity | None = None,
    bias: Bias | None = None,
    review: CaveatStatus | None = None,
    rule: str = "",
    text: str = "",
) -> tuple[list[ListedCaveat], list[Problem]]:
    """All caveats that fit, in the order of families and of their files; and audits that cannot be read.

    ``rule``: one of the names in the caveat's rule; ``text``: found anywhere in its words or discussion,
    whatever the case. Raises BadInput for an unknown family.
    """
    found: list[ListedCaveat] = []
    problems: list[Problem] = []
    names = [family] if family else [*(entry.name for entry in content.entries()), GENERAL]
    for name in names:
        try:
            read = open_audit(content, name)
        except BadInput as error:
            if family:
                raise
            problems.append(Problem(where=error.where, what=error.what, remedy=error.remedy))
            continue
        found += [
            ListedCaveat(read.family, caveat, read.hash)
            for caveat in (read.audit.caveats if read.audit else [])
            if severity in (None, caveat.severity)
            and bias in (None, caveat.bias)
            and review in (None, caveat.review)
            and (not rule or rule in [part.strip() for part in caveat.rule.split(",")])
            and (not text or any(text.casefold() in words.casefold() for words in _words(caveat)))
        ]
    return found, problems


def _words(caveat: Caveat) -> Iterator[str]:
    yield from (caveat.id, caveat.title, caveat.rule, caveat.source, caveat.explanation)
    yield from (case.story for case in caveat.witness)
    yield from (entry.text for entry in caveat.entries)
    yield from (f"{link.target} {link.note}" for link in caveat.links)
