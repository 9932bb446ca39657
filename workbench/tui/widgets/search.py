"""What a person searches for: literal text, or a regular expression after ``re:``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.records import BadInput

REGEX_PREFIX = "re:"
MAX_SPANS = 200
"""Matches highlighted in one row."""
_SPELLED = re.compile(r"[␀-␡]|<U\+")


@dataclass(frozen=True)
class Query:
    """One search. Without an upper-case letter, case does not matter."""

    text: str
    pattern: re.Pattern[str]
    literal: bool

    @classmethod
    def of(cls, typed: str) -> Query:
        """Raises BadInput: nothing typed, or not a regular expression."""
        literal = not typed.startswith(REGEX_PREFIX)
        text = typed if literal else typed[len(REGEX_PREFIX) :]
        if not text:
            raise BadInput("nothing to search for")
        flags = re.MULTILINE | (re.IGNORECASE if text == text.lower() else 0)
        try:
            pattern = re.compile(re.escape(text) if literal else text, flags)
        except (re.error, OverflowError, RecursionError) as error:
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

    def matches(self, text: str) -> bool:
        """Whether the text has a match."""
        return self.pattern.search(text) is not None

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where matches are, at most ``MAX_SPANS``; empty ones are left out."""
        found: list[tuple[int, int]] = []
        for match in self.pattern.finditer(text):
            if match.end() > match.start():
                found.append(match.span())
            if len(found) >= MAX_SPANS:
                break
        return found
