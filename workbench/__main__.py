"""``workbench`` and ``python -m workbench``: the app at once, anything else through the command line.

Only what Python has loaded anyway is imported before ``main`` minds Ctrl-C.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType

CANCELLED = 1
"""``ExitCode.FOUND``, as every cancelled command ends."""
AGAIN_S = 0.01
"""Long enough for a callback to have ended."""


def main() -> int:
    """Run what the arguments say; returns the exit code. Ctrl-C at any moment ends it with one line."""
    try:
        sys.unraisablehook = _ignored
        code = _run()
        _end_on_signal()
    except KeyboardInterrupt:
        _end_on_signal()
        sys.stderr.write("error: cancelled\n")
        return CANCELLED
    return code


def _run() -> int:
    _open_standard_streams()
    home, debug, plain = app_options(sys.argv[1:])
    if plain:
        os.umask(0o077)
        sys.excepthook = _unexpected
        from workbench.records import WorkbenchError
        from workbench.tui import open_app

        try:
            return open_app(home, debug=debug)
        except WorkbenchError:
            pass  # the command line meets it, too, and says it
    from workbench.cli import main as command_line

    return command_line()


def _end_on_signal() -> None:
    """From here on Python only goes down: Ctrl-C ends the process, and nothing is printed about it."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _ignored(what: sys.UnraisableHookArgs) -> None:
    """Ctrl-C that met a callback, which Python prints and forgets: it is raised again, outside of it."""
    if not issubclass(what.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(what)
        return
    import _thread
    import time

    def again() -> None:
        time.sleep(AGAIN_S)
        _thread.interrupt_main()

    _thread.start_new_thread(again, ())


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
    from pathlib import Path

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
