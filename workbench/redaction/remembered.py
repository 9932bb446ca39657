"""Hashes of what went by in a log of any length, in bounded memory: what is lost makes more go, not less."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet

MOST_EXACT = 600_000
"""Hashes that are kept as they are."""
BITS = 2**29
"""Then one bit each: 64 MB."""


class Own:
    """What the agent said first. Only the newest is remembered: the oldest is forgotten, by halves."""

    def __init__(self, most: int = MOST_EXACT) -> None:
        self._most = most
        self._new: set[int] = set()
        self._old: set[int] = set()

    def add(self, hashes: Collection[int]) -> None:
        self._new.update(hashes)
        if len(self._new) > self._most // 2:
            self._old, self._new = self._new, set()

    def without(self, hashes: AbstractSet[int]) -> set[int]:
        """Those that are not the agent's own."""
        return set(hashes) - self._new - self._old


class Printed:
    """What tools printed first. Nothing is forgotten; of very much, some of what was not printed seems so."""

    def __init__(self, most: int = MOST_EXACT, bits: int = BITS) -> None:
        self._most, self._mask = most, bits - 1
        self._exact: set[int] = set()
        self._marks = bytearray()

    def __bool__(self) -> bool:
        return bool(self._exact or self._marks)

    def __contains__(self, one: int) -> bool:
        if one in self._exact:
            return True
        return bool(self._marks) and self._marked(one)

    def add(self, hashes: Collection[int]) -> None:
        self._exact.update(hashes)
        if len(self._exact) > self._most:
            self._marks = self._marks or bytearray((self._mask + 1) // 8)
            for one in self._exact:
                at = one & self._mask
                self._marks[at >> 3] |= 1 << (at & 7)
            self._exact = set()

    def without(self, hashes: AbstractSet[int]) -> set[int]:
        """Those that no tool printed first."""
        rest = set(hashes) - self._exact
        return {one for one in rest if not self._marked(one)} if self._marks else rest

    def has_any(self, hashes: Iterable[int]) -> bool:
        return any(one in self for one in hashes) if self._marks else not self._exact.isdisjoint(hashes)

    def _marked(self, one: int) -> bool:
        at = one & self._mask
        return bool(self._marks[at >> 3] & 1 << (at & 7))
