"""What a person sees when the app itself fails: where and what kind, never a value."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path

from textual.worker import WorkerFailed

from workbench.patterns.control import visible
from workbench.records import ExitCode, WorkbenchError

_FRAMES = 6


@dataclass(frozen=True)
class Crash:
    """``lines`` name the kind of error and the places in the code; messages and variables may hold patients'
    values and are left out. ``detail`` has the messages, too, for ``--debug``.
    """

    lines: tuple[str, ...]
    detail: str
    exit_code: int

    @classmethod
    def of(cls, error: BaseException) -> Crash:
        """The report of one error."""
        if isinstance(error, WorkerFailed):
            error = error.error
        detail = visible("".join(traceback.format_exception(error)))
        if isinstance(error, WorkbenchError):
            where = f"{error.where}: " if error.where else ""
            lines = [f"error: {visible(where + error.what)}"]
            lines += [f"  {line}" for line in visible(error.remedy).splitlines()]
            return cls(tuple(lines), detail, error.exit_code)
        frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
        places = [f"  {Path(frame.filename).name}, line {frame.lineno}, in {frame.name}" for frame in frames]
        return cls(
            (
                f"error: a fault of the workbench itself ({type(error).__name__})",
                *places,
                "  Runs go on. `workbench --debug tui` shows more; please report it.",
            ),
            detail,
            int(ExitCode.FOUND),
        )

    def text(self, *, debug: bool) -> str:
        """What is printed below the prompt."""
        return (self.detail if debug else "") + "\n".join(self.lines) + "\n"
