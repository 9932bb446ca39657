"""What a released text says once escapes, addresses' percent signs, entities and encodings are taken away."""

from __future__ import annotations

import base64
import binascii
import contextlib
import html
import re
import unicodedata
import zlib
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import unquote

DEPTH = 4
BEFORE = 200
"""What stands before an encoded stretch may name what is in it."""
MOST_CHARACTERS = 20_000_000
"""Of all layers of one text; what unpacks to more is told as that."""
MOST_UNPACKED_BYTES = 1_000_000
"""Of one packed stretch."""
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[0-7]{3}|.)", re.DOTALL)
_SPACES = {"n": "\n", "r": "\n", "t": "\t", "b": " ", "f": " ", "v": " "}
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_HEX = re.compile(r"(?:(?:\\x|0x|%)?[0-9a-fA-F]{2}[ :,]{0,2}){6,}")
_WRAPPED = re.compile(r"(?:[A-Za-z0-9+/]{40,100}\r?\n[ \t]*)+[A-Za-z0-9+/]+={0,2}")
_BETWEEN = re.compile("[_/-]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


class TooDeep(Exception):
    """A text unpacks to more than is looked at."""


def layers_of(text: str) -> Iterator[str]:
    """The text itself, and every text that is packed in it, each in lower case and in ASCII where it can be.

    Raises TooDeep where there is more than MOST_CHARACTERS.
    """
    for layer in raw_layers_of(text):
        yield plain(layer)


def raw_layers_of(text: str) -> Iterator[str]:
    """The same as written. Raises TooDeep."""
    seen = {text}
    turn, total = [text], len(text)
    for _ in range(DEPTH + 1):
        following: list[str] = []
        for layer in turn:
            yield layer
            for made in _unpacked(layer):
                if made not in seen:
                    seen.add(made)
                    following.append(made)
                    total += len(made)
                if total > MOST_CHARACTERS + 8 * len(text):
                    raise TooDeep
        turn = following


def plain(text: str) -> str:
    """Lower case; digits of all scripts, full-width signs and spaces as ASCII, invisible signs left out."""
    return _NOT_ASCII.sub(lambda found: _ascii(found[0]), text).lower()


@lru_cache(maxsize=50_000)
def _ascii(signs: str) -> str:
    kept = []
    for sign in unicodedata.normalize("NFKC", signs):
        number, kind = unicodedata.decimal(sign, None), unicodedata.category(sign)
        if number is not None:
            kept.append(str(number))
        elif kind != "Cf":
            kept.append(" " if kind.startswith("Z") else sign)
    return "".join(kept)


def _unpacked(text: str) -> Iterator[str]:
    if "\\" in text:
        yield _ESCAPE.sub(_escaped, text)
    if "%" in text and (made := unquote(text)) != text:
        yield made
    if "&" in text and (made := html.unescape(text)) != text:
        yield made
    yield from _decoded(text)
    for wrapped in _WRAPPED.finditer(text):
        lines = wrapped[0].split()
        before = text[max(wrapped.start() - BEFORE, 0) : wrapped.start()]
        for joined in ("".join(lines), "".join(lines[:-1])):
            if found := _of_base64(joined):
                yield f"{before} {found}"


def _escaped(found: re.Match[str]) -> str:
    mark = found[1]
    if len(mark) == 3 and mark.isdigit():
        return chr(int(mark, 8))
    return chr(int(mark[1:], 16)) if len(mark) > 1 else _SPACES.get(mark, mark)


def _decoded(text: str) -> Iterator[str]:
    for found in _BASE64.finditer(text):
        word = found[0]
        if _plain_word(word):
            continue
        parts = {word, word.rpartition("=")[2], word.lstrip("_-/"), *_BETWEEN.split(word)}
        for part in parts:
            if len(part) >= 8 and not _plain_word(part) and (made := _of_base64(part)):
                yield f"{text[max(found.start() - BEFORE, 0) : found.start()]} {made}"
    for found in _HEX.finditer(text):
        try:
            data = bytes.fromhex(re.sub(r"\\x|0x|[%:, ]", "", found[0]))
        except ValueError:
            continue
        if made := _as_text(data):
            yield f"{text[max(found.start() - BEFORE, 0) : found.start()]} {made}"


def _plain_word(word: str) -> bool:
    """Whether it is written as words are, which encoded bytes are not."""
    return word.isalpha() and (word.islower() or word.istitle() or word.isupper())


@lru_cache(maxsize=50_000)
def _of_base64(word: str) -> str:
    bare = word.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return _as_text(base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True))
    except (binascii.Error, ValueError):
        return ""


def _as_text(data: bytes) -> str:
    """Bytes as text, unpacked where they are packed; empty where they are none. Raises TooDeep."""
    if data[:2] == b"\x1f\x8b" or data[:1] == b"\x78":
        with contextlib.suppress(zlib.error):
            packed = zlib.decompressobj(wbits=47)
            data = packed.decompress(data, MOST_UNPACKED_BYTES)
            if packed.unconsumed_tail:
                raise TooDeep
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return text if all(sign.isprintable() or sign in "\r\n\t" for sign in text) else ""
