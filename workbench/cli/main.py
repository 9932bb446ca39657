"""The command ``workbench``: global options, command groups, and what an error looks like."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Annotated

import typer
from typer.main import get_command

from workbench import __version__
from workbench.cli.check import CHECK_HELP, check
from workbench.cli.lint import LINT_HELP, lint
from workbench.cli.output import print_envelope, print_error, say, silence
from workbench.cli.session import GLOBAL, find_home
from workbench.records import ExitCode, Problem, WorkbenchError

GROUPS = (
    "run",
    "runs",
    "data",
    "task",
    "skill",
    "rules",
    "caveat",
    "review",
    "audit",
    "condition",
    "counterfactual",
    "witness",
    "demonstration",
    "trajectory",
    "config",
    "doctor",
    "tui",
)
"""Modules of this package, each with an ``app``; also the order in the help."""

_INTERRUPTED = 130
"""What Typer returns for a KeyboardInterrupt."""
_ENGINE_INTERRUPTED = "Query interrupted"
"""What DuckDB raises (a plain RuntimeError) when Ctrl-C meets a statement on the main thread."""


def build_app() -> typer.Typer:
    """The whole command line; imports no package that a command needs only when it runs."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        help="Review, run and audit clinical derivation skills.",
        epilog="Exit codes: 0 done, 1 found something, 2 wrong use, 3 refused for safety.",
    )
    app.callback()(_root)
    for name in GROUPS:
        app.add_typer(import_module(f"workbench.cli.{name}").app, name=name)
    app.command("check", help=CHECK_HELP)(check)
    app.command("lint", help=LINT_HELP)(lint)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        say(__version__)
        raise typer.Exit


def _root(
    home: Annotated[
        Path | None, typer.Option(help="Data directory, instead of WORKBENCH_HOME or .workbench.")
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    GLOBAL.home = home
    GLOBAL.debug = debug


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code. An error is one message on standard error."""
    os.umask(0o077)
    given = list(sys.argv[1:] if arguments is None else arguments)
    GLOBAL.home, GLOBAL.debug = None, "--debug" in given
    sys.excepthook = unexpected
    try:
        code = get_command(build_app()).main(args=given, prog_name="workbench", standalone_mode=False)
    except WorkbenchError as error:
        return _failed(error, given)
    except typer.TyperException as error:
        if error.format_message().startswith("Usage:"):
            say(error.format_message(), err=True)
            return ExitCode.WRONG_USE
        return _failed(_wrong_use(error), given)
    except typer.Abort:
        code = _INTERRUPTED
    except OSError as error:
        return _failed(_system_error(error), given)
    except RuntimeError as error:
        if str(error) != _ENGINE_INTERRUPTED:
            raise
        code = _INTERRUPTED
    if code == _INTERRUPTED:
        say("error: cancelled", err=True)
        return ExitCode.FOUND
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout.fileno())
    return code if isinstance(code, int) else ExitCode.DONE


def _failed(error: WorkbenchError, given: Sequence[str]) -> int:
    if GLOBAL.debug:
        sys.__excepthook__(type(error), error, error.__traceback__)
    try:
        print_error(error)
        if "--json" in given:
            problem = Problem(what=error.what, where=error.where, remedy=error.remedy)
            print_envelope("error", [], problems=[problem])
    except typer.Exit:
        pass
    _log(error)
    return error.exit_code


def _wrong_use(error: typer.TyperException) -> WorkbenchError:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "workbench"
    message = error.format_message().replace("Value error, ", "") or "the command is not complete"
    told = WorkbenchError(message.rstrip("."), remedy=f"See {command} --help.")
    told.exit_code = ExitCode.WRONG_USE
    return told


def _system_error(error: OSError) -> WorkbenchError:
    from workbench.store import disk_error

    return disk_error(error, Path(str(error.filename or "a file")))


def unexpected(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """A fault of the program: its text may hold values, so only its kind and place are told."""
    if GLOBAL.debug:
        sys.__excepthook__(kind, error, trace)
        return
    last = trace
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    place = f" in {Path(last.tb_frame.f_code.co_filename).name}, line {last.tb_lineno}" if last else ""
    sys.stderr.write(f"error: a fault of the workbench itself ({kind.__name__}{place})\n")
    sys.stderr.write("  Run the command again with --debug before it to see more, and report it.\n")
    _log(error)


def _log(error: BaseException) -> None:
    from workbench.store import get_log

    try:
        data = find_home()
    except WorkbenchError:
        return
    if data.root.is_dir():
        get_log(data).error("command failed", exc_info=error)
