"""``workbench trajectory``: agents' logs of any known format, and those of recorded runs."""

from __future__ import annotations

import inspect
import sys
from dataclasses import asdict
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
from workbench.cli.trajectory_convert import CONVERT_HELP, convert
from workbench.cli.trajectory_input import FormatOption, TargetArgument, open_trajectory, say_if_plain
from workbench.cli.trajectory_redact import REDACT_HELP, redact
from workbench.cli.trajectory_search import SEARCH_HELP, search
from workbench.cli.widths import wide
from workbench.patterns import visible
from workbench.records import BadInput, Step, Violation

app = typer.Typer(no_args_is_help=True, help="Agents' logs: show, search, count, convert, release.")

PAGE = 200
USAGE = (
    "source", "shown", "input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens",
    "cost_usd",
)  # fmt: skip


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
    more = len(steps) == limit and step is None
    paged = {
        "format": found.log.format,
        "shown": len(steps),
        "from": first,
        "next": steps[-1].number + 1 if more else None,
    }
    say_if_plain(found)
    if as_json and not statements:
        summary = paged | {"violations": [item.model_dump(mode="json") for item in said]}
        print_envelope("trajectory", [given.model_dump(mode="json") for given in steps], summary)
        return
    if statements:
        _statements(steps, paged, as_json=as_json)
    else:
        _steps(steps, said, whole=whole)
    if more and not as_json:
        say(f"-- more may follow: --from {paged['next']}", err=True)


def _steps(steps: list[Step], said: list[Violation], *, whole: bool) -> None:
    """Each step, and below it what the lint said of it."""
    from workbench import runs

    width = wide(sys.stdout)
    for given in steps:
        for line in _lines(given, width, whole=whole):
            say(line)
        for item in said:
            if item.place.step == given.number:
                say_wrapped(runs.violation_line(item), 9)
    if not steps:
        say("no step is in this log", err=True)


def _statements(steps: list[Step], paged: dict[str, Any], *, as_json: bool) -> None:
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
        print_envelope("statements", items, paged)
        return
    for item in items:
        done = "executed" if item["executed"] else "written"
        if item["file_named_at"]:
            done += f" to a file that step {item['file_named_at']} names"
        reads = f"; reads {', '.join(item['tables'])}" if item["tables"] else ""
        inexact = "" if item["exact"] else "; some names are computed"
        say_wrapped(visible(f"step {item['step']}, line {item['line']}: {done}{reads}{inexact}"), 4)
        for line in trajectories.code_lines(inspect.cleandoc(item["sql"]), "    ", wide(sys.stdout)):
            say(line)
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


app.command("convert", help=CONVERT_HELP)(convert)
app.command("search", help=SEARCH_HELP)(search)
app.command("compare", help=COMPARE_HELP)(compare)
app.command("redact", help=REDACT_HELP)(redact)
