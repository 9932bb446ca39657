"""What every stage of a run needs: content, data, settings, clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from workbench.catalog import Content
from workbench.records import Clock, DataPaths, Settings, SystemClock


@dataclass(frozen=True)
class Context:
    """Shared by all stages; opened once a process."""

    content: Content
    data: DataPaths
    settings: Settings
    clock: Clock = field(default_factory=SystemClock)

    @property
    def concepts_folder(self) -> Path | None:
        """The user's own mimic-code folder, if one is configured."""
        chosen = self.settings.concepts_folder
        return Path(chosen).expanduser() if chosen else None
