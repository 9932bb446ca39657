"""What a witness case came to. Witness rows are made up, so their values may be shown."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from workbench.records import Part


class ConceptCheck(StrEnum):
    """How the pinned concept stood beside the case."""

    NOT_RUN = "not-run"
    AGREES = "agrees"
    DIFFERS = "differs"
    OPEN = "open"  # the concept leaves a tie open here: nothing to hold it to


class WitnessResult(Part):
    """One case. ``details`` say, a line each, what was expected and what came instead."""

    case: str
    caveat: str
    story: str
    passed: bool
    meets_definition: bool | None = None  # None: the case states no definition's value, or nothing came out
    concept: ConceptCheck = ConceptCheck.NOT_RUN
    details: list[str] = []


def why_none_ran(results: Sequence[WitnessResult]) -> str:
    """Why the SQL ran on no case at all, where the reason is one and the same; else empty."""
    reasons = {tuple(result.details) for result in results if not result.passed}
    if len(reasons) != 1 or any(result.passed for result in results):
        return ""
    details = reasons.pop()
    return details[0] if len(details) == 1 and details[0].startswith(("the SQL ", "the concept ")) else ""
