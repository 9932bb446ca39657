"""``workbench runs``: what was run, one by one and in numbers."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from workbench.cli.output import (
    JsonOption,
    open_context,
    open_session,
    print_envelope,
    print_notes,
    print_pairs,
    print_table,
    say,
    say_wrapped,
)
from workbench.cli.run_filters import check_filters
from workbench.cli.runs_compare import COMPARE_HELP, compare
from workbench.cli.runs_explain import EXPLAIN_HELP, explain
from workbench.patterns import visible
from workbench.records import (
    BadInput,
    Condition,
    EgressRecord,
    ExitCode,
    RunPaths,
    RunResult,
    RunRow,
    RunState,
    Verdict,
    open_regular,
    relinted,
)

app = typer.Typer(no_args_is_help=True, help="Recorded runs.")

COLUMNS = (
    "run_id", "task", "condition", "source", "agent", "model", "demo", "trial", "attempt", "state", "verdict",
    "reward", "strict_pass", "warns", "fails", "begun", "seconds", "tokens",
)  # fmt: skip
DROP = (
    "tokens",
    "seconds",
    "begun",
    "model",
    "attempt",
    "trial",
    "warns",
    "strict_pass",
    "fails",
    "agent",
    "state",
    "source",
)
MEASURES = (
    "runs", "finished", "interrupted", "publishable", "quarantined", "failed", "mean_reward", "strict_passes",
    "warns", "fails",
)  # fmt: skip
DROP_MEASURES = (
    "warns", "fails", "interrupted", "finished", "failed", "quarantined", "publishable", "strict_passes",
)  # fmt: skip

TaskOption = Annotated[str | None, typer.Option("--task", help="Task id.")]
FamilyOption = Annotated[str | None, typer.Option("--family", help="Family.")]
ConditionOption = Annotated[Condition | None, typer.Option("--condition")]
AgentOption = Annotated[str | None, typer.Option("--agent")]
ModelOption = Annotated[str | None, typer.Option("--model")]
SourceOption = Annotated[str | None, typer.Option("--source")]
StateOption = Annotated[RunState | None, typer.Option("--state")]
VerdictOption = Annotated[Verdict | None, typer.Option("--verdict")]


@app.command("list", help="Runs, newest first. Exit code 1 if one cannot be read.")
def list_command(
    task: TaskOption = None,
    family: FamilyOption = None,
    condition: ConditionOption = None,
    agent: AgentOption = None,
    model: ModelOption = None,
    source: SourceOption = None,
    state: StateOption = None,
    verdict: VerdictOption = None,
    match: Annotated[str, typer.Option(help="Words that all occur in a run's columns, in any case.")] = "",
    sort: Annotated[str, typer.Option(help="Order by a column; without it the newest come first.")] = "",
    falling: Annotated[bool, typer.Option("--falling", help="With --sort: the greatest first.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many.")] = None,
    as_json: JsonOption = False,
) -> None:
    """One line a run."""
    from workbench import store

    session = open_session()
    runs = store.RunStore(session.data)
    check_filters(session, runs, task=task, family=family, agent=agent)
    rows = runs.rows(
        limit=None if match or sort else limit, task=task, family=family, condition=condition, agent=agent,
        model=model, source=source, state=state, verdict=verdict,
    )  # fmt: skip
    if sort and sort not in store.LISTED:
        raise BadInput(f"no column {sort!r} to sort by", remedy=f"Known: {', '.join(store.LISTED)}.")
    rows = store.runs_with_words(rows, match)
    rows = (store.runs_in_order(rows, sort, falling=falling) if sort else rows)[:limit]
    items = [row.model_dump(mode="json") for row in rows]
    if not as_json:
        further = {title: store.LISTED[title] for title in ("condition", "begun", "seconds", "tokens")}
        items = [
            item
            | {"demo": row.demonstration, "verdict": _verdict(row)}
            | {title: text(row) for title, text in further.items()}
            for item, row in zip(items, rows, strict=True)
        ]
    summary = {"runs": len(items)}
    print_table(
        "runs", items, COLUMNS, as_json=as_json, summary=summary, problems=runs.problems(), empty="no runs",
        drop=DROP, shorten="task",
    )  # fmt: skip


@app.command("rebuild", help="Index the run folders anew. Exit code 1 if a run cannot be read.")
def rebuild(as_json: JsonOption = False) -> None:
    """The folders are what is true; the index is a copy."""
    from workbench import store

    runs = store.RunStore(open_session().data)
    runs.rebuild()
    found, problems = len(runs.rows()), runs.problems()
    if as_json:
        print_envelope("runs-rebuilt", [{"runs": found}], problems=problems)
    else:
        print_notes(problems)
        print_pairs({"runs": found, "problems": len(problems)})
    if problems:
        raise typer.Exit(ExitCode.FOUND)


@app.command("stats", help="Runs counted and rewards averaged by group.")
def stats(
    by: Annotated[list[str] | None, typer.Option(help="Group by a column; can be given again.")] = None,
    task: TaskOption = None,
    family: FamilyOption = None,
    condition: ConditionOption = None,
    agent: AgentOption = None,
    model: ModelOption = None,
    source: SourceOption = None,
    state: StateOption = None,
    verdict: VerdictOption = None,
    as_json: JsonOption = False,
) -> None:
    """One line a group; by task, condition and counterfactual, if there is any, unless told otherwise."""
    from workbench import store

    session = open_session()
    recorded = store.RunStore(session.data)
    check_filters(session, recorded, task=task, family=family, agent=agent)
    chosen: dict[str, Any] = {
        "task": task, "family": family, "condition": condition, "agent": agent, "model": model,
        "source": source, "state": state, "verdict": verdict,
    }  # fmt: skip
    changed = any(row.counterfactual for row in recorded.rows(**chosen)) if by is None else False
    groups = by or ["task", "condition", *(["counterfactual"] if changed else [])]
    items = recorded.aggregate(groups, **chosen)
    print_table(
        "run-stats", items, [*groups, *MEASURES], as_json=as_json, empty="no runs", drop=DROP_MEASURES,
        shorten=groups[0],
    )  # fmt: skip


@app.command("show", help="One run: plan, state, score, lint, verdict.")
def show(
    run: Annotated[str, typer.Argument(help="Run id or its beginning.")],
    events: Annotated[bool, typer.Option("--events", help="Print what happened, step by step, too.")] = False,
    details: Annotated[
        bool, typer.Option("--details", help="Print all that is recorded, too; events without a cut.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """What is recorded of a run, whatever became of it."""
    from workbench import runs, store

    session = open_session()
    local = store.RunStore(session.data)
    source = store.LocalRuns(local)
    run_id = local.find(run)
    plan, first, state = source.plan(run_id), source.result(run_id), local.state(run_id)
    lint = source.lint(run_id)
    result = relinted(first, lint) if first is not None else None
    folder = local.paths(run_id).folder
    if as_json:
        identity = source.identity(run_id)
        item: dict[str, Any] = {
            "run_id": run_id,
            "state": state,
            "folder": str(folder),
            "plan": plan.model_dump(mode="json"),
            "identity": identity.model_dump(mode="json") if identity else None,
            "result": first.model_dump(mode="json") if first else None,
            "relint": lint.model_dump(mode="json") | {"differs": lint.differs} if lint else None,
        }
        if events:
            item["events"] = [event.model_dump(mode="json") for event in source.events(run_id)]
            item["unreadable_event_lines"] = store.unreadable_lines(local.paths(run_id).events)
        print_envelope("run", [item])
        return
    print_pairs(
        {
            "run": run_id,
            "state": "interrupted" if interrupted(result) else state,
            "task": f"{plan.task}, {plan.condition}, schema {plan.schema_variant}",
            **plan.changed_rule,
            "agent": " ".join(
                word for word in (plan.agent.name, plan.agent.model, plan.agent.effort) if word
            ),
            "source": plan.source,
            "trial": plan.trial,
            "demonstration": plan.demonstration,
            "created": plan.created,
            "folder": folder,
        }
    )
    if events:
        for event in store.events_of_lint(source.events(run_id), lint):
            for line in runs.event_lines(event, whole=details):
                say(line)
        unreadable = store.unreadable_lines(local.paths(run_id).events)
        if unreadable:
            say(f"   note: {unreadable} line{'s' * (unreadable > 1)} of the event log cannot be read")
    elif result is not None:
        if lint is not None:
            for line in runs.relint_lines(lint):
                say_wrapped(line, 9)
        for line in runs.result_lines(result):
            say_wrapped(line, 9)
    else:
        say(f"no result; {len(source.events(run_id))} events are recorded (--events shows them)")
    if details:
        for line in runs.detail_lines(plan, result, _refused(local.paths(run_id))):
            say(line)
    identity = source.identity(run_id)
    if identity is not None:
        for line in runs.identity_lines(identity, result.output_sha256 if result else ""):
            say(line)


def _verdict(row: RunRow) -> str:
    """With a word where it is that of a re-lint."""
    return f"{row.verdict}, {row.said_again}" if row.said_again else row.verdict


def _refused(paths: RunPaths) -> list[EgressRecord]:
    """Requests that the gateway let not pass."""
    from workbench.gateway import read_egress

    return (
        [record for record in read_egress(paths.egress) if not record.allowed]
        if paths.egress.exists()
        else []
    )


@app.command("log", help="A file of a run's folder as it is; the output holds patients' values.")
def log(
    run: Annotated[str, typer.Argument(help="Run id or its beginning.")],
    file: Annotated[
        str, typer.Option(help="trajectory, stderr, process_log, events, egress or output.")
    ] = "trajectory",
    line: Annotated[int, typer.Option(min=1, help="Begin at this line.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many lines.")] = None,
) -> None:
    """Line by line, with what a terminal would act on spelled out."""
    from itertools import islice

    from workbench import store

    if file not in store.RUN_FILES:
        raise BadInput(f"no file {file!r} of a run", remedy=f"Known: {', '.join(store.RUN_FILES)}.")
    runs = store.RunStore(open_session().data)
    path = store.run_file(runs.paths(runs.find(run)), file)
    if not path.is_file():
        raise BadInput("this run has no such file", where=path.name)
    with open_regular(path) as lines:
        for found in islice(lines, line - 1, None if limit is None else line - 1 + limit):
            say(visible(found.rstrip(b"\r\n").decode("utf-8", "replace")))


def interrupted(result: RunResult | None) -> bool:
    """Whether the run was stopped, so that its output says nothing about the agent."""
    return result is not None and result.verdict is Verdict.INTERRUPTED


@app.command("mismatches", help="Examples of what one run's output got wrong; they show patients' values.")
def mismatches(
    run: Annotated[str, typer.Argument(help="Run id or its beginning.")],
    target: Annotated[str, typer.Option(help="Which reference.")] = "public-code",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Examples a column.")] = 5,
    as_json: JsonOption = False,
) -> None:
    """Computed now, from the output and the private reference; nothing is stored."""
    from dataclasses import asdict

    from workbench import runs, store

    context = open_context()
    run_id = store.RunStore(context.data).find(run)
    found = runs.run_mismatches(context, run_id, target, limit)
    items = [asdict(item) | {"key": ", ".join(str(part) for part in item.key)} for item in found]
    print_table(
        "mismatches", items, ("kind", "column", "key", "got", "wanted"), as_json=as_json,
        empty="no mismatches",
    )  # fmt: skip


app.command("compare", help=COMPARE_HELP)(compare)
app.command("explain", help=EXPLAIN_HELP)(explain)
