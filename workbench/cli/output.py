"""Everything a command prints: plain lines, aligned tables, the JSON envelope, errors."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

import typer

from workbench.cli.progress import progress_line
from workbench.cli.session import open_context, open_session
from workbench.cli.widths import cut, fit, text_width, wide, wrapped
from workbench.patterns import visible
from workbench.records import Envelope, ExitCode, Problem, WorkbenchError, utc_text

__all__ = [
    "JsonOption",
    "open_context",
    "open_session",
    "print_envelope",
    "print_error",
    "print_pairs",
    "print_table",
    "progress_line",
    "say",
    "say_wrapped",
]

_ESCAPED = re.compile(r"[^\n\x20-\x7e]")
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON envelope.")]


def say(text: str, *, err: bool = False) -> None:
    """One line, or several, nothing in it that a terminal would act on. A reader that has gone away ends the
    command quietly."""
    stream = sys.stderr if err else sys.stdout
    try:
        stream.write(visible(text) + "\n")
        stream.flush()
    except BrokenPipeError:
        silence(stream.fileno())
        raise typer.Exit(ExitCode.DONE) from None


def say_wrapped(text: str, indent: int = 0, *, err: bool = False) -> None:
    """``text``, cut into lines between words on a terminal; all lines but the first are indented."""
    for line in wrapped(text, wide(sys.stderr if err else sys.stdout), indent):
        say(line, err=err)


def silence(descriptor: int) -> None:
    """Let all further writing go nowhere, so that the interpreter's last flush does not fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def print_envelope(
    kind: str,
    items: Sequence[Mapping[str, Any]],
    summary: Mapping[str, Any] | None = None,
    problems: Sequence[Problem] = (),
) -> None:
    """The one shape of every ``--json`` answer."""
    envelope = Envelope(
        kind=kind, items=[dict(item) for item in items], summary=dict(summary or {}), problems=list(problems)
    )
    say(_ESCAPED.sub(_escape, envelope.to_json()))


def _escape(found: re.Match[str]) -> str:
    """As JSON spells it, so that the value stays what it is."""
    character = found.group()
    return character if visible(character) == character else json.dumps(character)[1:-1]


def print_table(
    kind: str,
    items: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    *,
    as_json: bool,
    summary: Mapping[str, Any] | None = None,
    problems: Sequence[Problem] = (),
    empty: str = "none",
    drop: Sequence[str] = (),
    shorten: str = "",
) -> None:
    """Aligned columns with a head line; as JSON all keys of ``items``, not only ``columns``.

    Where the terminal is too narrow, columns of ``drop`` are left out, the first one first, and then
    ``shorten`` (the last column of text unless given) is cut. Nothing is left out of a pipe or a file.

    ``problems`` are what cannot be read: notes on standard error, and then the command ends with FOUND.
    """
    if as_json:
        print_envelope(kind, items, summary, problems)
    else:
        _print_lines(items, columns, problems, empty, drop, shorten)
    if problems:
        raise typer.Exit(ExitCode.FOUND)


def print_notes(problems: Sequence[Problem]) -> None:
    """What cannot be read, and what to do, on standard error."""
    for problem in problems:
        say_wrapped(f"note: {visible(problem.where)}: {visible(problem.what)}", 2, err=True)
        if problem.remedy:
            say_wrapped(f"  {visible(problem.remedy)}", 2, err=True)


def _print_lines(
    items: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    problems: Sequence[Problem],
    empty: str,
    drop: Sequence[str],
    shorten: str,
) -> None:
    print_notes(problems)
    if not items:
        say_wrapped(empty, 2)
        return
    cells = {
        column: [column.replace("_", " "), *(_shown(item.get(column)) for item in items)]
        for column in columns
    }
    right = {
        column: all(isinstance(item.get(column), int | float | None) for item in items)
        and not all(item.get(column) is None for item in items)
        for column in columns
    }
    widths = {column: max(map(text_width, texts)) for column, texts in cells.items()}
    text_columns = [column for column in columns if not right[column]]
    shorten = shorten or (text_columns[-1] if text_columns else "")
    shown = fit(widths, wide(sys.stdout), drop, shorten)
    for at in range(len(items) + 1):
        line = [
            _padded(cut(cells[column][at], width), width, right=right[column])
            for column, width in shown.items()
        ]
        say("  ".join(line).rstrip())
    left_out = [column.replace("_", " ") for column in columns if column not in shown]
    if left_out:
        say_wrapped(
            f"left out, as the terminal is narrow: {', '.join(left_out)} (--json has all)", 2, err=True
        )


def print_pairs(pairs: Mapping[str, Any]) -> None:
    """``name  value`` lines, aligned."""
    width = max((len(name) for name in pairs), default=0)
    for name, value in pairs.items():
        shown = _shown(value)
        line = f"{name.replace('_', ' '):<{width}}  {shown}".rstrip()
        if " " in shown:
            say_wrapped(line, width + 2)
        else:
            say(line)


def print_error(error: WorkbenchError) -> None:
    """``error: where: what`` and below it what to do, on standard error."""
    where = f"{visible(error.where)}: " if error.where else ""
    say_wrapped(f"error: {where}{visible(error.what)}", 2, err=True)
    for line in visible(error.remedy).splitlines():
        say_wrapped(f"  {line}", 2, err=True)


def _shown(value: Any) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, datetime):
        return utc_text(value)
    if isinstance(value, list | tuple):
        return ", ".join(_shown(item) for item in value) or "-"
    return visible(str(value)).replace("\n", " ")


def _padded(text: str, width: int, *, right: bool) -> str:
    filling = " " * (width - text_width(text))
    return filling + text if right else text + filling
