"""Values and sentences of tool output that the agent repeats.

What the agent wrote itself before any output had it is its own: a threshold, a comment, an item's number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from workbench.redaction.spans import Found, Kind

WORDS = 6
"""So many words in a row are a quotation."""
_DECIMAL = re.compile(r"(?<![\d.])\d{1,15}\.\d{1,20}(?!\d|\.\d)")
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(
    r"[A-Za-z][A-Za-z'’-]{0,40}(?:[ ,;.:()/&+-]{1,3}[A-Za-z0-9][A-Za-z0-9'’-]{0,40}){5,2000}"
)
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{30,4000})[\"”]")
_SMALL = re.compile(
    r"(?i)(?<![\w.,<>=/-])(?:only )?(\d{1,4}) (?:(?:unique|distinct|such|of the|adult|icu|single) ){0,2}"
    r"(?:patients?|subjects?|stays?|admissions?|persons?|people|individuals?|cases?)\b"
)
CONSTANTS = frozenset({"0.742", "1.73", "0.453592", "0.45359237", "2.20462", "2.2046", "3.14159", "2.71828"})
"""Factors and limits of published scores and units, which stay although some row may have them, too."""


class Quoted:
    """What tools have printed so far, and what the agent said before that."""

    def __init__(self, public: Iterable[str] = ()) -> None:
        """``public``: texts whose numbers and sentences stay, such as the task's instruction."""
        self._own: set[str] = set(CONSTANTS)
        self._seen: set[str] = set()
        self._own_words: set[int] = set()
        self._seen_words: set[int] = set()
        self._small: set[int] = set()
        self.blind = True
        for text in public:
            self.said(text)
        self._public = frozenset(self._own)

    def said(self, text: str) -> None:
        """A text of the agent's own, in its order."""
        self._own.update(value for value in _decimals(text) if value not in self._seen)
        for shingle, _, _ in _shingles(text):
            if shingle not in self._seen_words:
                self._own_words.add(shingle)

    def printed(self, text: str) -> None:
        """What a tool gave back."""
        self.blind = False
        if "\\" in text:
            text = text.replace("\\n", " ").replace('\\"', '"')
        self._seen.update(value for value in _decimals(text) if value not in self._own)
        for sentence in _SENTENCE.finditer(text):
            for shingle, _, _ in _shingles(sentence[0]):
                if shingle not in self._own_words:
                    self._seen_words.add(shingle)
        if len(self._small) < 9:
            for count in range(1, 10):
                if count not in self._small and re.search(rf"(?<![\w.,]){count}(?![\w.,])", text):
                    self._small.add(count)

    def found_in(self, text: str, threshold: int) -> Iterator[Found]:
        """Values, sentences and small counts that were printed before."""
        for match in _DECIMAL.finditer(text):
            value = _value(match[0])
            blind = self.blind and not text[match.start() - 1 : match.start()].isalpha()
            if value and (value in self._seen or (blind and value not in self._public)):
                yield Found(*match.span(), Kind.VALUE, value)
        if self._seen_words:
            for shingle, start, end in _shingles(text):
                if shingle in self._seen_words:
                    yield Found(start, end, Kind.QUOTE, "")
        if self.blind:
            for match in _QUOTED.finditer(text):
                if len(_WORD.findall(match[1])) >= WORDS and match[1].count(" ") >= WORDS - 1:
                    yield Found(*match.span(1), Kind.QUOTE, "")
        for match in _SMALL.finditer(text):
            count = int(match[1])
            if 0 < count < threshold and (self.blind or count > 9 or count in self._small):
                yield Found(*match.span(1), Kind.COUNT, count)


def _decimals(text: str) -> Iterator[str]:
    if "." in text:
        for word in set(_DECIMAL.findall(text)):
            if value := _value(word):
                yield value


def _value(word: str) -> str:
    """The shortest spelling, if it has three significant digits and more: others are any threshold."""
    whole, _, part = word.partition(".")
    whole, part = whole.lstrip("0"), part.rstrip("0")
    significant = f"{whole}{part}".lstrip("0") if part else whole.rstrip("0")
    return f"{whole or '0'}.{part or '0'}" if len(significant) >= 3 else ""


def _shingles(text: str) -> Iterator[tuple[int, int, int]]:
    """Hash, start and end of every six words in a row."""
    words = [(match[0].lower(), match.start(), match.end()) for match in _WORD.finditer(text)]
    for at in range(len(words) - WORDS + 1):
        part = words[at : at + WORDS]
        yield hash(tuple(word for word, _, _ in part)), part[0][1], part[-1][2]
