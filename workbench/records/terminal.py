"""What the terminal app keeps: where it was left, and unsaved work."""

from __future__ import annotations

from pydantic import JsonValue

from workbench.records.base import Part, Record, UtcTime


class ScreenState(Part):
    """One screen: how it was opened, and what it says of itself (cursor, filters)."""

    name: str
    arguments: dict[str, JsonValue] = {}
    state: dict[str, JsonValue] = {}


class TerminalSession(Record):
    """``session.json``. ``modes`` are the standing screens, ``stack`` what is open above the current one."""

    mode: str
    modes: list[ScreenState] = []
    stack: list[ScreenState] = []


class Draft(Part):
    """Text a person wrote that is not saved where it belongs.

    ``screen`` and ``arguments`` open the place it was written in.
    """

    key: str  # one a place: saving the same key again replaces it
    title: str
    screen: str
    arguments: dict[str, JsonValue] = {}
    text: str
    changed: UtcTime


class RecoveryFile(Record):
    """The drafts of one process."""

    pid: int
    drafts: list[Draft] = []
