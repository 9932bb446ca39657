"""``workbench task check-output`` and ``workbench task selftest``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.output import (
    JsonOption,
    open_context,
    print_envelope,
    print_table,
    progress_line,
    say,
    say_wrapped,
)
from workbench.patterns import visible
from workbench.records import BadInput, ExitCode, OutputReport, Problem, SelfTest, WorkbenchError

CHECK_HELP = """Check an output without its reference: columns, keys, cohort, ranges, relations, counts.

Prints counts only. With --script, print the same checks as a program that an agent can run (duckdb only).
"""


def check_output(
    task: Annotated[str, typer.Argument(help="Task id.")],
    file: Annotated[Path | None, typer.Argument(help="The output, a CSV file.")] = None,
    source: Annotated[str, typer.Option(help="The source that the output was derived from.")] = "",
    script: Annotated[bool, typer.Option("--script", help="Print the checks as a program.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Exit code 1 where a check does not hold."""
    from workbench import runs, scoring

    context = open_context(source=source or None)
    chosen = context.content.task(task)
    checks = context.content.files(chosen.family).output_checks().of(chosen.database)
    if checks is None:
        raise BadInput(f"the family {chosen.family} has no output checks for {chosen.database}")
    if script:
        say(scoring.check_script(chosen, checks).rstrip())
        return
    if file is None:
        raise BadInput("which output?", remedy="Name the CSV file, or ask for --script.")
    _regular_file(file)
    name = runs.source_for(context.settings.source, chosen)
    with progress_line() as progress:
        made = runs.ensure_source(context, name, progress)
    if made.database != chosen.database:
        raise BadInput(
            f"task {chosen.id} needs a {chosen.database} source; '{name}' is {made.database}",
            remedy="Choose another with --source (workbench data list).",
        )
    report = scoring.check_output(context.data, made, chosen, checks, file, settings=context.settings)
    if as_json:
        summary = {"task": report.task, "source": report.source, "rows": report.rows, "passed": report.passed}
        items = [finding.model_dump(mode="json") | {"kind": "check"} for finding in report.findings]
        items += [step.model_dump(mode="json") | {"kind": "count"} for step in report.steps]
        print_envelope("output-checks", items, summary)
    else:
        _print_report(report)
        if any(finding.check == "file" for finding in report.findings):
            say_wrapped(f"An output is one plain CSV file: {', '.join(chosen.required_columns)}")
    if not report.passed:
        raise typer.Exit(ExitCode.FOUND)


def _regular_file(file: Path) -> None:
    """Raises BadInput for what is no file. A link is left to the check, which follows none."""
    if file.is_dir():
        raise BadInput("it is a folder", where=str(file), remedy="Name the CSV file in it.")
    if not file.exists() and not file.is_symlink():
        raise BadInput("there is no such file", where=str(file), remedy="Name the CSV file of the output.")


def _print_report(report: OutputReport) -> None:
    for finding in report.findings:
        mark = "ok  " if finding.passed else "FAIL"
        say_wrapped(visible(f"{mark}  {finding.check:<8}  {finding.says}: {finding.offending:,}"), 16)
    for step in report.steps:
        more = f" ({step.says})" if step.says else ""
        say_wrapped(visible(f"      count     {step.step}: {step.count:,}{more}"), 16)
    failed = sum(not finding.passed for finding in report.findings)
    say(f"{report.rows:,} rows, {len(report.findings)} checks, {failed} failed")


SELFTEST_HELP = """Test tasks on sources: what shows that each can be solved and is scored as meant.

An empty output scores 0, the reference 1 and strictly, a naive derivation in between; the reference is
computed again from the task database alone; its rows pass the reference-free checks. A table is printed.
"""
COLUMNS = ("task", "source", "rows", "empty", "reference", "strict", "naive", "solvable", "checks", "result")


def selftest(
    names: Annotated[list[str] | None, typer.Argument(help="Tasks, families or aliases.")] = None,
    all_tasks: Annotated[bool, typer.Option("--all", help="All tasks.")] = False,
    source: Annotated[list[str] | None, typer.Option(help="Source; may be given again.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Exit code 1 where a task fails."""
    from workbench import runs
    from workbench.sandbox import choose_sandbox

    context = open_context()
    if bool(names) == all_tasks:
        raise BadInput("which tasks?", remedy="Name tasks or families, or give --all.")
    tasks = context.content.tasks() if all_tasks else []
    for name in names or []:
        tasks += [task for task in context.content.resolve(name) if task not in tasks]
    pairs = runs.pairs_to_test(context, tasks, source or [context.settings.source])
    sandbox = choose_sandbox(context.settings.sandbox)
    tests, problems = [], []
    with progress_line() as progress:
        for number, (task, source_name) in enumerate(pairs):
            progress(f"testing {task.id} on {source_name}", number, len(pairs), "tasks")
            try:
                tests.append(runs.selftest(context, task, source_name, sandbox, progress))
            except WorkbenchError as error:
                where = f"{task.id} on {source_name}"
                problems.append(Problem(what=error.what, where=where, remedy=error.remedy))
    items = [test.model_dump(mode="json") for test in tests]
    failed = sum(not test.passed for test in tests) + len(problems)
    if as_json:
        print_envelope("selftests", items, {"tests": len(pairs), "failed": failed}, problems)
    else:
        _print_tests(tests, problems)
    if failed:
        raise typer.Exit(ExitCode.FOUND)


def _print_tests(tests: list[SelfTest], problems: list[Problem]) -> None:
    rows = [
        {
            "task": test.task,
            "source": test.source,
            "rows": test.rows,
            "empty": test.empty_reward,
            "reference": test.reference_reward,
            "strict": test.reference_strict,
            "naive": test.naive_reward,
            "solvable": test.solvable,
            "checks": test.checks_passed,
            "result": "ok" if test.passed else "FAILED",
        }
        for test in tests
    ]
    print_table("selftests", rows, COLUMNS, as_json=False, empty="no tasks", drop=("rows", "empty", "strict"))
    for test in tests:
        for line in (*test.problems, *(f"note: {note}" for note in test.notes)):
            say_wrapped(visible(f"{test.task} on {test.source}: {line}"), 2)
    for problem in problems:
        say_wrapped(visible(f"{problem.where}: not tested: {problem.what}"), 2)
    good = sum(test.passed for test in tests)
    say(f"{len(tests) + len(problems)} tests: {good} ok, {len(tests) - good + len(problems)} failed")
