"""Mutants of a skill: one rule changed in the file's text, at a place picked by seed.

Nothing here uses the extraction of rules: places are found by plain patterns over the text.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from workbench.rules import Kind

TIME = r"(?:h|hours?|min|minutes?|days?)\b"
NO_RULE = re.compile(
    r"^## (?:Definition and source|What this does not claim)[^\n]*\n.*?(?=^## |\Z)", re.M | re.S
)
"""Sections that state no rule: whose idea it was, and what is not claimed."""
NUMBERED = r"(?<!step )(?<!steps )(?<!rule )(?<!Rule )(?<!List )(?<!of )(?<!ICD-)(?<!\d\.)"
SWAPPED = {
    "latest": "earliest", "earliest": "latest", "largest": "smallest", "smallest": "largest", "last": "first",
    "highest": "lowest", "lowest": "highest", "larger": "smaller", "smaller": "larger", "first": "last",
}  # fmt: skip
OPERATORS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "≥": ">", "≤": "<", "below": "at most", "above": "at least",
    "at least": "above", "at most": "below", "up to": "below",
}  # fmt: skip
ABSENT = {
    "is 0": "is 1", "are 0": "are 1", "dropped": "kept", "lost": "kept", "nothing": "normal",
    "none": "normal",    "no row": "a row", "not used": "used", "empty": "normal", "normal": "abnormal",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """``what`` was changed, for messages; a row of one of ``kinds`` must tell it."""

    family: str
    what: str
    text: str
    kinds: frozenset[Kind]


Maker = Callable[[str, str, random.Random], Mutant | None]


def mutants(name: str, skill: str, sql: str, seed: int, each: int) -> Iterator[Mutant]:
    """``each`` mutants of every sort, as far as the text has places for them."""
    for place, maker in enumerate(MAKERS):
        chance = random.Random(f"{name}-{place}-{seed}")
        seen = set()
        for _ in range(each):
            made = maker(skill, sql, chance)
            if made is not None and made.text not in seen and made.text != skill:
                seen.add(made.text)
                yield Mutant(name, made.what, made.text, made.kinds)


def _allowed(text: str) -> list[tuple[int, int]]:
    """Where rules stand: behind the frontmatter, outside headings and sections that state none."""
    front = re.match(r"---\n.*?\n---\n", text, re.S)
    closed = [(0, front.end() if front else 0)]
    closed += [found.span() for found in NO_RULE.finditer(text)]
    closed += [found.span() for found in re.finditer(r"^(?:#.*|\d+\. )", text, re.M)]
    return closed


def _places(pattern: str, text: str, *, spans: bool = False) -> list[re.Match[str]]:
    closed = _allowed(text)
    if not spans:
        closed += [found.span() for found in re.finditer(r"(`+).+?\1", text, re.S)]
    return [
        found
        for found in re.finditer(pattern, text)
        if not any(start <= found.start() < end for start, end in closed)
    ]


def _put(text: str, found: re.Match[str], new: str, sort: str, *kinds: Kind) -> Mutant:
    line = text.count("\n", 0, found.start()) + 1
    changed = text[: found.start()] + new + text[found.end() :]
    return Mutant("", f"{sort}, line {line}: {found.group()!r} -> {new!r}", changed, frozenset(kinds))


def _other_number(number: str, chance: random.Random) -> str:
    step = chance.choice([7, 13, 17])
    return f"{float(number) + step / 10:g}" if "." in number else str(int(number) + step)


def number(text: str, sql: str, chance: random.Random) -> Mutant | None:
    pattern = rf"{NUMBERED}(?<![\w.,:/-])\d{{1,4}}(?:\.\d+)?(?![\w:/]|\.\d|-\d|,\d|[ -]{TIME})"
    found = [
        place
        for place in _places(pattern, text)
        if "ICD" not in _paragraph(text, place.start()) and not place.group().startswith("0" * 2)
    ]
    if not found:
        return None
    place = chance.choice(found)
    coded = "ICD" in _section(text, place.start())
    kinds = (Kind.THRESHOLD, Kind.UNIT, Kind.WINDOW, Kind.MISSING, *([Kind.CODE] if coded else []))
    return _put(text, place, _other_number(place.group(), chance), "number", *kinds)


def operator(text: str, sql: str, chance: random.Random) -> Mutant | None:
    found = _places(r"(?:<=|>=|<|>|≤|≥|\bbelow|\babove|\bat least|\bat most|\bup to)(?= ?\d)", text)
    if not found:
        return None
    place = chance.choice(found)
    return _put(text, place, OPERATORS[place.group()], "operator", Kind.THRESHOLD, Kind.WINDOW)


def window(text: str, sql: str, chance: random.Random) -> Mutant | None:
    found = _places(rf"(?<![\w.,-])\d+(?=[ -]{TIME})|both ends included|strictly earlier", text)
    if not found:
        return None
    place = chance.choice(found)
    new = {"both ends included": "both ends excluded", "strictly earlier": "at or before"}.get(place.group())
    return _put(text, place, new or _other_number(place.group(), chance), "window", Kind.WINDOW)


def item_dropped(text: str, sql: str, chance: random.Random) -> Mutant | None:
    """An item, code or text that the reference's file holds as well, taken out wherever the skill has it."""
    found = _items(text, sql)
    if not found:
        return None
    kind, token = chance.choice(found)
    pattern = rf"`?(?<![\w]){re.escape(token)}(?![\w])`?"
    gone = re.sub(pattern + r"(?: to \w+)?(?:, )?", "", text)
    return Mutant("", f"dropped {token!r}", gone, frozenset({kind}))


