"""ASCII mode: the last thing before the terminal, so that nothing else need know of it."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from rich.cells import split_graphemes
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from workbench.tui.themes import LOOKS

_ALIKE = (
    "…~ ⏎$ →> ←< ↑^ ↓v •* –- —- ’' ‘' “\" ”\" ×x ≤< ≥> ±+ µu │| ┃| ║| ─- ━- ═- ▁_ ▔- ▏| ▎| ▌# ▐# ▊# █# ░. ▒:"
    " ▓# ▲^ ▼v ▶> ◀< ⋮: ·."
)
_SIGNS = {pair[0]: pair[1] for pair in _ALIKE.split()} | {look.sign: look.ascii for look in LOOKS.values()}


@lru_cache(maxsize=4096)
def as_ascii(text: str) -> str:
    """The text in ASCII, of the same width: look-alikes, letters without accents, else ``?``."""
    if text.isascii():
        return text
    return "".join(_spelled(text[start:end], width) for start, end, width in split_graphemes(text)[0])


def _spelled(grapheme: str, width: int) -> str:
    if grapheme.isascii():
        return grapheme
    sign = _SIGNS.get(grapheme)
    if sign is None:
        if "\u2400" <= grapheme <= "\u2421":
            sign = "^"
        elif "\u2500" <= grapheme <= "\u257f":
            sign = "+"
        elif "\u2580" <= grapheme <= "\u259f":
            sign = "#"
        else:
            sign = "".join(piece for piece in unicodedata.normalize("NFKD", grapheme) if piece.isascii())
    return sign if len(sign) == width and sign.isprintable() else "?" * width


class AsciiFilter(LineFilter):
    """Every line that is drawn, in ASCII."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [Segment(as_ascii(text), style, control) for text, style, control in segments]
