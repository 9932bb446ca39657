"""The desk of the reviewer who gives a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.output import open_session
from workbench.cli.private_lookup import source_lookup

if TYPE_CHECKING:
    from workbench.review import ReviewDesk

Reviewer = Annotated[str, typer.Option("--as", help="Your identifier: C1, C2, …")]
Message = Annotated[str, typer.Option("-m", "--message", help="In words, without values of patients.")]
Allowed = Annotated[
    str, typer.Option("--force-reason", help="Why numbers that look like identifiers are none; it is kept.")
]


@contextmanager
def open_desk(reviewer: str, allowed: str = "") -> Iterator[ReviewDesk]:
    """Content, data, and the real sources that words are held against."""
    from workbench import review

    session = open_session()
    with source_lookup(session) as lookup:
        yield review.ReviewDesk(session.content, session.data, reviewer, lookup, allowed)
