"""What a condition adds to a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Delivery:
    """``prompt_addition`` follows the instruction; ``skill_files`` are relative to the agent's skill folder,
    ``work_files`` to the work folder.
    """

    prompt_addition: str = ""
    skill_files: Mapping[str, bytes] = field(default_factory=dict)
    work_files: Mapping[str, bytes] = field(default_factory=dict)
