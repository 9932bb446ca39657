"""Errors for the person at the keyboard, and exit codes."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What a command's exit status means, everywhere."""

    DONE = 0
    FOUND = 1
    WRONG_USE = 2
    REFUSED = 3


class WorkbenchError(Exception):
    """Something a person can act on: what is wrong, where, and what to do.

    Never carries a patient-level value: counts, names and line numbers only.
    """

    exit_code = ExitCode.FOUND

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(str(self))

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}\n  {self.remedy}" if self.remedy else head


class BadInput(WorkbenchError):
    """A file, option or name given by the user is wrong."""

    exit_code = ExitCode.WRONG_USE


class Unavailable(WorkbenchError):
    """Something needed is missing or broken on this machine."""

    exit_code = ExitCode.WRONG_USE


class Refused(WorkbenchError):
    """Not done, because it would not be safe."""

    exit_code = ExitCode.REFUSED
