"""An earlier run of the same family, source and variant, as this run may have copied it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class EarlierRun:
    """A finished run. ``output``: its collected output, read by the engine only and never quoted.

    ``independent`` is False for demonstrations, scripts and replays: what agrees with those was not copied
    from a person's or a model's own work. ``reward`` and ``strict`` are None where it was not scored.
    """

    run_id: str
    condition: str
    independent: bool
    output_sha256: str = ""
    output: Path | None = None
    reward: float | None = None
    strict: bool | None = None
