"""The user's own editor on the terminal, while the app stands aside."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.records import MODEL_KEY_VARIABLE, DataPaths, Unavailable
from workbench.tui import signals
from workbench.tui.guard import give_back, line_modes
from workbench.tui.inert import Inert

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.widgets.line_view import LineView

VARIABLES = ("VISUAL", "EDITOR")
"""Read in this order."""
TAKES_LINE = ("vi", "vim", "nvim", "view", "nano", "pico", "emacs", "emacsclient", "micro", "kak", "joe")
"""Editors that begin at a line given as ``+7``."""
MOST_ROWS = 10_000
"""Of a longer text, so many rows around the cursor are copied."""

_REMEDY = "Leave the app, type export EDITOR=nano (or your editor's command), start it again: it opens here."


def find_editor(environment: Mapping[str, str]) -> list[str]:
    """The words of the editor's command line. Raises Unavailable, saying what to set."""
    name = next((name for name in VARIABLES if environment.get(name, "").strip()), "")
    if not name:
        raise Unavailable("no editor is set", remedy=_REMEDY)
    try:
        words = shlex.split(environment[name])
    except ValueError as error:
        raise Unavailable(f"{name} is no command line ({error})", remedy=_REMEDY) from None
    if not words or shutil.which(words[0], path=environment.get("PATH")) is None:
        raise Unavailable(f"{name} names a program that is not found: {words[:1]}", remedy=_REMEDY)
    return words


def command_line(words: list[str], file: Path, line: int) -> list[str]:
    """What is executed, without a shell; ``line`` from 1, given to editors known to take it."""
    place = [f"+{line}"] if line > 1 and Path(words[0]).name in TAKES_LINE else []
    return [*words, *place, str(file)]


def edit(app: WorkbenchApp, file: Path, line: int = 1) -> Inert:
    """Let the editor have the terminal until it ends; what there is to say about it.

    Raises Unavailable where no editor can be started.
    """
    command = command_line(find_editor(os.environ), file, line)
    if app._driver is None or not app._driver.can_suspend:
        raise Unavailable("the editor needs a terminal of its own", remedy="Start the app in a terminal.")
    environment = {name: value for name, value in os.environ.items() if name != MODEL_KEY_VARIABLE}
    app.save_now()
    app.output.hold()
    with app.suspend():
        modes = line_modes()
        ended = signals.attend(command, environment)
        give_back(modes)  # whatever state the editor left it in
    app.output.clear()
    if ended.asked_to_leave:
        signals.leave_for_certain(app.leave, 128 + ended.asked_to_leave)
    if ended.problem:
        raise Unavailable(f"the editor could not be started ({ended.problem})", remedy=_REMEDY)
    return Inert.of(f"the editor ended with code {ended.code}") if ended.code else Inert()


@contextmanager
def private_copy(data: DataPaths, name: str, text: str) -> Iterator[Path]:
    """``text`` in a file that only its owner can read, in a folder that is gone afterwards with all that the
    editor put beside it.
    """
    from workbench.store import atomic_write, owned_folder

    with owned_folder(data, "editor") as folder:
        file = folder / name
        atomic_write(file, text, mode=0o600)
        yield file


def shown_text(view: LineView) -> tuple[str, int]:
    """The selected rows, else all (of many those around the cursor), as they are shown; and the line, from 1,
    that the cursor is on.
    """
    rows, source = view.selected, view.source
    if len(rows) < 2:
        first = max(0, min(view.cursor - MOST_ROWS // 2, len(source) - MOST_ROWS))
        rows = range(first, min(first + MOST_ROWS, len(source)))
    text = "".join(source.line(row).text.plain + "\n" for row in rows)
    return Inert.of(text).plain, max(1, view.cursor - rows.start + 1)
