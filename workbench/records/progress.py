"""How long jobs tell how far they are."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called from the job's own thread; may raise KeyboardInterrupt to cancel it."""

    def __call__(self, label: str, done: float, total: float, unit: str) -> None:
        """``done`` of ``total`` units of the part named ``label``; total 0 = not known."""
        ...


def silent(label: str, done: float, total: float, unit: str) -> None:
    """Tell nobody."""
