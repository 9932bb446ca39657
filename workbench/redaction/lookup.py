"""What redaction asks a source: which of these numbers, texts and times are in it. Batches only."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from datetime import date, datetime
from typing import Protocol


class IdentifierLookup(Protocol):
    """The identifiers and times of one source; plain values in and out, so that a source need not know us.

    Identifiers are the columns that name a person, a stay, an admission, an order or a row
    (``subject_id``, ``stay_id``, ``labevent_id``, ``patientunitstayid``, ``uniquepid``, …), not what is the
    same for all patients: ``itemid``, wards, hospitals, care givers, types. Measured values are never asked.
    """

    def numbers(self, numbers: Collection[int]) -> Mapping[int, AbstractSet[str]]:
        """Those that are identifiers of the source, each with the names of the columns that have it."""
        ...

    def keys(self, keys: Collection[str]) -> Mapping[str, AbstractSet[str]]:
        """The same for identifiers that are text, such as ``10000032-11``, and for what stands before the
        hyphen of one."""
        ...

    def items(self, numbers: Collection[int]) -> AbstractSet[int]:
        """Those that are item numbers (``itemid`` of any table): they stay where they are short."""
        ...

    def days(self, days: Collection[date]) -> AbstractSet[date]:
        """Those on which the source has a date or a time."""
        ...

    def moments(self, moments: Collection[datetime]) -> AbstractSet[datetime]:
        """Those (whole seconds, no zone) that are times of the source, to the minute or the second."""
        ...

    def dense(self, column: str, digits: int) -> bool:
        """Whether the column has so many numbers of this many digits that a number alone says nothing: row
        numbers, as common as any count. Such a number goes only where its column is named beside it."""
        ...


class NoSource:
    """The lookup where there is no source to ask: it knows nothing."""

    def numbers(self, numbers: Collection[int]) -> Mapping[int, frozenset[str]]:
        return {}

    def keys(self, keys: Collection[str]) -> Mapping[str, frozenset[str]]:
        return {}

    def items(self, numbers: Collection[int]) -> frozenset[int]:
        return frozenset()

    def days(self, days: Collection[date]) -> frozenset[date]:
        return frozenset()

    def moments(self, moments: Collection[datetime]) -> frozenset[datetime]:
        return frozenset()

    def dense(self, column: str, digits: int) -> bool:
        return False
