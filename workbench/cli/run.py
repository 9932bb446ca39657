"""``workbench run``: run tasks in a sandbox, attach to a run, cancel one."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.output import JsonOption, open_context, print_envelope, progress_line, say
from workbench.records import (
    BadInput,
    Condition,
    ExitCode,
    Limits,
    RunPlan,
    RunResult,
    SchemaVariant,
    Verdict,
)

if TYPE_CHECKING:
    import subprocess

    from workbench.records import RunPaths, Task
    from workbench.runs import Context, RunRequest


class _TaskOrCommand(typer.core.TyperGroup):
    """``run TASK`` is ``run start TASK``; the other words are commands."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands:
            args.insert(0, "start")
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0].startswith("-") and args[0] not in ("--help", "-h"):
            args.insert(0, "start")
        return super().parse_args(ctx, args)


app = typer.Typer(cls=_TaskOrCommand, no_args_is_help=True, help="Run tasks in a sandbox: run TASK.")


@app.command("start", help="Run a task, a family's tasks or an alias ('run TASK' for short).")
def start(
    task: Annotated[str, typer.Argument(help="Task, family or alias (workbench task list).")],
    condition: Annotated[
        Condition | None,
        typer.Option(help="What the agent gets. Default: the newest demonstration's, else no-skill."),
    ] = None,
    schema: Annotated[SchemaVariant, typer.Option(help="Schema variant.")] = SchemaVariant.NATIVE,
    counterfactual: Annotated[
        str, typer.Option(help="One rule changed in all texts (workbench counterfactual list).")
    ] = "",
    agent: Annotated[str, typer.Option(help="codex, command, script or replay.")] = "",
    model: Annotated[str, typer.Option(help="Model name for the agent.")] = "",
    effort: Annotated[str, typer.Option(help="Reasoning effort for the agent.")] = "",
    trial: Annotated[int, typer.Option(min=1, help="Trial number.")] = 1,
    sandbox: Annotated[str, typer.Option(help="auto or bubblewrap.")] = "",
    source: Annotated[str, typer.Option(help="Source of the data (workbench data list).")] = "",
    file: Annotated[
        Path | None, typer.Option(help="Script (.sql, .sh, .py) or recording to execute.")
    ] = None,
    template: Annotated[
        str, typer.Option(help="For --agent command: its command line, with {prompt} {model} {gateway_url}.")
    ] = "",
    limit_wall: Annotated[float | None, typer.Option(help="Seconds.")] = None,
    limit_memory: Annotated[int | None, typer.Option(help="MiB.")] = None,
    limit_processes: Annotated[int | None, typer.Option(help="Processes at once.")] = None,
    limit_disk: Annotated[int | None, typer.Option(help="MiB in the work folder.")] = None,
    limit_output: Annotated[int | None, typer.Option(help="MiB printed.")] = None,
    detach: Annotated[bool, typer.Option("--detach", help="Start and return; see 'run attach'.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Print steps as they happen, violations at their step, then score per column and verdict."""
    from workbench import runs

    context = open_context(source=source or None, sandbox=sandbox or None)
    tasks = context.content.resolve(task)
    limits = _limits(limit_wall, limit_memory, limit_processes, limit_disk, limit_output)
    results: list[RunResult] = []
    for chosen in tasks:
        request = runs.RunRequest(
            task=chosen,
            condition=condition,
            schema_variant=schema,
            counterfactual=counterfactual,
            agent=agent,
            model=model,
            effort=effort,
            trial=trial,
            source=source,
            file=file,
            template=shlex.split(template),
            limits=limits,
        )
        result = _run_one(context, request, detach=detach, quiet=as_json)
        if result is not None:
            results.append(result)
    _finish(results, tasks, detach=detach, as_json=as_json)


def _run_one(context: Context, request: RunRequest, *, detach: bool, quiet: bool) -> RunResult | None:
    from workbench import runs, sandbox

    backend = sandbox.choose_sandbox(context.settings.sandbox)
    planned = runs.plan_run(request, context, backend.name)
    for removed in runs.sweep(context.data):
        say(f"swept {removed}", err=True)
    runs.preflight(context, planned)
    with progress_line() as progress:
        own = runs.context_of(context, planned.plan)
        task = own.content.task(planned.plan.task)
        runs.ensure_ready(own, task, planned.plan.source, backend, progress)
    run, process = runs.launch_run(context, planned)
    plan = planned.plan
    if not quiet:
        say(_head(plan))
        if plan.counterfactual and not runs.tells_of_change(context.content, plan):
            say(
                f"   note: nothing that the agent gets under {plan.condition} states the changed rule",
                err=True,
            )
        if not runs.is_synthetic(context, plan.source):
            say("   note: steps can show rows of this source; they stay in the data directory", err=True)
    if detach:
        if quiet:
            say(plan.run_id)
        return None
    try:
        return _follow(context, run, process, quiet=quiet)
    except KeyboardInterrupt:
        _cancel(context, run, process)
        raise


def _head(plan: RunPlan) -> str:
    """Two lines: which run, and what it does."""
    what = f"replay of the demonstration {plan.agent.file}" if plan.demonstration else plan.agent.name
    changed = f", counterfactual {plan.counterfactual}" if plan.counterfactual else ""
    return f"run {plan.run_id}\n   {plan.task}, {plan.condition}{changed}\n   {what}, source {plan.source}"


def _cancel(context: Context, run: RunPaths, process: subprocess.Popen[bytes]) -> None:
    from workbench import runs

    say(f"cancelling run {run.folder.name}; what it recorded stays", err=True)
    if process.poll() is None:
        process.terminate()
    for _ in runs.follow_run(context, run, process):
        continue
    process.wait()


def _follow(
    context: Context, run: RunPaths, process: subprocess.Popen[bytes] | None, *, quiet: bool
) -> RunResult | None:
    """Print events to the end; None where no result was recorded. Ctrl-C is the caller's."""
    from workbench import runs

    width = min(shutil.get_terminal_size((100, 24)).columns, 160)
    for event in runs.follow_run(context, run, process):
        if not quiet:
            for text in runs.event_lines(event, width):
                say(text)
    if process is not None:
        process.wait()
    if not run.result.exists():
        say(
            f"run {run.folder.name} was interrupted; what it recorded is in its folder "
            f"(workbench runs show {run.folder.name})",
            err=True,
        )
        return None
    if not quiet:
        say(f"folder   {run.folder}\n")
    return RunResult.load(run.result)


def _finish(results: list[RunResult], tasks: list[Task], *, detach: bool, as_json: bool) -> None:
    if as_json:
        print_envelope("runs", [result.model_dump(mode="json") for result in results])
    elif len(results) > 1:
        say("all runs: reward, lint, verdict, task")
        for result in results:
            reward = f"{result.score.reward:.3f}" if result.score else "-"
            lint = result.lint.verdict if result.lint else "not-run"
            name = result.score.task if result.score else "-"
            say(f"  {result.run_id}  {reward:>5}  {lint:<7}  {result.said:<11}  {name}")
    done = {Verdict.PUBLISHABLE}
    if not detach and (len(results) < len(tasks) or any(item.verdict not in done for item in results)):
        raise typer.Exit(ExitCode.FOUND)


def _limits(
    wall: float | None, memory: int | None, processes: int | None, disk: int | None, output: int | None
) -> Limits:
    mib = 1024**2
    given = {
        "wall_s": wall,
        "memory_bytes": memory and memory * mib,
        "processes": processes,
        "work_bytes": disk and disk * mib,
        "output_bytes": output and output * mib,
    }
    for name, value in given.items():
        if value is not None and value <= 0:
            raise BadInput(f"the limit {name} must be above 0")
    return Limits.model_validate({name: value for name, value in given.items() if value is not None})


@app.command(
    "attach",
    help="Follow a run that is going on, or show one that has ended. Ctrl-C leaves; the run goes on.",
)
def attach(run: Annotated[str, typer.Argument(help="Run id or its beginning.")]) -> None:
    """Print the run's events from the beginning until it ends."""
    from workbench import store

    context = open_context()
    run_id = store.RunStore(context.data).find(run)
    paths = context.data.run(run_id)
    say(_head(store.LocalRuns(store.RunStore(context.data)).plan(run_id)))
    try:
        result = _follow(context, paths, None, quiet=False)
    except KeyboardInterrupt:
        say(f"left; run {run_id} goes on (run cancel {run_id} stops it)", err=True)
        raise typer.Exit(ExitCode.DONE) from None
    if result is None or result.verdict is not Verdict.PUBLISHABLE:
        raise typer.Exit(ExitCode.FOUND)


@app.command("cancel", help="Stop a run that is going on; what it recorded stays.")
def cancel(run: Annotated[str, typer.Argument(help="Run id or its beginning.")]) -> None:
    """Ask the run's process to stop."""
    from workbench import runs, store

    context = open_context()
    run_id = store.RunStore(context.data).find(run)
    runs.cancel_run(context, run_id)
    say(f"run {run_id} is stopping")


@app.command("sweep", help="Remove what dead runs left behind (processes, mounts, scratch); records stay.")
def sweep_command(as_json: JsonOption = False) -> None:
    """Only what our own run folders name is touched."""
    from workbench import runs

    removed = runs.sweep(open_context().data)
    if as_json:
        print_envelope("swept", [{"removed": item} for item in removed])
    else:
        say("\n".join(removed) if removed else "nothing to sweep")
