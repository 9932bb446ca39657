"""What words are held against before they are saved or exported: the sources of this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from workbench.cli.session import Session
from workbench.records import Refused

if TYPE_CHECKING:
    from workbench.redaction import IdentifierLookup


@contextmanager
def source_lookup(session: Session) -> Iterator[IdentifierLookup | None]:
    """All real sources at once (synthetic ones hold no patient); None where there is none."""
    from workbench import ehr

    found, problems = ehr.readable_sources(session.data)
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
    with ehr.open_identifiers(session.data, known, settings=session.settings) as lookup:
        yield lookup
