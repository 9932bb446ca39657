"""One line of the hash-chained egress log."""

from __future__ import annotations

from pydantic import Field

from workbench.records.base import Record, UtcTime
from workbench.records.trajectory import Usage

GENESIS = "0" * 64


class EgressRecord(Record):
    """A request that reached the gateway. ``previous`` is the hash of the line before.

    ``hash`` = sha256 over the canonical JSON of the record with ``hash`` empty. The last line of a closed log
    has ``closing`` set, so that a cut end shows.
    """

    sequence: int = Field(ge=1)
    at: UtcTime
    method: str
    path: str  # without query values
    allowed: bool
    reason: str = ""
    status: int | None = None
    bytes_in: int = 0
    bytes_out: int = 0
    milliseconds: float = 0.0
    model: str = ""
    usage: Usage | None = None
    closing: bool = False
    previous: str
    hash: str = ""
