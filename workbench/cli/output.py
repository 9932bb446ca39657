"""Everything a command prints: plain lines, aligned tables, the JSON envelope, errors."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from workbench.cli.progress import progress_line
from workbench.cli.session import open_context, open_session
from workbench.patterns import visible
from workbench.records import Envelope, ExitCode, Problem, WorkbenchError

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
]

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON envelope.")]


def say(text: str, *, err: bool = False) -> None:
    """One line, or several. A reader that has gone away ends the command quietly."""
    stream = sys.stderr if err else sys.stdout
    try:
        stream.write(text + "\n")
        stream.flush()
    except BrokenPipeError:
        silence(stream.fileno())
        raise typer.Exit(ExitCode.DONE) from None


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
    say(envelope.to_json())


def print_table(
    kind: str,
    items: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    *,
    as_json: bool,
    summary: Mapping[str, Any] | None = None,
    problems: Sequence[Problem] = (),
    empty: str = "none",
) -> None:
    """Aligned columns with a head line; as JSON all keys of ``items``, not only ``columns``."""
    if as_json:
        print_envelope(kind, items, summary, problems)
        return
    for problem in problems:
        say(f"note: {visible(problem.where)}: {visible(problem.what)}", err=True)
    if not items:
        say(empty)
        return
    lines = [[column.replace("_", " ") for column in columns]]
    lines += [[_shown(item.get(column)) for column in columns] for item in items]
    right = [
        all(isinstance(item.get(column), int | float | None) for item in items)
        and not all(item.get(column) is None for item in items)
        for column in columns
    ]
    widths = [max(_width(line[at]) for line in lines) for at in range(len(columns))]
    for line in lines:
        cells = [
            _padded(cell, width, right=to_right)
            for cell, width, to_right in zip(line, widths, right, strict=True)
        ]
        say("  ".join(cells).rstrip())


def print_pairs(pairs: Mapping[str, Any]) -> None:
    """``name  value`` lines, aligned."""
    width = max((len(name) for name in pairs), default=0)
    for name, value in pairs.items():
        say(f"{name.replace('_', ' '):<{width}}  {_shown(value)}".rstrip())


def print_error(error: WorkbenchError) -> None:
    """``error: where: what`` and below it what to do, on standard error."""
    where = f"{visible(error.where)}: " if error.where else ""
    say(f"error: {where}{visible(error.what)}", err=True)
    for line in visible(error.remedy).splitlines():
        say(f"  {line}", err=True)


def _shown(value: Any) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, list | tuple):
        return ", ".join(_shown(item) for item in value) or "-"
    return visible(str(value)).replace("\n", " ")


def _padded(text: str, width: int, *, right: bool) -> str:
    filling = " " * (width - _width(text))
    return filling + text if right else text + filling


def _width(text: str) -> int:
    """Columns on a terminal."""
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        for sign in text
    )
