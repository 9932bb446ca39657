"""What every screen works on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.records import (
    BadInput,
    Clock,
    ContentPaths,
    DataPaths,
    FrameSettings,
    SystemClock,
    find_content,
    find_data,
    plain_settings,
)
from workbench.tui.terminal import Terminal, detect

if TYPE_CHECKING:
    from workbench.catalog import Content
    from workbench.records import Configured, Settings
    from workbench.runs import Context


@dataclass(frozen=True)
class AppContext:
    """Content root, data directory, settings, and what the terminal can do.

    ``origins``: as in ``Configured``; ``problem``: what is wrong with the user's own settings, which then do
    not count.
    """

    content: Content
    data: DataPaths
    settings: Settings
    terminal: Terminal
    clock: Clock = field(default_factory=SystemClock)
    origins: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""

    @property
    def frame(self) -> FrameSettings | Settings:
        """The settings that the first frame needs."""
        return self.settings

    def of_runs(self) -> Context:
        """The same for what plans, follows and reads runs, imported when it is asked for."""
        from workbench.runs import Context

        return Context(self.content, self.data, self.settings, self.clock)


class LateContext(AppContext):
    """Catalog and settings are read when they are first asked for; the first frame needs neither."""

    _paths: ContentPaths
    _frame: FrameSettings

    @classmethod
    def of(cls, paths: ContentPaths, data: DataPaths, frame: FrameSettings) -> LateContext:
        """``frame`` says what the settings say."""
        context = cls.__new__(cls)
        known = {"data": data, "terminal": detect(frame), "clock": SystemClock()}
        context.__dict__.update(known, _paths=paths, _frame=frame)
        return context

    @property
    def frame(self) -> FrameSettings | Settings:
        return self.settings if "settings" in self.__dict__ else self._frame

    def __getattr__(self, name: str) -> Any:
        if name == "content":
            self.__dict__["content"] = _content(self._paths)
        elif name in ("settings", "origins"):
            configured, problem = find_settings(self.content, self.data)
            self.__dict__.update(settings=configured.settings, origins=configured.origins, problem=problem)
        else:
            raise AttributeError(name)
        return self.__dict__[name]


def find_context(home: Path | None) -> AppContext:
    """Content and settings from where one stands; ``home`` is the data directory. Raises BadInput."""
    paths = find_content()
    data = DataPaths(home.expanduser().resolve()) if home is not None else find_data(paths)
    frame = plain_settings([paths.settings, data.settings], os.environ)
    if frame is not None:
        return LateContext.of(paths, data, frame)
    content = _content(paths)
    configured, problem = find_settings(content, data)
    return AppContext(
        content,
        data,
        configured.settings,
        detect(configured.settings),
        origins=configured.origins,
        problem=problem,
    )


def _content(paths: ContentPaths) -> Content:
    from workbench.catalog import Content

    return Content(paths)


def find_settings(content: Content, data: DataPaths) -> tuple[Configured, str]:
    """The settings now, and what is wrong with the user's own file, which is then left out.

    Raises BadInput for the project's file and the environment.
    """
    from workbench.records import read_settings

    try:
        return read_settings(content.paths.settings, own=data.settings), ""
    except BadInput as error:
        without = read_settings(content.paths.settings)
        return without, f"{error.where}: {error.what}. Your own settings do not count until it is corrected."
