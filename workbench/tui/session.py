"""Where the app was left, for the next start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.records import BadInput, DataPaths

if TYPE_CHECKING:
    from workbench.records import TerminalSession


def write_session(data: DataPaths, session: TerminalSession) -> None:
    """Keep it, whole or not at all. Raises what ``atomic_write`` raises."""
    from workbench.store import atomic_write, private_folder

    private_folder(data.root)
    private_folder(data.terminal_session.parent)
    atomic_write(data.terminal_session, session.to_json() + "\n")


def take_session(data: DataPaths) -> TerminalSession | None:
    """The last session; None where there is none, or none that can be read.

    The file is moved aside first: a session that makes the app fail is not tried twice.
    """
    path = data.terminal_session
    aside = path.with_suffix(".taken.json")
    try:
        path.replace(aside)
    except OSError:
        return None
    from workbench.records import TerminalSession

    try:
        return TerminalSession.load(aside)
    except BadInput:
        return None
