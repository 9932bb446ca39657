"""On which line of a TOML text a key is; a good guess for messages, not a parser."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_FENCES = ('"""', "'''")

Location = tuple[str | int, ...]


def line_of(text: str, location: Sequence[str | int]) -> int:
    """1-based line of the deepest part of ``location`` (keys and indices) that is found; 1 if none is."""
    wanted = tuple(location)
    best, depth = 1, 0
    for line, place in _places(text):
        common = 0
        while common < min(len(place), len(wanted)) and place[common] == wanted[common]:
            common += 1
        if common == len(place) and common > depth:
            best, depth = line, common
    return best


def _places(text: str) -> Iterator[tuple[int, Location]]:
    """(line, location) of every table header, key and inline element that starts a line."""
    arrays: Counter[tuple[str, ...]] = Counter()
    table: Location = ()
    current: Location = ()
    elements = 0
    fence = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if fence:
            fence = "" if fence in line else fence
            continue
        header = _HEADER.match(line)
        key = _KEY.match(line)
        if header and not line.lstrip().startswith(("[{", '["', "['")):
            path = _split(header[2])
            if header[1] == "[[":
                arrays[path] += 1
                for deeper in [other for other in arrays if other[: len(path)] == path != other]:
                    del arrays[deeper]
            table = _indexed(path, arrays)
            current = table
            yield number, table
        elif key:
            current = table + _split(key[1])
            elements = 0
            yield number, current
        elif current != table and line.strip() and line.strip()[0] not in "]#":
            yield number, (*current, elements)
            elements += 1
        fence = next((mark for mark in _FENCES if line.count(mark) % 2), "")


def _split(dotted: str) -> tuple[str, ...]:
    return tuple(
        part.strip().strip("\"'") for part in re.split(r"\.(?=(?:[^\"']|\"[^\"]*\"|'[^']*')*$)", dotted)
    )


def _indexed(path: tuple[str, ...], arrays: Counter[tuple[str, ...]]) -> Location:
    place: list[str | int] = []
    for length in range(1, len(path) + 1):
        place.append(path[length - 1])
        if arrays[path[:length]]:
            place.append(arrays[path[:length]] - 1)
    return tuple(place)
