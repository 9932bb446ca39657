"""Names for what was taken out: the same value has the same name within a release, and none outside it."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256

LETTERS = "bcdfghjklmnpqrstvwxz"
"""No digits, which could be read as a value again, and no vowels, which could make words and column names."""
LENGTH = 8
_FIRST = ("subject_id", "hadm_id", "stay_id", "patientunitstayid", "patienthealthsystemstayid", "uniquepid")
_LABELS = {
    "subject_id": "subject", "hadm_id": "admission", "stay_id": "stay", "patientunitstayid": "unit stay",
    "patienthealthsystemstayid": "hospital stay", "uniquepid": "patient",
}  # fmt: skip


class Pseudonyms:
    """Keyed with the salt of a release, which is never written anywhere."""

    def __init__(self, salt: bytes) -> None:
        self._salt = salt
        self._word = lru_cache(maxsize=100_000)(self._drawn)

    def word(self, kind: str, value: str) -> str:
        """Eight letters for a value of a kind."""
        return self._word(kind, value)

    def mark(self, kind: str, value: str) -> str:
        """What stands in place of a value, such as ``[subject kqzrtmwb]``."""
        return f"[{kind} {self._word(kind, value)}]"

    def _drawn(self, kind: str, value: str) -> str:
        digest = hmac.new(self._salt, f"{kind}\0{value}".encode("utf-8", "replace"), sha256).digest()
        number = int.from_bytes(digest[:8], "big")
        letters = []
        for _ in range(LENGTH):
            number, at = divmod(number, len(LETTERS))
            letters.append(LETTERS[at])
        return "".join(letters)


def label_of(columns: Iterable[str]) -> str:
    """What an identifier of these columns is called: a person before a stay, a stay before a row."""
    known = sorted(columns, key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))
    name = known[0] if known else "identifier"
    return _LABELS.get(name, name.removesuffix("id").rstrip("_").replace("_", " ") or "identifier")
