"""``workbench trajectory redact``: logs that may leave the machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.output import JsonOption, open_context, print_table, progress_line, say
from workbench.cli.trajectory_input import FormatOption
from workbench.records import BadInput, ReleaseFormat

REDACT_HELP = """Write logs without patients' values, persons and secrets into a new folder, checked.

Tool output becomes a description; the agent's words, commands and SQL stay, cleaned. Everything is looked up
in the sources of this machine. A folder is written only when nothing is left to find in it.
"""
FORMATS: dict[str, ReleaseFormat] = {"workbench": "workbench", "atif": "atif"}


def redact(
    targets: Annotated[
        list[str], typer.Argument(metavar="RUN|FILE...", help="Run ids, or their begins; files.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The new folder.")],
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source", metavar="NAME", help="A source that was read; can be repeated. Default: all."
        ),
    ] = None,
    into: Annotated[str, typer.Option("--as", help="workbench or atif.")] = "workbench",
    small_count: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Counts of patients below it are masked. Default: 10.")
    ] = None,
    again: Annotated[
        str, typer.Option(metavar="RELEASE", help="Make this release again, with the same pseudonyms.")
    ] = "",
    format: FormatOption = "",
    as_json: JsonOption = False,
) -> None:
    """All of them or nothing; an interrupted one goes on when it is asked for again."""
    from workbench import runs

    if into not in FORMATS:
        raise BadInput(f"cannot write {into!r}", remedy=f"Known: {', '.join(FORMATS)}.")
    context = open_context()
    logs = runs.logs_to_release(context, targets, format)
    request = runs.ReleaseRequest(
        logs=logs,
        sources=runs.sources_to_ask(context, source or [], logs),
        out=out.expanduser(),
        format=FORMATS[into],
        again=again,
        **({} if small_count is None else {"small_count": small_count}),
    )
    with progress_line() as progress:
        manifest = runs.make_release(context, request, progress)
    items = [
        {
            "file": one.file,
            "of": one.run.run_id if one.run else log.path.name,
            "steps": one.steps,
            "bytes": one.bytes,
            "replaced": sum(one.replaced.values()),
        }
        for one, log in zip(manifest.files, logs, strict=True)
    ]
    summary = {
        "release": manifest.release,
        "folder": str(request.out),
        "sources": [one.name for one in manifest.sources],
        "checks": manifest.checks,
        "replaced": manifest.replaced,
    }
    print_table(
        "released", items, ("file", "of", "steps", "bytes", "replaced"), as_json=as_json, summary=summary,
        shorten="of",
    )  # fmt: skip
    if not as_json:
        say(f"release {manifest.release} in {request.out}: checked against {', '.join(summary['sources'])}")
