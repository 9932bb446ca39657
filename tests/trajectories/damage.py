"""Damage to a log, by a seed: cuts, flips, wrong types, deep nesting, huge numbers, NUL, keys given twice."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import NamedTuple

_VALUE = re.compile(rb'(?<=[:\[,\s])(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)(?=[,\]}\s])')
_MEMBER = re.compile(rb'"[A-Za-z_]+"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d+|true|false|null)')
_OTHER_TYPES = (
    b"null", b"true", b"17", b'"text"', b"[]", b"{}", b'[["x"]]', b'{"text": 5}', b'"\\ud800"', b"NaN", b"-0",
)  # fmt: skip
_HUGE = (b"9" * 5_000, b"1e999", b"-" + b"9" * 40, b"0." + b"1" * 400, b"1" * 19)


class Damaged(NamedTuple):
    """A damaged log: what was done, and how many bytes before it are as they were."""

    kind: str
    data: bytes
    intact: int


def cuts(data: bytes, count: int, seed: int) -> Iterator[int]:
    """Places to cut at, a few of them at the very ends."""
    chance = random.Random(seed)
    yield from (0, 1, len(data) - 1)
    yield from (chance.randrange(len(data)) for _ in range(count - 3))


def damages(data: bytes, count: int, seed: int) -> Iterator[Damaged]:
    """So many damaged forms of a log, each with one to three damages of one kind."""
    chance = random.Random(seed)
    values = [found.span() for found in _VALUE.finditer(data)]
    members = [found.span() for found in _MEMBER.finditer(data)]
    kinds = (_flip, _bits, _type, _deep, _huge, _nul, _twice, _moved, _removed, _cut)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        damaged, intact = data, len(data)
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            spans = members if kind is _twice else values
            spot = chance.choice(spans) if damaged is data and spans else None
            damaged, at = kind(damaged, spot, chance)
            intact = min(intact, at)
        yield Damaged(kind.__name__.removeprefix("_"), damaged, intact)


def elements_of(data: bytes, array: str) -> tuple[list[object], list[int]]:
    """The elements of a document's array and where each ends; ``array`` empty for the document itself."""
    text = data.decode()
    assert text.isascii() or not array  # places in text are places in bytes
    at = text.index("[", text.index(f'"{array}"') if array else 0) + 1
    found, ends = [], []
    decoder = json.JSONDecoder()
    while True:
        at = re.compile(r"[\s,]*").match(text, at).end()  # type: ignore[union-attr]
        if text[at] == "]":
            return found, ends
        value, at = decoder.raw_decode(text, at)
        found.append(value)
        ends.append(len(text[:at].encode()))


Spot = tuple[int, int] | None
Done = tuple[bytes, int]


def _place(data: bytes, chance: random.Random) -> int:
    return chance.randrange(max(len(data), 1))


def _cut(data: bytes, spot: Spot, chance: random.Random) -> Done:
    at = _place(data, chance)
    return data[:at], at


def _flip(data: bytes, spot: Spot, chance: random.Random) -> Done:
    at = _place(data, chance)
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :], at


def _bits(data: bytes, spot: Spot, chance: random.Random) -> Done:
    at = _place(data, chance)
    flipped = bytes(byte ^ (1 << chance.randrange(8)) for byte in data[at : at + 1])
    return data[:at] + flipped + data[at + 1 :], at


def _type(data: bytes, spot: Spot, chance: random.Random) -> Done:
    start, end = spot or (_place(data, chance),) * 2
    return data[:start] + chance.choice(_OTHER_TYPES) + data[end:], start


def _deep(data: bytes, spot: Spot, chance: random.Random) -> Done:
    start, end = spot or (_place(data, chance),) * 2
    levels = chance.choice((70, 300, 2_000, 12_000))
    opened, closed = chance.choice(((b"[", b"]"), (b'{"a":', b"}")))
    return data[:start] + opened * levels + b"0" + closed * levels + data[end:], start


def _huge(data: bytes, spot: Spot, chance: random.Random) -> Done:
    start, end = spot or (_place(data, chance),) * 2
    return data[:start] + chance.choice(_HUGE) + data[end:], start


def _nul(data: bytes, spot: Spot, chance: random.Random) -> Done:
    at = _place(data, chance)
    return data[:at] + b"\0" * chance.choice((1, 1, 500)) + data[at:], at


def _twice(data: bytes, spot: Spot, chance: random.Random) -> Done:
    """A member's name again, with another value."""
    if spot is None:
        return _flip(data, spot, chance)
    start, end = spot
    name = data[start:end].split(b":")[0]
    return data[:end] + b", " + name + b": " + chance.choice(_OTHER_TYPES) + data[end:], start


def _moved(data: bytes, spot: Spot, chance: random.Random) -> Done:
    """A stretch of the log again, somewhere else."""
    start, at = _place(data, chance), _place(data, chance)
    return data[:at] + data[start : start + chance.randrange(2_000)] + data[at:], at


def _removed(data: bytes, spot: Spot, chance: random.Random) -> Done:
    at = _place(data, chance)
    return data[:at] + data[at + chance.randrange(1, 200) :], at
