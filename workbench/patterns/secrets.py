"""Shapes of secrets in foreign text, as one table; chosen to accuse rarely and wrongly almost never."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

MAX_MATCHES = 200
"""More in one text are not listed."""
_MIN_ENTROPY_BITS = 3.5
"""Per character, for a value that only its name makes suspicious; English words have about 3."""


@dataclass(frozen=True)
class SecretMatch:
    """``start`` and ``end`` count characters; ``line`` counts from 1; ``masked`` may be shown."""

    kind: str
    start: int
    end: int
    line: int
    masked: str


@dataclass(frozen=True)
class _Shape:
    """``hint`` is a literal that every match begins with or contains: texts without it are not searched."""

    kind: str
    hint: str
    pattern: re.Pattern[str]
    mixed: bool = False  # the matched value must hold letters and digits


def _shape(kind: str, hint: str, pattern: str, *, mixed: bool = False) -> _Shape:
    return _Shape(kind, hint, re.compile(rf"(?<![A-Za-z0-9_-])(?:{pattern})"), mixed)


_SHAPES = (
    _shape("anthropic key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,}", mixed=True),
    _shape(
        "openai key", "sk-", r"sk-(?!ant-)(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,}", mixed=True
    ),
    _shape("google key", "AIza", r"AIza[0-9A-Za-z_-]{35}"),
    _shape("google oauth secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{20,}"),
    _shape("aws access key", "AKIA", r"AKIA[A-Z0-9]{16}(?![A-Z0-9])"),
    _shape("aws access key", "ASIA", r"ASIA[A-Z0-9]{16}(?![A-Z0-9])", mixed=True),
    _shape("github token", "gh", r"gh[pousr]_[A-Za-z0-9]{36,}"),
    _shape("github token", "github_pat_", r"github_pat_[A-Za-z0-9_]{50,}"),
    _shape("gitlab token", "glpat-", r"glpat-[A-Za-z0-9_-]{20,}"),
    _shape("hugging face token", "hf_", r"hf_[A-Za-z0-9]{30,}", mixed=True),
    _shape("slack token", "xox", r"xox[abprs]-[A-Za-z0-9-]{20,}", mixed=True),
    _shape("stripe key", "k_live_", r"(?:sk|rk)_live_[0-9a-zA-Z]{20,}"),
    _shape("npm token", "npm_", r"npm_[A-Za-z0-9]{36}", mixed=True),
    _shape("pypi token", "pypi-AgE", r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    _shape("groq key", "gsk_", r"gsk_[A-Za-z0-9]{40,}", mixed=True),
    _shape("xai key", "xai-", r"xai-[A-Za-z0-9]{40,}", mixed=True),
    _shape("private key", "PRIVATE KEY", r"-{5}BEGIN (?:[A-Z]+ ){0,2}PRIVATE KEY(?: BLOCK)?-----"),
    _shape("json web token", "eyJ", r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
)

_HEADER = re.compile(
    r"\b(?:bearer|authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:basic|token))\s{1,3}([A-Za-z0-9._~+/=-]{16,})",
    re.IGNORECASE,
)
_IN_URL = re.compile(r"://[^\s/:@\"']{1,64}:([^\s/@\"']{8,128})@[A-Za-z0-9.-]+")
_NAMED = re.compile(
    r"(?:api[_-]?key|secret(?:[_-]?key)?|access[_-]?key|auth[_-]?token|access[_-]?token|api[_-]?token|passw(?:or)?d"
    r"|private[_-]?key|client[_-]?secret|(?<![a-z])token)[\"']?\s{0,3}(?:=|:=|:|=>)\s{0,3}[\"']?"
    r"([A-Za-z0-9+/_=.~-]{16,200})",
    re.IGNORECASE,
)
_NAMED_HINTS = ("key", "secret", "token", "passw")
_HINT_WORD = re.compile("key|secret|token|passw")
_PLACEHOLDER = re.compile(
    r"x{4,}|\*{3,}|your|example|placeholder|dummy|redacted|change.?me|<|\$\{", re.IGNORECASE
)


def find_secrets(text: str) -> list[SecretMatch]:
    """Secrets in a text, in order of place, the first MAX_MATCHES. Overlapping shapes count once."""
    found: list[SecretMatch] = []
    taken: list[tuple[int, int]] = []
    for kind, start, end in _candidates(text):
        if any(start < other_end and end > other_start for other_start, other_end in taken):
            continue
        taken.append((start, end))
        found.append(SecretMatch(kind, start, end, text.count("\n", 0, start) + 1, mask(text[start:end])))
        if len(found) >= MAX_MATCHES:
            break
    return sorted(found, key=lambda item: item.start)


def mask(secret: str) -> str:
    """What may be shown of a secret: up to four characters from its start, and its length."""
    shown = secret[: min(4, len(secret) // 4)]
    return f"{shown}… ({len(secret)} characters)"


def _candidates(text: str) -> Iterator[tuple[str, int, int]]:
    for shape in _SHAPES:
        if shape.hint not in text:
            continue
        for match in shape.pattern.finditer(text):
            value = match.group()
            if _PLACEHOLDER.search(value) or (shape.mixed and not _mixed(value[4:])):
                continue
            yield shape.kind, match.start(), match.end()
    lowered = text.lower()
    if "bearer" in lowered or "authorization" in lowered:
        yield from _valued("authorization header", _HEADER, text, least_bits=3.0)
    if "@" in text and "://" in text:
        yield from _valued("password in an address", _IN_URL, text, least_bits=0.0)
    if any(hint in lowered for hint in _NAMED_HINTS):
        yield from _named(text, lowered)


def _valued(
    kind: str, pattern: re.Pattern[str], text: str, *, least_bits: float
) -> Iterator[tuple[str, int, int]]:
    for match in pattern.finditer(text):
        value = match.group(1)
        if _PLACEHOLDER.search(value):
            continue
        if least_bits and (not _mixed(value) or _entropy(value) < least_bits or _wordlike(value)):
            continue
        yield kind, match.start(1), match.end(1)


def _named(text: str, lowered: str) -> Iterator[tuple[str, int, int]]:
    """Only the neighbourhood of each telling word is searched: most large texts are tables without one."""
    end = 0
    for hint in _HINT_WORD.finditer(lowered):
        if hint.start() < end:
            continue
        start = max(0, hint.start() - 20)
        end = hint.end() + 240
        for kind, first, last in _valued(
            "named secret", _NAMED, text[start:end], least_bits=_MIN_ENTROPY_BITS
        ):
            yield kind, start + first, start + last


def _mixed(value: str) -> bool:
    return any(sign.isdigit() for sign in value) and any(sign.isalpha() for sign in value)


def _wordlike(value: str) -> bool:
    """Identifiers, paths and file names: pieces of letters with the odd number between separators."""
    pieces = [piece for piece in re.split(r"[._/~=-]+", value) if piece]
    plain = [piece for piece in pieces if re.fullmatch(r"[A-Za-z]{1,20}\d{0,3}|\d{1,4}", piece)]
    return len(pieces) > 1 and len(plain) == len(pieces)


def _entropy(value: str) -> float:
    counts = Counter(value)
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
