"""A whole run, as rules see it at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from workbench.contamination.answers import Answer, answers
from workbench.contamination.files import CollectedFile, collected_files
from workbench.contamination.material import HiddenMaterial
from workbench.records import EgressRecord, ScoreReport, Step


@dataclass(frozen=True)
class RunView:
    """A whole run: its steps in order, the collected work folder, the output in it, the egress log.

    ``egress_valid`` is False where the log's chain is broken; ``egress_reason`` says how. ``complete`` is
    False where the log is cut or damaged: what is absent from it proves nothing. ``home``: the collected home
    of the agent; ``nested``: steps of nested agents out of their own logs; ``score``: what the run got.
    """

    steps: Sequence[Step]
    collected: Path | None
    output: Path | None
    egress: Sequence[EgressRecord]
    egress_valid: bool
    hidden: HiddenMaterial
    egress_reason: str = ""
    complete: bool = True
    home: Path | None = None
    nested: Sequence[Step] = ()
    score: ScoreReport | None = None

    @cached_property
    def files(self) -> list[CollectedFile]:
        """Collected regular files by name, the output included; no link is followed."""
        return collected_files(self.collected, self.output)

    @cached_property
    def answers(self) -> list[Answer]:
        """Tables beside references and earlier outputs. Raises OSError or the engine's error."""
        hidden = self.hidden
        return answers(self.files, hidden.reference_files, hidden.earlier, hidden.task, hidden.column_names)

    @cached_property
    def home_files(self) -> list[CollectedFile]:
        """Regular files of the agent's collected home by name; each name begins with ``~/``."""
        return [CollectedFile(f"~/{file.name}", file.path) for file in collected_files(self.home)]
