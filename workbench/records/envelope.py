"""The one JSON envelope of every ``--json`` answer."""

from __future__ import annotations

from typing import Any

from workbench.records.base import Part, Record


class Problem(Part):
    """An error as data."""

    what: str
    where: str = ""
    remedy: str = ""


class Envelope(Record):
    """``kind`` names the payload's shape (``runs``, ``sources``, ``doctor`` …); ``items`` are rows."""

    kind: str
    items: list[dict[str, Any]] = []
    summary: dict[str, Any] = {}
    problems: list[Problem] = []
