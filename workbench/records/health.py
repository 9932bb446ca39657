"""What ``workbench doctor`` says, one line a check."""

from __future__ import annotations

from enum import StrEnum

from workbench.records.base import Part


class HealthState(StrEnum):
    """How a thing stands."""

    OK = "ok"
    LIMITED = "limited"  # works, with something missing
    MISSING = "missing"  # optional and not there
    BROKEN = "broken"  # needed and not working


class HealthCheck(Part):
    """``remedy`` says what to do where the state is not ok."""

    name: str
    state: HealthState
    detail: str
    remedy: str = ""
