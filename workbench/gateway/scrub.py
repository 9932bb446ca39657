"""Takes a secret out of bytes that pass, also where it is split between two pieces."""

from __future__ import annotations

import json
import re

from workbench.patterns import find_secrets

SHORTEST = 8
"""A shorter key cannot be told from ordinary text."""
LEAST_FRAGMENT = 4
"""Characters of a key beside a mask that give it away."""
MASK = r"(?:\*+|•+|…+|\.{2,}|[xX]{3,}|(?:\\u202[26])+|\[[^\]]{0,40}\]|<[^>]{0,40}>)"
STARS = "*" * SHORTEST


class Scrubber:
    """Replaces a secret by stars of the same length; holds back only what may be its beginning."""

    def __init__(self, secret: str) -> None:
        forms = {secret.encode(), json.dumps(secret)[1:-1].encode()} if len(secret) >= SHORTEST else set()
        self._forms = sorted(forms, key=len, reverse=True)
        self._held = b""
        self.found = False

    def feed(self, data: bytes) -> bytes:
        """What can be passed on."""
        data = self._held + data
        for form in self._forms:
            if form in data:
                self.found = True
                data = data.replace(form, b"*" * len(form))
        keep = max((_overlap(data, form) for form in self._forms), default=0)
        self._held = data[len(data) - keep :] if keep else b""
        return data[: len(data) - keep]

    def close(self) -> bytes:
        """The rest."""
        held, self._held = self._held, b""
        return held


def without_fragments(text: str, secret: str) -> str:
    """A short text without the secret, without pieces of it, and without what a mask left of it."""
    if len(secret) < SHORTEST:
        return text
    for size in range(len(secret), SHORTEST - 1, -1):
        for piece in (secret[:size], secret[-size:]):
            text = text.replace(piece, STARS)
    sizes = range(len(secret) - 1, LEAST_FRAGMENT - 1, -1)
    begins = "|".join(re.escape(secret[:size]) for size in sizes)
    ends = "|".join(re.escape(secret[-size:]) for size in sizes)
    return re.sub(f"(?:{begins}){MASK}(?:{ends})?|{MASK}(?:{ends})", STARS, text)


def masked(text: str, secret: str) -> str:
    """A text for the log: neither the gateway's own key in it nor what looks like any other."""
    if len(secret) >= SHORTEST:
        text = text.replace(secret, STARS)
    for found in reversed(find_secrets(text)):
        text = text[: found.start] + found.masked + text[found.end :]
    return text


def _overlap(data: bytes, form: bytes) -> int:
    """Length of the longest end of ``data`` that begins ``form``."""
    for size in range(min(len(data), len(form) - 1), 0, -1):
        if data.endswith(form[:size]):
            return size
    return 0
