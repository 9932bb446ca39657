"""Find among many names what a few typed letters mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ENOUGH = 200
"""More hits than anybody looks through."""
_FEW = 8
"""With fewer literal hits than this, similar ones are added."""
_LIKENESS = 62.0


@dataclass(frozen=True)
class Candidate:
    """``key`` says what it is (``task:<id>``), ``text`` is searched and shown, ``hint`` only shown."""

    key: str
    text: str
    hint: str = ""


def rank(query: str, candidates: Sequence[Candidate], limit: int = ENOUGH) -> list[Candidate]:
    """The best hits first: every typed word in the text, earlier places before later ones; then likeness.

    A word that is the first of ``key`` counts as found at the very begin: ``task sofa``.
    20,000 candidates take a few milliseconds where words are found, and about 0.1 s where likeness has to
    be computed.
    """
    words = query.lower().split()
    if not words:
        return list(candidates[:limit])
    literal = []
    for at, candidate in enumerate(candidates):
        text, kind = candidate.text.lower(), candidate.key.partition(":")[0]
        places = [0 if word == kind else text.find(word) for word in words]
        if min(places) >= 0:
            literal.append((sum(places), len(text), at))
    literal.sort()
    found = [at for _, _, at in literal[:limit]]
    if len(found) < _FEW:
        known = set(found)
        found += [at for at in _alike(query, candidates, limit) if at not in known]
    return [candidates[at] for at in found[:limit]]


def _alike(query: str, candidates: Sequence[Candidate], limit: int) -> list[int]:
    from rapidfuzz import fuzz, process, utils

    texts = [candidate.text for candidate in candidates]
    hits = process.extract(
        query,
        texts,
        scorer=fuzz.partial_ratio,
        processor=utils.default_process,
        score_cutoff=_LIKENESS,
        limit=limit,
    )
    return [int(at) for _, _, at in hits]
