"""Damage to logs, by a seeded generator: what crashes, wrappers, disks and hostile authors do to them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

_NUMBER = re.compile(rb"(?<=[:\[,])\d+(?=[,\]}])")
_STRING = re.compile(rb'(?<=:)"[^"\\]{0,200}"')
_VALUES: tuple[bytes, ...] = (
    b"null", b"true", b"[]", b"{}", b'""', b"-1", b"1e999", b"NaN", b"-Infinity", b"9" * 400, b"9" * 5000,
    b'"\\ud800"', b'"\\u0000"', b'[null,"x"]', b'{"a":{"b":[1]}}', b"0.5", b'["\\udfff"]',
    b"18446744073709551616",    b"[" * 300 + b"]" * 300, b'{"a":' * 90 + b"1" + b"}" * 90,
)  # fmt: skip


def mutated(data: bytes, dice: random.Random) -> bytes:
    """The log with one to three kinds of damage."""
    for _ in range(dice.randint(1, 3)):
        data = dice.choice(_KINDS)(data, dice)
    return data


def _cut_end(data: bytes, dice: random.Random) -> bytes:
    return data[: dice.randint(0, len(data))]


def _cut_start(data: bytes, dice: random.Random) -> bytes:
    return data[dice.randint(0, len(data)) :]


def _cut_out(data: bytes, dice: random.Random) -> bytes:
    at = dice.randint(0, len(data))
    return data[:at] + data[at + dice.randint(1, 400) :]


def _flip(data: bytes, dice: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(dice.randint(1, 30) if changed else 0):
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def _zeros(data: bytes, dice: random.Random) -> bytes:
    at = dice.randint(0, len(data))
    return data[:at] + b"\0" * dice.choice((1, 7, 4096)) + data[at:]


def _noise(data: bytes, dice: random.Random) -> bytes:
    at = dice.randint(0, len(data))
    noise = dice.choice(
        (b"\n2026-01-01 ERROR x::y: no\n", b"\xff\xfe", b"\r\n", b"\n\n", b'{"type":"', b"[" * 2000, b"}]")
    )
    return data[:at] + noise + data[at:]


def _swap_lines(data: bytes, dice: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    for _ in range(dice.randint(1, 5) if len(lines) > 1 else 0):
        one, other = dice.randrange(len(lines)), dice.randrange(len(lines))
        lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def _repeat_lines(data: bytes, dice: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    for _ in range(dice.randint(1, 5) if lines else 0):
        lines.insert(dice.randint(0, len(lines)), dice.choice(lines))
    return b"".join(lines)


def _drop_lines(data: bytes, dice: random.Random) -> bytes:
    return b"".join(line for line in data.splitlines(keepends=True) if dice.random() > 0.1)


def _join_lines(data: bytes, dice: random.Random) -> bytes:
    ends = [match.start() for match in re.finditer(b"\n", data)]
    at = dice.choice(ends) if ends else len(data)
    return data[:at] + data[at + 1 :]


def _change_numbers(data: bytes, dice: random.Random) -> bytes:
    return _NUMBER.sub(lambda match: dice.choice(_VALUES) if dice.random() < 0.05 else match[0], data)


def _change_strings(data: bytes, dice: random.Random) -> bytes:
    return _STRING.sub(lambda match: dice.choice(_VALUES) if dice.random() < 0.03 else match[0], data)


def _wrong_types(data: bytes, dice: random.Random) -> bytes:
    """In some lines, one value is of another type."""
    lines = data.splitlines(keepends=True)
    for _ in range(dice.randint(1, 8) if lines else 0):
        index = dice.randrange(len(lines))
        try:
            event = json.loads(lines[index])
        except (ValueError, RecursionError):
            continue
        _change_one(event, dice)
        lines[index] = json.dumps(event).encode() + b"\n"
    return b"".join(lines)


def _change_one(value: Any, dice: random.Random) -> None:
    while isinstance(value, (dict, list)) and value:
        key = dice.choice(list(value)) if isinstance(value, dict) else dice.randrange(len(value))
        inner = value[key]
        if not isinstance(inner, (dict, list)) or not inner or dice.random() < 0.4:
            value[key] = dice.choice((None, True, 7, -1.5, "x", [], {}, ["x"], {"text": 1}, 10**30, [[[]]]))
            return
        value = inner


_KINDS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _cut_end, _cut_start, _cut_out, _flip, _zeros, _noise, _swap_lines, _repeat_lines, _drop_lines,
    _join_lines, _change_numbers, _change_strings, _wrong_types, _wrong_types,
)  # fmt: skip
