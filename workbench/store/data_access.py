"""Whose logs are shown as they are on this machine."""

from __future__ import annotations

from workbench.records import SOURCE_NAME, SYNTHETIC_NAME, DataPaths, Settings, Source, WorkbenchError


def shows_raw(data: DataPaths, settings: Settings, source: str) -> bool:
    """Whether logs of runs over ``source`` are shown as they are; an empty name: of an unknown origin.

    The setting ``data_access`` says so: of synthetic sources alone, of all, of none. A name that synthetic
    sources are made under is refused for any other; others are what their manifest says.
    """
    if settings.data_access != "synthetic":
        return settings.data_access == "all"
    if SYNTHETIC_NAME.fullmatch(source):
        return True
    if not SOURCE_NAME.fullmatch(source):
        return False
    try:
        return Source.load(data.source(source).manifest).kind == "synthetic"
    except (WorkbenchError, OSError):
        return False
