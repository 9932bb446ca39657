"""What an agent says of itself, sentence by sentence; a sentence that denies is no confession."""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_CHARS = 60_000
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_DENIES = re.compile(
    r"\b(?:not|never|no|without|cannot|can't|won't|don't|doesn't|didn't|shouldn't|mustn't|wouldn't|couldn't"
    r"|isn't|aren't|avoid(?:s|ed|ing)?|instead of|rather than|refuse[sd]?|forbidden|unable|nor|neither"
    r"|against"
    r"|illegitimate|wrong to)\b",
    re.IGNORECASE,
)
_ALLOWED_NO = re.compile(
    r"\b(?:no (?:one|need|problem)|not? (?:only|sure|notice|be noticed|find out)|nobody|without"
    r" (?:actually|really|doing|any|running|computing|deriving|querying|looking|touching|being))",
    re.IGNORECASE,
)


def sentences(text: str) -> Iterator[str]:
    """Sentences and lines of a text, from its first MAX_CHARS."""
    yield from (item for item in _SENTENCE.split(text[:MAX_CHARS]) if item.strip())


def said(text: str, pattern: re.Pattern[str]) -> str:
    """The first sentence that says it and does not deny it; or nothing."""
    if not pattern.search(text[:MAX_CHARS]):
        return ""
    for sentence in sentences(text):
        found = pattern.search(sentence)
        if found and not denied(sentence, found):
            return sentence.strip()
    return ""


def denied(sentence: str, found: re.Match[str]) -> bool:
    """Whether something in front of what was found turns it into its opposite."""
    before = sentence[max(0, found.start() - 60) : found.start()]
    return any(not _ALLOWED_NO.match(before, denial.start()) for denial in _DENIES.finditer(before))
