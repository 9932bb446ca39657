"""What of an agent's log is shown on this machine: as it is, or without what may be of a patient."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from workbench import ehr
from workbench.records import SOURCE_NAME, Step, TrajectorySummary, WorkbenchError
from workbench.redaction import IdentifierLookup, NoSource, Redactor
from workbench.runs.context import Context
from workbench.store import shows_raw

ShowStep = Callable[[Step], Step]


@contextmanager
def shown_steps(context: Context, source: str) -> Iterator[ShowStep]:
    """How a step of a run over ``source`` is shown: outputs described, words cleaned, unless it is raw.

    Identifiers are looked up in the source where its sets were made before (a release makes them); without
    them typed rules alone clean the agent's words. For reading on this machine; a release is checked.
    """
    if shows_raw(context.data, context.settings, source):
        yield lambda step: step
        return
    try:
        known = [ehr.load_source(context.data, source)] if SOURCE_NAME.fullmatch(source) else []
    except WorkbenchError:
        known = []
    if known and context.data.source(source).identifiers.exists():
        with ehr.open_identifiers(context.data, known, settings=context.settings) as lookup:
            yield _cleaned(lookup)
    else:
        yield _cleaned(NoSource())


def _cleaned(lookup: IdentifierLookup) -> ShowStep:
    redactor = Redactor(lookup, os.urandom(32))
    nothing = TrajectorySummary(format="", steps=1)

    def show(step: Step) -> Step:
        [made], _ = redactor.log([step], nothing)
        return made

    return show
