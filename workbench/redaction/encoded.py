"""Stretches of a text that are base64 or hexadecimal text, and what they say."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

MOST_CHARACTERS = 4_000_000
_WORD = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_WRAPPED = re.compile(r"(?:[A-Za-z0-9+/]{60,80}\r?\n){1,100000}[A-Za-z0-9+/]{1,80}={0,2}")
_HEX = re.compile(r"[0-9a-fA-F](?<![0-9a-fA-F].)[0-9a-fA-F](?:[ :]?[0-9a-fA-F]{2}){4,}")
_DULL = re.compile(r"[a-z_/-]*|[A-Z_]*|[A-Z]?[a-z]*|[0-9_/-]*")
"""Words of letters only, or digits only: too many to be decoded, and they say nothing."""
_PIECES = (re.compile(r"[_-]+"), re.compile(r"[/+_-]+"), re.compile(r"/"))


@dataclass(frozen=True, slots=True)
class Stretch:
    """``text[start:end]`` says ``says``."""

    start: int
    end: int
    says: str


def encoded_in(text: str) -> Iterator[Stretch]:
    """Every stretch that decodes to readable text; also gzip inside base64."""
    for match in _WRAPPED.finditer(text):
        lines = match[0].split()
        for joined in ("".join(lines), "".join(lines[:-1])):
            if says := _from_base64(joined):
                yield Stretch(*match.span(), says)
                break
    for match in _WORD.finditer(text):
        word = match[0]
        if not _DULL.fullmatch(word):
            for start, end in _parts(word):
                if says := _from_base64(word[start:end]):
                    yield Stretch(match.start() + start, match.start() + end, says)
    for match in _HEX.finditer(text):
        pairs = re.sub("[ :]", "", match[0])
        if says := _readable(bytes.fromhex(pairs)):
            yield Stretch(*match.span(), says)


def _parts(word: str) -> set[tuple[int, int]]:
    """The whole word, and its pieces between signs that stand in it for other reasons."""
    found = {(0, len(word))}
    for pattern in _PIECES:
        at = 0
        for mark in [*pattern.finditer(word), None]:
            end = mark.start() if mark else len(word)
            if end - at >= 8:
                found.add((at, end))
            at = mark.end() if mark else end
    return found


def _from_base64(word: str) -> str:
    bare = word.rstrip("=").replace("-", "+").replace("_", "/")
    if len(bare) % 4 == 1 or len(bare) > MOST_CHARACTERS:
        return ""
    try:
        return _readable(base64.b64decode(bare + "=" * (-len(bare) % 4)))
    except (binascii.Error, ValueError):
        return ""


def _readable(data: bytes) -> str:
    if data[:2] == b"\x1f\x8b":
        try:
            data = zlib.decompressobj(wbits=31).decompress(data, MOST_CHARACTERS)
        except zlib.error:
            return ""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    plain = text if text.isprintable() else text.replace("\n", " ").replace("\r", " ").replace("\t", " ")
    return text if text and plain.isprintable() else ""
