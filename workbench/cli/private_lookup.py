"""What words are held against before they are saved or exported: the sources of this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from workbench.cli.session import Session

if TYPE_CHECKING:
    from workbench.redaction import IdentifierLookup


@contextmanager
def source_lookup(session: Session) -> Iterator[IdentifierLookup | None]:
    """All real sources at once (synthetic ones hold no patient); None where there is none."""
    from workbench import review

    with review.source_lookup(session.data, session.settings) as lookup:
        yield lookup
