"""``workbench`` and ``python -m workbench``: the app at once, anything else through the command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType


def main() -> int:
    """Run what the arguments say; returns the exit code."""
    _open_standard_streams()
    home, debug, plain = app_options(sys.argv[1:])
    if plain:
        os.umask(0o077)
        sys.excepthook = _unexpected
        from workbench.records import ExitCode, WorkbenchError
        from workbench.tui import open_app

        try:
            return open_app(home, debug=debug)
        except WorkbenchError:
            pass  # the command line meets it, too, and says it
        except KeyboardInterrupt:
            sys.stderr.write("error: cancelled\n")
            return ExitCode.FOUND
    from workbench.cli import main as command_line

    return command_line()


def _open_standard_streams() -> None:
    """In place of closed ones: else a file of ours would get the number, and what is printed."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))


def app_options(arguments: Sequence[str]) -> tuple[Path | None, bool, bool]:
    """``--home`` and ``--debug``, and whether nothing but these stands before a last ``tui``."""
    home, debug = None, False
    left = list(arguments)
    while left and left != ["tui"]:
        name = left.pop(0)
        if name == "--debug":
            debug = True
        elif name.startswith("--home="):
            home = Path(name.partition("=")[2])
        elif name == "--home" and left:
            home = Path(left.pop(0))
        else:
            return None, False, False
    return home, debug, bool(left)


def _unexpected(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """As the command line tells it."""
    from workbench.cli.main import unexpected
    from workbench.cli.session import GLOBAL

    GLOBAL.home, GLOBAL.debug, _ = app_options(sys.argv[1:])
    unexpected(kind, error, trace)


if __name__ == "__main__":
    sys.exit(main())
