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
)
from workbench.cli.trajectory_compare import COMPARE_HELP, compare
from workbench.cli.trajectory_input import FormatOption, TargetArgument, open_trajectory
from workbench.cli.trajectory_redact import REDACT_HELP, redact
from workbench.records import BadInput, Step, TrajectorySummary

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
    from workbench import runs, trajectories

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
        items = [
            {"step": given.number, **asdict(statement)}
            for given in steps
            for statement in trajectories.step_statements(given)
        ]
        print_table(
            "statements", items, ("step", "line", "executed", "tables", "sql"), as_json=as_json,
            empty="no SQL in these steps",
        )  # fmt: skip
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
    width = max(shutil.get_terminal_size().columns, _NARROWEST) if sys.stdout.isatty() else 80
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


def _lines(step: Step, width: int, *, whole: bool) -> list[str]:
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
        "damaged_lines": summary.damaged_lines,
        "unknown_events": sum(summary.unknown_events.values()),
        "retries": summary.retries,
    }
    if as_json:
        item = about | {"unknown_events": summary.unknown_events} | vars(counted) | {"usage": usage}
        print_envelope("trajectory-stats", [item])
        return
    print_pairs(about)
    print_pairs(
        {
            name: value if not isinstance(value, dict) else _counted(value)
            for name, value in vars(counted).items()
        }
    )
    if usage:
        say("")
        print_table("usage", usage, USAGE, as_json=False, drop=("reasoning_output_tokens", "cost_usd"))


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
        str, typer.Argument(help='Words, "a phrase", begin*; all must be there. May be empty.')
    ] = "",
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
    query = trajectories.StepQuery(words=words, pattern=pattern, tool=tool, table=table)
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
    print_table(
        "steps", hits, ("run_id", "step", "tools", "error", "rules", "excerpt"), as_json=as_json,
        summary={"shown": len(hits), "total": total, "page": page}, empty="no step fits",
        drop=("rules", "tools", "error"), shorten="excerpt",
    )  # fmt: skip
    if not hits and total and page > 1:
        say(f"-- page {page} is past the last one: {total} fit, --page {-(-total // limit)}", err=True)
    if not as_json and total is not None and total > page * limit:
        say(f"-- {total - page * limit} more: --page {page + 1}", err=True)


app.command("compare", help=COMPARE_HELP)(compare)
app.command("redact", help=REDACT_HELP)(redact)
