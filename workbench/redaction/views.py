"""A text as it reads with other scripts' digits, escapes, URL encoding and entities taken away.

Every view knows which stretch of the text a stretch of it comes from. Time is linear in the text.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
from urllib.parse import unquote

DEPTH = 5
"""Layers of escaping that are taken away."""
_ENCODED = re.compile(
    r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[nrtbf\"'/\\])|(?:%[0-9a-fA-F]{2}){1,200}"
    r"|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});"
)
_PLAIN = {"n": "\n", "r": "\n", "t": "\t", "b": " ", "f": " "}


class View:
    """``text`` as read; ``span`` says where it comes from."""

    def __init__(self, text: str, pieces: list[tuple[int, int, int, int]], below: View | None) -> None:
        """``pieces``: start and end here, start and end in ``below``, of what is spelled otherwise."""
        self.text = text
        self._pieces = pieces
        self._starts = [piece[0] for piece in pieces]
        self._below = below

    @cached_property
    def low(self) -> str:
        """In lower case, of the same length."""
        low = self.text.lower()
        if len(low) == len(self.text):
            return low
        return "".join(one if len(one := sign.lower()) == 1 else sign for sign in self.text)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where ``text[start:end]`` stands in the first text."""
        if self._pieces:
            first, last = self._place(start), self._place(max(end - 1, start))
            start, end = first[0], last[1]
        return self._below.span(start, end) if self._below is not None else (start, end)

    def _place(self, at: int) -> tuple[int, int]:
        index = bisect_right(self._starts, at) - 1
        if index < 0:
            return at, at + 1
        _, end, below_start, below_end = self._pieces[index]
        if at < end:
            return below_start, below_end
        return below_end + at - end, below_end + at - end + 1


def views(text: str) -> Iterator[View]:
    """The text in ASCII spelling where there is one, then without one layer of escapes more each time."""
    view = _ascii(View(text, [], None))
    yield view
    for _ in range(DEPTH):
        following = _unpacked(view)
        if following is None:
            return
        view = _ascii(following)
        yield view


def _ascii(view: View) -> View:
    if view.text.isascii():
        return view
    table = {sign: to for sign in set(view.text) if sign > "\x7f" and (to := plain_sign(sign)) != sign}
    if not table:
        return view
    pattern = re.compile("[" + re.escape("".join(table)) + "]")
    return _rewritten(view, ((match, table[match[0]]) for match in pattern.finditer(view.text)))


def _unpacked(view: View) -> View | None:
    if not ("\\" in view.text or "%" in view.text or "&" in view.text):
        return None
    made = [(match, to) for match in _ENCODED.finditer(view.text) if (to := _decoded(match[0])) != match[0]]
    return _rewritten(view, iter(made)) if made else None


def _rewritten(view: View, made: Iterator[tuple[re.Match[str], str]]) -> View:
    parts: list[str] = []
    pieces: list[tuple[int, int, int, int]] = []
    length = at = 0
    for match, to in made:
        start, end = match.span()
        parts += [view.text[at:start], to]
        length += start - at
        pieces.append((length, length + len(to), start, end))
        length += len(to)
        at = end
    parts.append(view.text[at:])
    return View("".join(parts), pieces, view)


def _decoded(spelled: str) -> str:
    if spelled[0] == "\\":
        return chr(int(spelled[2:], 16)) if len(spelled) > 2 else _PLAIN.get(spelled[1], spelled[1])
    return unquote(spelled) if spelled[0] == "%" else html.unescape(spelled)


@lru_cache(maxsize=10_000)
def plain_sign(sign: str) -> str:
    """The nearest ASCII of one character: digits of any script, no invisible ones, plain spaces."""
    made = []
    for one in unicodedata.normalize("NFKC", sign):
        digit = unicodedata.decimal(one, None)
        category = unicodedata.category(one)
        if digit is not None:
            made.append(str(digit))
        elif category != "Cf":
            made.append(" " if category == "Zs" else one)
    return "".join(made)
