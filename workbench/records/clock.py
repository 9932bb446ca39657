"""Clocks: code that asks the time takes one, so that tests can set it."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Wall time for records, monotonic seconds for durations."""

    def now(self) -> datetime:
        """Current time, aware, UTC."""
        ...

    def monotonic_s(self) -> float:
        """Seconds from an arbitrary origin, never going back."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Current time, aware, UTC."""
        return datetime.now(UTC)

    def monotonic_s(self) -> float:
        """Seconds from an arbitrary origin, never going back."""
        return time.monotonic()


class FixedClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: datetime) -> None:
        self._now = as_utc(now)
        self._seconds = 0.0

    def now(self) -> datetime:
        """The time it was set to."""
        return self._now

    def monotonic_s(self) -> float:
        """Seconds it was moved since it was made."""
        return self._seconds

    def move(self, seconds: float) -> None:
        """Go forward."""
        self._now += timedelta(seconds=seconds)
        self._seconds += seconds


def as_utc(moment: datetime) -> datetime:
    """An aware time in UTC. Raises ValueError for a naive one and for one that no calendar holds."""
    if moment.tzinfo is None:
        raise ValueError("a record time needs a time zone")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("a record time lies between the years 1 and 9999") from None


def utc_text(moment: datetime) -> str:
    """ISO 8601 with milliseconds and ``Z``."""
    return as_utc(moment).isoformat(timespec="milliseconds").replace("+00:00", "Z")
