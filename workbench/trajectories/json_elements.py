"""Elements of a JSON document one by one, as its bytes arrive.

A cut or damaged document gives everything before the damage, where a parser of whole documents gives nothing.
Only brackets and strings are followed here; each element is then read by the JSON parser on its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from typing import Any, NamedTuple

from workbench.trajectories.values import json_value, text_of

ELEMENT_LIMIT_BYTES = 64 * 1024 * 1024
"""A larger element or member is counted as damaged and not kept."""
KEY_LIMIT_BYTES = 4096
DEPTH_LIMIT = 10_000
MOST_DAMAGES = 10_000
"""Nothing more is read of a document that is nested deeper, or more broken."""

_QUIET = re.compile(rb'[^"{}\[\]]*+(?:"[^"]*+"[^"{}\[\]]*+)*+')
"""Whole strings, and what is neither bracket nor string, where no escape is left."""
_KEY = re.compile(rb'"[^"]*+"\s*+:\s*+')
_LITERAL = re.compile(rb"[^,\]}\s]*+")
_GAP = re.compile(rb"[\s,]*+")
_SPACE = re.compile(rb"\s*+")
_MARK = b"\xef\xbb\xbf"
_QUOTE, _OBJECT, _OBJECT_END, _ARRAY, _ARRAY_END = b'"{}[]'
_SECOND = {_OBJECT: b'"}', _ARRAY: b'{["]'}
"""What follows the first bracket of a document; a line that begins otherwise is text around it."""


class Piece(NamedTuple):
    """A member of the document's object or, where ``element`` is set, an element of the array ``key``.

    ``key`` is empty for elements of an array that is the document itself.
    """

    key: str
    value: Any
    element: bool


class _ValueEnd:
    """Where one value ends, over several pieces of it."""

    def __init__(self) -> None:
        self._kind: int | None = None
        self._depth = 0
        self._in_string = False

    @property
    def too_deep(self) -> bool:
        return self._depth > DEPTH_LIMIT

    def find(self, plain: bytes, start: int) -> tuple[int, bool]:
        """Up to where ``plain`` belongs to the value as far as is known, and whether it ends there."""
        at = start
        if self._kind is None:
            self._kind = plain[start]
            if self._kind == _QUOTE:
                self._in_string, at = True, start + 1
        if self._kind in (_OBJECT, _ARRAY):
            return self._container(plain, at)
        if self._kind == _QUOTE:
            return self._string(plain, at)
        at = _end(_LITERAL, plain, at)
        return at, at < len(plain)

    def _string(self, plain: bytes, at: int) -> tuple[int, bool]:
        end = plain.find(b'"', at)
        self._in_string = end < 0
        return (len(plain), False) if end < 0 else (end + 1, True)

    def _container(self, plain: bytes, at: int) -> tuple[int, bool]:
        if self._in_string:
            at, _ = self._string(plain, at)
        while at < len(plain) and not self.too_deep:
            at = _end(_QUIET, plain, at)
            if at == len(plain):
                break
            sign = plain[at]
            at += 1
            if sign == _QUOTE:
                at, _ = self._string(plain, at)
            elif sign in (_OBJECT, _ARRAY):
                self._depth += 1
            else:
                self._depth -= 1
                if self._depth <= 0:
                    return at, True
        return at, False


class JsonElements:
    """Bytes in, pieces out. Several documents one after another are one sequence of pieces.

    ``arrays``: names of members whose elements are handed out one by one. ``skipped``: names of members that
    are passed over without being held. Lines of text around the documents are passed over and counted.
    """

    def __init__(
        self,
        arrays: Container[str] = (),
        skipped: Container[str] = (),
        *,
        limit_bytes: int = ELEMENT_LIMIT_BYTES,
    ) -> None:
        self._arrays, self._skipped, self._limit = arrays, skipped, limit_bytes
        self.damaged = 0
        self.text_lines = 0
        self.begun = 0
        """How many documents began."""
        self.documents = 0
        """How many of them ended as they should."""
        self.reset()

    def reset(self) -> None:
        """Forget an unfinished document; with the next byte another may begin."""
        self._data = self._plain = self._escape = b""
        self._position = 0  # everything before it is done with
        self._next: Callable[[], Piece | None] = self._outside
        self._comma = True  # whether an element may come
        self._is_array = False
        self._name = ""  # of the member that is being read
        self._array: str | None = None  # the array whose elements come, if one is open
        self._damages = 0  # in this document
        self._begin_value(keep=True)

    @property
    def open(self) -> bool:
        """Whether a document has begun and not ended."""
        return self._next not in (self._outside, self._text)

    def feed(self, data: bytes) -> Iterator[Piece]:
        """The pieces that ``data`` completes."""
        if self._next == self._lost:
            return
        data = self._escape + data
        slashes = len(data) - len(data.rstrip(b"\\"))
        self._escape = b"\\" if slashes % 2 else b""
        data = data.removesuffix(self._escape)
        self._data = self._data[self._position :] + data
        self._plain = self._plain[self._position :] + _without_escapes(data)
        self._position = 0
        while (before := self._position) < len(self._data):
            step = self._next
            piece = step()
            if piece is not None:
                yield piece
            elif self._position == before and self._next == step:
                break

    def close(self) -> None:
        """The bytes have ended; a document that has not is counted as damage."""
        if (self.open and self._next != self._lost) or self._data[self._position :].strip():
            self.damaged += 1
        self.reset()

    def _lost(self) -> Piece | None:
        """What stands here is no JSON any more."""
        self._position = len(self._data)
        return None

    def _damage(self) -> None:
        self.damaged += 1
        self._damages += 1
        if self._damages > MOST_DAMAGES:
            self._next = self._lost

    def _outside(self) -> Piece | None:
        data = self._data
        start = _end(_SPACE, data, self._position)
        if data.startswith(_MARK, start):
            start = _end(_SPACE, data, start + len(_MARK))
        self._position = start
        if start == len(data) or _MARK.startswith(data[start:]):
            return None
        expected = _SECOND.get(data[start], b"")
        after = _end(_SPACE, data, start + 1)
        if expected and after == len(data):
            return None
        if not expected or data[after] not in expected:
            self._next = self._text
            self.text_lines += 1
            return None
        self._position = start + 1
        self.begun += 1
        self._damages = 0
        self._is_array = data[start] == _ARRAY
        if self._is_array:
            self._begin_array("")
        else:
            self._next, self._array = self._member, None
        return None

    def _text(self) -> Piece | None:
        end = self._data.find(b"\n", self._position)
        if end >= 0:
            self._next = self._outside
        self._position = end + 1 if end >= 0 else len(self._data)
        return None

    def _member(self) -> Piece | None:
        plain = self._plain
        start = self._position = _end(_GAP, plain, self._position)
        if start == len(plain):
            return None
        if plain[start] == _OBJECT_END:
            self._end_document()
        elif key := _KEY.match(plain, start):
            if key.end() < len(plain):
                name = self._data[start : plain.index(b'"', start + 1) + 1]
                self._named(text_of(json_value(name)), key.end())
        elif plain[start] != _QUOTE or len(plain) - start > KEY_LIMIT_BYTES:
            following = plain.find(b'"', start + 1)
            self._position = len(plain) if following < 0 else following
            self._damage()
        return None

    def _named(self, name: str, start: int) -> None:
        self._name, self._position = name, start
        if self._plain[start] == _ARRAY and name in self._arrays:
            self._position += 1
            self._begin_array(name)
        else:
            self._next = self._value
            self._begin_value(keep=name not in self._skipped)

    def _begin_array(self, name: str) -> None:
        self._next, self._array, self._comma = self._item, name, True

    def _item(self) -> Piece | None:
        before = self._position
        start = self._position = _end(_GAP, self._plain, before)
        self._comma = self._comma or b"," in self._plain[before:start]
        if start == len(self._plain):
            return None
        sign = self._plain[start]
        if sign == _ARRAY_END and self._is_array:
            self._end_document()
        elif sign == _ARRAY_END:
            self._position, self._next, self._array = start + 1, self._member, None
        elif sign == _OBJECT_END:
            self._position = start + 1
            self._damage()
        else:
            self._next = self._value
            self._begin_value(keep=True)
            if not self._comma:
                self._damage()
            self._comma = False
        return None

    def _end_document(self) -> None:
        self._position += 1
        self._next, self._array = self._outside, None
        self.documents += 1

    def _begin_value(self, *, keep: bool) -> None:
        self._end = _ValueEnd()
        self._keep = keep
        self._parts: list[bytes] = []
        self._held = 0
        self._overlong = False

    def _value(self) -> Piece | None:
        start = self._position
        self._position, ended = self._end.find(self._plain, start)
        if self._keep:
            self._hold(self._data[start : self._position])
        if self._end.too_deep:
            self._next = self._lost
            self.damaged += 1
            self._parts = []
        if not ended:
            return None
        self._next = self._member if self._array is None else self._item
        if self._overlong:
            self._damage()
        if not self._keep:
            return None
        raw, self._parts = b"".join(self._parts), []
        value = json_value(raw)
        if value is None and raw != b"null":
            self._damage()
            return None
        return Piece(self._name if self._array is None else self._array, value, self._array is not None)

    def _hold(self, piece: bytes) -> None:
        self._held += len(piece)
        self._parts.append(piece)
        if self._held > self._limit:
            self._keep, self._overlong = False, True
            self._parts = []


def _without_escapes(data: bytes) -> bytes:
    """The same number of bytes, in which a quote always begins or ends a string."""
    return data.replace(b"\\\\", b"__").replace(b'\\"', b"__")


def _end(pattern: re.Pattern[bytes], data: bytes, start: int) -> int:
    found = pattern.match(data, start)
    return found.end() if found is not None else start
