"""What a person searches for: literal text, or a regular expression after ``re:``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from workbench.records import BadInput

if TYPE_CHECKING:
    import regex

REGEX_PREFIX = "re:"
MAX_SPANS = 200
"""Matches highlighted in one row."""
SEARCH_S = 2.0
"""A pattern may take so long on one text in a thread."""
DRAW_S = 0.02
"""And so long where the screen waits for it."""
MOST_REPEATS = 10_000
"""What a pattern's counts in braces may come to together: the compiler writes repeats out."""
_COUNT = re.compile(r"\{(\d*),?(\d*)\}")
_SPELLED = re.compile(r"[␀-␡]|<U\+")


@dataclass(eq=False)
class Query:
    """One search. Without an upper-case letter, case does not matter.

    A regular expression can take for ever on a short text; it is given up after a limit (BadInput), and
    ``slow`` says that it was: it is highlighted no more.
    """

    text: str
    pattern: regex.Pattern[str]
    literal: bool
    slow: bool = False

    @classmethod
    def of(cls, typed: str) -> Query:
        """Raises BadInput: nothing typed, or not a regular expression."""
        import regex  # takes longer to import than a frame may take, and the first frame searches nothing

        literal = not typed.startswith(REGEX_PREFIX)
        text = typed if literal else typed[len(REGEX_PREFIX) :]
        if not text:
            raise BadInput("nothing to search for")
        flags = regex.MULTILINE | (regex.IGNORECASE if text == text.lower() else 0)
        counts = [max(int(n[:9] or 1) for n in found.groups()) or 1 for found in _COUNT.finditer(text)]
        if not literal and prod(counts) > MOST_REPEATS:
            raise BadInput(
                "the pattern repeats too often", remedy=f"Ask for at most {MOST_REPEATS:,} repeats in all."
            )
        try:
            pattern = regex.compile(regex.escape(text) if literal else text, flags)
        except (regex.error, OverflowError, RecursionError) as error:
            raise BadInput(
                f"not a regular expression ({error})",
                remedy=f"Leave {REGEX_PREFIX} out to search as written.",
            ) from None
        return cls(text, pattern, literal)

    @property
    def needs_rows(self) -> bool:
        """Whether it names what only a spelled-out control character can match."""
        return _SPELLED.search(self.text) is not None

    @property
    def bounded(self) -> bool:
        """Whether it asks for the begin or end of the whole text, so that only single rows can be asked."""
        return not self.literal and ("\\A" in self.text or "\\Z" in self.text)

    def matches(self, text: str, limit_s: float = SEARCH_S) -> bool:
        """Whether the text has a match. Raises BadInput: that takes too long."""
        try:
            return self.pattern.search(text, timeout=limit_s, concurrent=True) is not None
        except TimeoutError:
            raise self._too_slow() from None

    def starts(self, text: str, lowest: int, highest: int) -> Iterator[int]:
        """Where matches between two characters begin. Raises BadInput: that takes too long."""
        try:
            for match in self.pattern.finditer(text, lowest, highest, timeout=SEARCH_S, concurrent=True):
                yield match.start()
        except TimeoutError:
            raise self._too_slow() from None

    def _too_slow(self) -> BadInput:
        self.slow = True
        return BadInput("this pattern takes too long", remedy="Make it simpler, or search as written.")

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where matches are, at most ``MAX_SPANS``; empty ones are left out. None of a slow pattern."""
        found: list[tuple[int, int]] = []
        if self.slow:
            return found
        try:
            for match in self.pattern.finditer(text, timeout=DRAW_S):
                if match.end() > match.start():
                    found.append(match.span())
                if len(found) >= MAX_SPANS:
                    break
        except TimeoutError:
            self.slow = not self.literal
        return found
