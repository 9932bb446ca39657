"""Shapes of what names or reaches a person in text: chosen to accuse rarely."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_EXAMPLE = re.compile(r"@(?:[a-z0-9-]+\.)*example(?:\.(?:com|org|net))?$", re.IGNORECASE)
_SHAPES: tuple[tuple[str, str | tuple[str, ...], re.Pattern[str]], ...] = (
    # kind, signs of which one at least is in every match (of a text in lower case), shape
    (
        "e-mail address",
        "@",
        re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+"),
    ),
    (
        "telephone number",
        "(+",
        re.compile(r"(?<![\w+])(?:\(\d{3}\) \d{3}-\d{4}|\+\d{1,3}(?:[ -]\d{2,8}){3,5})(?![\w-])"),
    ),
    (
        "social security number",
        "-",
        re.compile(r"(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])"),
    ),
    (
        "medical record number",
        ("mrn", "medical record"),
        re.compile(r"\b(?:MRN|medical record (?:number|no\.?))\s{0,3}[:#=]?\s{0,3}\d{5,12}\b", re.IGNORECASE),
    ),
)


@dataclass(frozen=True)
class PersonalMatch:
    """``start`` counts characters, ``line`` from 1. The text itself is not kept."""

    kind: str
    start: int
    line: int


def find_personal(text: str) -> Iterator[PersonalMatch]:
    """What in ``text`` looks like it names or reaches a person; addresses made up as examples do not."""
    low = text.lower()
    for kind, needs, shape in _SHAPES:
        if not any(sign in low for sign in needs):
            continue
        for found in shape.finditer(text):
            if not (kind == "e-mail address" and _EXAMPLE.search(found[0])):
                yield PersonalMatch(kind, found.start(), text.count("\n", 0, found.start()) + 1)
