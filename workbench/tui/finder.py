"""Find among many names what a few typed letters mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ENOUGH = 200
"""More hits than anybody looks through."""
_LIKENESS = 76.0
"""Of 100; two letters that changed places keep more, letters scattered over a name have less."""


@dataclass(frozen=True)
class Candidate:
    """``key`` says what it is (``task:<id>``); ``text`` and ``hint`` are searched and shown.

    ``title``: the name that ``text`` begins with, where that goes on. ``far``: stands behind the others that
    are found as well.
    """

    key: str
    text: str
    hint: str = ""
    title: str = ""
    far: bool = False


def rank(query: str, candidates: Sequence[Candidate], limit: int = ENOUGH) -> list[Candidate]:
    """The best hits first: what is called so, whose name begins so, whose words begin so; what has every
    typed word at the begin of a word of kind, text and hint together; what has them anywhere. Within these,
    earlier places before later ones. Where nothing has all of them: what is most like it.

    20,000 candidates take a few milliseconds where words are found, and about 0.1 s where likeness has to
    be computed.
    """
    words = query.lower().split()
    if not words:
        return list(candidates[:limit])
    literal: list[tuple[int, bool, int, int, int]] = []
    for at, candidate in enumerate(candidates):
        kind, text = candidate.key.partition(":")[0], candidate.text.lower()
        known = f"{text} {kind} {candidate.hint}".lower()
        places = [0 if word == kind else known.find(word) for word in words]
        if min(places) >= 0:
            named = [word for word in words if word != kind] or words
            nearness = _nearness(named, (candidate.title or candidate.text).lower(), known)
            literal.append((nearness, candidate.far, sum(places), len(text), at))
    literal.sort()
    found = [at for *_, at in literal[:limit]] or _alike(query, candidates, limit)
    return [candidates[at] for at in found]


def _nearness(words: list[str], title: str, known: str) -> int:
    """0: they are its name; 1: that begins so; 2: its words begin so; 3: words of all that is known begin so;
    4: they are in the name; 5: they are in what is known.
    """
    typed = " ".join(words)
    if title == typed:
        return 0
    if title.startswith(typed):
        return 1
    if all(_begins_word(title, word) for word in words):
        return 2
    if all(_begins_word(known, word) for word in words):
        return 3
    return 4 if all(word in title for word in words) else 5


def _begins_word(text: str, word: str) -> bool:
    at = text.find(word)
    while at >= 0:
        if at == 0 or not text[at - 1].isalnum():
            return True
        at = text.find(word, at + 1)
    return False


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
