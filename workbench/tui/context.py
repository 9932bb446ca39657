"""What every screen works on."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from workbench.catalog import Content
from workbench.records import Clock, DataPaths, Settings, SystemClock, find_content, find_data, load_settings
from workbench.tui.terminal import Terminal


@dataclass(frozen=True)
class AppContext:
    """Content root, data directory, settings, and what the terminal can do."""

    content: Content
    data: DataPaths
    settings: Settings
    terminal: Terminal
    clock: Clock = field(default_factory=SystemClock)


def find_context(home: Path | None) -> AppContext:
    """Content and settings from where one stands; ``home`` is the data directory. Raises BadInput."""
    from workbench.tui.terminal import detect

    paths = find_content()
    data = DataPaths(home.expanduser().resolve()) if home is not None else find_data(paths)
    settings = load_settings(paths.settings)
    return AppContext(Content(paths), data, settings, detect(settings))
