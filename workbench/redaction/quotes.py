"""Values and sentences of tool output that the agent repeats.

What the agent wrote itself before any output had it is its own: a threshold, a comment, an item's number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

from workbench.redaction.remembered import Own, Printed
from workbench.redaction.spans import Found, Kind

WORDS = 6
"""So many words in a row are a quotation."""
_DECIMAL = re.compile(r"\d(?<![\d.]\d)\d{0,14}\.\d{1,20}(?!\d|\.\d)")
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[^\W\d_](?<!\w.)(?:[^\W\d_'’-]?[\w'’-]{0,40}[ ,;.:()/&+-]{1,3}[^\W\d_]){5}")
"""What shows that a line has words of somebody in it, and not only cells."""
_BETWEEN = re.compile(r"[\s.,;:()&+%/|'’-]{1,4}")
FEWEST_SPACES = 4
"""Words of a sentence have spaces between them, those of a path or of code other signs."""
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{30,4000})[\"”]")
_SMALL = re.compile(
    r"(\d(?<![\w.,<>=/-]\d)(?<!least .)(?<!most .)(?<!than .)(?<!every .)(?<!each .)(?<!of .)\d{0,3}) "
    r"(?:(?:unique|distinct|such|adult|icu|single) ){0,2}"
    r"(?:patients?|subjects?|stays?|admissions?|persons?|people|individuals?|cases?)\b"
)
CONSTANTS = frozenset({"0.742", "1.73", "0.453592", "0.45359237", "2.20462", "2.2046", "3.14159", "2.71828"})
"""Factors and limits of published scores and units, which stay although some row may have them, too."""


class Quoted:
    """What tools have printed so far, and what the agent said before that."""

    def __init__(self, public: Iterable[str] = ()) -> None:
        """``public``: texts whose numbers and sentences stay, such as the task's instruction."""
        self._own, self._seen = Own(), Printed()
        self._own_words, self._seen_words = Own(), Printed()
        self._public = set(CONSTANTS)
        self._public_words: set[int] = set()
        self.blind = True
        """Whether the log has told no output yet: of such a log any value may be a quoted one."""
        for text in public:
            self._public |= _decimals(text)
            self._public_words |= _shingles(text)

    def said(self, text: str) -> None:
        """A text of the agent's own, in its order."""
        self._own.add(self._seen.without(set(map(hash, _decimals(text)))))
        self._own_words.add(self._seen_words.without(_shingles(text)))

    def printed(self, text: str) -> None:
        """What a tool gave back."""
        if "\\" in text:
            text = text.replace("\\n", "\n").replace('\\"', '"')
        self._seen.add(self._own.without(set(map(hash, _decimals(text) - self._public))))
        at = 0
        while match := _SENTENCE.search(text, at):
            start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
            at = end if end >= 0 else len(text)
            self._seen_words.add(
                self._own_words.without(set(_sentences(text[start:at])) - self._public_words)
            )

    def found_in(self, text: str, threshold: int) -> Iterator[Found]:
        """Values and sentences that were printed, and small counts of patients."""
        if "." in text:
            for match in _DECIMAL.finditer(text):
                value = _value(match[0])
                blind = self.blind and not text[match.start() - 1 : match.start()].isalpha()
                if value and (hash(value) in self._seen or (blind and value not in self._public)):
                    yield Found(*match.span(), Kind.VALUE, value)
        if self._seen_words and self._seen_words.has_any(_shingles(text)):
            words = list(_WORD.finditer(text))
            for at, shingle in enumerate(_hashes([match[0].lower() for match in words])):
                if shingle in self._seen_words:
                    yield Found(words[at].start(), words[at + WORDS - 1].end(), Kind.QUOTE, "")
        if self.blind:
            for match in _QUOTED.finditer(text):
                if len(_WORD.findall(match[1])) >= WORDS and match[1].count(" ") >= WORDS - 1:
                    yield Found(*match.span(1), Kind.QUOTE, "")
        for match in _SMALL.finditer(text):
            count = int(match[1])
            if 0 < count < threshold:
                yield Found(*match.span(1), Kind.COUNT, count)


def _decimals(text: str) -> set[str]:
    if "." not in text:
        return set()
    return {value for word in set(_DECIMAL.findall(text)) if (value := _value(word))}


@lru_cache(maxsize=100_000)
def _value(word: str) -> str:
    """The shortest spelling, if it has three significant digits and more: others are any threshold."""
    whole, _, part = word.partition(".")
    whole, part = whole.lstrip("0"), part.rstrip("0")
    significant = f"{whole}{part}".lstrip("0") if part else whole.rstrip("0")
    return f"{whole or '0'}.{part or '0'}" if len(significant) >= 3 else ""


def _shingles(text: str) -> set[int]:
    """Hashes of every six words in a row."""
    return set(_hashes(_WORD.findall(text.lower())))


def _sentences(line: str) -> Iterator[int]:
    """Hashes of every six words in a row that stand as in a sentence."""
    words = list(_WORD.finditer(line))
    said = [match[0].lower() for match in words]
    gaps = [line[one.end() : other.start()] for one, other in pairwise(words)]
    plain = [
        _BETWEEN.fullmatch(gap) is not None and ("_" not in word or not word.strip("_"))
        for gap, word in zip(gaps, said, strict=False)
    ]
    spaced = [" " in gap or gap == "|" for gap in gaps]
    for at, shingle in enumerate(_hashes(said)):
        end = at + WORDS - 1
        if all(plain[at:end]) and sum(spaced[at:end]) >= FEWEST_SPACES:
            yield shingle


def _hashes(words: list[str]) -> Iterator[int]:
    return map(hash, zip(*(words[at:] for at in range(WORDS)), strict=False))
