"""Texts that are written encoded: Base64, hexadecimal, ROT13, character codes. Errors give None."""

from __future__ import annotations

import base64
import binascii
import bz2
import codecs
import lzma
import re
import zlib
from collections.abc import Callable, Iterable
from typing import Any

import regex

MAX_CODES = 100_000
_LIMIT_S = 0.01


def from_base64(text: str) -> str | None:
    """The UTF-8 text of a Base64 text, other bytes escaped; line ends in it do not matter."""
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode("utf-8", "surrogateescape")
    except (binascii.Error, ValueError):
        return None


def _unzipper() -> Any:
    return zlib.decompressobj(47)


def inflated(text: str) -> str | None:
    """What is packed in a text of bytes, as ``from_base64`` gives it."""
    data = text.encode("utf-8", "surrogateescape")
    makers: tuple[Callable[[], Any], ...] = (_unzipper, bz2.BZ2Decompressor, lzma.LZMADecompressor)
    for make in makers:
        try:
            unpacked = make().decompress(data, MAX_CODES)
            return str(unpacked.decode())
        except (ValueError, OSError, EOFError, zlib.error, lzma.LZMAError):
            continue
    return None


def from_base32(text: str) -> str | None:
    try:
        return base64.b32decode("".join(text.split())).decode()
    except (binascii.Error, ValueError):
        return None


def from_hex(text: str) -> str | None:
    try:
        return bytes.fromhex(text).decode()
    except ValueError:
        return None


def rot13(text: str) -> str:
    return codecs.encode(text, "rot13")


def from_codes(codes: Iterable[int]) -> str | None:
    """The text of Unicode code points."""
    found = list(codes)[:MAX_CODES]
    return "".join(map(chr, found)) if all(0 <= code < 0x110000 for code in found) else None


DECODERS: dict[str, Callable[[str], str | None]] = {
    "base64.b64decode": from_base64,
    "base64.standard_b64decode": from_base64,
    "base64.urlsafe_b64decode": lambda text: from_base64(text.replace("-", "+").replace("_", "/")),
    "base64.decodebytes": from_base64,
    "base64.b32decode": from_base32,
    "base64.b16decode": from_hex,
    "binascii.a2b_base64": from_base64,
    "binascii.unhexlify": from_hex,
    "binascii.a2b_hex": from_hex,
}
"""By the name of the Python function."""
CODECS: dict[str, Callable[[str], str | None]] = {
    "rot13": rot13, "rot_13": rot13, "hex": from_hex, "base64": from_base64, "hex_codec": from_hex,
}  # fmt: skip
"""By the name given to ``codecs.decode``."""


def translated(text: str, first: str, second: str) -> str | None:
    """What ``tr first second`` makes of a text; None for classes and octal escapes."""
    if any(sign in first + second for sign in "[\\"):
        return None
    old, new = spread(first), spread(second)
    if not new:
        return None
    new += new[-1] * (len(old) - len(new))
    return text.translate({ord(sign): other for sign, other in zip(old, new, strict=False)})


def spread(text: str) -> str:
    """Signs that ``tr`` means, ranges written out."""
    return re.sub(
        r"(.)-(.)", lambda found: "".join(map(chr, range(ord(found[1]), ord(found[2]) + 1))), text, flags=re.S
    )


def substituted(text: str, script: str, *, extended: bool = False) -> str | None:
    """What ``sed`` with ``s/old/new/`` commands makes of a text; None for anything else."""
    for part in filter(None, re.split(r";\s*(?=s\W)", script.strip())):
        found = re.fullmatch(
            r"(?:\d+|\$|/[^/]*/)?\s*s(?P<mark>[/|#,@:!])(?P<old>(?:\\.|(?!(?P=mark)).)*)(?P=mark)"
            r"(?P<new>(?:\\.|(?!(?P=mark)).)*)(?P=mark)(?P<flags>[gIi\d]*)",
            part,
            re.DOTALL,
        )
        if found is None or not found["old"]:
            return None
        old = found["old"] if extended else _as_extended(found["old"])
        new = re.sub(r"\\?&", lambda sign: r"\g<0>" if sign[0] == "&" else "&", found["new"])
        flags = regex.IGNORECASE if "i" in found["flags"].lower() else 0
        count = 0 if "g" in found["flags"] else 1
        try:
            text = "\n".join(
                regex.sub(old, new, line, count=count, flags=flags, timeout=_LIMIT_S)
                for line in text.split("\n")
            )
        except (regex.error, TimeoutError, IndexError, RecursionError):
            return None
    return text


def _as_extended(pattern: str) -> str:
    """A basic regular expression as an extended one: ``\\(`` groups, and ``(`` is a sign."""
    return re.sub(r"\\?[(){}+?|]", lambda sign: sign[0][1:] if len(sign[0]) > 1 else "\\" + sign[0], pattern)
