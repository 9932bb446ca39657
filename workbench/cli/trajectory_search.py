"""``workbench trajectory search``: steps of all runs, of some, or of files, that hold what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.output import JsonOption, open_session, print_table, progress_line, say
from workbench.cli.trajectory_input import Trajectory, names_file, open_trajectory, say_if_plain
from workbench.records import BadInput, DataPaths, Progress

if TYPE_CHECKING:
    from workbench.trajectories import Named, Only, StepQuery

SEARCH_HELP = "Steps that hold words; of all runs, or of one run or file."


@dataclass(frozen=True)
class _Page:
    """``total``: None where only reading more would tell. ``logs``: the files that were read."""

    hits: list[dict[str, Any]]
    total: int | None
    logs: Sequence[Trajectory] = ()


def search(
    words: Annotated[
        list[str] | None, typer.Argument(help='Words, "a phrase", begin*; all must be there. May be none.')
    ] = None,
    inside: Annotated[
        list[str] | None, typer.Option("--in", metavar="RUN|FILE", help="Only in this one; can be repeated.")
    ] = None,
    pattern: Annotated[str, typer.Option("--regex", help="A regular expression.")] = "",
    tool: Annotated[str, typer.Option(help="Name or kind of a tool.")] = "",
    table: Annotated[str, typer.Option(help="A table that SQL names.")] = "",
    sql: Annotated[bool, typer.Option("--sql", help="Only steps with SQL.")] = False,
    errors: Annotated[bool, typer.Option("--errors", help="Only steps with an error.")] = False,
    violations: Annotated[bool, typer.Option("--violations", help="Only steps with a violation.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many.")] = 50,
    page: Annotated[int, typer.Option(min=1, help="Which page of them.")] = 1,
    as_json: JsonOption = False,
) -> None:
    """The newest first."""
    from workbench import store, trajectories

    data = open_session().data
    query = trajectories.StepQuery(words=" ".join(words or []), pattern=pattern, tool=tool, table=table)
    files = [name for name in inside or [] if names_file(name)]
    if files and (violations or len(files) < len(inside or [])):
        raise BadInput(
            "files and recorded runs are searched apart" if not violations else "a file has no lint",
            remedy="Name runs only; or lint the file with `workbench lint`.",
        )
    only = trajectories.Only(sql=sql, errors=errors, violations=violations)
    with progress_line() as progress:
        if files:
            found = _in_files(data, files, query, only, progress)
            found = _Page(found.hits[(page - 1) * limit : page * limit], found.total, found.logs)
        else:
            runs = store.RunStore(data)
            chosen = [runs.find(name) for name in inside or []]
            only = trajectories.Only(sql=sql, errors=errors, violations=violations, runs=chosen)
            hits = trajectories.search_runs(
                data, query, only, limit=limit, skip=(page - 1) * limit, progress=progress
            )
            found = _Page([asdict(hit) for hit in hits.hits], hits.total)
        why = "" if found.hits or as_json else _why_none(data, found, query, limit, page)
    for log in found.logs:
        say_if_plain(log)
    of = ("run_id",) if not files else () if len(files) == 1 else ("file",)
    rules = ("rules",) if any(hit["rules"] for hit in found.hits) else ()
    print_table(
        "steps", found.hits, (*of, "step", "tools", "error", *rules, "excerpt"),
        as_json=as_json, summary={"shown": len(found.hits), "total": found.total, "page": page}, empty=why,
        drop=("rules", "tools", "error"), shorten="excerpt",
    )  # fmt: skip
    if not as_json and found.hits:
        _say_more(len(found.hits), found.total, limit, page)


def _in_files(
    data: DataPaths, files: Sequence[str], query: StepQuery, only: Only, progress: Progress
) -> _Page:
    """All steps of the files that fit."""
    from workbench import trajectories

    logs = [open_trajectory(data, name, "", progress) for name in files]
    hits = [
        asdict(hit) | {"run_id": log.name, "file": log.log.path.name}
        for log in logs
        for hit in trajectories.search_steps(log.log, query, only)
    ]
    return _Page(hits, len(hits), logs)


def _say_more(shown: int, total: int | None, limit: int, page: int) -> None:
    """How to go on, on standard error."""
    if total is None and shown == limit:
        say(f"-- more may follow: --page {page + 1}", err=True)
    elif total is not None and total > page * limit:
        say(f"-- {total - page * limit} more: --page {page + 1}", err=True)


def _why_none(data: DataPaths, found: _Page, query: StepQuery, limit: int, page: int) -> str:
    """What to say where a page is empty: it is behind the last one, or which name no step holds."""
    if found.total:
        steps = f"{found.total} step{'s' * (found.total != 1)} fit{'s' * (found.total == 1)}"
        return (
            f"page {page} is behind the last one: {steps}, the last page is --page {-(-found.total // limit)}"
        )
    unknown = [
        *([_unknown(data, found.logs, "tool", query.tool)] if query.tool else []),
        *([_unknown(data, found.logs, "table", query.table)] if query.table else []),
    ]
    return "; ".join(["no step fits", *filter(None, unknown)])


def _unknown(data: DataPaths, logs: Sequence[Trajectory], what: str, name: str) -> str:
    """That no step at all has this tool or table, with names that are like it; empty where one has."""
    from workbench import trajectories

    query = trajectories.StepQuery(**{what: name})
    column: Named = "tool" if what == "tool" else "tables"
    if logs:
        if any(next(trajectories.search_steps(log.log, query), None) for log in logs):
            return ""
        near = trajectories.near_in_steps((step for log in logs for step in log.log), name, column)
    else:
        if trajectories.search_runs(data, query, limit=1).hits:
            return ""
        near = trajectories.near_in_runs(data, name, column)
    where = "recorded run" if not logs else "step of the log" if len(logs) == 1 else "step of the logs"
    return f"no {where} has the {what} {name!r}" + (f" (near it: {', '.join(near)})" if near else "")
