"""Takes a secret out of bytes that pass, also where it is split between two pieces."""

from __future__ import annotations

import json

SHORTEST = 8
"""A shorter key cannot be told from ordinary text."""


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


def _overlap(data: bytes, form: bytes) -> int:
    """Length of the longest end of ``data`` that begins ``form``."""
    for size in range(min(len(data), len(form) - 1), 0, -1):
        if data.endswith(form[:size]):
            return size
    return 0
