"""Names as a person types them: one Unicode form, and the nearest known one where there is none."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable


def nfc(name: str) -> str:
    """The one form in which names are compared and written."""
    return unicodedata.normalize("NFC", name)


def nearest(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """Known names that ``name`` may have been meant as, best first."""
    spelled = {item.casefold().replace("_", "-"): item for item in sorted(known, reverse=True)}
    found = difflib.get_close_matches(nfc(name).casefold().replace("_", "-"), spelled, n=count, cutoff=0.6)
    return [spelled[item] for item in found]


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """A remedy sentence; ``otherwise`` where nothing is near."""
    found = nearest(name, known)
    return f"Did you mean {' or '.join(found)}?" if found else otherwise
