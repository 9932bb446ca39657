"""``workbench trajectory convert``: a log written in another format."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.output import JsonOption, open_session, print_table, progress_line
from workbench.cli.trajectory_input import FormatOption, TargetArgument, open_trajectory, say_if_plain
from workbench.records import BadInput, Step, TrajectorySummary, Unavailable

CONVERT_HELP = "Write a log in another format: workbench, atif or text. Nothing is redacted."


def convert(
    target: TargetArgument,
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="A new file.")],
    into: Annotated[str, typer.Option("--as", help="workbench, atif or text.")] = "workbench",
    format: FormatOption = "",
    as_json: JsonOption = False,
) -> None:
    """The whole file or none."""
    from workbench import store, trajectories

    writers: dict[str, Callable[[Iterable[Step], TrajectorySummary], Iterable[bytes]]] = {
        "workbench": trajectories.trajectory_lines,
        "atif": lambda steps, summary: [trajectories.atif_bytes(steps, summary)],
        "text": trajectories.text_lines,
    }
    if into not in writers:
        raise BadInput(f"cannot write {into!r}", remedy=f"Known: {', '.join(writers)}.")
    to = to.expanduser()
    _check_place(to)
    with progress_line() as progress:
        found = open_trajectory(open_session().data, target, format, progress)
        steps, summary = iter(found.log), found.log.summary
        try:
            store.atomic_write(to, writers[into](steps, summary))
        except (BadInput, Unavailable) as error:
            if error.where != str(to):
                raise
            raise type(error)(error.what, where=error.where, remedy="Name another place for it.") from None
    say_if_plain(found)
    items = [{"file": str(to), "format": into, "steps": found.log.count, "bytes": to.stat().st_size}]
    print_table("converted", items, ("file", "format", "steps", "bytes"), as_json=as_json, shorten="file")


def _check_place(to: Path) -> None:
    """Raises BadInput where no new file can be."""
    if os.path.isdir(to):  # noqa: PTH112 - no error for a name that is too long
        raise BadInput("is a folder", where=str(to), remedy="Name a new file in it.")
    if os.path.lexists(to):
        raise BadInput("is there already", where=str(to), remedy="Name a new file, or remove that one.")
    if not os.path.isdir(to.parent):  # noqa: PTH112
        raise BadInput(
            "there is no such folder", where=str(to.parent), remedy="Make it first, or name another."
        )
