"""``workbench trajectory``: agents' logs of any known format, and those of recorded runs."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.output import (
    JsonOption,
    open_session,
    print_envelope,
    print_pairs,
    print_table,
    progress_line,
    say,
    say_wrapped,
)
from workbench.cli.trajectory_compare import COMPARE_HELP, compare
from workbench.cli.trajectory_input import FormatOption, TargetArgument, open_trajectory
from workbench.cli.trajectory_redact import REDACT_HELP, redact
from workbench.patterns import visible
from workbench.records import BadInput, DataPaths, Step, TrajectorySummary

app = typer.Typer(no_args_is_help=True, help="Agents' logs: show, search, count, convert, release.")

PAGE = 200
USAGE = (
    "source", "shown", "input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens",
    "cost_usd",
)  # fmt: skip
_NARROWEST = 40


@app.command("show", help="Steps as plain lines, violations at theirs; outputs may hold patients' values.")
def show(
    target: TargetArgument,
    first: Annotated[int, typer.Option("--from", min=1, help="Begin at this step.")] = 1,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many steps.")] = PAGE,
    step: Annotated[int | None, typer.Option("--step", min=1, help="Only this step, whole.")] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Cut no output.")] = False,
    statements: Annotated[bool, typer.Option("--sql", help="Only SQL and the tables that it reads.")] = False,
    format: FormatOption = "",
    as_json: JsonOption = False,
) -> None:
    """One page; the last line says how to go on."""
    from workbench import runs

    with progress_line() as progress:
        found = open_trajectory(open_session().data, target, format, progress)
        if step is not None:
            first, limit, whole = step, 1, True
        steps = found.log.begin(limit) if first == 1 else found.log.steps(first, limit)
    if step is not None and not steps:
        raise BadInput(f"there is no step {step}", where=target, remedy=f"It has {found.log.count} steps.")
    if first > 1 and not steps:
        raise BadInput(
            f"nothing is at step {first}", where=target, remedy=f"The last step is {found.log.count}."
        )
    said = [item for item in found.violations if item.place.step in {given.number for given in steps}]
    if statements:
        _statements(steps, as_json=as_json)
        return
    if as_json:
        print_envelope(
            "trajectory",
            [given.model_dump(mode="json") for given in steps],
            summary={
                "format": found.log.format,
                "violations": [item.model_dump(mode="json") for item in said],
            },
        )
        return
    width = max(shutil.get_terminal_size().columns, _NARROWEST) if sys.stdout.isatty() else None
    for given in steps:
        for line in _lines(given, width, whole=whole):
            say(line)
        for item in said:
            if item.place.step == given.number:
                say(runs.violation_line(item))
    if not steps:
        say("no step is in this log", err=True)
    if len(steps) == limit and step is None:
        say(f"-- more may follow: --from {steps[-1].number + 1}", err=True)


def _statements(steps: list[Step], *, as_json: bool) -> None:
    """Each statement under a line that says where it is and what became of it."""
    from workbench import trajectories

    run_at = trajectories.runs_of_files(steps)
    items = [
        {
            "step": step.number,
            **asdict(statement),
            "file_named_at": run_at.get((step.number, statement.call_id)),
        }
        for step in steps
        for statement in trajectories.step_statements(step)
    ]
    if as_json:
        print_envelope("statements", items)
        return
    for item in items:
        done = "executed" if item["executed"] else "written"
        if item["file_named_at"]:
            done += f" to a file that step {item['file_named_at']} names"
        reads = f"; reads {', '.join(item['tables'])}" if item["tables"] else ""
        inexact = "" if item["exact"] else "; some names are computed"
        say_wrapped(visible(f"step {item['step']}, line {item['line']}: {done}{reads}{inexact}"), 4)
        for line in item["sql"].strip().splitlines():
            say(f"    {line}")
    if not items:
        say("no SQL in these steps")


def _lines(step: Step, width: int | None, *, whole: bool) -> list[str]:
    from workbench.trajectories import step_lines

    return step_lines(step, width, output_lines=sys.maxsize) if whole else step_lines(step, width)


@app.command("stats", help="Steps, calls, errors, SQL, tables and every count of tokens.")
def stats(target: TargetArgument, format: FormatOption = "", as_json: JsonOption = False) -> None:
    """Counts only; no text of the log but names of tools and tables."""
    from workbench import trajectories

    with progress_line() as progress:
        found = open_trajectory(open_session().data, target, format, progress)
        summary = found.log.summary
        counted = trajectories.trajectory_stats(found.log)
    usage = [
        {"source": source, "shown": shown, "cost_usd": cost, **tokens.model_dump(mode="json")}
        for source, tokens, cost, shown in trajectories.usage_lines(summary)
    ]
    about: dict[str, Any] = {
        "format": found.log.format,
        "agent": summary.agent,
        "model": summary.model,
        "session": summary.session,
        "sessions": len(summary.sessions) or 1,
        "complete": summary.complete,
        "not_complete": trajectories.not_complete(summary),
        "damaged_lines": summary.damaged_lines,
        "unknown_events": sum(summary.unknown_events.values()),
        "retries": summary.retries,
    }
    if as_json:
        item = about | {"unknown_events": summary.unknown_events} | vars(counted) | {"usage": usage}
        print_envelope("trajectory-stats", [item])
        return
    why = about.pop("not_complete")
    print_pairs(about | {"complete": f"no: {why}" if why else "yes"})
    print_pairs(
        {
            name: value if not isinstance(value, dict) else _counted(value)
            for name, value in vars(counted).items()
        }
    )
    say("")
    print_table(
        "usage", usage, USAGE, as_json=False, drop=("reasoning_output_tokens", "cost_usd"),
        empty="this log counts no tokens",
    )  # fmt: skip


def _counted(counts: dict[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    more = f", {len(ordered) - 12} more" if len(ordered) > 12 else ""
    return ", ".join(f"{name} {count}" for name, count in ordered[:12]) + more


@app.command("convert", help="Write a log in another format: workbench, atif or text. Nothing is redacted.")
def convert(
    target: TargetArgument,
    to: Annotated[Path, typer.Option("--to", help="The new file; one that is there is not written over.")],
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
    if to.exists():
        raise BadInput("is there already", where=str(to), remedy="Name a new file, or remove that one.")
    with progress_line() as progress:
        found = open_trajectory(open_session().data, target, format, progress)
        store.atomic_write(to, writers[into](iter(found.log), found.log.summary))
    items = [{"file": str(to), "format": into, "steps": found.log.count, "bytes": to.stat().st_size}]
    print_table("converted", items, ("file", "format", "steps", "bytes"), as_json=as_json)


@app.command("search", help="Steps that hold words; of all runs, or of one run or file.")
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

    session = open_session()
    query = trajectories.StepQuery(words=" ".join(words or []), pattern=pattern, tool=tool, table=table)
    files = [name for name in inside or [] if Path(name).is_file() or "/" in name]
    if files and (violations or len(files) < len(inside or [])):
        raise BadInput(
            "files and recorded runs are searched apart" if not violations else "a file has no lint",
            remedy="Name runs only; or lint the file with `workbench lint`.",
        )
    with progress_line() as progress:
        if files:
            only = trajectories.Only(sql=sql, errors=errors)
            hits = [
                {"run_id": name, **asdict(hit) | {"run_id": name}}
                for name in files
                for hit in trajectories.search_steps(
                    open_trajectory(session.data, name, "", progress).log, query, only
                )
            ]
            total: int | None = len(hits)
            hits = hits[(page - 1) * limit : page * limit]
        else:
            runs = store.RunStore(session.data)
            chosen = [runs.find(name) for name in inside or []]
            only = trajectories.Only(sql=sql, errors=errors, violations=violations, runs=chosen)
            found = trajectories.search_runs(
                session.data, query, only, limit=limit, skip=(page - 1) * limit, progress=progress
            )
            hits, total = [asdict(hit) for hit in found.hits], found.total
    why = "no step fits"
    if not hits and not files and page == 1 and not as_json:
        why += _why_none(session.data, tool, table)
    print_table(
        "steps", hits, ("run_id", "step", "tools", "error", "rules", "excerpt"), as_json=as_json,
        summary={"shown": len(hits), "total": total, "page": page}, empty=why,
        drop=("rules", "tools", "error"), shorten="excerpt",
    )  # fmt: skip
    if not hits and total and page > 1:
        say(f"-- page {page} is past the last one: {total} fit, --page {-(-total // limit)}", err=True)
    if not as_json and total is not None and total > page * limit:
        say(f"-- {total - page * limit} more: --page {page + 1}", err=True)


def _why_none(data: DataPaths, tool: str, table: str) -> str:
    """Which of the names given is in no step of any run."""
    from workbench import trajectories

    queries = {
        f"tool {tool!r}": trajectories.StepQuery(tool=tool) if tool else None,
        f"table {table!r}": trajectories.StepQuery(table=table) if table else None,
    }
    unknown = [
        name
        for name, query in queries.items()
        if query is not None and not trajectories.search_runs(data, query, limit=1).hits
    ]
    return f": no recorded run knows {' nor '.join(unknown)}" if unknown else ""


app.command("compare", help=COMPARE_HELP)(compare)
app.command("redact", help=REDACT_HELP)(redact)
