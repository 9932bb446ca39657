"""Finding a known token in a text however it is spelled: cut up, reversed, encoded, in other letters."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

MAX_CHARS = 400_000
"""Of one text that are searched for spellings; the plain token is searched for in all of it."""
MAX_WORDS = 400
_DROPPED = {code: None for code in range(128) if not chr(code).isalnum()}
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(r"(?:\\x|0x)?[0-9A-Fa-f]{2}(?:(?:\\x|[ :,]{0,2}0x|[ :])?[0-9A-Fa-f]{2}){7,}")
_CODES = re.compile(r"\d{2,3}(?:[,\s]+\d{2,3}){7,}")


def squashed(text: str) -> str:
    """Letters and digits only, in lower case."""
    return text.lower().translate(_DROPPED)


def spelled(text: str, tokens: Iterable[str]) -> list[str]:
    """Those of the tokens that are in the text. A token is found by its letters and digits alone."""
    wanted = {token: squashed(token) for token in tokens}
    if not text or not wanted:
        return []
    found = _in(squashed(text), wanted)
    if len(found) == len(wanted):
        return found
    text = text[:MAX_CHARS]
    for decoded in decodings(text):
        found += [token for token in _in(squashed(decoded), wanted) if token not in found]
    return found


def decodings(text: str) -> Iterator[str]:
    """What the text says when parts of it are decoded, or all of it is turned round."""
    yield text[::-1]
    yield codecs.encode(text, "rot13")
    if "%" in text:
        yield unquote(text)
    pieces = [item for word in _BASE64.findall(text)[:MAX_WORDS] if (item := _base64(word))]
    pieces += [item for word in _HEX.findall(text)[:MAX_WORDS] if (item := _hexadecimal(word))]
    pieces += [
        "".join(chr(int(item)) for item in re.findall(r"\d+", word)) for word in _CODES.findall(text)[:50]
    ]
    if "\n" in text and (joined := _base64("".join(text.split()))):
        pieces.append(joined)
    if pieces:
        together = " ".join(pieces)
        yield together
        yield together[::-1]


def _in(text: str, wanted: dict[str, str]) -> list[str]:
    return [token for token, plain in wanted.items() if plain in text]


def _base64(word: str) -> str:
    """The text of a Base64 word; empty where it is none. A cut end is let be."""
    bare = word.rstrip("=").replace("-", "+").replace("_", "/")
    bare = bare[: len(bare) - (len(bare) % 4 == 1)]
    try:
        data = base64.b64decode(bare + "=" * (-len(bare) % 4))
    except (binascii.Error, ValueError):
        return ""
    text = data.decode("ascii", "replace")
    return text if text.count("\ufffd") * 4 <= len(text) else ""


def _hexadecimal(word: str) -> str:
    digits = re.sub(r"\\x|0x|[^0-9A-Fa-f]", "", word)
    return bytes.fromhex(digits[: len(digits) // 2 * 2]).decode("ascii", "replace")
