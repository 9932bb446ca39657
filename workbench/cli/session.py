"""What the global options and the configuration come to, for one command."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.catalog import Content
from workbench.records import DataPaths, Settings, find_content, find_data, load_settings

if TYPE_CHECKING:
    from workbench.runs import Context


@dataclass
class GlobalOptions:
    """Options before the command's name; set once by the root command."""

    home: Path | None = None
    debug: bool = False


GLOBAL = GlobalOptions()


@dataclass(frozen=True)
class Session:
    """Content root, data directory and settings of this command."""

    content: Content
    data: DataPaths
    settings: Settings

    @property
    def concepts_folder(self) -> Path | None:
        """The user's own mimic-code folder, if one is configured."""
        chosen = self.settings.concepts_folder
        return Path(chosen).expanduser() if chosen else None


def find_home() -> DataPaths:
    """The data directory: ``--home``, else as configured."""
    if GLOBAL.home is not None:
        return DataPaths(GLOBAL.home.expanduser().resolve())
    return find_data(find_content())


def open_session(**options: Any) -> Session:
    """Find content and data, read the settings; ``options`` override them (None: not given).

    Raises BadInput.
    """
    content, data = find_content(), find_home()
    settings = load_settings(content.settings, own=data.settings, **options)
    return Session(Content(content), data, settings)


def open_context(**options: Any) -> Context:
    """The same as what the stages of a run take."""
    from workbench.runs import Context

    session = open_session(**options)
    return Context(session.content, session.data, session.settings)
