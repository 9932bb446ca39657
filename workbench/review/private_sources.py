"""What words are held against before they are saved or exported: the real sources of this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from workbench import ehr
from workbench.records import DataPaths, Refused, Settings
from workbench.redaction import IdentifierLookup


@contextmanager
def source_lookup(data: DataPaths, settings: Settings) -> Iterator[IdentifierLookup | None]:
    """All real sources at once (synthetic ones hold no patient); None where there is none.

    Raises Refused where a source cannot be read.
    """
    found, problems = ehr.readable_sources(data)
    if problems:
        raise Refused(
            "a source cannot be read, so that words cannot be held against it",
            where=problems[0].where,
            remedy="Repair or remove it (workbench data list), then try again.",
        )
    known = [source for source in found if source.kind != "synthetic"]
    if not known:
        yield None
        return
    with ehr.open_identifiers(data, known, settings=settings) as lookup:
        yield lookup
