"""What a person searches steps for: words, phrases, a regular expression, a tool, a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from re import _parser as parser  # type: ignore[attr-defined]
from re._constants import LITERAL  # type: ignore[import-not-found]

import regex

from workbench.records import BadInput

MATCH_S = 2.0
"""A pattern may take so long on one step's text."""
MOST_TYPED = 2_000
_ASKED = re.compile(r'"([^"]*)"|(\S+)')
_TOKEN = re.compile(r"[^\W_]+")
_BOUNDED = re.compile(r"(?<=[\W_])[^\W_]+(?=[\W_])")
"""A whole word inside literal text."""


@dataclass(frozen=True)
class StepQuery:
    """``words``: as typed, ``"several words"`` as a phrase, ``word*`` for a beginning. All must be there.

    ``pattern``: a regular expression over a step's text; small letters only find capitals, too.
    """

    words: str = ""
    pattern: str = ""
    tool: str = ""
    table: str = ""

    def __post_init__(self) -> None:
        for text in (self.words, self.pattern, self.tool, self.table):
            if len(text) > MOST_TYPED:
                raise BadInput("too much to search for", remedy=f"Type at most {MOST_TYPED:,} characters.")
        for name, text in (("words", self.words), ("tool", self.tool), ("table", self.table)):
            if text.strip() and not _TOKEN.search(text):
                raise BadInput(f"nothing to search for in {name} {text!r}", remedy="Type letters or digits.")

    @cached_property
    def compiled(self) -> regex.Pattern[str] | None:
        """Raises BadInput: not a regular expression."""
        if not self.pattern:
            return None
        flags = regex.MULTILINE | (regex.IGNORECASE if self.pattern == self.pattern.lower() else 0)
        try:
            return regex.compile(self.pattern, flags)
        except (regex.error, OverflowError, RecursionError) as error:
            raise BadInput(f"not a regular expression ({error})", remedy="Correct the pattern.") from None

    @property
    def expression(self) -> str:
        """The same for the full text index, as far as it can tell; empty where every step has to be read."""
        parts = [_phrase(text, "text") for text in self._asked()]
        parts += [_phrase(word, "text") for word in self._certain()]
        parts += [_phrase(self.tool, "tool")] if self.tool.strip() else []
        parts += [_phrase(self.table, "tables")] if self.table.strip() else []
        return " AND ".join(parts)

    def fits(self, text: str) -> bool:
        """Whether the regular expression has a match. Raises BadInput: that takes too long."""
        return self.pattern == "" or next(self.places(text), None) is not None

    def fits_words(self, text: str, tools: Iterable[str], tables: Iterable[str]) -> bool:
        """The same as the index tells, without one."""
        return (
            all(_has(text, asked) for asked in self._asked())
            and (not self.tool.strip() or any(_has(tool, self.tool) for tool in tools))
            and (not self.table.strip() or any(_has(table, self.table) for table in tables))
        )

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Where a step's text matches, for an excerpt. Raises BadInput: that takes too long."""
        if self.compiled is not None:
            try:
                for found in self.compiled.finditer(text, timeout=MATCH_S):
                    yield found.span()
            except TimeoutError:
                raise BadInput("this pattern takes too long", remedy="Make it simpler.") from None
            return
        for asked in [*self._asked(), self.table, self.tool]:
            if _TOKEN.search(asked):
                for match in _spelled(asked).finditer(text):
                    yield match.span()

    def _asked(self) -> list[str]:
        return [
            phrase or word for phrase, word in _ASKED.findall(self.words) if _TOKEN.search(phrase or word)
        ]

    def _certain(self) -> list[str]:
        """Whole words that every match of the regular expression must hold; none where that is not sure."""
        try:
            parsed = parser.parse(self.pattern)
        except (re.error, OverflowError, RecursionError):
            return []
        literal = "".join(chr(value) if kind is LITERAL else "\0" for kind, value in parsed)
        return [word for run in literal.split("\0") for word in _BOUNDED.findall(run)]


def _phrase(text: str, column: str) -> str:
    """The tokens of a text in a row, in one column; its last one a beginning where a star follows."""
    words = _TOKEN.findall(text)
    begins = "*" if text.rstrip().endswith("*") else ""
    return f'{column} : "{" ".join(words)}"{begins}' if words else ""


def _has(text: str, asked: str) -> bool:
    return _spelled(asked).search(text) is not None


def _spelled(asked: str) -> re.Pattern[str]:
    """The tokens of a text in a row, as the index takes them: what is between them does not matter."""
    words = r"[\W_]+".join(map(re.escape, _TOKEN.findall(asked)))
    ends = "" if asked.rstrip().endswith("*") else r"(?![^\W_])"
    return re.compile(rf"(?<![^\W_]){words}{ends}", re.IGNORECASE)