def item_added(text: str, sql: str, chance: random.Random) -> Mutant | None:
    found = _items(text, sql)
    if not found:
        return None
    kind, token = chance.choice(found)
    new = {Kind.ITEM: "229999", Kind.CODE: "Q998", Kind.TEXT: "`Zzyzx`"}[kind]
    shown = f"`{token}`" if kind is Kind.TEXT else token
    pattern = re.escape(shown) if kind is Kind.TEXT else rf"(?<!\w){re.escape(shown)}(?!\w)"
    places = _places(pattern, text, spans=True)
    if not places:
        return None
    return _put(text, chance.choice(places), f"{new}, {shown}", "added", kind)


def tie(text: str, sql: str, chance: random.Random) -> Mutant | None:
    """Which of several rows is taken, in a paragraph about such."""
    about = re.compile(
        r"\bties?\b|several|same (?:moment|time|minute|offset|charttime)|two at|starting together", re.I
    )
    found = [
        place
        for place in _places(rf"\b(?:{'|'.join(SWAPPED)})\b(?! (?:day|hour|24|section))", text)
        if about.search(_paragraph(text, place.start()))
    ]
    if not found:
        return None
    place = chance.choice(found)
    return _put(text, place, SWAPPED[place.group()], "tie", Kind.TIE, Kind.AGGREGATE)


def missing(text: str, sql: str, chance: random.Random) -> Mutant | None:
    about = re.compile(r"missing|without|no value|not measured|never measured|empty|nothing", re.I)
    found = [
        place
        for place in _places(rf"\b(?:{'|'.join(ABSENT)})\b", text)
        if about.search(_sentence(text, place.start()))
    ]
    if not found:
        return None
    place = chance.choice(found)
    return _put(text, place, ABSENT[place.group()], "missing", Kind.MISSING)


MAKERS: tuple[Maker, ...] = (number, operator, window, item_dropped, item_added, tie, missing)


def _paragraph(text: str, at: int) -> str:
    """The line of a table, or the paragraph or list item around ``at``."""
    start = text.rfind("\n", 0, at) + 1
    if text[start] == "|":
        return text[start : text.find("\n", at)]
    return text[text.rfind("\n\n", 0, at) + 2 : (text.find("\n\n", at) + 1 or len(text))]


def _section(text: str, at: int) -> str:
    end = text.find("\n## ", at)
    return text[max(text.rfind("\n## ", 0, at), 0) : end if end >= 0 else len(text)]


def _sentence(text: str, at: int) -> str:
    starts = [text.rfind(mark, 0, at) for mark in (". ", ".\n", "\n\n", "\n- ", "; ", "|\n")]
    ends = [place for mark in (". ", ".\n", "\n\n", "; ", "|\n") if (place := text.find(mark, at)) >= 0]
    return text[max(starts) + 1 : min(ends, default=len(text))]


def _items(text: str, sql: str) -> list[tuple[Kind, str]]:
    body = re.sub(r"^---\n.*?\n---\n", "", text, flags=re.S)
    found = [
        (Kind.ITEM, token)
        for token in re.findall(r"(?<!\w)(?:2[23]\d{4}|5[0-2]\d{3})(?!\w)", body)
        if token in sql
    ]
    if "ICD-9" in body:
        found += [
            (Kind.CODE, token)
            for token in re.findall(r"(?<![\w`])[A-Z]\d{2}\d*(?![\w`])", body)
            if f"'{token}'" in sql
        ]
    if not found:
        found = [(Kind.TEXT, token) for token in re.findall(r"`([^`\n]+)`", body) if f"'{token}'" in sql]
    return list(dict.fromkeys(found))
