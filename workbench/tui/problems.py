"""What cannot be read, as part of a line: a sign, a word, and what to do."""

from __future__ import annotations

from pathlib import Path

from workbench.tui.inert import Inert
from workbench.tui.themes import state_text

CANNOT = "cannot be read"


def problem_text(where: str) -> Inert:
    """``✗ cannot be read: correct line 3 of family.toml``; ``where`` as errors have it."""
    return state_text("error", CANNOT) + Inert.line(f": correct {place(where)}")


def unreadable(number: int) -> Inert:
    """``✗ 2 unreadable`` and a gap; nothing where there is none."""
    return state_text("error", f"{number} unreadable") + "  " if number else Inert()


def place(where: str) -> str:
    """File and line as a person says them."""
    path, _, line = where.partition(", line ")
    name = Path(path).name
    return f"line {line} of {name}" if line else name


def line_number(where: str) -> int:
    """The line, 1 where none is named."""
    line = where.partition(", line ")[2]
    return int(line) if line.isdecimal() else 1
