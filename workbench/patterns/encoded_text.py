"""What a text may say in another writing: turned round, in codes, packed, in pieces."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from urllib.parse import unquote

from workbench.patterns.decoded import from_base32, from_base64, from_codes, from_hex, inflated, rot13

MAX_CHARS = 60_000
MAX_WORDS = 400
"""Words of a text that are tried as encoded ones."""

_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{10,}={0,2}")
_HEX = re.compile(r"(?<![0-9a-fA-F])(?:[0-9a-fA-F]{2}){5,}(?![0-9a-fA-F])")
_SPELLED = re.compile(r"(?:\\x|%|0x|\\u00|&#x)([0-9a-fA-F]{2})")
_NUMBER = re.compile(r"(?<![\w.])(?:1[0-2]\d|[3-9]\d)(?![\w.])")
_OCTAL = re.compile(r"\\0?([01][0-7]{2})")
_ESCAPED = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u00([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{2})\})")
_QUOTED = re.compile(r"'([^'\n]{0,80})'|\"([^\"\n]{0,80})\"")


def other_writings(text: str) -> Iterator[str]:
    """Texts, of which each may be what the given one means; most are nonsense. Linear in its length."""
    text = text[:MAX_CHARS]
    yield rot13(text)
    yield text[::-1]
    if "%" in text or "&" in text:
        yield html.unescape(unquote(text))
    if "\\" in text:
        yield _ESCAPED.sub(lambda found: chr(int(found[1] or found[2] or found[3], 16)), text)
    yield from _in_codes(text)
    words = _BASE64.findall(text)[:MAX_WORDS]
    for word in words:
        yield from _unpacked(word)
    for pieces in _pieces(text):
        yield pieces
        yield pieces[::-1]
        yield from _unpacked(pieces)


def _pieces(text: str) -> Iterator[str]:
    """Quoted pieces behind each other: of both kinds, and of one kind wherever the other stands."""
    yield "".join(first or second for first, second in _QUOTED.findall(text))
    for sign in "'\"":
        parts = text.split(sign)
        if len(parts) > 4:
            yield "".join(parts[1::2])
            yield "".join(parts[::2])


def _in_codes(text: str) -> Iterator[str]:
    for word in _HEX.findall(text)[:MAX_WORDS]:
        found = from_hex(word)
        if found:
            yield found
            yield found[::-1]
    spelled = _SPELLED.findall(text)
    if len(spelled) > 4:
        yield from_hex("".join(spelled)) or ""
    for pattern, base in ((_NUMBER, 10), (_OCTAL, 8)):
        numbers = [int(number, base) for number in pattern.findall(text)]
        if len(numbers) > 4:
            found = from_codes(numbers) or ""
            yield found
            yield found[::-1]


def _unpacked(word: str) -> Iterator[str]:
    """A word out of Base64 or Base32, and what is packed in it."""
    plain = word.rstrip("=").replace("-", "+").replace("_", "/")
    for found in (
        from_base64(plain + "=" * (-len(plain) % 4)),
        from_base32(plain + "=" * (-len(plain) % 8)) if plain.isupper() else None,
    ):
        if not found:
            continue
        yield found
        yield found[::-1]
        yield rot13(found) if found.isascii() else ""
        yield inflated(found) or ""
