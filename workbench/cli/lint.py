"""``workbench lint``: the contamination lint over recorded runs, and over logs of any known format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from workbench.cli.lint_rules import list_rules, tell_rule
from workbench.cli.output import JsonOption, open_context, print_envelope, progress_line, say_wrapped
from workbench.cli.trajectory_input import names_file, open_trajectory
from workbench.patterns import visible
from workbench.records import BadInput, ExitCode, Level, LintReport, Progress

LINT_HELP = "Lint recorded runs again, or logs of any known format. Exit code 1 if something was found."
_INDENT = 9
ACCUSING = (Level.FAIL, Level.QUARANTINE, Level.WARN)


def lint(
    targets: Annotated[
        list[str] | None, typer.Argument(metavar="RUN|FILE…", help="Run ids, or their begins; or files.")
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE", help="Only this rule; can be repeated. Nothing is kept."),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE", help="Without this rule; can be repeated. Nothing is kept."),
    ] = None,
    task: Annotated[
        str, typer.Option(help="Which task a file is the log of; of an alias, each of its tasks.")
    ] = "",
    format: Annotated[str, typer.Option("--format", help="A file's format, if it is not to be told.")] = "",
    explain: Annotated[
        str, typer.Option(metavar="RULE", help="What a rule looks at, and what may look like it.")
    ] = "",
    rules: Annotated[bool, typer.Option("--rules", help="List the rules.")] = False,
    as_json: JsonOption = False,
) -> None:
    """What is said of a run is kept beside its result, unless rules were chosen for this one time."""
    if explain or rules:
        if targets:
            raise BadInput("rules are told without a run or a file", remedy="Leave the targets out.")
        tell_rule(explain, as_json=as_json) if explain else list_rules(as_json=as_json)
        return
    if not targets:
        raise BadInput("nothing to lint", remedy="Name runs or files; `workbench runs list` shows the runs.")
    context = open_context()
    _check_options(targets, task, format)
    tasks = [one.id for one in context.content.resolve(task)] if task else [""]
    settings = context.settings.lint
    chosen: dict[str, Any] = {"select": select or settings.select, "ignore": ignore or settings.ignore}
    from workbench import contamination

    contamination.lint_rules(**chosen)
    resolved = [(target, _run_id(context, target)) for target in targets]
    items = []
    for target, run_id, as_of in ((*one, name) for one in resolved for name in tasks):
        with progress_line() as progress:
            if run_id:
                item = _run(context, target, run_id, chosen, progress, keep=not select and not ignore)
            else:
                item = _file(context, target, chosen, progress, task=as_of, format=format)
        items.append(item | {"chosen": _chosen(item["report"]) if select or ignore else []})
        if not as_json:
            for line in _lines(items[-1], told=not select):
                say_wrapped(line, _INDENT)
    found = sum(item["found"] for item in items)
    if as_json:
        shown = [item | {"report": item["report"].model_dump(mode="json")} for item in items]
        print_envelope("lint", shown, summary={"targets": len(targets), "found": found})
    if found:
        raise typer.Exit(ExitCode.FOUND)


def _check_options(targets: list[str], task: str, format: str) -> None:
    """Raises BadInput where an option for files is given with a run."""
    runs = [target for target in targets if not names_file(target)]
    if runs and (task or format):
        raise BadInput(
            f"{'--task' if task else '--format'} is for files, and {runs[0]} is the name of a run",
            remedy="Leave it out: a run's task and format are recorded. Or lint files and runs apart.",
        )


def _run_id(context: Any, target: str) -> str:
    """The run that is meant; empty for a file. Raises BadInput."""
    from workbench import store

    if names_file(target):
        return ""
    return store.RunStore(context.data).find(target)


def _run(
    context: Any, target: str, run_id: str, chosen: dict[str, Any], progress: Progress, *, keep: bool
) -> dict[str, Any]:
    from workbench import runs, store

    record = runs.relint(context, run_id, progress=progress, **chosen)
    newest = store.newest_lint(context.data.run(run_id)) if keep else None
    equal = newest is not None and newest.says_as(record)
    number = store.keep_lint(context.data, record) if keep and not equal else None
    return {
        "target": target,
        "run_id": run_id,
        "verdict": record.verdict,
        "first_verdict": record.first_verdict,
        "differs": record.differs,
        "reasons": record.reasons,
        "notes": record.notes,
        "kept": number,
        "equal_to_kept": equal,
        "report": record.report,
        "found": _found(record.report),
    }


def _file(
    context: Any, target: str, chosen: dict[str, Any], progress: Progress, *, task: str, format: str
) -> dict[str, Any]:
    from workbench import runs

    log = open_trajectory(context.data, target, format, progress).log
    steps = list(log)
    complete = log.summary.complete and not log.summary.damaged_lines
    report = runs.lint_log(context, steps, complete=complete, task=task, **chosen)
    return {
        "target": target,
        "run_id": "",
        "format": log.format,
        "steps": len(steps),
        "task": task,
        "notes": list(_notes(log.format, complete=complete)),
        "report": report,
        "found": _found(report),
    }


def _notes(format: str, *, complete: bool) -> Iterator[str]:
    """What to know of a log before what is said of it."""
    from workbench import trajectories

    if format == trajectories.PLAIN:
        yield "no known format: read as one text, in which commands and outputs cannot be told apart"
    if not complete:
        yield "the log is cut or damaged: what is absent from it proves nothing"


def _chosen(report: LintReport) -> list[str]:
    """The rules that were not left out."""
    from workbench import contamination

    return [item.rule for item in report.outcomes if item.reason != contamination.IGNORED]


def _found(report: LintReport) -> bool:
    """Whether a rule accuses, or did not run although it could have been."""
    from workbench import runs

    left_in = _chosen(report)
    kept_out = [
        item
        for item in report.outcomes
        if not item.ran and item.rule in left_in and not runs.not_expected(item.reason)
    ]
    return bool(kept_out) or any(item.level in ACCUSING for item in report.violations)


def _lines(item: dict[str, Any], *, told: bool) -> Iterator[str]:
    """``told``: with the rules that were left out."""
    from workbench import runs

    report: LintReport = item["report"]
    if item["run_id"]:
        yield f"run      {item['run_id']}"
    else:
        steps = f"{item['steps']} step{'s' * (item['steps'] != 1)}"
        yield f"file     {visible(item['target'])} ({item['format']}, {steps})"
        if item["task"]:
            yield f"task     {item['task']}"
    chosen = item["chosen"]
    yield runs.chosen_rules_line(report, len(chosen)) if chosen else runs.lint_line(report)
    for note in item["notes"]:
        yield f"   note: {visible(note)}"
    kept = [outcome for outcome in report.outcomes if told or outcome.rule in chosen]
    yield from runs.lint_lines(report.model_copy(update={"outcomes": kept}))
    if chosen and item["run_id"]:
        yield "         not kept: what chosen rules say is no verdict of the run"
    elif item["run_id"]:
        reasons = f": {visible('; '.join(item['reasons']))}" if item["reasons"] else ""
        yield f"verdict  {item['verdict']}{reasons}"
        then = f"it was {item['first_verdict']}" if item["differs"] else "as it was"
        where = f"kept as re-lint {item['kept']}" if item["kept"] else "the newest kept re-lint says the same"
        yield f"         {then}; {where}"
